package server

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// logEnabled reports whether lines of a level go anywhere. Others need not be formatted.
func (s *Server) logEnabled(level int) bool { return s.logs.Enabled(level) || s.econ.HasReaders() }

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// sayFarewell makes the log report that a client has left, in the tick in which it leaves the
// world.
func (c *session) sayFarewell(reason string) {
	s := c.server
	if c.name != "" && (c.announced || !c.isNewcomer()) || s.access.Arrivals.MayLog(s.now) {
		s.seats.farewells[c.id] = farewell{c.peer.String(), safetext.Truncate(reason, 128), c.state == stateInGame}
		if c.enteredAt != 0 {
			c.note("left", reason)
		}
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
	if f.entered && s.logs.Settings.JoinDetails != 0 {
		s.print(console.Standard, "client_drop", fmt.Sprintf("id=%d addr=%s reason=%s", id, f.addr, logline.Quote(f.reason)))
	}
	*f = farewell{}
}

// logJoin logs all details of a client that enters, in the form of the mod zCatch. Its tools look
// for the last quotation marks.
func (s *Server) logJoin(c *session) {
	if s.logs.Settings.JoinDetails == 0 {
		return
	}
	p, _ := s.world.Player(c.id)
	s.print(console.Standard, "client_enter", fmt.Sprintf("id=%d addr=%s version=%d name=%s clan=%s country=%d",
		c.id, c.peer, c.clientVersion, logline.Quote(p.Profile.Name), logline.Quote(p.Profile.Clan), p.Profile.Country))
}
