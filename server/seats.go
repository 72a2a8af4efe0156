package server

import (
	"github.com/teeyard/teeyard/game"
)

// seats has the server's notes about the players in the world's seats.
type seats struct {
	leaving   game.PlayerMask // the next tick clears these
	givingWay game.PlayerMask // these leave the game for the spectators with the next tick
	quiet     game.PlayerMask // who were not announced; see isQuiet
	// names and clans of the last players who left each seat
	names, clans [game.MaxPlayers]string
	// farewells are logged when the world removes the player, after earlier lines of the world.
	farewells [game.MaxPlayers]farewell
	// teams are the teams that were logged last.
	teams [game.MaxPlayers]game.Team
}

// farewell is the log line about a client who has left.
type farewell struct {
	addr, reason string
	entered      bool // the log said so
}
