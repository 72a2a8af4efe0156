package server

import (
	"context"
	"log/slog"

	"github.com/teeyard/teeyard/server/console"
)

// slogLevels are the console's levels as package slog's.
var slogLevels = [...]slog.Level{console.Standard: slog.LevelInfo, console.Info: slog.LevelInfo, console.Debug: slog.LevelDebug}

// log writes a line to the operator's log. The handler decides how it looks;
// SystemKey says which part of the server it is from.
func (s *Server) log(level int, system, line string) {
	l := slogLevels[min(max(level, 0), len(slogLevels)-1)]
	s.cfg.Log.Log(context.Background(), l, line, slog.String(SystemKey, system))
}

// SystemKey is the attribute of log records that names the part of the server a
// line is from, as the console shows it in brackets.
const SystemKey = "system"
