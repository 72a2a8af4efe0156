package server

import (
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/internal/fill"
)

// Advance runs the ticks that are due, updates the connections and sends queued messages. It
// returns the time at which it should be called again.
func (s *Server) Advance(now conn.Time) conn.Time {
	s.now = now
	s.standStill(now)
	due, skipped := s.clock.due(now)
	due += s.playPrelude()
	if skipped > 0 {
		s.drops.add(dropTicks, skipped)
	}
	if due > 0 {
		s.tickTimes.begin(s.cfg.ThreadTime)
	}
	before := s.clock.tick
	for left := due; left > 0; left-- {
		s.tick(now, left <= fill.MaxCatchUp || len(s.sessionByPeer) == 0 && due <= idleTicks+preludeStep)
	}
	if due > 0 {
		s.updateSessions(now, before)
	}
	if s.maps.Downloads.BurstDue(now) {
		s.continueDownloads(now)
	}
	s.closeDropped(now)
	s.record.Update(s.numClients() == 0)
	s.logs.Update(s.clock.tick)
	if !s.drain.update(s, now) {
		s.maps.Change(now)
	}
	s.mods.Update(now)
	s.listing.Advance(now)
	s.maps.UpdateRotation(now)
	s.econ.Advance(int64(now))
	s.access.Bans.Tick()
	s.updateResume(now)
	s.transport.Flush()
	if due > 0 {
		took := conn.Time(s.transport.Now()).Sub(now)
		s.tickTimes.end(s.cfg.ThreadTime, due, took)
		s.mods.Clock.Note(due, took)
	}
	return s.nextAdvanceTime()
}

// nextAdvanceTime returns when Advance must be called next if nothing arrives before.
func (s *Server) nextAdvanceTime() conn.Time {
	if s.prelude > 0 {
		return s.now
	}
	idle := len(s.sessionByPeer) == 0 && len(s.pendingCommands) == 0 && !s.econ.Pending()
	if idle && !s.mods.Clock.IsSlow() { // slow ticks run one by one, because datagrams wait for the end of all
		return s.clock.tickStart(s.clock.tick + idleTicks)
	}
	next := s.clock.nextTick()
	if burst := s.maps.Downloads.NextBurst(); burst != 0 {
		next = min(next, burst)
	}
	return next
}
