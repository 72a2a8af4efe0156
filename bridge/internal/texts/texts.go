// Package texts has lines that servers write for clients that do not write them themselves.
package texts

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
)

// RaceFinish returns the chat line about a finished race, for clients that do not write their own.
func RaceFinish(name string, ms int32) string {
	return fmt.Sprintf("%s finished in: %d minute(s) %5.2f second(s)", name, ms/60_000, float64(ms%60_000)/1000)
}

// TeamName returns the name of a team, in the form used after "the".
func TeamName(t game.Team, f game.GameFlags) string {
	switch {
	case t == game.TeamSpectators:
		return "spectators"
	case f&game.GameFlagTeams == 0:
		return "game"
	case t == game.TeamBlue:
		return "blue team"
	}
	return "red team"
}
