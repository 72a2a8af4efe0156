package server

import (
	"github.com/teeyard/teeyard/game"
)

// playerName returns a player's name, or the name of the last player in the seat.
func (s *Server) playerName(id game.PlayerID) string {
	if id < 0 {
		return ""
	}
	if p, _ := s.world.Player(id); p.Profile.Name != "" {
		return p.Profile.Name
	}
	if c := s.sessions[id]; c != nil {
		return c.name
	}
	return s.seats.names[id]
}

// teamOf returns a player's team; spectators for one who is not in the world.
func (s *Server) teamOf(id game.PlayerID) game.Team {
	p, ok := s.world.Player(id)
	if !ok {
		return game.TeamSpectators
	}
	return p.Team
}

// leaveWorld makes the player of a session leave the world with the next tick.
func (s *Server) leaveWorld(c *session, reason string) {
	if !c.isNewcomer() {
		s.seats.quiet.Remove(c.id)
	}
	if c.state >= stateReady {
		s.leaveSeat(c.id, reason)
	}
}

// leaveSeat makes a player leave the world with the next tick. That frees the seat.
func (s *Server) leaveSeat(id game.PlayerID, reason string) {
	s.seats.leaving.Add(id)
	for _, c := range s.sessions {
		if c != nil && c.whisperPartner == id {
			c.whisperPartner = game.Nobody // and not who gets the seat next
		}
	}
	p, _ := s.world.Player(id)
	s.seats.names[id], s.seats.clans[id] = s.playerName(id), p.Profile.Clan
	s.queueCommand(game.Command{Kind: game.CmdLeave, Player: id, Target: game.Nobody, Text: reason})
}

// playerNamed returns the player in the game with exactly this name, or -1.
func (s *Server) playerNamed(name string) game.PlayerID {
	for id := range game.PlayerID(game.MaxPlayers) {
		if p, ok := s.world.Player(id); ok && p.InGame && p.Profile.Name == name && name != "" && !s.seats.leaving.Has(id) {
			return id
		}
	}
	return game.Nobody
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
