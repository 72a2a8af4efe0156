package server

import (
	"fmt"
	"strconv"

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
