package bridgetest

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// RowView returns a view of players at the given x positions in a row, in world units. Players in
// dead have no tee.
func RowView(viewer game.PlayerID, tick int32, positions map[game.PlayerID]float32, dead game.PlayerMask) *game.View {
	f := &game.Frame{Tick: tick}
	for id := range game.PlayerID(game.MaxPlayers) {
		if x, ok := positions[id]; ok {
			f.Players = append(f.Players, game.PlayerState{ID: id, SpectatorID: game.Nobody})
			if !dead.Has(id) {
				f.Characters = append(f.Characters, game.CharacterState{Player: id, Pos: vec.Vec2{X: x}})
			}
		}
	}
	return &game.View{Frame: f, Viewer: viewer, Pos: vec.Vec2{X: positions[viewer]}}
}

// Row returns the positions of players 0 to n-1 for [RowView], 100 units apart.
func Row(n int) map[game.PlayerID]float32 {
	positions := map[game.PlayerID]float32{}
	for i := range n {
		positions[game.PlayerID(i)] = float32(i * 100)
	}
	return positions
}
