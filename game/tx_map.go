package game

import (
	"iter"
	"math"

	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Map is the map of the world and the search for tees on it.
type Map struct{ tx *Tx }

// Map returns the map.
func (tx *Tx) Map() Map { return Map{tx} }

// Ray is a line along which [Map.Raycast] searches.
type Ray struct {
	From, To vec.Vec2 // ends of the line; only the first 2048 tiles count
	// IgnoreWalls lets the ray pass through walls.
	IgnoreWalls bool
	// Tees lets the ray stop at living tees, except those in Except. The ray hits a tee whose
	// middle is less than Radius + 28 units away from the line.
	Tees   bool
	Radius float32
	Except PlayerMask
}

// RayHit is the first thing that a ray hit.
type RayHit struct {
	Pos vec.Vec2
	// Player is the tee that the ray hit, or -1.
	Player PlayerID
	// Wall reports whether the ray hit a wall; Pos is then just before the wall. Hookable reports
	// whether a hook can hold that wall.
	Wall, Hookable bool
}

// Raycast returns the first hit along a ray, and false without one. Without a hit, Pos is the end
// of the ray.
func (m Map) Raycast(r Ray) (RayHit, bool) {
	hit := RayHit{Pos: r.To, Player: Nobody}
	if !isFinite(r.From) || !isFinite(r.To) {
		return hit, false
	}
	if d := vec.Distance(r.From, r.To); d > maxRay {
		hit.Pos = vec.Mix(r.From, r.To, maxRay/d)
	}
	if !r.IgnoreWalls {
		if _, before, flags := m.tx.w.collision.IntersectLine(r.From, hit.Pos); flags != 0 {
			hit = RayHit{Pos: before, Player: Nobody, Wall: true, Hookable: flags&physics.NoHook == 0}
		}
	}
	if r.Tees {
		if id, at := m.tx.w.rayTees(r.From, hit.Pos, r.Radius, r.Except); id != Nobody {
			hit = RayHit{Pos: at, Player: id}
		}
	}
	return hit, hit.Wall || hit.Player != Nobody
}

// rayTees returns the living tee closest to a along the segment to b.
func (w *World) rayTees(a, b vec.Vec2, radius float32, except PlayerMask) (PlayerID, vec.Vec2) {
	best, at, nearest := Nobody, b, float32(math.MaxFloat32)
	for _, id := range w.tees.InOrder() {
		if except.Has(PlayerID(id)) || !w.tees.All[id].Alive {
			continue
		}
		p := w.tees.All[id].Pos
		c := a
		if a != b {
			c = vec.ClosestOnSegment(a, b, p)
		}
		if vec.Distance(p, c) < tee.ProximityRadius+radius {
			if d := vec.Distance(a, c); d < nearest {
				best, at, nearest = PlayerID(id), c, d
			}
		}
	}
	return best, at
}

// MoveBox moves a box by its velocity, in units per tick. At a wall the box stops, and the blocked
// component of the velocity is reversed and multiplied by elasticity. MoveBox reports whether the
// box touched a death tile.
func (m Map) MoveBox(pos, vel *vec.Vec2, size vec.Vec2, elasticity float32) (death bool) {
	const most = 32 * physics.TileSize
	if !isFinite(*pos) || !isFinite(*vel) || !(size.X > 0 && size.X <= most) || !(size.Y > 0 && size.Y <= most) {
		return false
	}
	if l := vel.Len(); l > most {
		*vel = vel.Mul(most / l)
	}
	return m.tx.w.collision.MoveBox(pos, vel, size, elasticity)
}

// WallBetween reports whether a wall is on the line between two points.
func (m Map) WallBetween(from, to vec.Vec2) bool {
	_, _, wall := m.tx.w.collision.IntersectLine(from, to)
	return wall != 0
}

// Tile has the tiles of all layers at one position. A layer that the map does not have is zero.
type Tile struct {
	Game       uint8 // as from Map.TileAt
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
func (m Map) Tile(pos vec.Vec2) Tile {
	t, i := &m.tx.w.terrain, m.tx.w.collision.TileIndex(pos.X, pos.Y)
	return Tile{
		Game: t.Tiles[i], GameFlags: at(t.Flags, i), Front: at(t.Front, i), FrontFlags: at(t.FrontFlags, i),
		Tele: at(t.Tele, i), Speedup: at(t.Speedup, i), Switch: at(t.Switch, i), Tune: at(t.Tune, i),
	}
}

// at returns a tile of a layer, or the zero value if the map lacks the layer.
func at[T any](layer []T, i int) (tile T) {
	if layer != nil {
		tile = layer[i]
	}
	return tile
}

// FindTiles iterates over the middles of the tiles with an index in the game layer, row by row. It
// searches the whole map, so call it in Start.
func (m Map) FindTiles(index uint8) iter.Seq[vec.Vec2] {
	t := &m.tx.w.terrain
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

// TileAt returns the index of the game layer's tile at a position. Outside the map it returns the
// tile at the border.
func (m Map) TileAt(pos vec.Vec2) uint8 { return m.tx.w.tileAt(pos) }

// Terrain returns the map's layers. Do not change them.
func (m Map) Terrain() Terrain { return m.tx.w.terrain }
