package server

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
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
	attr := slog.String(logline.SystemKey, system)
	s.cfg.Log.LogAttrs(context.Background(), slogLevel(level), line, attr)
	if s.fileLog != nil {
		s.fileLog.LogAttrs(context.Background(), slogLevel(level), line, attr)
	}
}

// logEnabled reports whether lines of a level go anywhere, so that others need not be
// formatted.
func (s *Server) logEnabled(level int) bool {
	return level <= s.settings.ConsoleOutputLevel || s.fileLog != nil || s.econ.console.HasReaders() || s.cfg.Log.Enabled(context.Background(), slogLevel(level))
}

// setDialect applies the setting log_dialect.
func (s *Server) setDialect(call *console.Call) {
	d, err := logline.ParseDialect(s.settings.LogDialect)
	if err != nil {
		call.Refuse("server", "log_dialect: %v", err)
		return
	}
	s.dialect = d
	s.cfg.Dialect.Set(d)
}

// inDDNet returns what only lines of the dialect of DDNet have.
func (s *Server) inDDNet(format string, args ...any) string {
	if s.dialect != logline.DDNet {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// sayFarewell makes the log say that a client has left, when the world has come to that.
func (c *session) sayFarewell(reason string) {
	s := c.server
	if c.name != "" && (c.announced || !c.isNewcomer()) || s.access.Arrivals.MayLog(s.now) {
		s.seats.farewells[c.id] = farewell{c.peer.String(), safetext.Truncate(reason, 128), c.state == stateInGame}
	}
	if c.state < stateReady { // not in the world
		s.logFarewell(c.id)
	}
}

// logFarewell logs that the last client of a seat has left, unless it is logged already.
func (s *Server) logFarewell(id game.PlayerID) {
	f := &s.seats.farewells[id]
	if f.addr == "" {
		return
	}
	s.print(console.Standard, "server", fmt.Sprintf("client dropped. cid=%d addr=%s reason=%s", id, f.addr, logline.Quote(f.reason)))
	if f.entered && s.settings.LogJoinDetails != 0 {
		s.print(console.Standard, "client_drop", fmt.Sprintf("id=%d addr=%s reason=%s", id, f.addr, logline.Quote(f.reason)))
	}
	*f = farewell{}
}

// logJoin logs all that is known of a client that enters, in the form of the mod zCatch. Its
// tools look for the last quotation marks.
func (s *Server) logJoin(c *session) {
	if s.settings.LogJoinDetails == 0 {
		return
	}
	p, _ := s.world.Player(c.id)
	s.print(console.Standard, "client_enter", fmt.Sprintf("id=%d addr=%s version=%d name=%s clan=%s country=%d",
		c.id, c.peer, c.clientVersion, logline.Quote(p.Profile.Name), logline.Quote(p.Profile.Clan), p.Profile.Country))
}
