package server

import (
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
)

// output distributes the lines that the server prints.
type output struct {
	warned  func(line string)    // gets warnings, also those that go nowhere else
	enabled func(level int) bool // reports whether lines of a level go anywhere
	logs    []func(level int, system, line string)
	// operators shows a line to the caller of a command and to operators in the game.
	operators func(who console.Caller, level int, system, line string)
}

// print prints a line of the server, or a line of a command that who runs.
func (o *output) print(who console.Caller, level int, system, line string) {
	if level == console.Warning {
		o.warned(line)
	}
	if !o.enabled(level) {
		return
	}
	line = safetext.Line(line)
	for _, log := range o.logs {
		log(level, system, line)
	}
	o.operators(who, level, system, line)
}
