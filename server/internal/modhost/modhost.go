// Package modhost hosts the mode and the mods of a match. It finds and makes those that sv_gametype
// and sv_mods name, offers their commands and variables in the console and the chat, reloads their
// sources, and stops hooks that take too long.
package modhost

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// Host is the server that plays the mode and the mods.
type Host interface {
	// Queue adds a command to the next tick of the world.
	Queue(cmd game.Command)
	// Ask is Queue for a command that a console line requests. Its caller gets what the world
	// prints.
	Ask(call *console.Call, cmd game.Command)
	// Print prints a line in the log.
	Print(level int, system, line string)
	// Offered tells the operators about a new console command.
	Offered(e console.Entry)
	// Withdrawn tells the operators about a console command that is gone.
	Withdrawn(e console.Entry)
	// VariableSet is called when the console has set a variable of a mode or mod.
	VariableSet(name, value string)
}

// Chat is the chat commands of the server.
type Chat interface {
	// Has reports whether the server has a command that a mode or mod may not replace.
	Has(name string) bool
	// Add adds a command of the world.
	Add(cmd game.CommandSpec) error
	// Remove removes a command that was added.
	Remove(name string)
}

// Config is the configuration of [Mods].
type Config struct {
	Host Host
	Chat Chat
	// Modes, FindMode, ChooseMode, Mods and FindMod are as in the server's configuration.
	Modes      mode.List
	FindMode   func(name string) (func() game.Mode, error)
	ChooseMode func(t *game.Terrain) (name, reason string)
	Mods       []func() game.Mod
	FindMod    func(name string) (func() game.Mod, error)
	// Now returns the time of the console line that the server handles.
	Now func() conn.Time
	// Background runs a function beside the loop, and Wake wakes the loop for its result.
	Background func(f func())
	Wake       func()
	// ThreadTime returns the processor time of the calling thread; nil if the system has none.
	ThreadTime func() time.Duration
}

// Mods is the mode and the mods of a server. The loop of the server calls its methods; other
// goroutines may call only Find.
type Mods struct {
	Settings Settings
	Clock    Clock

	cfg     Config
	host    Host
	console *console.Console
	// gameTypeSet reports whether sv_gametype was set. Otherwise a map may choose another game type
	// than the default.
	gameTypeSet bool

	world   *game.World // nil before the first one
	ruleset *Ruleset    // of the world
	// missing is the game type that the next or present world was to have and has not.
	missing missing
	// nextErr is the error of an sv_gametype that no map has used yet.
	nextErr error
	// reported is the sv_gametype whose problem was printed last.
	reported string
	// panicked has a sentence for each mod of the world that is switched off.
	panicked []string

	commands commands
	reload   reload
	stops    []game.Command // space for HookStops
}

// missing is a game type that does not exist, with the reason.
type missing struct {
	name string // "" for none
	err  error
}

// New returns Mods without a world. Call Register next, then Make and Begin for each world.
func New(cfg Config) *Mods {
	return &Mods{cfg: cfg, host: cfg.Host, Clock: Clock{threadTime: cfg.ThreadTime}}
}

// Made is the mode and the mods for a new world.
type Made struct {
	Mode game.Mode
	Mods []game.Mod

	ruleset *Ruleset
}

// Make makes the mode and the mods for a map. Without the mode, it makes dm and prints why.
func (m *Mods) Make(r *Ruleset, mapName string) Made {
	made := Made{Mode: dm.Mode{}, ruleset: r}
	m.missing, m.nextErr = missing{}, nil
	if r.newMode != nil {
		made.Mode = r.newMode()
		m.setLog(made.Mode)
	} else {
		m.missing = missing{r.wanted(), r.modeErr}
		if m.world != nil {
			m.reportGameType(nil)
		}
	}
	if r.chosen != "" {
		m.host.Print(console.Standard, "server", fmt.Sprintf(
			"sv_gametype is not set, and map '%s' has %s, so the game type is %s", mapName, r.chosenFor, r.Played()))
	}
	for _, newMod := range m.cfg.Mods {
		made.Mods = append(made.Mods, newMod())
	}
	for _, named := range r.mods {
		mod := named.new()
		m.setLog(mod)
		made.Mods = append(made.Mods, mod)
	}
	return made
}

// setLog lets a mode or mod print, if it can.
func (m *Mods) setLog(v any) {
	if l, ok := v.(interface{ SetLog(func(text string)) }); ok {
		l.SetLog(func(text string) { m.host.Print(console.Standard, "mod", text) })
	}
}

// Begin begins with a new world that has the mode and the mods. resumed reports whether its match
// began in another process. Call Offer next.
func (m *Mods) Begin(w *game.World, made Made, resumed bool) {
	m.world, m.ruleset = w, made.ruleset
	m.commands.world++
	m.commands.resumed = resumed
	if names := made.ruleset.modNames(); len(names) > 0 {
		m.host.Print(console.Standard, "server", "mods "+strings.Join(names, ", "))
	}
	m.panicked = nil
	if resumed {
		for _, name := range w.ModsOff() {
			m.panicked = append(m.panicked, fmt.Sprintf("the mod %s panicked before the match was resumed and is switched off", name))
		}
	}
	m.Clock.used = false
	m.Clock.Watch(made.Mode)
	for _, mod := range made.Mods {
		m.Clock.Watch(mod)
	}
	m.beginReload(made)
}

// Names returns the names by which the mods of the world were requested, "" for a mod that the
// program always has.
func (m *Mods) Names() []string {
	return append(make([]string, len(m.cfg.Mods)), m.ruleset.modNames()...)
}

// Played returns the game type of the world, or the value of sv_gametype before the first world.
func (m *Mods) Played() string {
	if m.ruleset == nil {
		return m.Settings.GameType
	}
	return m.ruleset.Played()
}

// HookStops returns the commands that stop the hooks that the clock has stopped in the last tick.
func (m *Mods) HookStops() []game.Command {
	if !m.Clock.used {
		return nil
	}
	m.stops = m.world.AppendHookStops(m.stops[:0])
	return m.stops
}

// Panicked handles a mod that the world has switched off: it tells the operators and withdraws what
// the mod declared. The lines of text after the first one are the stack.
func (m *Mods) Panicked(text string) {
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			m.panicked = append(m.panicked, line)
		}
		m.host.Print(console.Warning, "mod", line)
	}
	for _, c := range m.commands.chat {
		if !has(m.world.ChatCommands(), c.Name) {
			m.cfg.Chat.Remove(c.Name) // which tells the players
		}
	}
	m.Offer()
}

// PanickedMods returns a sentence for each mod of the world that is switched off.
func (m *Mods) PanickedMods() []string { return m.panicked }

// Problem returns the problem with the game type, "" for none.
func (m *Mods) Problem() string {
	name, err, what := m.missing.name, m.missing.err, "dm is played instead"
	if m.nextErr != nil && m.Settings.GameType != name {
		name, err, what = m.Settings.GameType, m.nextErr, "the next map will play dm"
	}
	switch {
	case name == "":
		return ""
	case !errors.Is(err, errNoMode):
		return fmt.Sprintf("sv_gametype '%s': %s: %v", name, what, err)
	}
	return fmt.Sprintf("sv_gametype '%s' does not exist: %s (game types: %s)", name, what, strings.Join(m.cfg.Modes.Names(), ", "))
}

// Report is Problem for a caller who prints it, so that it is not printed again.
func (m *Mods) Report() string {
	text := m.Problem()
	if text != "" {
		m.reported = m.Settings.GameType
	}
	return text
}

// reportGameType prints the problem with the game type, once for each value.
func (m *Mods) reportGameType(call *console.Call) {
	if m.reported == m.Settings.GameType {
		return
	}
	switch text := m.Report(); {
	case text == "":
	case call != nil:
		call.Warn("server", "%s", text)
	default:
		m.host.Print(console.Warning, "server", text)
	}
}
