// Package chat has the commands that players write into the chat, and the limits of their text.
package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// Command is a command that players write into the chat, after a slash. Clients show the commands
// of the server in a menu.
type Command struct {
	// Name has at most 15 small letters, digits and underscores.
	Name string
	// Params are the parameters in the form of a [console.Command], at most 63 bytes. Clients show
	// the text in brackets, so each parameter should have one.
	Params string
	// Help describes the command in one line of at most 63 bytes.
	Help string
	// Unlisted commands run, but clients do not list them: other names of commands, or commands
	// without a use at present.
	Unlisted bool
	// Private commands show their text to no other player, or only as a chat line. A muted player
	// may run other commands only without a text.
	Private bool
	// Unparsed commands get only the Text of the call.
	Unparsed bool
	// Replaceable commands give way to commands with the same name that are added later.
	Replaceable bool
	// Run executes the command.
	Run func(*Call)
}

// Usage returns the form of the command, such as "/emote [kind] [seconds]".
func (c *Command) Usage() string {
	if c.Params == "" {
		return "/" + c.Name
	}
	var words []string
	for p := range strings.SplitSeq(c.Params, "]") {
		kind, name, ok := strings.Cut(strings.TrimSpace(p), "[")
		switch {
		case !ok:
		case strings.HasPrefix(kind, "?"):
			words = append(words, "["+name+"]")
		default:
			words = append(words, "<"+name+">")
		}
	}
	return "/" + c.Name + " " + strings.Join(words, " ")
}

// Info describes the command to clients.
func (c *Command) Info() *bridge.CommandInfo {
	return &bridge.CommandInfo{Name: c.Name, Params: c.Params, Help: c.Help}
}

// Call is a command that runs. It is valid until Run returns.
type Call struct {
	// Args are the arguments.
	console.Args
	// Player runs the command.
	Player game.PlayerID
	// Text is the text of the arguments.
	Text string

	host Host
}

// Reply sends the player a chat line from the server.
func (c *Call) Reply(format string, args ...any) {
	c.host.Reply(c.Player, fmt.Sprintf(format, args...))
}

// Request runs a command in the game as the player.
func (c *Call) Request(cmd game.Command) {
	cmd.Player = c.Player
	c.host.Request(cmd)
}

// Host is the server of a chat.
type Host interface {
	// Reply sends a player a chat line from the server.
	Reply(id game.PlayerID, line string)
	// Request adds a command of a player to the next tick.
	Request(cmd game.Command)
	// MayShow reports whether a player may show others a text, and counts the text.
	MayShow(id game.PlayerID) bool
	// Announce tells the clients in the game that a command is offered from now on, or was
	// withdrawn.
	Announce(c *Command, offered bool)
}

// Chat has the commands of a server.
type Chat struct {
	Limits Limits

	host Host
	list []entry // by name
}

// entry is a command with its parameters.
type entry struct {
	Command
	params console.Params
	hidden *entry // that this one replaces
}

// New returns a chat without commands.
func New(h Host) *Chat { return &Chat{host: h} }

// ErrCommand is returned by Add for a command that the chat cannot have.
var ErrCommand = errors.New("server: chat command")

// The limits of a 0.7 client, in bytes. It cuts longer texts.
const (
	maxName = 15
	maxText = 63
)

// MaxLine is the length of a line of chat in bytes: the world cuts it at 127 characters, and
// commands at as many bytes.
const MaxLine = 4 * 127

// Add adds a command and offers it to the players.
func (t *Chat) Add(cmd Command) error {
	if n := strings.Trim(cmd.Name, "abcdefghijklmnopqrstuvwxyz0123456789_"); n != "" || cmd.Name == "" || len(cmd.Name) > maxName {
		return fmt.Errorf("%w: a name must have 1 to %d of the characters a-z, 0-9 and _: %q", ErrCommand, maxName, cmd.Name)
	}
	if len(cmd.Params) > maxText || len(cmd.Help) > maxText {
		return fmt.Errorf("%w: /%s: parameters and help may have at most %d bytes each", ErrCommand, cmd.Name, maxText)
	}
	if cmd.Run == nil {
		return fmt.Errorf("%w: /%s: Run is not set", ErrCommand, cmd.Name)
	}
	params, err := console.ParseParams(cmd.Params)
	if err != nil {
		return fmt.Errorf("%w: /%s: %w", ErrCommand, cmd.Name, err)
	}
	i, found := t.index(cmd.Name)
	if found && !t.list[i].Replaceable {
		return fmt.Errorf("%w: /%s: already registered", ErrCommand, cmd.Name)
	}
	added := entry{Command: cmd, params: params}
	if found {
		old := t.list[i]
		t.Remove(cmd.Name)
		added.hidden = &old
	}
	t.list = slices.Insert(t.list, i, added)
	t.host.Announce(&t.list[i].Command, !cmd.Unlisted)
	return nil
}

// Remove removes a command, if there is one of the name.
func (t *Chat) Remove(name string) {
	i, found := t.index(name)
	if !found {
		return
	}
	if c := t.list[i]; !c.Unlisted {
		t.host.Announce(&c.Command, false)
	}
	if old := t.list[i].hidden; old != nil {
		t.list[i] = *old
		t.host.Announce(&old.Command, !old.Unlisted)
		return
	}
	t.list = slices.Delete(t.list, i, i+1)
}

// List shows a command or hides it. Hidden commands still run.
func (t *Chat) List(name string, listed bool) {
	if i, found := t.index(name); found && t.list[i].Unlisted == listed {
		t.list[i].Unlisted = !listed
		t.host.Announce(&t.list[i].Command, listed)
	}
}

// Find returns the command of a name.
func (t *Chat) Find(name string) (c Command, found bool) {
	if i, found := t.index(name); found {
		return t.list[i].Command, true
	}
	return Command{}, false
}

// All calls f with each command, by name. Clients show the commands in this order.
func (t *Chat) All(f func(*Command) bool) {
	for i := range t.list {
		if !f(&t.list[i].Command) {
			return
		}
	}
}

// index returns the index of a command in the list, or the index at which it would be.
func (t *Chat) index(name string) (i int, found bool) {
	return slices.BinarySearchFunc(t.list, name, func(c entry, name string) int { return strings.Compare(c.Name, name) })
}

// Run runs the command in a line of a player. It returns false if no command has that name.
func (t *Chat) Run(id game.PlayerID, line string) bool {
	name, args, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	i, found := t.index(strings.ToLower(name))
	if !found {
		return false
	}
	if len(line) > MaxLine {
		t.host.Reply(id, fmt.Sprintf("Your line has %d bytes; at most %d are allowed", len(line), MaxLine))
		return true
	}
	cmd := t.list[i]
	call := Call{Player: id, Text: strings.TrimLeft(args, " "), host: t.host}
	if !cmd.Unparsed {
		var err error
		if call.Args, err = cmd.params.Parse(args); err != nil {
			t.host.Reply(id, "Usage: "+cmd.Usage())
			return true
		}
	}
	if !cmd.Private && hasText(args) && !t.host.MayShow(id) {
		return true
	}
	cmd.Command.Run(&call)
	return true
}

// hasText reports whether arguments are more than numbers.
func hasText(args string) bool { return strings.Trim(args, "0123456789+-. ") != "" }
