package server

import (
	"fmt"
)

// Some variables do not count as they are set: modes decide rules, and maps choose the mode and the
// settings of DDRace. The console, with all that reads variables from it, shows what is in force.
// Variables of modes and mods are in modcommands.go.

// addInForce registers the variables of the server that can be overruled.
func (s *Server) addInForce() error {
	for _, v := range []struct {
		name    string
		inForce func() (value string, overrules bool)
	}{
		{"sv_gametype", s.gameTypeInForce},
	} {
		if err := s.console.InForce(v.name, v.inForce); err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	return s.showRulesInForce()
}

// gameTypeInForce returns the game type that is played, unless another one is set for the next map.
func (s *Server) gameTypeInForce() (string, bool) {
	if !s.started || s.gameMap.gameType != s.wantedGameType() {
		return "", false
	}
	return s.gameMap.playedGameType(), true
}
