package recorder

import (
	"errors"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
)

// FirstPlayers returns the players in the first snapshot of a demo, or nil for a demo without
// snapshots.
func FirstPlayers(r *demo.Reader) []game.PlayerInfo {
	c := new(converter)
	c.from = newDemoReader(r.Header(), c)
	for chunk := new(demo.Chunk); ; {
		if err := r.Next(chunk); err != nil && !errors.Is(err, demo.ErrChunk) {
			return nil
		}
		if chunk.Snapshot == nil {
			continue
		}
		c.from.ReceiveSnapshot(chunk.Tick, chunk.Snapshot)
		var players []game.PlayerInfo
		for id := range game.PlayerID(game.MaxPlayers) {
			if p, ok := c.from.Player(id); ok {
				players = append(players, p)
			}
		}
		return players
	}
}
