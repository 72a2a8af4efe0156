package server

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/internal/rules"
)

// newRules creates the rules of matches.
func newRules(s *Server) *rules.Configured {
	return rules.New(rules.Config{
		DDNet: s.cfg.DDNet,
		InForce: func() (game.Rules, bool) {
			if !s.started {
				return game.Rules{}, false
			}
			return s.world.LimitRules(s.gameRules()), true
		},
		Changed: func(tell int32) {
			if s.started {
				s.queueRules(tell)
			}
		},
	})
}

// queueRules tells the world the rules. The world tells the players the part that tell names.
func (s *Server) queueRules(tell int32) {
	r := s.gameRules()
	s.queueCommand(game.Command{Kind: game.CmdSetRules, Player: game.Nobody, Target: game.Nobody, Rules: &r, Value: tell})
}

// gameRules returns the rules for the world, or before the first one those for sv_gametype.
func (s *Server) gameRules() game.Rules {
	return s.rules.For(s.mods.Played(), s.world != nil && s.world.IsDDRace(), s.maps.Settings.Rotation != "")
}
