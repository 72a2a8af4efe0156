package server

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// tick runs one tick of the world and sends its events to the clients.
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
	s.seats.givingWay = game.PlayerMask{}
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
	s.announcements.Tick(now)
	s.maps.TickRandom()
	s.tickEmpty()
	s.votes.Tick(settled)
	s.sendModViews()
	s.record.EndTick()
	s.notifyObservers(events)
}
