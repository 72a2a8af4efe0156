package game

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// CommandSpec declares a command of a mode or mod, for players or operators. See
// [Setup.ChatCommand] and [Setup.ConsoleCommand].
type CommandSpec struct {
	// Name has lower-case letters, digits and underscores: at most 15 for the chat and 31 for the
	// console. Clients of 0.7 run these chat commands themselves: all, friend, m, mute, r, w and
	// whisper. They also run team, unless a mode or mod declares it.
	Name string
	// Params are the parameters in the console's syntax, at most 63 bytes. Each is one letter: i
	// for an integer, f for a number, s for a word, r for the rest of the line. A ? makes a
	// parameter and all parameters after it optional. A [text] after the letter names the
	// parameter. Example: "s[name] ?i[seconds]". A caller with wrong arguments is shown Params.
	Params string
	// Help is one line that describes the command, at most 63 bytes.
	Help string
	// Private is set for a chat command that shows its arguments to no other player. It can also be
	// set if the command shows only names of players and words that the mod knows. A muted player
	// can run other commands only without arguments.
	Private bool
	// Hidden, if set, reports whether the command has no use in this world. The server asks when
	// the world begins, and then does not offer the command to players and operators.
	Hidden func(tx *Tx) bool
	// Run executes the command. The call is valid until Run returns.
	Run func(ctx *Ctx, call *CommandCall)

	of owner
}

// CommandCall is one call of a command of a mode or mod.
type CommandCall struct {
	// Player runs the command. It is [Nobody] for an operator who is not a player.
	Player PlayerID
	// Args are the arguments that were given. Optional ones can be missing.
	Args []string

	fromConsole bool
}

// Arg returns argument i, or "" if it is missing.
func (c *CommandCall) Arg(i int) string {
	if i < 0 || i >= len(c.Args) {
		return ""
	}
	return c.Args[i]
}

// Int returns argument i as an integer, or 0 if it is missing.
func (c *CommandCall) Int(i int) int32 {
	x, _ := parseInt(c.Arg(i))
	return x
}

// Float returns argument i as a number, or 0 if it is missing.
func (c *CommandCall) Float(i int) float32 {
	x, _ := strconv.ParseFloat(strings.TrimSpace(c.Arg(i)), 64)
	if x != x {
		return 0
	}
	return float32(max(-math.MaxFloat32, min(x, math.MaxFloat32)))
}

// Reply sends a text to the caller of the command, in the chat or in the console.
func (c *CommandCall) Reply(ctx *Ctx, text string) {
	if c.fromConsole {
		ctx.Print(text)
	} else {
		ctx.Player(c.Player).Say(text)
	}
}

// Fail is like Reply and reports that the command failed: the text is the reason. If a vote ran the
// command, the vote then passes without effect.
func (c *CommandCall) Fail(ctx *Ctx, text string) {
	if c.fromConsole {
		ctx.print(text, true)
	} else {
		ctx.Player(c.Player).Say(text)
	}
}

// ChatCommand declares a command that players run by writing a slash and its name into the chat.
// Clients offer the command with its help. With spam protection, a player can run four commands of
// mods a second.
func (s *Setup) ChatCommand(c CommandSpec) {
	d := s.declare("ChatCommand")
	c.of = s.w.running
	d.chatCommands = d.addCommand(d.chatCommands, "chat command", maxChatNameLen, c)
}

// ConsoleCommand declares a command that operators run in the console.
func (s *Setup) ConsoleCommand(c CommandSpec) {
	d := s.declare("ConsoleCommand")
	c.of = s.w.running
	if d.inConsole(c.Name) {
		d.fail("console command", c.Name, "the name is already declared")
		return
	}
	d.consoleCommands = d.addCommand(d.consoleCommands, "console command", maxNameLen, c)
}

func (d *declared) addCommand(list []CommandSpec, what string, length int, c CommandSpec) []CommandSpec {
	why := d.check(c.Name, length, c.Help)
	switch {
	case why != "":
	case findCommand(list, c.Name) != nil:
		why = "the name is already declared"
	case len(list) == MaxCommands:
		why = fmt.Sprintf("at most %d can be declared", MaxCommands)
	case len(c.Params) > maxHelpLen:
		why = fmt.Sprintf("the parameters must have at most %d bytes", maxHelpLen)
	case c.Run == nil:
		why = "Run is nil"
	}
	if why != "" {
		d.fail(what, c.Name, why)
		return list
	}
	return append(list, c)
}

func findCommand(list []CommandSpec, name string) *CommandSpec {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// ChatCommands returns the declared chat commands in order. It leaves out hidden commands and the
// commands of mods that are switched off. The slice must not be changed.
func (w *World) ChatCommands() []CommandSpec { return w.available(w.declared.chatCommands) }

// ConsoleCommands returns the declared console commands, as ChatCommands does.
func (w *World) ConsoleCommands() []CommandSpec { return w.available(w.declared.consoleCommands) }

func (w *World) available(list []CommandSpec) []CommandSpec {
	isOff := func(c CommandSpec) bool { return w.isOff(c.of) || c.Hidden != nil && c.Hidden(&w.tx) }
	if !slices.ContainsFunc(list, isOff) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), isOff)
}

// argEnd is between the texts of a Command.Text that has several.
const argEnd = "\x00"

// ChatCommand returns the command that runs a chat command of a mode or mod for a player. The
// arguments must match its parameters.
func ChatCommand(id PlayerID, name string, args ...string) Command {
	return Command{Kind: CmdChatCommand, Player: id, Target: Nobody, Text: joinArgs(name, args)}
}

// ConsoleCommand returns the command that runs a console command of a mode or mod for an operator.
// The id is [Nobody] if the operator is not a player.
func ConsoleCommand(id PlayerID, name string, args ...string) Command {
	return Command{Kind: CmdConsoleCommand, Player: id, Target: Nobody, Text: joinArgs(name, args)}
}

func joinArgs(name string, args []string) string {
	for _, a := range args {
		a, _, _ = strings.Cut(a, argEnd)
		name += argEnd + a
	}
	return name
}

// commandSpacing is the fewest ticks between two commands of mods, and choices in their menus,
// of a player.
const commandSpacing = TickRate / 4

// mayCommand reports whether a player may run a command of a mod now.
func (w *World) mayCommand(id PlayerID) bool {
	p := w.playing(id)
	if p == nil || w.isSpam(p.lastCommand, commandSpacing) {
		return false
	}
	p.lastCommand = w.tick
	return true
}

// applyModCommand handles CmdChatCommand and CmdConsoleCommand.
func (w *World) applyModCommand(cmd *Command) {
	args := strings.Split(cmd.Text, argEnd)
	call := CommandCall{Player: cmd.Player, Args: args[1:], fromConsole: cmd.Kind == CmdConsoleCommand}
	list := w.declared.chatCommands
	if call.fromConsole {
		list = w.declared.consoleCommands
		if w.playing(call.Player) == nil {
			call.Player = Nobody
		}
	}
	spec := findCommand(list, args[0])
	if spec == nil {
		return
	}
	if !call.fromConsole && !w.mayCommand(call.Player) {
		w.sim.refused(call.Player)
		return
	}
	w.callDeclared(spec.of, func(ctx *Ctx) { spec.Run(ctx, &call) })
}

// callDeclared calls a function that a mode or mod declared.
func (w *World) callDeclared(of owner, call func(*Ctx)) {
	if c := w.enterHook(); c != nil {
		defer w.exitHook(c)
		w.protect(of, func() { call(&c.ctx) })
	}
}

// Print prints a line in the operators' console and the log.
func (tx *Tx) Print(text string) { tx.print(text, false) }

func (tx *Tx) print(text string, failed bool) {
	tx.effect(Event{Kind: EvConsole, Player: Nobody, Target: Nobody, Text: text, Flag: failed, Value: int32(tx.w.command)})
}
