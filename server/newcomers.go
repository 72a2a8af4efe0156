package server

import (
	"github.com/teeyard/teeyard/game"
)

// isNewcomer reports whether the client connected a moment ago.
func (c *session) isNewcomer() bool { return c.server.now.Sub(c.connectedAt) < newcomerTime }

// mayAnnounce reports whether the log and the other players may be told of a client. There is a
// limit for newcomers, because the owner of many networks can join and leave a thousand times a
// second. Newcomers beyond it play too, but in silence for their first ten seconds.
func (c *session) mayAnnounce() bool {
	s := c.server
	if !c.announced && (!c.isNewcomer() || c.peer.Addr().IsLoopback() || s.access.Arrivals.MayAnnounce(s.now)) {
		c.announced = true
	}
	return c.announced
}

// isQuiet reports whether the log and the other players are not told of a player's actions:
// newcomers beyond the limit, also after they have left.
func (s *Server) isQuiet(id game.PlayerID) bool {
	return id >= 0 && s.seats.quiet.Has(id) && (s.sessions[id] == nil || s.sessions[id].isNewcomer())
}
