package game

import "github.com/teeyard/teeyard/game/vec"

// tileAt returns the index of the tile of the game layer at a position, as the physics
// find it: outside of the map the border is repeated.
func (w *World) tileAt(pos vec.Vec2) uint8 {
	return w.terrain.Tiles[w.collision.TileIndex(pos.X, pos.Y)]
}

// tickTiles tells the TileHooks which tiles the tees have passed in this tick.
func (w *World) tickTiles() {
	if len(w.hooks.tile) == 0 {
		return
	}
	order := w.tees.Order
	for _, id := range order.IDs[:order.Count] {
		w.passTiles(PlayerID(id))
	}
}

// passTiles calls the TileHooks for the tiles between a tee's last position and its
// position. A hook that kills or moves the tee ends that.
func (w *World) passTiles(id PlayerID) {
	c := &w.tees.All[id]
	from, to := w.tees.MovedFrom[id], c.Pos
	steps := int(vec.Distance(from, to)) + 1
	last := -1
	for i := 1; i <= steps && w.isAlive(id) && c.Pos == to; i++ {
		pos := to
		if i < steps {
			pos = vec.Mix(from, to, float32(i)/float32(steps))
		}
		index := w.collision.TileIndex(pos.X, pos.Y)
		if index == last {
			continue
		}
		last = index
		if tile := w.terrain.Tiles[index]; tile != 0 {
			notify(w, w.hooks.tile, func(h TileHook, ctx *Ctx) { h.OnTile(ctx, id, tile) })
		}
	}
}
