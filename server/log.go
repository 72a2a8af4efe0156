package server

import (
	"context"
	"log/slog"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// slogLevel maps the console's levels to those of package slog.
var slogLevel = [...]slog.Level{console.Standard: slog.LevelInfo, console.Info: slog.LevelInfo, console.Debug: slog.LevelDebug}

// log writes a line to the operator's log, with the part of the server that it is from as
// [logline.SystemKey].
func (s *Server) log(level int, system, line string) {
	l := slogLevel[min(max(level, 0), len(slogLevel)-1)]
	s.cfg.Log.Log(context.Background(), l, line, slog.String(logline.SystemKey, system))
}

// reportProblem logs what is wrong with a console line, unless the console has printed it
// and it is in no file.
func (s *Server) reportProblem(p console.Problem) {
	if p.File != "" || !p.Printed {
		s.log(console.Standard, "config", safetext.Line(p.String()))
	}
}

// logEnabled reports whether lines of a level go anywhere, so that others need not be
// formatted.
func (s *Server) logEnabled(level int) bool {
	return level <= s.settings.ConsoleOutputLevel ||
		s.cfg.Log.Enabled(context.Background(), slogLevel[min(max(level, 0), len(slogLevel)-1)])
}
