package game

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ErrDeclared means that a mode or mod made an invalid declaration in Start: a name that is taken
// or has invalid characters, too many declarations of a kind, or no function to run.
var ErrDeclared = errors.New("game: invalid declaration")

// The limits on declarations in Start, for the mode and all mods together.
const (
	MaxVariables = 128
	MaxCommands  = 128 // chat commands, and as many console commands
	MaxTimers    = 64  // timers, and as many menus and as many votes
)

// declared holds the declarations of the mode and mods. Only values of variables and times of
// timers change after New.
type declared struct {
	variables       []variable
	chatCommands    []CommandSpec
	consoleCommands []CommandSpec
	timers          []timer
	menus           []hookOf[func(ctx *Ctx, id PlayerID, line int)]
	votes           []hookOf[func(ctx *Ctx, passed bool)]

	open   bool              // New runs
	values map[string]string // Config.Variables
	err    error             // the first

	layouts map[reflect.Type]*layout // of the states of mode and mods
}

// Setup is the [Tx] that Start gets. Its own methods declare variables, commands and other things
// for the whole match. After Start they panic.
type Setup struct{ Tx }

// declare returns the declarations during Start. It panics later: a replayed match must have the
// same declarations.
func (s *Setup) declare(what string) *declared {
	if d := &s.w.declared; d.open {
		return d
	}
	panic("game: " + what + " was called outside Start")
}

// fail keeps the first error for New.
func (d *declared) fail(what, name, why string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s %q: %s", ErrDeclared, what, name, why)
	}
}

// addCallback appends a declaration that consists of a function.
func addCallback[F any](d *declared, what string, list []F, f F, isNil bool) []F {
	switch name := fmt.Sprint(len(list) + 1); {
	case isNil:
		d.fail(what, name, "the function is nil")
	case len(list) == MaxTimers:
		d.fail(what, name, fmt.Sprintf("at most %d can be declared", MaxTimers))
	default:
		return append(list, f)
	}
	return list
}

// check returns why a name of at most length bytes or a help text is invalid, or "".
func (d *declared) check(name string, length int, help string) string {
	if name == "" || len(name) > length || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return fmt.Sprintf("the name must have 1 to %d of the characters a-z, 0-9 and _", length)
	}
	if len(help) > maxHelpLen {
		return fmt.Sprintf("the help text must have at most %d bytes", maxHelpLen)
	}
	return ""
}

// The limits of clients, in bytes.
const (
	maxNameLen     = 31 // of a variable or a command of the console
	maxChatNameLen = 15 // of a command of the chat
	maxHelpLen     = 63 // of help and of parameters
)

// inConsole reports whether the console has a variable or command of the name.
func (d *declared) inConsole(name string) bool {
	for i := range d.variables {
		if d.variables[i].Name == name {
			return true
		}
	}
	return findCommand(d.consoleCommands, name) != nil
}

// applyDeclared executes a command for a declaration of the mode or a mod.
func (w *World) applyDeclared(cmd *Command) {
	switch cmd.Kind {
	case CmdSetVariable:
		w.applyVariable(cmd)
	case CmdChatCommand, CmdConsoleCommand:
		w.applyModCommand(cmd)
	case CmdReload:
		w.reload(cmd)
	case CmdMenu:
		w.applyMenu(cmd)
	case CmdVoteEnd:
		w.applyVoteEnd(cmd)
	case CmdStored:
		w.applyStored(cmd)
	case CmdStopHook:
		w.stopHook(cmd)
	case CmdShowOthers:
		if w.playing(cmd.Player) != nil {
			w.sim.showOthers(cmd.Player, cmd.Value)
		}
	}
}

// declared visits the values of variables and the times of timers.
func (v *visitor) declared(d *declared) {
	all := int32(0)
	for i := range d.variables {
		if !d.variables[i].isLate() {
			all++
		}
	}
	n := all
	num(v, &n)
	within(v, "number of variables", n, all, all)
	for i := range d.variables {
		if d.variables[i].isLate() {
			continue
		}
		if t := d.variables[i].text; t != nil {
			v.text(t.Value, t.MaxLen)
			continue
		}
		x := d.variables[i].number
		num(v, x.Value)
		within(v, "variable", *x.Value, x.clamp(*x.Value), x.clamp(*x.Value))
	}
	n = int32(len(d.timers))
	num(v, &n)
	within(v, "number of timers", n, int32(len(d.timers)), int32(len(d.timers)))
	for i := range d.timers {
		v.timer(&d.timers[i])
	}
}

func (v *visitor) timer(t *timer) {
	var players PlayerMask
	for id := range PlayerID(v.seats) {
		if t.due[id] != 0 {
			players.Add(id)
		}
	}
	v.mask(&players)
	for id := range PlayerID(v.seats) {
		if players.Has(id) {
			num(v, &t.due[id])
			within(v, "time of a timer", t.due[id], 1, MaxTick)
		} else {
			t.due[id] = 0
		}
	}
	num(v, &t.due[MaxPlayers])
	within(v, "time of a timer", t.due[MaxPlayers], 0, MaxTick)
}

// lateVariables visits the names and values of the late variables that differ from their default.
func (v *visitor) lateVariables(d *declared) {
	var changed []*IntVar
	for i := range d.variables {
		if x := &d.variables[i]; x.isLate() && *x.number.Value != x.number.Default {
			changed = append(changed, x.number)
		}
	}
	if v.op == restoring {
		for _, x := range changed {
			*x.Value = x.Default
		}
	}
	if !v.extra(100, len(changed) > 0) {
		return
	}
	n := int32(len(changed))
	num(v, &n)
	for i := range n {
		var name string
		if v.op != restoring {
			name = changed[i].Name
		}
		v.text(&name, maxNameLen)
		at := slices.IndexFunc(d.variables, func(x variable) bool { return x.isLate() && x.Name == name })
		if at < 0 {
			v.fail("unknown variable %q", name)
			return
		}
		x := d.variables[at].number
		num(v, x.Value)
		within(v, "variable", *x.Value, x.clamp(*x.Value), x.clamp(*x.Value))
	}
}
