package server

import (
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// queueInputs adds the inputs for a tick. Of several, the original takes the first only; in DDRace
// all act on weapons.
func (s *Server) queueInputs(tick int32) {
	all := s.world.IsDDRace()
	for _, c := range s.sessions {
		if c == nil || c.state != stateInGame {
			continue
		}
		in, valid, next := c.inputs.find(tick, 0)
		for next > 0 {
			if valid {
				s.queueCommand(game.Command{Kind: game.CmdInput, Player: c.id, Target: game.Nobody, Input: *in})
			}
			if !all {
				break
			}
			in, valid, next = c.inputs.find(tick, next)
		}
	}
}

// updateSessions updates the connections of all clients and sends the queued datagrams. The ticks
// after before have just run.
func (s *Server) updateSessions(now conn.Time, before int32) {
	// Every second tick. Several ticks at once make one round, whichever is last.
	round := s.settings.HighBandwidth != 0 || crossesMultiple(before, s.clock.tick, 2)
	if round {
		s.sendSnapshots(now, before)
	}
	s.sendCommandLists()
	for _, c := range s.sessions {
		if c != nil {
			s.updateSession(now, c, round)
		}
	}
	s.releaseExcessSeats()
}

// updateSession does the work that is due for a session after a tick. Queued messages are sent only
// with snapshots, as in the original: a datagram for every INPUTTIMING would cost more than
// everything else the server does.
func (s *Server) updateSession(now conn.Time, c *session, round bool) {
	if c.isHeld() {
		if now >= c.heldUntil {
			c.drop(conn.ReasonTimeout)
		}
		return
	}
	c.conn.SetTimeout(c.patience())
	c.conn.Update(now)
	if c.conn.State() == conn.StateError {
		if !s.keepSeat(now, c, c.conn.Reason()) {
			c.drop(c.conn.Reason())
		}
		return
	}
	if c.state != stateInGame && !c.rcon.authed && now.Sub(c.lastProgress) > joinTimeout {
		c.drop("Took too long to join")
		return
	}
	c.continueDownload()
	c.sendPendingLines()
	if round || c.state != stateInGame {
		c.conn.Flush(now)
	}
}

// patience returns how long the client may be silent. Clients of DDNet read no datagrams while they
// load the map and its files. Slow machines need more than the 10 seconds of a connection for that.
func (c *session) patience() time.Duration {
	if c.state > stateAuth && c.state < stateEntering {
		return loadingPatience
	}
	return conn.Timeout
}
