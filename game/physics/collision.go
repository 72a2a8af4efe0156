package physics

import (
	"errors"
	"fmt"

	"github.com/teeyard/teeyard/game/vec"
)

// TileFlags is the set of a tile's effects.
type TileFlags uint8

// The tile flags. An unhookable wall is Solid|NoHook.
const (
	Solid  TileFlags = 1
	Death  TileFlags = 2
	NoHook TileFlags = 4
)

// The tile indices of the game layer with flags; all others have none.
const (
	tileSolid  = 1
	tileDeath  = 2
	tileNoHook = 3
)

// TileSize is the edge length of a tile, in units.
const TileSize = 32

// ErrCollision means that the size of a tile grid is invalid.
var ErrCollision = errors.New("bad collision grid")

// Collision is the collision data of the game layer. It is immutable and can be
// shared.
type Collision struct {
	width, height int32
	// tiles holds the flags in the lower bits. The bits from freeRingsShift on are the
	// number of rings of tiles around this one, itself included, that are free of
	// walls.
	tiles []uint8
}

const (
	flagMask       = 1<<freeRingsShift - 1
	freeRingsShift = 3
	maxFreeRings   = 31
)

// NewCollision returns the collision data for the tile indices of a game layer, row by row. The
// error wraps [ErrCollision] if the size is not positive or does not match the number of indices.
func NewCollision(width, height int, index []uint8) (*Collision, error) {
	const limit = 1 << 24 // a coordinate must fit an int32 and, as a tile edge, a float32
	if width <= 0 || height <= 0 || width > limit || height > limit || len(index) != width*height {
		return nil, fmt.Errorf("%w: %d x %d with %d tiles", ErrCollision, width, height, len(index))
	}
	c := &Collision{width: int32(width), height: int32(height), tiles: make([]uint8, len(index))}
	for i, t := range index {
		switch t {
		case tileSolid:
			c.tiles[i] = uint8(Solid)
		case tileDeath:
			c.tiles[i] = uint8(Death)
		case tileNoHook:
			c.tiles[i] = uint8(Solid | NoHook)
		}
	}
	c.computeFreeRings(width, height)
	return c, nil
}

// computeFreeRings computes the free rings: 0 in a wall, 1 if one of the eight neighbours is a
// wall, and so on. A tile's number is one more than its smallest neighbour's, so two sweeps are
// enough. Outside of the map the border is repeated, so the border's own walls are the closest
// ones.
func (c *Collision) computeFreeRings(width, height int) {
	sweep := func(i, x, y, dir int) {
		t := c.tiles[i]
		if TileFlags(t)&Solid != 0 {
			return
		}
		room := uint8(maxFreeRings)
		if dir < 0 {
			room = t >> freeRingsShift
		}
		near := func(dx, dy int) {
			if x+dx >= 0 && x+dx < width && y+dy >= 0 && y+dy < height {
				room = min(room, c.tiles[i+dy*width+dx]>>freeRingsShift+1)
			}
		}
		near(-dir, 0)
		near(-1, -dir)
		near(0, -dir)
		near(1, -dir)
		c.tiles[i] = t&flagMask | room<<freeRingsShift
	}
	for i := range c.tiles {
		sweep(i, i%width, i/width, 1)
	}
	for i := len(c.tiles) - 1; i >= 0; i-- {
		sweep(i, i%width, i/width, -1)
	}
}

// Width returns the width in tiles.
func (c *Collision) Width() int { return int(c.width) }

// Height returns the height in tiles.
func (c *Collision) Height() int { return int(c.height) }

// clampedTile returns the tile of a rounded coordinate in a row of n tiles, limited to
// the map.
func clampedTile(v, n int32) int32 {
	if v < 0 {
		return 0
	}
	return min(v>>5, n-1)
}

// column and row return the two summands of a tile index.
func (c *Collision) column(x float32) int { return int(clampedTile(vec.Round(x), c.width)) }
func (c *Collision) row(y float32) int {
	return int(clampedTile(vec.Round(y), c.height)) * int(c.width)
}

// TileIndex returns the index, row by row, of the tile at the nearest whole position. Outside the
// map it returns the index of the nearest border tile.
func (c *Collision) TileIndex(x, y float32) int { return c.row(y) + c.column(x) }

// At returns the flags of the tile at the nearest whole position. Outside the map it repeats the
// border tiles.
func (c *Collision) At(x, y float32) TileFlags {
	return TileFlags(c.tiles[c.TileIndex(x, y)] & flagMask)
}

// IsSolid reports whether p is in a wall.
func (c *Collision) IsSolid(p Vec) bool { return c.At(p.X, p.Y)&Solid != 0 }

// FarOutside reports whether p is more than 200 tiles outside the map, where tees die and
// projectiles end.
func (c *Collision) FarOutside(p Vec) bool {
	x, y := vec.Round(p.X)/TileSize, vec.Round(p.Y)/TileSize
	return x < -200 || x >= c.width+200 || y < -200 || y >= c.height+200
}

// MovePoint moves a point by its velocity. If the point would enter a wall, pos stays and MovePoint
// multiplies the blocked components of the velocity by -elasticity. It returns the number of
// blocked components, 0..2.
func (c *Collision) MovePoint(pos, vel *Vec, elasticity float32) (bounces int) {
	p, v := *pos, *vel
	next := p.Add(v)
	if !c.IsSolid(next) {
		*pos = next
		return 0
	}
	if c.IsSolid(Vec{X: next.X, Y: p.Y}) {
		vel.X = float32(vel.X * -elasticity)
		bounces++
	}
	if c.IsSolid(Vec{X: p.X, Y: next.Y}) {
		vel.Y = float32(vel.Y * -elasticity)
		bounces++
	}
	if bounces == 0 {
		vel.X = float32(vel.X * -elasticity)
		vel.Y = float32(vel.Y * -elasticity)
	}
	return bounces
}
