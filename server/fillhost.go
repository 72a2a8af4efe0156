package server

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/fill"
)

// fillHost is the server that bots fill. It implements fill.Host.
type fillHost struct{ s *Server }

func newBots(s *Server) *fill.Bots {
	return fill.New(fill.Config{Host: fillHost{s}, Seed: s.cfg.Seed, Broadcast: s.cfg.Broadcast != nil})
}

// Match implements fill.Host.
func (h fillHost) Match() fill.Match {
	return fill.Match{World: h.s.world, Terrain: &h.s.maps.Played().Terrain, Rules: &h.s.rules.Rules}
}

// Seats implements fill.Host.
func (h fillHost) Seats() fill.Seats {
	seats := fill.Seats{Leaving: h.s.seats.leaving}
	for i, c := range h.s.sessions {
		if c == nil {
			continue
		}
		id := game.PlayerID(i)
		seats.Clients.Add(id)
		if c.state != stateInGame {
			continue
		}
		seats.InGame.Add(id)
		if h.s.teamOf(id) == game.TeamSpectators {
			seats.Spectators.Add(id)
		}
	}
	return seats
}

// IsWatched implements fill.Host.
func (h fillHost) IsWatched() bool { return h.s.isBroadcastWatched() }

// Queue implements fill.Host.
func (h fillHost) Queue(cmd game.Command) { h.s.queueCommand(cmd) }

// Leave implements fill.Host.
func (h fillHost) Leave(id game.PlayerID, reason string) {
	h.s.seats.farewells[id] = farewell{addr: fill.Addr, reason: reason}
	h.s.leaveSeat(id, reason)
}

// FreeName implements fill.Host.
func (h fillHost) FreeName(id game.PlayerID, name string) string { return h.s.freeName(id, name) }

// Print implements fill.Host.
func (h fillHost) Print(level int, system, line string) {
	h.s.printFor(console.Operator, level, system, line)
}

// Wake implements fill.Host.
func (h fillHost) Wake() { h.s.transport.Wake() }
