package game

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// CommandSpec is a command of a mode or mod, for players or for operators. See
// [Tx.ChatCommand] and [Tx.ConsoleCommand].
type CommandSpec struct {
	// Name has small letters, digits and underscores, at most 15 for the chat and 31 for
	// the console. Clients of 0.7 have some of their own in the chat: all, friend, m, mute, r,
	// w and whisper, and team, unless a mode or mod has it.
	Name string
	// Params are the parameters as in the console, at most 63 bytes: a letter for each, i
	// for an integer, f for a number, s for a word and r for the rest of the line. A ? makes
	// a parameter and those after it optional; [text] after the letter is what is shown of
	// it. Example: "s[name] ?i[seconds]". Who gives others is told these.
	Params string
	// Help is one line that says what the command does, at most 63 bytes.
	Help string
	// Private commands of the chat show what a player writes after them to nobody else, or nothing but names of players
	// and words that the mod knows. Players who are muted may run others only without a text.
	Private bool
	// Hidden, if set, reports whether the command is of no use in a world. Players and operators of such a
	// world are not offered it; that is decided when the world begins.
	Hidden func(tx *Tx) bool
	// Run executes the command. The call is valid until it returns.
	Run func(ctx *Ctx, call *CommandCall)

	of owner
}

// CommandCall is a command of a mode or mod that runs.
type CommandCall struct {
	// Player is who runs it: in the console an operator who plays, or else Nobody.
	Player PlayerID
	// Args are the arguments, as many as there were.
	Args []string

	fromConsole bool
}

// Arg returns argument i, empty if there were fewer.
func (c *CommandCall) Arg(i int) string {
	if i < 0 || i >= len(c.Args) {
		return ""
	}
	return c.Args[i]
}

// Int returns argument i as an integer, 0 if there were fewer.
func (c *CommandCall) Int(i int) int32 {
	x, _ := parseInt(c.Arg(i))
	return x
}

// Float returns argument i as a number, 0 if there were fewer.
func (c *CommandCall) Float(i int) float32 {
	x, _ := strconv.ParseFloat(strings.TrimSpace(c.Arg(i)), 64)
	if x != x {
		return 0
	}
	return float32(max(-math.MaxFloat32, min(x, math.MaxFloat32)))
}

// Reply tells who runs the command something, in the chat or in the console.
func (c *CommandCall) Reply(ctx *Ctx, text string) {
	if c.fromConsole {
		ctx.Print(text)
	} else {
		ctx.SayTo(c.Player, text)
	}
}

// Fail is Reply for a text that says why the command did not do what it says: a vote for it, for example,
// passes without effect then.
func (c *CommandCall) Fail(ctx *Ctx, text string) {
	if c.fromConsole {
		ctx.print(text, true)
	} else {
		ctx.SayTo(c.Player, text)
	}
}

// ChatCommand declares a command that players write into the chat after a slash. Clients
// offer it and its help. Start calls it. With spam protection a player can run four commands
// of mods in a second.
func (tx *Tx) ChatCommand(c CommandSpec) {
	d := tx.declare("ChatCommand")
	c.of = tx.w.running
	d.chatCommands = d.addCommand(d.chatCommands, "chat command", maxChatNameLen, c)
}

// ConsoleCommand declares a command for operators, in the console. Start calls it.
func (tx *Tx) ConsoleCommand(c CommandSpec) {
	d := tx.declare("ConsoleCommand")
	c.of = tx.w.running
	if d.inConsole(c.Name) {
		d.fail("console command", c.Name, "it exists")
		return
	}
	d.consoleCommands = d.addCommand(d.consoleCommands, "console command", maxNameLen, c)
}

func (d *declared) addCommand(list []CommandSpec, what string, length int, c CommandSpec) []CommandSpec {
	why := d.check(c.Name, length, c.Help)
	switch {
	case why != "":
	case findCommand(list, c.Name) != nil:
		why = "it exists"
	case len(list) == MaxCommands:
		why = fmt.Sprintf("there are %d already", MaxCommands)
	case len(c.Params) > maxHelpLen:
		why = fmt.Sprintf("parameters have at most %d bytes", maxHelpLen)
	case c.Run == nil:
		why = "Run is not set"
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

// ChatCommands returns the commands of the chat that mode and mods declared, in order, but for
// those that are hidden, and those of mods that are switched off. The slice belongs to the world.
func (w *World) ChatCommands() []CommandSpec { return w.available(w.declared.chatCommands) }

// ConsoleCommands returns the commands of the console, as ChatCommands.
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

// ChatCommand returns the command with which a player runs a command of a mode or mod in the
// chat. The arguments fit its parameters.
func ChatCommand(id PlayerID, name string, args ...string) Command {
	return Command{Kind: CmdChatCommand, Player: id, Target: Nobody, Text: joinArgs(name, args)}
}

// ConsoleCommand returns the command with which an operator runs a command of a mode or mod in
// the console; id is Nobody for one who does not play.
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
		w.noteDDRace(DDRaceNote{Kind: NoteRefused, Players: [2]PlayerID{call.Player}})
		return
	}
	w.callDeclared(spec.of, func(ctx *Ctx) { spec.Run(ctx, &call) })
}

// callDeclared calls what a mode or mod declared.
func (w *World) callDeclared(of owner, call func(*Ctx)) {
	if c := w.enterHook(); c != nil {
		defer w.exitHook(c)
		w.protect(of, func() { call(&c.ctx) })
	}
}

// Print prints a line in the console of the operators, and in the log.
func (tx *Tx) Print(text string) { tx.print(text, false) }

func (tx *Tx) print(text string, failed bool) {
	tx.effect(Event{Kind: EvConsole, Player: Nobody, Target: Nobody, Text: text, Flag: failed, Value: int32(tx.w.command)})
}
