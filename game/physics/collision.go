package physics

import (
	"errors"
	"fmt"

	"github.com/teeyard/teeyard/game/vec"
)

// Flags says what a tile does; several bits may be set.
type Flags uint8

// The bits of Flags. An unhookable wall is Solid|NoHook.
const (
	Solid  Flags = 1
	Death  Flags = 2
	NoHook Flags = 4
)

// Tile indices of the game layer that collide; all others are air here.
const (
	tileSolid  = 1
	tileDeath  = 2
	tileNoHook = 3
)

// TileSize is the edge length of a tile, in units.
const TileSize = 32

// ErrCollision is returned for a tile grid whose size does not fit.
var ErrCollision = errors.New("bad collision grid")

// Collision is the game layer reduced to what stops, kills or repels a tee.
// It does not change and may be shared.
type Collision struct {
	width, height int32
	flags         []Flags
}

// NewCollision takes the tile indices of a game layer, row by row. The error
// wraps ErrCollision: the size is not positive or there are not width*height
// indices.
func NewCollision(width, height int, index []uint8) (*Collision, error) {
	const limit = 1 << 24 // a coordinate must fit an int32 and, as a tile edge, a float32
	if width <= 0 || height <= 0 || width > limit || height > limit || len(index) != width*height {
		return nil, fmt.Errorf("%w: %d x %d with %d tiles", ErrCollision, width, height, len(index))
	}
	c := &Collision{width: int32(width), height: int32(height), flags: make([]Flags, len(index))}
	for i, t := range index {
		switch t {
		case tileSolid:
			c.flags[i] = Solid
		case tileDeath:
			c.flags[i] = Death
		case tileNoHook:
			c.flags[i] = Solid | NoHook
		}
	}
	return c, nil
}

// Width is in tiles.
func (c *Collision) Width() int { return int(c.width) }

// Height is in tiles.
func (c *Collision) Height() int { return int(c.height) }

// cell is the tile index of a rounded coordinate in a row of n tiles; what lies
// outside belongs to the border tile.
func cell(v, n int32) int32 {
	if v < 0 {
		return 0
	}
	return min(v>>5, n-1)
}

// At returns the flags of the tile at the nearest whole position; outside of
// the map the border tiles go on for ever.
func (c *Collision) At(x, y float32) Flags {
	return c.flags[int(cell(vec.Round(y), c.height))*int(c.width)+int(cell(vec.Round(x), c.width))]
}

// IsSolid tells whether a wall is at p.
func (c *Collision) IsSolid(p Vec) bool { return c.At(p.X, p.Y)&Solid != 0 }

// Outside tells whether p is so far from the map that a tee dies and a
// projectile ends: more than 200 tiles beyond its edge.
func (c *Collision) Outside(p Vec) bool {
	x, y := vec.Round(p.X)/TileSize, vec.Round(p.Y)/TileSize
	return x < -200 || x >= c.width+200 || y < -200 || y >= c.height+200
}

// IntersectLine walks from p0 to p1 in steps of about one unit. It returns the
// first sample inside a wall, the sample before it (p0 when the start is in the
// wall) and the wall's flags; without a wall p1, p1 and 0.
func (c *Collision) IntersectLine(p0, p1 Vec) (hit, before Vec, flags Flags) {
	n := vec.Trunc(vec.Distance(p0, p1) + 1)
	last := p0
	for i := int32(0); i <= n; i++ {
		p := vec.Mix(p0, p1, float32(i)/float32(n))
		if f := c.At(p.X, p.Y); f&Solid != 0 {
			return p, last, f
		}
		last = p
	}
	return p1, p1, 0
}

// MovePoint moves a point by its velocity, or reflects it where that would
// enter a wall: then pos stays and the blocked parts of the velocity are
// multiplied by -elasticity. It returns the number of sides hit, 0..2.
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

// TestBox tells whether one of the four corners of the box around p lies on a
// tile with one of these flags.
func (c *Collision) TestBox(p, size Vec, flags Flags) bool {
	h := size.Mul(0.5)
	return c.At(p.X-h.X, p.Y-h.Y)&flags != 0 || c.At(p.X+h.X, p.Y-h.Y)&flags != 0 ||
		c.At(p.X-h.X, p.Y+h.Y)&flags != 0 || c.At(p.X+h.X, p.Y+h.Y)&flags != 0
}

// MoveBox moves a box by its velocity in steps of at most one unit, stopping at
// walls: there the blocked part of the velocity is multiplied by -elasticity.
// death tells whether the inner two thirds of the box touched a death tile at
// any step.
func (c *Collision) MoveBox(pos, vel *Vec, size Vec, elasticity float32) (death bool) {
	p, v := *pos, *vel
	d := v.Len()
	if !(d > 0.00001) {
		return false
	}
	steps := vec.Trunc(d)
	fraction := 1 / float32(steps+1)
	inner := size.Mul(float32(2) / 3)
	for i := int32(0); i <= steps; i++ {
		q := p.Add(v.Mul(fraction))
		if c.TestBox(q, inner, Death) {
			death = true
		}
		if c.TestBox(q, size, Solid) {
			hits := 0
			if c.TestBox(Vec{X: p.X, Y: q.Y}, size, Solid) {
				q.Y = p.Y
				v.Y = float32(v.Y * -elasticity)
				hits++
			}
			if c.TestBox(Vec{X: q.X, Y: p.Y}, size, Solid) {
				q.X = p.X
				v.X = float32(v.X * -elasticity)
				hits++
			}
			if hits == 0 { // exactly onto a corner
				q = p
				v = v.Mul(-elasticity)
			}
		}
		p = q
	}
	*pos, *vel = p, v
	return death
}
