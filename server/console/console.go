// Package console is the Teeworlds console: a language of one-line commands, and a
// registry of commands and variables.
//
// Configuration files, the arguments of the program, the remote console and votes contain such
// lines:
//
//	sv_name "My server"; sv_map dm1   # a comment
//	add_vote "Map: dm1" change_map dm1
//	exec more.cfg
//
// Outside quotes, ; separates commands and # ends the line. The first word is the name of the
// command, in any case; an empty command ends the line. The arguments match the parameters of the
// command, see [Command.Params]. A variable is a command that sets the value, or prints it without
// an argument.
//
// One goroutine at a time may use a Console. A faulty line prints a warning, and the console
// continues. Memory and work per line are bounded.
package console

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
)

// Limits of the language.
const (
	// MaxCommand is the most bytes of a command with its arguments; the rest is cut. The original
	// cuts at 1023, but a saved sv_motd full of quotes is longer.
	MaxCommand = 2047
	// MaxLine is the most bytes of a line; a longer line is refused.
	MaxLine = 32 << 10
	// MaxFile is the most bytes of a configuration file; a larger file is refused.
	MaxFile = 1 << 20
	// MaxOutput is the most bytes of a printed line; the rest is cut.
	MaxOutput = 1023

	maxDepth    = 16     // of files that execute files
	maxCommands = 100000 // commands run by one line or file
	maxWaiting  = 4096   // commands waiting for Start
)

var (
	// ErrCommand is returned for a command or variable with a bad name, malformed parameters or
	// without a function to run.
	ErrCommand = errors.New("console: bad command")
	// ErrDuplicate is returned for a name that is already registered.
	ErrDuplicate = errors.New("console: duplicate command")
	// ErrUnknown is returned for a name that is not registered.
	ErrUnknown = errors.New("console: no such command")
	// ErrLine is returned by Check for a line that cannot run.
	ErrLine = errors.New("console: invalid line")
	// ErrLater is returned by Config.ReadFile and WriteFile while they are still busy.
	ErrLater = errors.New("the disk is slow; the log will say when it is done")
)

// Level is the access level of a caller or a command. A caller may run commands of its own level
// and of levels with higher numbers.
type Level int

// The levels of access.
const (
	LevelAdmin  Level = 0
	LevelMod    Level = 1
	LevelHelper Level = 2 // of DDNet
)

var levelNames = [...]string{LevelAdmin: "admin", LevelMod: "moderator", LevelHelper: "helper"}

// ParseLevel returns the level with a name.
func ParseLevel(name string) (l Level, ok bool) {
	i := slices.Index(levelNames[:], name)
	return Level(max(i, 0)), i >= 0
}

// String returns the level in words: "admin", "moderator" or "helper".
func (l Level) String() string {
	if l < 0 || int(l) >= len(levelNames) {
		return fmt.Sprintf("level %d", int(l))
	}
	return levelNames[l]
}

// Flag is a property of a command or variable.
type Flag uint

// The flags of commands and variables.
const (
	// Server commands can run from everywhere, including the remote console.
	Server Flag = 1 << iota
	// Econ commands can run from configurations and the external console only.
	Econ
	// Save variables appear in the file of save_config.
	Save
	// Store commands need the world. Before [Console.Start] they wait.
	Store
	// Basic commands can be run by moderators and helpers from the beginning.
	Basic
	// Secret variables hold passwords; see [Console.Redact].
	Secret
	// Hidden commands run, but are not listed. They are other names of commands.
	Hidden
	// Lasting commands have a permanent effect, as variables have. They run again when the server
	// reads the configuration again; see [Console.Reload].
	Lasting
)

// The levels of output.
const (
	Warning  = -1 // what is wrong
	Standard = 0  // what operators need to see
	Info     = 1  // also chat, players who join and leave
	Debug    = 2  // also kills, pickups
)

// Caller is the author of a line, with the author's rights.
type Caller struct {
	// Level is the access of the caller.
	Level Level
	// Flags are the kinds of commands that the caller may run. A command must have at least one of
	// them.
	Flags Flag
	// ID is the client id of a player, -1 for other callers.
	ID int
	// Addr is the address of a caller at a remote console. It is not valid for the
	// operator on the server's own machine.
	Addr netip.Addr
	// Print, if set, receives a copy of the caller's output from Config.Output. The owner of the
	// console calls it.
	Print func(line string)
}

// IsRemote reports whether the caller is at a remote console, and not the operator on
// the server's own machine.
func (c *Caller) IsRemote() bool { return c.Addr.IsValid() }

// Operator is the caller of configuration files and program arguments. It may run every command.
var Operator = Caller{Level: LevelAdmin, Flags: Server | Econ, ID: -1}

// Command is an entry of the registry.
type Command struct {
	// Name is printable ASCII without spaces, quotes, ; and #.
	Name string
	// Params describes the parameters, with a letter for each: i for an integer, f for a number, s
	// for a word and r for the rest of the line. A ? makes a parameter and the following ones
	// optional. [text] after the letter describes it to users. Example: "i[id] ?r[reason]".
	Params string
	// Help describes the command in one line.
	Help string
	// Flags are the properties. A command needs Server or Econ to run at all.
	Flags Flag
	// Run executes the command.
	Run func(*Call)
}

// Call is a command that is running. It is valid until Run returns.
type Call struct {
	// Console is the console that runs the command.
	Console *Console
	// Caller runs the command.
	Caller Caller
	// Name is the registered name of the command.
	Name string
	// Args are the arguments, as many as the line had and Params allows.
	Args []string

	variable variable // that the call sets, nil for none
	before   string   // its value before
}

// Arg returns argument i, empty if the line had fewer.
func (c *Call) Arg(i int) string {
	if i < 0 || i >= len(c.Args) {
		return ""
	}
	return c.Args[i]
}

// Cut returns argument i, cut to at most limit bytes. If it cuts, it warns and calls the argument
// what, such as "reason".
func (c *Call) Cut(i int, system, what string, limit int) string {
	text := c.Arg(i)
	if len(text) <= limit {
		return text
	}
	text = safetext.Truncate(text, limit)
	c.Warn(system, "%s: the %s has %d bytes and was cut to %d", c.Name, what, len(c.Arg(i)), len(text))
	return text
}

// Int returns the integer at the beginning of argument i, or 0 without one. Integers out of range
// become the nearest int32.
func (c *Call) Int(i int) int { return parseInt(c.Arg(i)) }

// Float returns the number at the beginning of argument i, or 0 without one.
func (c *Call) Float(i int) float64 { return parseFloat(c.Arg(i)) }

// Print prints a line at the standard level.
func (c *Call) Print(system, format string, args ...any) {
	c.Console.print(c.Caller, Standard, system, fmt.Sprintf(format, args...))
}

// Warn prints a warning, with the place if the line is in a file.
func (c *Call) Warn(system, format string, args ...any) {
	c.Console.warn(c.Caller, system, format, args...)
}

// Refuse restores the previous value of the variable that the call has set, and warns with the
// reason. Functions of [Console.After] call it.
func (c *Call) Refuse(system, format string, args ...any) {
	if c.variable != nil {
		c.variable.set(c.before)
	}
	c.Warn(system, format, args...)
}

// Config is the configuration of a [Console]. The zero value is a console without files and
// output.
type Config struct {
	// Output receives every printed line with the caller of its command, its level and its system,
	// a part of the server. Warnings about a file begin with its name and line: "x.cfg:3: ".
	Output func(who Caller, level int, system, line string)
	// Files contains the files for exec and -f.
	Files fs.FS
	// ReadFile, if set, reads files instead of Files, at most MaxFile+1 bytes. For a slow file it
	// returns ErrLater, and calls late at the end on the goroutine that uses the console.
	ReadFile func(name string, late func(content []byte, err error)) ([]byte, error)
	// WriteFile creates or replaces a file for save_config; nil disables save_config. The name is a
	// valid path of io/fs. WriteFile returns ErrLater while it is still writing.
	WriteFile func(name string, content []byte) error
	// Now returns the time for the name of a saved configuration; nil means time.Now.
	Now func() time.Time
	// KeepUnknown keeps unknown commands of the configuration, such as variables of mods that the
	// world registers later. Start prints the commands that are still unknown.
	KeepUnknown bool
	// AccessChanged, if set, is called after mod_command or access_level changed the level of a
	// command.
	AccessChanged func(e Entry, before Level)
}

// Console is the registry and interpreter.
type Console struct {
	cfg      Config
	byName   map[string][]*entry // by lower case name, latest first
	sorted   []*entry            // by name
	started  bool
	starting bool // Start runs the commands that waited
	waiting  []waitingCommand
	unknown  []unknownCommand
	// withoutEffect are the names of DDNet that the configuration has used without effect.
	withoutEffect []string
	toldDDNet     []string        // of which a file has made the console say so
	levelled      map[string]bool // the commands of access_level in the configuration that runs

	nesting         int  // of lines inside lines
	numCommands     int  // run since nesting was 0
	suggestions     int  // looked for since then
	tooManyReported bool // since then, because there were too many
	openFiles       []filePosition
	reload          *reload // nil unless Reload runs
	inArgument      bool    // of the program
	argumentErr     error
}

type filePosition struct {
	file string
	line int
}

type waitingCommand struct {
	e    *entry
	call Call
	at   []filePosition
}

type entry struct {
	cmd      Command
	params   []param
	level    Level
	variable variable // nil for a command that is not a variable
	afterRun []func(*Call)
	inForce  func() (value string, overrules bool) // see Console.InForce
	// saveDefault is whether save_config writes the variable also with its default.
	saveDefault bool
}

// Entry describes a registered command or variable.
type Entry struct {
	// Name, Params, Help and Flags are as in the [Command].
	Name, Params, Help string
	Flags              Flag
	// Level is the access level that the command requires at present.
	Level Level
}

func (e *entry) describe() Entry {
	return Entry{e.cmd.Name, e.cmd.Params, e.cmd.Help, e.cmd.Flags, e.level}
}

// New returns a console with the commands of the language itself: echo, exec, toggle,
// mod_command, mod_status, access_level, access_status and save_config.
func New(cfg Config) (*Console, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	c := &Console{cfg: cfg, byName: make(map[string][]*entry), levelled: make(map[string]bool)}
	for _, cmd := range c.builtins() {
		if err := c.Register(cmd); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Register adds a command. The same name may be registered once with the flag Server and
// once with Econ; callers with both flags run the later one.
func (c *Console) Register(cmd Command) error {
	_, err := c.register(cmd, nil)
	return err
}

func (c *Console) register(cmd Command, v variable) (*entry, error) {
	if !validName(cmd.Name) {
		return nil, fmt.Errorf("%w: name %q", ErrCommand, cmd.Name)
	}
	params, err := parseParams(cmd.Params)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCommand, cmd.Name, err)
	}
	if cmd.Run == nil {
		return nil, fmt.Errorf("%w: %s: Run is not set", ErrCommand, cmd.Name)
	}
	key := strings.ToLower(cmd.Name)
	const reach = Server | Econ
	for _, other := range c.byName[key] {
		if other.cmd.Flags&cmd.Flags&reach != 0 || other.cmd.Flags&reach == cmd.Flags&reach {
			return nil, fmt.Errorf("%w: %s", ErrDuplicate, cmd.Name)
		}
	}
	e := &entry{cmd: cmd, params: params, variable: v}
	if cmd.Flags&Basic != 0 {
		e.level = LevelHelper
	}
	c.byName[key] = slices.Insert(c.byName[key], 0, e)
	at, _ := slices.BinarySearchFunc(c.sorted, e, func(a, b *entry) int { return cmp.Compare(a.cmd.Name, b.cmd.Name) })
	c.sorted = slices.Insert(c.sorted, at, e)
	return e, nil
}

func validName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || strings.IndexByte(`";#\`, s[i]) >= 0 {
			return false
		}
	}
	return true
}

// After calls f after each run of a command, and after each assignment to a variable, even of the
// same value.
func (c *Console) After(name string, f func(*Call)) error {
	list := c.byName[strings.ToLower(name)]
	if len(list) == 0 {
		return fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	for _, e := range list {
		e.afterRun = append(e.afterRun, f)
	}
	return nil
}

// AfterStart is [Console.After] for uses of the command after Start.
func (c *Console) AfterStart(name string, f func(*Call)) error {
	return c.After(name, func(call *Call) {
		if c.started {
			f(call)
		}
	})
}

// UsedAtStart makes the console print that new values of variables take effect when the server
// restarts.
func (c *Console) UsedAtStart(names ...string) error {
	for _, name := range names {
		err := c.AfterStart(name, func(call *Call) { call.Print("server", "%s takes effect when the server restarts", call.Name) })
		if err != nil {
			return err
		}
	}
	return nil
}

// InForce shows a variable with the value of f while f overrules it, for example while a map has
// its own setting. The variable keeps its value, and save_config writes that value.
func (c *Console) InForce(name string, f func() (value string, overrules bool)) error {
	list := c.byName[strings.ToLower(name)]
	if len(list) == 0 {
		return fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	for _, e := range list {
		e.inForce = f
	}
	return nil
}

// shown returns the value of a variable that is in force.
func (e *entry) shown() string {
	if e.inForce != nil {
		if value, overrules := e.inForce(); overrules {
			return value
		}
	}
	return e.variable.value()
}

// SaveDefault makes save_config write a variable even if it has its default. Use it for variables
// with a special meaning while they are not set.
func (c *Console) SaveDefault(name string) {
	for _, e := range c.byName[strings.ToLower(name)] {
		e.saveDefault = true
	}
}

// find returns the command with a name that a caller with flags can run, nil if none.
func (c *Console) find(name string, flags Flag) *entry {
	if len(name) > 64 {
		return nil
	}
	for _, e := range c.byName[strings.ToLower(name)] {
		if e.cmd.Flags&flags != 0 {
			return e
		}
	}
	return nil
}

// Lookup returns the command with a name for a caller.
func (c *Console) Lookup(name string, who Caller) (Entry, bool) {
	if e := c.find(name, who.Flags); e != nil {
		return e.describe(), true
	}
	return Entry{}, false
}

// MayRun reports whether a caller may run a command.
func (c *Console) MayRun(name string, who Caller) bool {
	e, ok := c.Lookup(name, who)
	return ok && e.Level >= who.Level
}

// Value returns the value in force of a variable, "" for an unknown name.
func (c *Console) Value(name string) string {
	if e := c.find(name, Server|Econ); e != nil && e.variable != nil {
		return e.shown()
	}
	return ""
}

// Configured returns the value of a variable without overruling; see [Console.InForce].
func (c *Console) Configured(name string) string {
	if e := c.find(name, Server|Econ); e != nil && e.variable != nil {
		return e.variable.value()
	}
	return ""
}

// Values returns the allowed values of a variable, such as "0 to 64", and its default in the form
// of a configuration. Both are empty for an unknown name.
func (c *Console) Values(name string) (allowed, byDefault string) {
	if e := c.find(name, Server|Econ); e != nil && e.variable != nil {
		return e.variable.values()
	}
	return "", ""
}

// Next returns the next command after a name, in byte order, among the commands for a caller. The
// name "" gives the first command. Remote consoles get the list of commands one by one
// (RCON_CMD_ADD).
func (c *Console) Next(after string, who Caller) (Entry, bool) {
	i, found := slices.BinarySearchFunc(c.sorted, after, func(e *entry, name string) int { return cmp.Compare(e.cmd.Name, name) })
	for found && i < len(c.sorted) && c.sorted[i].cmd.Name == after {
		i++
	}
	for ; i < len(c.sorted); i++ {
		if e := c.sorted[i]; e.cmd.Flags&who.Flags != 0 && e.cmd.Flags&Hidden == 0 && e.level >= who.Level {
			return e.describe(), true
		}
	}
	return Entry{}, false
}

// print prints a line. It is cut to MaxOutput bytes and at the first NUL, and line
// breaks become spaces, so that one line cannot pass for two.
func (c *Console) print(who Caller, level int, system, line string) {
	if c.cfg.Output == nil {
		return
	}
	c.cfg.Output(who, level, system, oneLine(line))
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	s = safetext.Truncate(s, MaxOutput)
	if strings.ContainsAny(s, "\r\n") {
		s = lineBreaks.Replace(s)
	}
	return s
}

var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// warn prints a warning. If the command comes from a file, the line begins with its place.
func (c *Console) warn(who Caller, system, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if n := len(c.openFiles); n > 0 {
		p := c.openFiles[n-1]
		line = fmt.Sprintf("%s:%d: %s", p.file, max(p.line, 1), line)
	}
	c.print(who, Warning, system, line)
}
