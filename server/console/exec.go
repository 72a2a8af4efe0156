package console

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/internal/safetext"
)

// Execute runs a line for a caller.
func (c *Console) Execute(line string, who Caller) {
	line, _, _ = strings.Cut(line, "\x00")
	if len(line) > MaxLine {
		c.printError(who, "Console", "Line of %d bytes is too long.", len(line))
		return
	}
	defer c.enter()()
	for more := line != ""; more; {
		var part string
		part, line, more = nextCommand(line)
		if !c.run(part, who) {
			return
		}
	}
}

// enter begins a line or file, which may be inside another one. The returned function ends
// it.
func (c *Console) enter() (leave func()) {
	if c.nesting == 0 {
		c.numCommands, c.tooManyReported = 0, false
	}
	c.nesting++
	return func() { c.nesting-- }
}

// run runs one command of a line. It returns false if the rest of the line must not run.
func (c *Console) run(part string, who Caller) bool {
	name, rest := splitName(safetext.Truncate(part, MaxCommand))
	if name == "" {
		return false
	}
	if c.numCommands++; c.tooManyCommands(who) {
		return false
	}
	e := c.find(name, who.Flags)
	switch {
	case e == nil:
		c.printError(who, "Console", "No such command: %s.", name)
		return true
	case e.level < who.Level:
		c.printError(who, "Console", "Access for command %s denied.", name)
		return true
	}
	args, err := parseArgs(rest, e.params)
	if err != nil {
		c.printError(who, "Console", "Invalid arguments... Usage: %s %s", e.cmd.Name, e.cmd.Params)
		return true
	}
	call := Call{Console: c, Caller: who, Name: e.cmd.Name, Args: args}
	if !c.started && e.cmd.Flags&Store != 0 {
		if len(c.waiting) == maxWaiting {
			c.printError(who, "Console", "Too many commands wait for the start.")
			return true
		}
		c.waiting = append(c.waiting, waitingCommand{e, call})
		return true
	}
	e.run(&call)
	return true
}

// Check returns why who could not run a line, nil if they can: it must have a command, and
// all its commands must exist, be allowed, and have the arguments that they need.
func (c *Console) Check(line string, who Caller) error {
	line, _, _ = strings.Cut(line, "\x00")
	if len(line) > MaxLine {
		return fmt.Errorf("%w: it is too long", ErrLine)
	}
	for n, more := 0, true; more; n++ {
		var part string
		part, line, more = nextCommand(line)
		name, rest := splitName(safetext.Truncate(part, MaxCommand))
		if name == "" {
			if n > 0 {
				return nil // an empty part ends a line
			}
			return fmt.Errorf("%w: it has no command", ErrLine)
		}
		e := c.find(name, who.Flags)
		switch {
		case e == nil:
			return fmt.Errorf("%w: no such command: %s", ErrLine, name)
		case e.level < who.Level:
			return fmt.Errorf("%w: no access to %s", ErrLine, name)
		}
		if _, err := parseArgs(rest, e.params); err != nil {
			return fmt.Errorf("%w: %s needs %s: %w", ErrLine, e.cmd.Name, e.cmd.Params, err)
		}
	}
	return nil
}

// tooManyCommands reports whether a line or file has run more commands than it may, and
// prints that once.
func (c *Console) tooManyCommands(who Caller) bool {
	if c.numCommands <= maxCommands {
		return false
	}
	if !c.tooManyReported {
		c.tooManyReported = true
		c.printError(who, "Console", "Too many commands.")
	}
	return true
}

func (e *entry) run(call *Call) {
	e.cmd.Run(call)
	if e.variable != nil && len(call.Args) == 0 {
		return
	}
	for _, f := range e.afterRun {
		f(call)
	}
}

// Start runs the commands that waited for the world, in order. Later ones run at once.
func (c *Console) Start() {
	c.started = true
	queue := c.waiting
	c.waiting = nil
	for _, s := range queue {
		leave := c.enter()
		s.e.run(&s.call)
		leave()
	}
}

// ExecuteFile runs the lines of a file of Config.Files for a caller. It reports whether
// there is such a file. A file that is already being executed is skipped.
func (c *Console) ExecuteFile(name string, who Caller) bool {
	clean, err := cleanPath(name)
	if slices.ContainsFunc(c.openFiles, func(p filePosition) bool { return p.file == clean }) {
		c.reportUnprinted("'%s' executes itself", name)
		return false
	}
	if len(c.openFiles) >= maxDepth {
		c.printError(who, "console", "too many nested files, '%s' is left out", name)
		return false
	}
	var data []byte
	if err == nil {
		data, err = c.readFile(clean)
	}
	if err != nil {
		c.printError(who, "console", "failed to open '%s'", name)
		if errors.Is(err, errTooLarge) {
			c.printError(who, "console", "Info: the file is larger than %d bytes", MaxFile)
		} else if errors.Is(err, errPath) {
			c.printError(who, "console", "Info: only relative paths inside the storage directories are allowed")
		}
		return false
	}
	c.print(who, Standard, "console", fmt.Sprintf("executing '%s'", name))

	defer c.enter()()
	c.numCommands += len(data) / 64 // reading is work too
	c.openFiles = append(c.openFiles, filePosition{file: clean})
	defer func() { c.openFiles = c.openFiles[:len(c.openFiles)-1] }()
	at := len(c.openFiles) - 1
	text := strings.TrimPrefix(string(data), "\ufeff")
	for text != "" && !c.tooManyCommands(who) {
		line := text
		if i := strings.IndexAny(text, "\r\n"); i >= 0 {
			line = text[:i]
			if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			text = text[i+1:]
		} else {
			text = ""
		}
		c.openFiles[at].line++
		c.Execute(line, who)
	}
	return true
}

var (
	errPath     = errors.New("path leaves the storage directory")
	errTooLarge = errors.New("file is too large")
)

// cleanPath turns the name of a file as users write it into a path of io/fs.
func cleanPath(name string) (string, error) {
	p := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if name == "" || p == "." || !fs.ValidPath(p) || strings.ContainsAny(p, "\x00:") {
		return "", errPath
	}
	return p, nil
}

func (c *Console) readFile(name string) ([]byte, error) {
	if c.cfg.Files == nil {
		return nil, fs.ErrNotExist
	}
	f, err := c.cfg.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = errTooLarge
	}
	return data, err
}

// ExecuteArgs runs the arguments of the program for the operator, each as a line. -f FILE
// executes a file; -s, --silent, -d and --default are skipped.
func (c *Console) ExecuteArgs(args []string) {
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-f":
			if i++; i < len(args) {
				c.ExecuteFile(args[i], Operator)
			} else {
				c.reportUnprinted("-f without a file")
			}
		case "-s", "--silent", "-d", "--default":
		default:
			c.Execute(args[i], Operator)
		}
	}
}

// Redact returns a line without its secrets, for logs: the values of Secret variables, and
// other commands with "password" in them.
func (c *Console) Redact(line string) string {
	var out []string
	hidden := false
	for rest, more := line, line != ""; more; {
		var part string
		part, rest, more = nextCommand(rest)
		name, args := splitName(part)
		if e := c.find(name, ^Flag(0)); e != nil && e.cmd.Flags&Secret != 0 {
			if strings.TrimSpace(args) != "" {
				hidden = true
				part = name + " ***"
			}
		} else if strings.Contains(strings.ToLower(part), "password") {
			hidden = true
			part = "***"
		}
		out = append(out, part)
	}
	if !hidden {
		return line
	}
	return strings.Join(out, ";")
}
