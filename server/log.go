package server

import (
	"context"
	"log/slog"

	"github.com/teeyard/teeyard/internal/safetext"
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
		s.log(console.Standard, "config", safetext.Line(p.String()))
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
