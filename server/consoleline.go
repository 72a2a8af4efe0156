package server

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
)

// consoleLine is a line of the console that runs, or is answered.
type consoleLine struct {
	warning string // the first thing that the console warned of
}

// worldCall is a command of the console that runs in the world. What it prints is an answer to its caller.
type worldCall struct {
	command int // its place among the commands of the next tick, from 1 on; 0 if it cannot run any more
	name    string
	caller  console.Caller
	line    *consoleLine
	lasts   bool // a variable, which the next world begins with
}

// askedOfWorld is what the console has asked of the world, which the next tick answers.
type askedOfWorld struct {
	calls []worldCall
	then  []func() // to be called after that
}

// execute runs a line and calls done, unless that is nil, with the first thing that the console warned of, "" if there
// was none: before it returns, or after the next tick, if commands of the line run in the world.
func (s *Server) execute(line string, who console.Caller, done func(warning string)) {
	l, before := &consoleLine{}, len(s.asked.calls)
	s.within(l, func() { s.console.Execute(line, who) })
	switch {
	case done == nil:
	case len(s.asked.calls) == before:
		done(l.warning)
	default:
		s.whenAnswered(func() { done(l.warning) })
	}
}

// whenAnswered calls f when all that the console has asked of the world is answered.
func (s *Server) whenAnswered(f func()) {
	if len(s.asked.calls) == 0 {
		f()
		return
	}
	s.asked.then = append(s.asked.then, f)
}

// within calls f; what the console warns of in it is about the line.
func (s *Server) within(l *consoleLine, f func()) {
	defer func(outer *consoleLine) { s.line = outer }(s.line)
	s.line = l
	f()
}

// noteWarning notes what the console warns of.
func (s *Server) noteWarning(text string) {
	if s.line != nil && s.line.warning == "" {
		s.line.warning = safetext.Line(text)
	}
}

// runInWorld runs a command of the mode or a mod.
func (s *Server) runInWorld(call *console.Call) {
	s.askWorld(call, game.ConsoleCommand(bridge.PlayerIDOf(int32(call.Caller.ID)), call.Name, call.Args...))
}

// askWorld queues what a command or variable of the console asks of the world.
func (s *Server) askWorld(call *console.Call, cmd game.Command) {
	s.queueCommand(cmd)
	s.asked.calls = append(s.asked.calls, worldCall{len(s.pendingCommands), call.Name, call.Caller, s.line, cmd.Kind == game.CmdSetVariable})
}

// printConsole prints what the mode or a mod says in the console, to whom it answers if it does.
func (a *askedOfWorld) printConsole(s *Server, ev *game.Event) {
	level := console.Standard
	if ev.Flag {
		level = console.Warning
	}
	i, isAnswer := slices.BinarySearchFunc(a.calls, int(ev.Value), func(c worldCall, n int) int { return cmp.Compare(c.command, n) })
	if !isAnswer || ev.Value == 0 {
		s.print(level, "mod", ev.Text)
		return
	}
	c := &a.calls[i]
	s.within(c.line, func() { s.printFor(c.caller, level, "mod", ev.Text) })
}

// end does what waited for the answers.
func (a *askedOfWorld) end() {
	for _, f := range a.then {
		f()
	}
}

// lose tells callers why their commands will not run.
func (a *askedOfWorld) lose(s *Server, why string) {
	for i := range a.calls {
		if c := &a.calls[i]; c.command != 0 {
			if c.command = 0; c.lasts {
				continue
			}
			s.within(c.line, func() {
				s.printFor(c.caller, console.Warning, "server", fmt.Sprintf("%s did not run: %s", c.name, why))
			})
		}
	}
}
