package server

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// showRulesInForce registers the rules as variables that the mode can overrule.
func (s *Server) showRulesInForce() error {
	for _, rule := range game.RuleSettings() {
		if rule.Name == "" || rule.Name == "sv_inactivekick" { // DDNet's numbers differ from the rule
			continue
		}
		err := s.console.InForce(rule.Name, func() (string, bool) {
			if !s.started {
				return "", false
			}
			r := s.world.LimitRules(s.gameRules())
			return strconv.Itoa(int(rule.Value(&r))), true
		})
		if err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	return nil
}

// addRuleHooks makes rules take effect when they are set.
func (s *Server) addRuleHooks() error {
	for _, rule := range game.RuleSettings() {
		if rule.Name == "" {
			continue
		}
		err := s.console.After(rule.Name, func(*console.Call) {
			if rule.Name == "sv_inactivekick_time" {
				s.setInactiveTime()
			}
			if s.started {
				s.queueRules(rule.Tell)
			}
		})
		if err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	return nil
}

// queueRules tells the world the settings, which tells the players what tell says.
func (s *Server) queueRules(tell int32) {
	r := s.gameRules()
	s.queueCommand(game.Command{Kind: game.CmdSetRules, Player: game.Nobody, Target: game.Nobody, Rules: &r, Value: tell})
}

// gameRules returns the settings that the world has to know.
func (s *Server) gameRules() game.Rules {
	return s.gameRulesFor(s.mods.Played(), s.world != nil && s.world.IsDDRace())
}

// setInactiveTime notes that somebody has set sv_inactivekick_time, which then counts in DDRace, too.
func (s *Server) setInactiveTime() {
	s.inactiveTimeSet = true
	s.console.SaveDefault("sv_inactivekick_time")
}

// isPure reports whether a game type of the server's own has the standard tuning. Modes and mods may
// overrule it.
func isPure(gameType string) bool {
	return !strings.EqualFold(gameType, "mod") && !strings.EqualFold(gameType, "race")
}

// gameRulesFor returns what gameRules does for a world of a game type.
func (s *Server) gameRulesFor(gameType string, isDDRace bool) game.Rules {
	s.rules.PlayerSlots = min(s.rules.PlayerSlots, s.rules.MaxClients)
	r := s.rules
	if isDDRace && !s.inactiveTimeSet {
		r.InactiveTime = 0 // players who wait for a partner, or rest in a race of hours, keep their seat
	}
	r.MapRotation, r.PureTuning = s.settings.MapRotation != "", isPure(gameType)
	return r
}
