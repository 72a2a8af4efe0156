package game

import (
	"iter"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Tile has the tiles of all layers at one position. A layer that the map does not have is zero.
type Tile struct {
	Game       uint8 // as from Tx.TileAt
	GameFlags  TileFlags
	Front      uint8
	FrontFlags TileFlags
	Tele       TeleTile
	Speedup    SpeedupTile
	Switch     SwitchTile
	Tune       TuneTile
}

// Tile returns the tiles of all layers at a position. Outside the map it returns the tile at the
// border. Tiles never change, because clients predict with their own copy of the map.
func (tx *Tx) Tile(pos vec.Vec2) Tile {
	t, i := &tx.w.terrain, tx.w.collision.TileIndex(pos.X, pos.Y)
	return Tile{
		Game: t.Tiles[i], GameFlags: at(t.Flags, i), Front: at(t.Front, i), FrontFlags: at(t.FrontFlags, i),
		Tele: at(t.Tele, i), Speedup: at(t.Speedup, i), Switch: at(t.Switch, i), Tune: at(t.Tune, i),
	}
}

// at returns a tile of a layer, which can be missing.
func at[T any](layer []T, i int) (tile T) {
	if layer != nil {
		tile = layer[i]
	}
	return tile
}

// FindTiles iterates over the middles of the tiles with an index in the game layer, row by row. It
// searches the whole map, so call it in Start.
func (tx *Tx) FindTiles(index uint8) iter.Seq[vec.Vec2] {
	t := &tx.w.terrain
	return func(yield func(vec.Vec2) bool) {
		for i, tile := range t.Tiles {
			if tile == index && !yield(tileMiddle(i%t.Width, i/t.Width)) {
				return
			}
		}
	}
}

// tileMiddle returns the middle of a tile.
func tileMiddle(x, y int) vec.Vec2 {
	return vec.Vec2{
		X: float32(x*physics.TileSize + physics.TileSize/2),
		Y: float32(y*physics.TileSize + physics.TileSize/2),
	}
}
