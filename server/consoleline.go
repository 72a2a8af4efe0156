package server

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
)

// consoleLine is a line of the console that runs, or waits for its answers.
type consoleLine struct {
	warning string // the first thing that the console warned of
}

// worldCall is a command of the console that runs in the world. Its output is an answer to its
// caller.
type worldCall struct {
	command int // its place among the commands of the next tick, from 1 on; 0 if it cannot run any more
	name    string
	caller  console.Caller
	line    *consoleLine
	lasts   bool // a variable, which the next world begins with
}

// askedOfWorld has the console's commands that run in the world. The next tick answers them.
type askedOfWorld struct {
	calls []worldCall
	then  []func() // to be called after that
}

// consoleLines runs lines of the console, and keeps their commands for the world until they are
// answered.
type consoleLines struct {
	console *console.Console
	print   func(who console.Caller, level int, system, line string)
	queue   func(cmd game.Command) (place int) // adds a command to the next tick
	line    *consoleLine                       // that runs or is answered, nil if nobody waits for it
	asked   askedOfWorld
}

// execute runs a line and calls done, unless that is nil, with the first warning of the console, ""
// without one. It calls done before it returns. If commands of the line run in the world, it calls
// done after the next tick.
func (l *consoleLines) execute(line string, who console.Caller, done func(warning string)) {
	run, before := &consoleLine{}, len(l.asked.calls)
	l.within(run, func() { l.console.Execute(line, who) })
	switch {
	case done == nil:
	case len(l.asked.calls) == before:
		done(run.warning)
	default:
		l.whenAnswered(func() { done(run.warning) })
	}
}

// areAsked reports whether lines wait for answers of the next tick.
func (l *consoleLines) areAsked() bool { return len(l.asked.calls) > 0 }

// whenAnswered calls f when the world has answered all requests of the console.
func (l *consoleLines) whenAnswered(f func()) {
	if !l.areAsked() {
		f()
		return
	}
	l.asked.then = append(l.asked.then, f)
}

// within calls f. Warnings of the console during the call belong to the line.
func (l *consoleLines) within(line *consoleLine, f func()) {
	defer func(outer *consoleLine) { l.line = outer }(l.line)
	l.line = line
	f()
}

// noteWarning notes a warning of the console.
func (l *consoleLines) noteWarning(text string) {
	if l.line != nil && l.line.warning == "" {
		l.line.warning = safetext.Line(text)
	}
}

// askWorld queues a request of a command or variable of the console to the world.
func (l *consoleLines) askWorld(call *console.Call, cmd game.Command) {
	place := l.queue(cmd)
	l.asked.calls = append(l.asked.calls, worldCall{place, call.Name, call.Caller, l.line, cmd.Kind == game.CmdSetVariable})
}

// takeAsked returns the requests that the next tick answers, and begins with none.
func (l *consoleLines) takeAsked() askedOfWorld {
	asked := l.asked
	l.asked = askedOfWorld{}
	return asked
}

// answer prints a line of the mode or a mod, for the caller that it answers, if any.
func (l *consoleLines) answer(a *askedOfWorld, ev *game.Event) {
	level := console.Standard
	if ev.Flag {
		level = console.Warning
	}
	i, isAnswer := slices.BinarySearchFunc(a.calls, int(ev.Value), func(c worldCall, n int) int { return cmp.Compare(c.command, n) })
	if !isAnswer || ev.Value == 0 {
		l.print(console.Operator, level, "mod", ev.Text)
		return
	}
	c := &a.calls[i]
	l.within(c.line, func() { l.print(c.caller, level, "mod", ev.Text) })
}

// lose tells callers why their commands will not run.
func (l *consoleLines) lose(why string) {
	for i := range l.asked.calls {
		if c := &l.asked.calls[i]; c.command != 0 {
			if c.command = 0; c.lasts {
				continue
			}
			l.within(c.line, func() {
				l.print(c.caller, console.Warning, "server", fmt.Sprintf("%s did not run: %s", c.name, why))
			})
		}
	}
}

// end calls the functions that waited for the answers.
func (a *askedOfWorld) end() {
	for _, f := range a.then {
		f()
	}
}
