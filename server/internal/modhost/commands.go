package modhost

import (
	"errors"
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// commands is what the mode and the mods of the world have declared for the chat and the console.
type commands struct {
	chat      []game.CommandSpec
	console   []game.CommandSpec
	variables []*variable
	// shared are names of console commands of the server that worlds may declare, too.
	shared []string
	// values are the values that operators have set, by name of the variable. They outlast a map
	// without the mod.
	values map[string]string
	world  uint64 // counts the worlds
	// starting reports whether the declarations of the world are being offered, and resumed whether
	// the match of the world began in another process.
	starting, resumed bool
}

// Share names a console command of the server that worlds may declare, too. The server's command
// decides where it runs; see HasCommand.
func (m *Mods) Share(name string) { m.commands.shared = append(m.commands.shared, name) }

// isShared reports whether the server has a command that worlds may declare.
func (m *Mods) isShared(name string) bool { return slices.Contains(m.commands.shared, name) }

// HasCommand reports whether the world has declared a console command.
func (m *Mods) HasCommand(name string) bool { return has(m.commands.console, name) }

// Starting reports whether the declarations of a new world are being offered.
func (m *Mods) Starting() bool { return m.commands.starting }

// Check returns an error if a world has variables or commands that the server cannot offer.
func (m *Mods) Check(w *game.World) error {
	for _, c := range w.ChatCommands() {
		_, err := console.ParseParams(c.Params)
		if m.cfg.Chat.Has(c.Name) && !has(m.commands.chat, c.Name) {
			err = errExists
		}
		if err != nil {
			return fmt.Errorf("%w: chat command %q: %w", game.ErrDeclared, c.Name, err)
		}
	}
	for _, c := range w.ConsoleCommands() {
		_, err := console.ParseParams(c.Params)
		if m.consoleHas(c.Name) && !m.isShared(c.Name) {
			err = errExists
		}
		if err != nil {
			return fmt.Errorf("%w: console command %q: %w", game.ErrDeclared, c.Name, err)
		}
	}
	for _, v := range w.Variables() {
		if m.consoleHas(v.Name) {
			return fmt.Errorf("%w: variable %q: %w", game.ErrDeclared, v.Name, errExists)
		}
	}
	return nil
}

var errExists = errors.New("the server already has one of this name")

// consoleHas reports whether the console has a variable or command that no world has declared.
func (m *Mods) consoleHas(name string) bool {
	_, exists := m.console.Lookup(name, console.Operator)
	return exists && !has(m.commands.console, name) && !slices.ContainsFunc(m.commands.variables, func(v *variable) bool { return v.Name == name })
}

// has reports whether a list has a command.
func has(list []game.CommandSpec, name string) bool {
	return slices.ContainsFunc(list, func(c game.CommandSpec) bool { return c.Name == name })
}

// Offer offers the variables and commands of the world, and withdraws the old ones. Check must have
// returned nil for the world.
func (m *Mods) Offer() {
	m.commands.starting = true
	if err := m.replace(); err != nil {
		m.host.Print(console.Warning, "server", err.Error())
	}
	m.commands.starting, m.commands.resumed = false, false
}

func (m *Mods) replace() error {
	if err := m.replaceChat(); err != nil {
		return err
	}
	d := &m.commands
	commands, variables := m.world.ConsoleCommands(), m.world.Variables()
	d.variables = slices.DeleteFunc(d.variables, func(old *variable) bool {
		stays := slices.ContainsFunc(variables, old.isSame)
		if !stays {
			m.withdraw(old.Name)
		}
		return !stays
	})
	for _, c := range d.console {
		if !hasSame(commands, c) {
			m.withdraw(c.Name)
		}
	}
	for _, v := range variables {
		if !slices.ContainsFunc(d.variables, func(old *variable) bool { return old.isSame(v) }) {
			if err := m.offerVariable(v); err != nil {
				return err
			}
		}
	}
	for _, c := range commands {
		if !hasSame(d.console, c) {
			if err := m.offerCommand(c); err != nil {
				return err
			}
		}
	}
	d.console = commands
	return nil
}

func (m *Mods) replaceChat() error {
	for _, c := range m.commands.chat {
		m.cfg.Chat.Remove(c.Name)
	}
	for _, c := range m.world.ChatCommands() {
		if err := m.cfg.Chat.Add(c); err != nil {
			return err
		}
	}
	m.commands.chat = m.world.ChatCommands()
	return nil
}

// hasSame reports whether a list has a command with all that the console shows of it.
func hasSame(list []game.CommandSpec, c game.CommandSpec) bool {
	return slices.ContainsFunc(list, func(d game.CommandSpec) bool { return c.Name == d.Name && c.Params == d.Params && c.Help == d.Help })
}

// offerCommand adds a console command of the world.
func (m *Mods) offerCommand(c game.CommandSpec) error {
	if m.isShared(c.Name) {
		return nil
	}
	err := m.console.Register(console.Command{Name: c.Name, Params: c.Params, Help: c.Help, Flags: console.Server | console.Store, Run: m.Run})
	if err != nil {
		return fmt.Errorf("%w: console command %q: %w", game.ErrDeclared, c.Name, err)
	}
	m.offered(c.Name)
	return nil
}

// Run runs a console command of the world.
func (m *Mods) Run(call *console.Call) {
	m.host.Ask(call, game.ConsoleCommand(bridge.PlayerIDOf(int32(call.Caller.ID)), call.Name, call.Args...))
}

// offered runs the lines of the configuration with a new command, and tells the operators about it.
func (m *Mods) offered(name string) {
	m.console.RunUnknown(name)
	e, _ := m.console.Lookup(name, console.Operator)
	m.host.Offered(e)
}

// withdraw removes a command or variable of the world before.
func (m *Mods) withdraw(name string) {
	if m.isShared(name) {
		return
	}
	if e, exists := m.console.Lookup(name, console.Operator); exists {
		m.console.Unregister(name)
		m.host.Withdrawn(e)
	}
}
