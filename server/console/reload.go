package console

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Configuration holds the arguments of a program and the content of the files that they execute,
// read at one time.
type Configuration struct {
	args  []string
	files map[string]configFile // by clean path
}

type configFile struct {
	content []byte
	err     error
}

// maxConfigFiles is the most files of a Configuration.
const maxConfigFiles = 100

var errManyFiles = errors.New("there are too many files")

// ReadConfiguration reads the files of a configuration. Any goroutine may call it, so that the
// goroutine of the console need not wait for a slow disk.
func ReadConfiguration(files fs.FS, args []string) *Configuration {
	r := &Configuration{args: args, files: make(map[string]configFile)}
	for i, arg := range args {
		if i > 0 && args[i-1] == "-f" {
			r.read(files, strings.TrimSpace(arg))
		} else {
			r.readExecuted(files, arg)
		}
	}
	return r
}

// read reads a file and those that it executes.
func (r *Configuration) read(files fs.FS, name string) {
	clean, err := argumentPath(name)
	if _, known := r.files[clean]; err != nil || known {
		return
	}
	if len(r.files) == maxConfigFiles {
		r.files[clean] = configFile{err: errManyFiles}
	}
	if len(r.files) >= maxConfigFiles {
		return
	}
	content, err := ReadFile(files, clean)
	r.files[clean] = configFile{content, err}
	if err != nil || len(content) > MaxFile {
		return
	}
	for line := range strings.FieldsFuncSeq(string(content), func(c rune) bool { return c == '\r' || c == '\n' }) {
		r.readExecuted(files, line)
	}
}

// readExecuted reads the files that a line executes.
func (r *Configuration) readExecuted(files fs.FS, line string) {
	line, _, _ = strings.Cut(strings.TrimPrefix(line, "\ufeff"), "\x00")
	for more := line != ""; more; {
		var part string
		part, line, more = nextCommand(line)
		name, rest := splitName(part)
		if name == "" {
			return
		}
		if !strings.EqualFold(name, "exec") {
			continue
		}
		if args, _, err := parseArgs(rest, []param{{kind: 'r'}}); err == nil {
			r.read(files, args[0])
		}
	}
}

// file returns a file that was read.
func (r *Configuration) file(name string) ([]byte, error) {
	f, ok := r.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return f.content, f.err
}

// reload is a configuration that is being read again.
type reload struct {
	configuration *Configuration
	variables     []reloadedVariable
}

// reloadedVariable is a variable that the configuration sets.
type reloadedVariable struct {
	e      *entry
	call   Call   // that set it last
	before string // its value before
}

// Reload runs a configuration again, as ExecuteArgs does. Variables get their new values; only
// changed values have consequences. Other commands run only if they have the flag Lasting, because
// a configuration may contain commands such as say or restart.
func (c *Console) Reload(cfg *Configuration) error {
	r := &reload{configuration: cfg}
	c.reload = r
	c.unknown, c.withoutEffect = nil, nil // they are kept again
	err := c.ExecuteArgs(cfg.args)
	c.reload = nil
	c.reportLevelled()
	c.reportUnknown()
	for i := range r.variables {
		if v := &r.variables[i]; v.e.variable.value() != v.before {
			v.call.variable, v.call.before = v.e.variable, v.before
			for _, f := range v.e.afterRun {
				f(&v.call)
			}
		}
	}
	return err
}

// Reloading reports whether Reload runs.
func (c *Console) Reloading() bool { return c.reload != nil }

// run runs the command of a variable, whose consequences wait for the end of the configuration:
// it may set it several times.
func (r *reload) run(e *entry, call *Call) {
	if len(call.Args) == 0 {
		return
	}
	i := slices.IndexFunc(r.variables, func(v reloadedVariable) bool { return v.e == e })
	if i < 0 {
		i = len(r.variables)
		r.variables = append(r.variables, reloadedVariable{e: e, before: e.variable.value()})
	}
	e.cmd.Run(call)
	r.variables[i].call = *call
}
