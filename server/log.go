package server

import (
	"context"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/teeyard/teeyard/server/console"
)

// slogLevel are the console's levels as package slog's.
var slogLevel = [...]slog.Level{console.Standard: slog.LevelInfo, console.Info: slog.LevelInfo, console.Debug: slog.LevelDebug}

// log writes a line to the operator's log. The handler decides how it looks;
// SystemKey says which part of the server it is from.
func (s *Server) log(level int, system, line string) {
	l := slogLevel[min(max(level, 0), len(slogLevel)-1)]
	s.cfg.Log.Log(context.Background(), l, line, slog.String(SystemKey, system))
}

// reportProblem tells the operator what is wrong with a line of the console, and where it
// stands. Who typed it remotely is told what the original tells.
func (s *Server) reportProblem(p console.Problem) {
	if p.File != "" || !p.Printed {
		s.log(console.Standard, "config", oneLine(p.String()))
	}
}

// logEnabled tells whether anybody may read lines of a level; making them costs.
func (s *Server) logEnabled(level int) bool {
	return level <= s.settings.ConsoleOutputLevel ||
		s.cfg.Log.Enabled(context.Background(), slogLevel[min(max(level, 0), len(slogLevel)-1)])
}

// SystemKey is the attribute of log records that names the part of the server a
// line is from, as the console shows it in brackets.
const SystemKey = "system"

// oneLine makes a line harmless for whoever looks at the log: names and chat
// must not begin new lines, nor say anything to a terminal.
func oneLine(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f
	}
	if clean {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return '?'
		case r < ' ', r >= 0x7f && r < 0xa0, // control characters, also those of eight bits
			r == 0x2028, r == 0x2029, // line and paragraph separators
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // writing direction
			return ' '
		}
		return r
	}, s)
}
