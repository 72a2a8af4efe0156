package console

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/similar"
)

// Execute runs a line for a caller.
func (c *Console) Execute(line string, who Caller) {
	line, _, _ = strings.Cut(line, "\x00")
	if len(line) > MaxLine {
		c.warn(who, "Console", "Line of %d bytes is too long; at most %d are allowed.", len(line), MaxLine)
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

// enter begins a line or file. It may be inside another one. The returned function ends it.
func (c *Console) enter() (leave func()) {
	if c.nesting == 0 {
		c.numCommands, c.tooManyReported, c.suggestions = 0, false, 0
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
		if c.cfg.KeepUnknown && c.keepUnknown(name, part, who) {
			return true
		}
		if meant := c.suggest(name, who); meant != "" && c.failArgument(unknownArgument(name, meant)) {
			return false
		}
		c.warnUnknown(name, who)
		return true
	case e.level < who.Level:
		c.warn(who, "Console", "Access for command %s denied.", name)
		return true
	}
	if len(part) > MaxCommand {
		c.warn(who, "Console", "%s: the command has %d bytes; at most %d are allowed", e.cmd.Name, len(part), MaxCommand)
	}
	args, rest, err := parseArgs(rest, e.params)
	if errors.Is(err, errNumber) {
		if c.failArgument(fmt.Errorf("%s: %w", e.cmd.Name, err)) {
			return false
		}
		c.warn(who, "Console", "%s: %v", e.cmd.Name, err)
		return true
	}
	if err != nil {
		c.warn(who, "Console", "Invalid arguments... Usage: %s %s", e.cmd.Name, e.cmd.Params)
		return true
	}
	if rest != "" {
		if e.cmd.Flags&Secret != 0 {
			rest = "***"
		}
		c.warn(who, "Console", "%s: '%s' is left out", e.cmd.Name, rest)
	}
	if c.reload != nil && e.variable == nil && e.cmd.Flags&Lasting == 0 {
		return true
	}
	call := Call{Console: c, Caller: who, Name: e.cmd.Name, Args: args}
	if !c.started && e.cmd.Flags&Store != 0 {
		if len(c.waiting) == maxWaiting {
			c.warn(who, "Console", "Too many commands wait for the start.")
			return true
		}
		c.waiting = append(c.waiting, waitingCommand{e: e, call: call})
		return true
	}
	e.run(&call)
	return true
}

// Check returns an error if a caller could not run a line. The line must contain a command. All its
// commands must exist, be allowed and have their arguments.
func (c *Console) Check(line string, who Caller) error {
	line, _, _ = strings.Cut(line, "\x00")
	if len(line) > MaxLine {
		return fmt.Errorf("%w: longer than %d bytes", ErrLine, MaxLine)
	}
	var noEffect error // of a name of DDNet, which are fine beside others
	for n, more := 0, true; more; n++ {
		var part string
		part, line, more = nextCommand(line)
		name, rest := splitName(safetext.Truncate(part, MaxCommand))
		if name == "" {
			if n > 0 {
				return noEffect // an empty part ends a line
			}
			return fmt.Errorf("%w: no command", ErrLine)
		}
		e := c.find(name, who.Flags)
		switch why, isDDNet := DDNetReason(name); {
		case e == nil && isDDNet:
			if n == 0 {
				noEffect = fmt.Errorf("%w: %s has no effect here (%s)", ErrLine, name, why)
			}
			continue
		case e == nil:
			return fmt.Errorf("%w: no such command: %s", ErrLine, name)
		case e.level < who.Level:
			return fmt.Errorf("%w: no access to %s", ErrLine, name)
		}
		if _, _, err := parseArgs(rest, e.params); err != nil {
			return fmt.Errorf("%w: %s needs %s: %w", ErrLine, e.cmd.Name, e.cmd.Params, err)
		}
		noEffect = nil
	}
	return noEffect
}

// tooManyCommands reports whether a line or file has run more commands than it may, and
// prints that once.
func (c *Console) tooManyCommands(who Caller) bool {
	if c.numCommands <= maxCommands {
		return false
	}
	if !c.tooManyReported {
		c.tooManyReported = true
		c.warn(who, "Console", "Too many commands.")
	}
	return true
}

func (e *entry) run(call *Call) {
	c := call.Console
	if e.variable != nil && c.reload != nil {
		c.reload.run(e, call)
		return
	}
	if e.variable != nil && len(call.Args) == 0 {
		value := e.shown()
		if e.cmd.Flags&Secret != 0 && value != "" {
			value = "***" // printed lines are also logged
		}
		call.Print("Console", "Value: %s", value)
		return
	}
	if call.variable = e.variable; call.variable != nil {
		call.before = e.variable.value()
	}
	e.cmd.Run(call)
	for _, f := range e.afterRun {
		f(call)
	}
}

// Start runs the commands that waited for the world, in order. Later commands run at once. Start
// then prints the unknown commands; see Config.KeepUnknown.
func (c *Console) Start() {
	c.started, c.starting = true, true
	queue := c.waiting
	c.waiting = nil
	for _, s := range queue {
		leave := c.enter()
		c.at(s.at, func() { s.e.run(&s.call) })
		leave()
	}
	c.starting = false
	c.reportLevelled()
	c.reportUnknown()
}

// Started reports whether Start was called.
func (c *Console) Started() bool { return c.started }

// ExecuteFile runs the lines of a file of Config.Files for a caller, and reports whether they ran.
// The lines of a file that is still being read run later. A missing file, and a file that is
// already running, are skipped.
func (c *Console) ExecuteFile(name string, who Caller) bool {
	clean, err := c.filePath(name)
	if slices.ContainsFunc(c.openFiles, func(p filePosition) bool { return p.file == clean }) {
		return false // silently as in the original: Debian's server.cfg ends so
	}
	if len(c.openFiles) >= maxDepth {
		c.warn(who, "console", "too many nested files, '%s' is not executed", name)
		return false
	}
	var data []byte
	if outer := slices.Clone(c.openFiles); err == nil {
		data, err = c.readFile(clean, func(data []byte, err error) {
			who.Print = nil // the answer to the caller is over
			c.openFiles = outer
			c.runFile(name, clean, data, err, who)
			c.openFiles = nil
		})
	}
	if errors.Is(err, ErrLater) {
		c.warn(who, "console", "'%s' takes long to read; it runs as soon as it is read", name)
		return false
	}
	return c.runFile(name, clean, data, err, who)
}

// ExecuteContent runs the lines of a file that the owner of the console has read. err is the error
// of reading.
func (c *Console) ExecuteContent(name string, content []byte, err error, who Caller) bool {
	clean, bad := CleanPath(name)
	if bad != nil {
		err = bad
	}
	return c.runFile(name, clean, content, err, who)
}

// runFile runs the lines of a file that was read, or could not be.
func (c *Console) runFile(name, clean string, data []byte, err error, who Caller) bool {
	if err == nil && len(data) > MaxFile {
		err = errTooLarge
	}
	if err != nil && c.failArgument(fmt.Errorf("failed to open '%s': %w", name, err)) {
		return false
	}
	if err != nil {
		c.warn(who, "console", "failed to open '%s'", name)
		switch {
		case errors.Is(err, errTooLarge):
			c.warn(who, "console", "Info: the file is larger than %d bytes", MaxFile)
		case errors.Is(err, errPath):
			c.warn(who, "console", "Info: only relative paths inside the storage directories are allowed")
		case !errors.Is(err, fs.ErrNotExist): // then the original says no more
			c.warn(who, "console", "Info: %v", err)
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

// CleanPath converts a file name from an operator to a path of package io/fs.
func CleanPath(name string) (string, error) {
	p := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if name == "" || p == "." || !fs.ValidPath(p) || strings.ContainsAny(p, "\x00:") {
		return "", errPath
	}
	return p, nil
}

// AbsoluteFS is a file system of Config that also opens absolute paths. The program's arguments may
// contain such paths, and so may the files that they execute.
type AbsoluteFS interface {
	fs.FS
	// OpenAbsolute opens the file with an absolute path of the system.
	OpenAbsolute(path string) (fs.File, error)
}

// filePath turns the name of a file to execute into a path of io/fs, or into an absolute path
// if it is one and may be.
func (c *Console) filePath(name string) (string, error) {
	if c.inArgument {
		return argumentPath(name)
	}
	return CleanPath(name)
}

// argumentPath is CleanPath for files that may have an absolute path.
func argumentPath(name string) (string, error) {
	if filepath.IsAbs(name) {
		return filepath.Clean(name), nil
	}
	return CleanPath(name)
}

func (c *Console) readFile(name string, late func(content []byte, err error)) ([]byte, error) {
	switch {
	case c.reload != nil:
		return c.reload.configuration.file(name)
	case c.cfg.ReadFile != nil:
		return c.cfg.ReadFile(name, late)
	case c.cfg.Files == nil:
		return nil, fs.ErrNotExist
	}
	return ReadFile(c.cfg.Files, name)
}

// ReadFile reads at most MaxFile+1 bytes of a file.
func ReadFile(files fs.FS, name string) ([]byte, error) {
	open := files.Open
	if filepath.IsAbs(name) {
		absolute, ok := files.(AbsoluteFS)
		if !ok {
			return nil, errPath
		}
		open = absolute.OpenAbsolute
	}
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

// ExecuteArgs runs the arguments of the program for the operator, each as a line. -f FILE executes
// a file; -s, --silent, -d and --default are skipped. A mistaken argument is an error, so that no
// server runs on the wrong port or without its password. Mistakes are a variable without a value, a
// word in place of a number, a missing file, and a name close to an existing command. With
// Config.KeepUnknown, CheckArgs returns the error for such a name. ExecuteArgs only prints other
// unknown commands with arguments, because operators bring settings of other servers.
func (c *Console) ExecuteArgs(args []string) error {
	if err := c.executeArgs(args); err != nil {
		return &ArgumentError{err}
	}
	return nil
}

// ArgumentError is an error of [Console.ExecuteArgs].
type ArgumentError struct{ error }

// Unwrap returns the cause.
func (e *ArgumentError) Unwrap() error { return e.error }

func (c *Console) executeArgs(args []string) error {
	c.argumentErr = nil
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-f":
			if i++; i == len(args) {
				return errors.New("-f without a file")
			}
			c.inArgument = true
			c.ExecuteFile(strings.TrimSpace(args[i]), Operator)
		case "-s", "--silent", "-d", "--default":
		default:
			if err := c.checkArg(args[i:]); err != nil {
				return err
			}
			c.inArgument = true
			c.Execute(args[i], Operator)
		}
		if c.inArgument = false; c.argumentErr != nil {
			return c.argumentErr
		}
	}
	return nil
}

// failArgument makes ExecuteArgs return err, if it executes the line that err is about.
func (c *Console) failArgument(err error) bool {
	if !c.inArgument || len(c.openFiles) > 0 {
		return false
	}
	c.argumentErr = err
	return true
}

// noCommand returns the error about an argument that is not like a console command.
func noCommand(arg string) error {
	return fmt.Errorf(`%q is not a console command; write one as in "sv_port 8304"`, arg)
}

// checkArg returns an error if the first argument is one word that was to be a line
// together with the next argument, or no command for another reason.
func (c *Console) checkArg(args []string) error {
	arg := args[0]
	if name, value, ok := strings.Cut(arg, "="); ok && c.find(name, Operator.Flags) != nil {
		return fmt.Errorf("%q: write a space before the value: %q", arg, name+" "+value)
	}
	e := c.find(arg, Operator.Flags)
	if strings.EqualFold(arg, "help") {
		e = nil // who writes that wants help with the program, and no server
	}
	if e == nil && arg != "" {
		switch sign := strings.IndexByte("-+0123456789", arg[0]) >= 0; {
		case !sign && validName(arg) && c.cfg.KeepUnknown && !strings.EqualFold(arg, "help"):
			if len(args) > 1 && args[1] != "" && strings.IndexByte("-+0123456789", args[1][0]) >= 0 && args[1] != "-f" {
				return fmt.Errorf("put quotes around %s and its value: %q", arg, arg+" "+args[1])
			}
			// A mod may have a command of this name.
		case sign || validName(arg):
			return noCommand(arg)
		}
	}
	if e == nil || len(e.params) == 0 {
		return nil
	}
	if len(args) > 1 && args[1] != "-f" {
		if next, _ := splitName(args[1]); c.find(next, Operator.Flags) == nil {
			return fmt.Errorf("put quotes around %s and its value: %q", arg, arg+" "+args[1])
		}
	}
	if e.variable != nil || !e.params[0].optional {
		return fmt.Errorf("%s has no value; put quotes around the name and the value", arg)
	}
	return nil
}

// Similar returns the name in names closest to a mistyped name, "" if none is close. Close means at
// most two letters that are wrong, missing, added or swapped with the next one. Case does not
// matter.
func Similar(name string, names []string) string {
	best, least := "", 3
	for _, other := range names {
		// In a short name a letter makes another name.
		if d := len(name) - len(other); d < -2 || d > 2 {
			continue
		}
		if n := similar.Distance(strings.ToLower(name), strings.ToLower(other)); n < least && 5*n <= len(other) {
			best, least = other, n
		}
	}
	return best
}

// Redact returns a line for logs. It replaces values of Secret variables with ***, also within
// other commands, as well as values of names that look like password settings of other servers.
func (c *Console) Redact(line string) string {
	var out []string
	hidden := false
	for rest, more := line, line != ""; more; {
		var part string
		part, rest, more = nextCommand(rest)
		if end := c.secretAt(part); end >= 0 {
			hidden = true
			part = part[:end] + " ***"
		}
		out = append(out, part)
	}
	if !hidden {
		return line
	}
	return strings.Join(out, ";")
}

// secretAt returns where the name of a variable ends of which a command has the secret value,
// -1 if it has none.
func (c *Console) secretAt(command string) int {
	const between = whitespace + "\";\\"
	begins := true // whether the next word is the name of a command
	takesCommand := false
	for i := 0; i < len(command); {
		if j := strings.IndexByte(between, command[i]); j >= 0 {
			begins = begins || j >= len(whitespace)
			i++
			continue
		}
		end := len(command)
		if n := strings.IndexAny(command[i:], between); n >= 0 {
			end = i + n
		}
		word := strings.ToLower(command[i:end])
		e := c.find(word, ^Flag(0))
		// Misspelt names count, too.
		secret := e != nil && e.cmd.Flags&Secret != 0 || strings.Contains(word, "password") || e == nil && strings.HasPrefix(word, "auth_")
		// "password" is also a word of the language, as in reasons and chat.
		if secret && (begins || takesCommand || strings.Contains(word, "_")) {
			if strings.Trim(command[end:], between) != "" {
				return end
			}
		}
		takesCommand = takesCommand || begins && word == "add_vote"
		begins, i = false, end
	}
	return -1
}
