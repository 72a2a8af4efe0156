package server

import (
	"context"
	"log/slog"

	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// slogLevel returns the level of package slog for one of the console.
func slogLevel(level int) slog.Level {
	switch {
	case level < console.Standard:
		return slog.LevelWarn
	case level < console.Debug:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// log writes a line to the operator's log, with the part of the server that it is from as
// [logline.SystemKey].
func (s *Server) log(level int, system, line string) {
	s.cfg.Log.Log(context.Background(), slogLevel(level), line, slog.String(logline.SystemKey, system))
}

// logEnabled reports whether lines of a level go anywhere, so that others need not be
// formatted.
func (s *Server) logEnabled(level int) bool {
	return level <= s.settings.ConsoleOutputLevel || s.econ.console.HasReaders() || s.cfg.Log.Enabled(context.Background(), slogLevel(level))
}
