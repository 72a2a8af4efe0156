package server

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// seats is what the server remembers of the players in the world's seats.
type seats struct {
	leaving   game.PlayerMask // the next tick clears these
	givingWay game.PlayerMask // these leave the game for the spectators with the next tick
	quiet     game.PlayerMask // who were not announced; see isQuiet
	// names and clans of the last players who left each seat
	names, clans [game.MaxPlayers]string
	// farewells are logged when the world has come to them, after what was said before.
	farewells [game.MaxPlayers]farewell
	// teams are the last that were logged.
	teams [game.MaxPlayers]game.Team
}

// leaveSeat makes a player leave the world with the next tick, which frees the seat.
func (s *Server) leaveSeat(id game.PlayerID, reason string) {
	s.seats.leaving |= game.MaskOne(id)
	for _, c := range s.sessions {
		if c != nil && c.whisperPartner == id {
			c.whisperPartner = game.Nobody // and not who gets the seat next
		}
	}
	p, _ := s.world.Player(id)
	s.seats.names[id], s.seats.clans[id] = s.playerName(id), p.Profile.Clan
	s.queueCommand(game.Command{Kind: game.CmdLeave, Player: id, Target: game.Nobody, Text: reason})
}

// releaseSeats makes the seats available again of those who left the world in a tick,
// and goes on with clients that waited for it.
func (s *Server) releaseSeats() {
	if s.seats.leaving == 0 {
		return
	}
	s.seats.leaving = 0
	for _, c := range s.sessions {
		if c != nil && !c.dropping {
			c.takeEarlySteps()
		}
	}
}

// freeSeat returns a seat for a client, Nobody if there is none. soon reports whether
// there will be one after the next tick; clients ask again until then. Seats that are kept
// do not count, so that their players can come back.
func (s *Server) freeSeat() (id game.PlayerID, soon bool) {
	seats := min(int(s.rules.MaxClients)+s.numHeld(), len(s.sessions))
	for id := range game.PlayerID(seats) {
		if s.sessions[id] != nil || s.bots.has(id) {
			continue
		}
		if !s.seats.leaving.Has(id) {
			return id, false
		}
		soon = true
	}
	if bot := s.lastBot(); !soon && bot != game.Nobody && int(bot) < seats {
		s.removeBot(bot, "")
		soon = true
	}
	if held := s.oldestHeld(); !soon && held != nil {
		held.drop(conn.ReasonTimeout)
		soon = true
	}
	return game.Nobody, soon
}
