package server

import (
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/fill"
)

// Advance runs the ticks that are due, updates the connections and sends what is
// queued. It returns the time at which it should be called again.
func (s *Server) Advance(now conn.Time) conn.Time {
	s.now = now
	s.standStill(now)
	due, skipped := s.clock.due(now)
	due += s.playPrelude()
	if skipped > 0 {
		s.drops.add(dropTicks, skipped)
	}
	before := s.clock.tick
	for left := due; left > 0; left-- {
		s.tick(now, left <= fill.MaxCatchUp || len(s.sessionByPeer) == 0 && due <= idleTicks+preludeStep)
	}
	if due > 0 {
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
	if s.maps.Downloads.BurstDue(now) {
		s.continueDownloads(now)
	}
	s.closeDropped(now)
	s.record.Update(s.numClients() == 0)
	s.retryAuditLog()
	if !s.updateDrain(now) {
		s.maps.Change(now)
	}
	s.mods.Update(now)
	s.listing.Advance(now)
	s.updateEcon(now)
	s.maps.UpdateRotation(now)
	s.econ.console.Advance(int64(now))
	s.access.Bans.Tick()
	s.updateResume(now)
	s.transport.Flush()
	if due > 0 {
		took := conn.Time(s.transport.Now()).Sub(now)
		s.tickTimes.add(due, took)
		s.mods.Clock.Note(due, took)
	}
	return s.nextAdvanceTime()
}

// nextAdvanceTime returns when Advance must be called next if nothing arrives before.
func (s *Server) nextAdvanceTime() conn.Time {
	if s.prelude > 0 {
		return s.now
	}
	idle := len(s.sessionByPeer) == 0 && len(s.pendingCommands) == 0 && !s.econ.console.Pending()
	if idle && !s.mods.Clock.IsSlow() { // slow ticks run one by one, because datagrams wait for the end of all
		return s.clock.tickStart(s.clock.tick + idleTicks)
	}
	next := s.clock.nextTick()
	if burst := s.maps.Downloads.NextBurst(); burst != 0 {
		next = min(next, burst)
	}
	return next
}

// updateSession does what is due for a session after a tick. Queued messages are sent
// only with snapshots, as in the original: a datagram for every INPUTTIMING would cost
// more than everything else the server does.
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

// patience returns how long the client may be silent. Clients of DDNet look at no datagrams while they load
// the map and what belongs to it, for which slow machines need more than the 10 seconds of a connection.
func (c *session) patience() time.Duration {
	if c.state > stateAuth && c.state < stateEntering {
		return loadingPatience
	}
	return conn.Timeout
}

// tick runs one tick of the world and tells everybody what happened in it.
func (s *Server) tick(now conn.Time, botsThink bool) {
	s.clock.tick++
	tick := s.clock.tick
	s.queueInputs(tick)
	if s.bots.Advance(now, tick, botsThink) {
		s.beginPrelude()
	}
	settled := len(s.droppedSessions) == 0
	s.storage.Take(tick)
	events := s.stepWorld()
	clear(s.pendingCommands) // for the garbage collector
	s.pendingCommands = s.pendingCommands[:0]
	asked := s.lines.takeAsked()
	s.seats.givingWay = 0
	s.releaseSeats()
	s.updateLatencies()
	for _, v := range s.versions {
		v.RecordTick(s.world, events)
	}
	for i := range events {
		switch events[i].Kind {
		case game.EvStore:
			s.storage.Request(events[i].Store, s.world.Tick())
		case game.EvModOff:
			s.mods.Panicked(events[i].Text)
		case game.EvConsole:
			s.lines.answer(&asked, &events[i])
		default:
			s.observeGame(&events[i])
			s.deliverEvent(now, &events[i])
		}
	}
	asked.end()
	s.tickAnnouncements(now)
	s.maps.TickRandom()
	s.tickEmpty()
	s.votes.Tick(settled)
	s.sendModViews()
	s.record.EndTick()
	s.notifyObservers(events)
}

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
