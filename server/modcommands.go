package server

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/chat"
	"github.com/teeyard/teeyard/server/console"
)

// modCommands is what the mode and the mods of the world have declared for the chat and the
// console.
type modCommands struct {
	chat      []game.CommandSpec
	console   []game.CommandSpec
	variables []*modVariable
	// values are what operators set variables of mods to, also those of mods that are not
	// played now, by name.
	values map[string]string
	// panicked are those of the world's mods that are switched off, a sentence each.
	panicked []string
	// starting reports whether a new world's are being offered.
	starting bool
}

// modVariable is a variable of a mod in the console. The world has a copy of its value.
type modVariable struct {
	game.Variable
	number int
	text   string
	// setIn is the number of the world that gets the value with the tick after setAt; see modVariableInForce.
	setIn uint64
	setAt int32
}

// variableValues returns the values that variables of mods have in a new world.
func (s *Server) variableValues() map[string]string {
	values := maps.Clone(s.modCommands.values)
	if values == nil {
		values = map[string]string{}
	}
	maps.Copy(values, s.console.UnknownValues()) // which the configuration has set later
	return values
}

// rulesMayDeclare reports whether the mode or the mods of the configuration may have variables and
// commands: all may but the built-in modes. A map may choose the mode.
func (s *Server) rulesMayDeclare() bool {
	_, builtin := BuiltinModes().New(s.settings.GameType)
	choice := s.wantedGameType() == "" && s.cfg.ChooseMode != nil && s.settings.Map != console.DefaultMap
	return s.settings.Mods != "" || !builtin || choice || s.resume.keeper.Enabled != 0
}

// checkModCommands returns an error if a world has variables or commands that the server
// cannot offer.
func (s *Server) checkModCommands(w *game.World) error {
	for _, c := range w.ChatCommands() {
		_, err := console.ParseParams(c.Params)
		if own, exists := s.chat.Find(c.Name); exists && !own.Replaceable && !hasCommand(s.modCommands.chat, c.Name) {
			err = errExists
		}
		if err != nil {
			return fmt.Errorf("%w: chat command %q: %w", game.ErrDeclared, c.Name, err)
		}
	}
	for _, c := range w.ConsoleCommands() {
		_, err := console.ParseParams(c.Params)
		if s.consoleHas(c.Name) && !s.isDDRaceCommand(c.Name) {
			err = errExists
		}
		if err != nil {
			return fmt.Errorf("%w: console command %q: %w", game.ErrDeclared, c.Name, err)
		}
	}
	for _, v := range w.Variables() {
		if s.consoleHas(v.Name) {
			return fmt.Errorf("%w: variable %q: %w", game.ErrDeclared, v.Name, errExists)
		}
	}
	return nil
}

var errExists = errors.New("the server already has one of this name")

// consoleHas reports whether the console has a variable or command that is not of a mod.
func (s *Server) consoleHas(name string) bool {
	_, exists := s.console.Lookup(name, console.Operator)
	return exists && !hasCommand(s.modCommands.console, name) && !slices.ContainsFunc(s.modCommands.variables, func(v *modVariable) bool { return v.Name == name })
}

func hasCommand(list []game.CommandSpec, name string) bool {
	return slices.ContainsFunc(list, func(c game.CommandSpec) bool { return c.Name == name })
}

// offerModCommands offers the variables and commands of a new world, for which
// checkModCommands has no objection, and no longer those that the last one had.
func (s *Server) offerModCommands(w *game.World) {
	s.modCommands.starting = true
	if err := s.replaceModCommands(w); err != nil {
		s.print(console.Warning, "server", err.Error())
	}
	s.modCommands.starting = false
}

func (s *Server) replaceModCommands(w *game.World) error {
	for _, c := range s.modCommands.chat {
		s.chat.Remove(c.Name)
	}
	for _, c := range w.ChatCommands() {
		err := s.chat.Add(chat.Command{Name: c.Name, Params: c.Params, Help: c.Help, Private: c.Private, Run: func(call *chat.Call) {
			if c.Name == "team" && s.votes.IsAccuser(call.Player) {
				call.Reply("You are running a vote please try again after the vote is done!")
				return
			}
			if c.Name == "settings" && s.tellSetting(call) {
				return
			}
			call.Request(game.ChatCommand(call.Player, c.Name, call.Args...))
		}})
		if err != nil {
			return err
		}
	}
	s.modCommands.chat = w.ChatCommands()

	variables := w.Variables()
	s.modCommands.variables = slices.DeleteFunc(s.modCommands.variables, func(old *modVariable) bool {
		stays := slices.ContainsFunc(variables, old.isSame)
		if !stays {
			s.unregisterModCommand(old.Name)
		}
		return !stays
	})
	for _, c := range s.modCommands.console {
		if !slices.ContainsFunc(w.ConsoleCommands(), func(d game.CommandSpec) bool { return isSameCommand(c, d) }) {
			s.unregisterModCommand(c.Name)
		}
	}
	for _, v := range variables {
		if !slices.ContainsFunc(s.modCommands.variables, func(old *modVariable) bool { return old.isSame(v) }) {
			if err := s.registerModVariable(v); err != nil {
				return err
			}
		}
	}
	for _, c := range w.ConsoleCommands() {
		if !slices.ContainsFunc(s.modCommands.console, func(d game.CommandSpec) bool { return isSameCommand(c, d) }) {
			if err := s.registerModCommand(c); err != nil {
				return err
			}
		}
	}
	s.modCommands.console = w.ConsoleCommands()
	return nil
}

// modPanicked tells the operators of a mod that is switched off, and no longer offers what it
// declared. After the first line of text come those of the stack.
func (s *Server) modPanicked(text string) {
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			s.modCommands.panicked = append(s.modCommands.panicked, line)
		}
		s.print(console.Warning, "mod", line)
	}
	for _, c := range s.modCommands.chat {
		if !hasCommand(s.world.ChatCommands(), c.Name) {
			s.chat.Remove(c.Name) // those who play are told
		}
	}
	s.offerModCommands(s.world)
}

// isSame reports whether v is the variable, whatever its value.
func (m *modVariable) isSame(v game.Variable) bool {
	v.Value = m.Value
	return m.Variable == v
}

func isSameCommand(a, b game.CommandSpec) bool {
	return a.Name == b.Name && a.Params == b.Params && a.Help == b.Help
}

// registerModVariable adds a variable with the value that the world has of it.
func (s *Server) registerModVariable(v game.Variable) error {
	m := &modVariable{Variable: v}
	m.Value = ""
	var err error
	if v.MaxLen > 0 {
		err = s.console.RegisterString(console.StringVar{Name: v.Name, Help: v.Help, Flags: console.Server | console.Save,
			Value: &m.text, Default: v.Default, Size: v.MaxLen + 1})
	} else {
		number, _ := strconv.Atoi(v.Default)
		err = s.console.RegisterInt(console.IntVar{Name: v.Name, Help: v.Help, Flags: console.Server | console.Save,
			Value: &m.number, Default: number, Min: int(v.Min), Max: int(v.Max)})
	}
	if err == nil {
		m.set(v.Value)
		err = s.console.After(v.Name, func(call *console.Call) { s.setModVariable(m, call) })
	}
	if err == nil {
		err = s.console.InForce(v.Name, func() (string, bool) { return s.modVariableInForce(m) })
	}
	if err != nil {
		return fmt.Errorf("%w: variable %q: %w", game.ErrDeclared, v.Name, err)
	}
	s.modCommands.variables = append(s.modCommands.variables, m)
	s.offerConsole(v.Name)
	if s.resume.from != nil {
		// As other settings, it is what it was in the match that goes on.
		m.set(v.Value)
		s.setModVariable(m, nil)
	}
	return nil
}

// set sets the value in the console.
func (m *modVariable) set(value string) {
	m.text = value
	m.number, _ = strconv.Atoi(value)
}

// setModVariable tells the world the value of a variable, which a call in the console has set, if it is not nil.
func (s *Server) setModVariable(m *modVariable, call *console.Call) {
	name := m.Name
	value := s.console.Configured(name)
	if s.modCommands.starting && s.resume.from != nil && value != s.worldVariable(name) {
		return
	}
	if s.modCommands.values == nil {
		s.modCommands.values = map[string]string{}
	}
	s.modCommands.values[name] = value
	if s.ddrace.reloads && slices.Contains(resetVariables, name) && s.ddrace.variables != nil {
		s.ddrace.variables[name] = value
	}
	if s.modCommands.starting && value == s.worldVariable(name) {
		return // the world began with it
	}
	m.setIn, m.setAt = s.storage.world, s.world.Tick()
	if cmd := game.SetVariable(name, value); call != nil {
		s.lines.askWorld(call, cmd)
	} else {
		s.queueCommand(cmd)
	}
}

// modVariableInForce returns the value that counts of a variable: that of the world, which the map or the mod itself may
// have changed, unless it is still to be told another one.
func (s *Server) modVariableInForce(m *modVariable) (value string, ok bool) {
	if m.setIn == s.storage.world && m.setAt == s.world.Tick() {
		return "", false
	}
	return s.world.VariableInForce(m.Name)
}

// worldVariable returns the value that the world has for a variable.
func (s *Server) worldVariable(name string) string {
	for _, v := range s.world.Variables() {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}

func (s *Server) registerModCommand(c game.CommandSpec) error {
	if s.isDDRaceCommand(c.Name) {
		return nil // the server's own leads to it
	}
	err := s.console.Register(console.Command{Name: c.Name, Params: c.Params, Help: c.Help, Flags: console.Server | console.Store, Run: s.lines.runInWorld})
	if err != nil {
		return fmt.Errorf("%w: console command %q: %w", game.ErrDeclared, c.Name, err)
	}
	s.offerConsole(c.Name)
	return nil
}

// offerConsole runs what the configuration has of a new command, and tells the operators of it.
func (s *Server) offerConsole(name string) {
	s.console.RunUnknown(name)
	e, _ := s.console.Lookup(name, console.Operator)
	s.forEachOperator(func(c *session) {
		if e.Level >= c.rcon.level && (c.rcon.allListed || c.rcon.lastListed > name) {
			c.bridge.SendRconCommand(&bridge.CommandInfo{Name: e.Name, Params: e.Params, Help: e.Help})
		}
	})
}

func (s *Server) unregisterModCommand(name string) {
	if s.isDDRaceCommand(name) {
		return
	}
	e, _ := s.console.Lookup(name, console.Operator)
	s.console.Unregister(name)
	s.forEachOperator(func(c *session) {
		if e.Level >= c.rcon.level && (c.rcon.allListed || c.rcon.lastListed >= name) {
			c.bridge.SendRconCommandRemoved(name)
		}
	})
}

// forEachOperator calls f with every session that has the remote console.
func (s *Server) forEachOperator(f func(c *session)) {
	for _, c := range s.sessions {
		if c != nil && c.rcon.authed && !c.dropping {
			f(c)
		}
	}
}
