package physics

import "github.com/teeyard/teeyard/game/vec"

// tileSpan is the tiles of the two ends of a box along one axis.
type tileSpan struct{ a, b int32 }

func (c *Collision) columnSpan(x, h float32) tileSpan {
	return tileSpan{clampedTile(vec.Round(x-h), c.width), clampedTile(vec.Round(x+h), c.width)}
}

func (c *Collision) rowSpan(y, h float32) tileSpan {
	return tileSpan{clampedTile(vec.Round(y-h), c.height), clampedTile(vec.Round(y+h), c.height)}
}

// cornerFlags returns the union of the flags of the four corners.
func (c *Collision) cornerFlags(x, y tileSpan) TileFlags {
	upper, lower := int(y.a)*int(c.width), int(y.b)*int(c.width)
	return TileFlags((c.tiles[upper+int(x.a)] | c.tiles[upper+int(x.b)] |
		c.tiles[lower+int(x.a)] | c.tiles[lower+int(x.b)]) & flagMask)
}

// TestBox reports whether one of the four corners of the box around p is on a tile
// with one of the flags.
func (c *Collision) TestBox(p, size Vec, flags TileFlags) bool {
	h := size.Mul(0.5)
	return c.cornerFlags(c.columnSpan(p.X, h.X), c.rowSpan(p.Y, h.Y))&flags != 0
}

// MoveBox moves a box by its velocity in steps of at most one unit. At a wall the box stops, and
// MoveBox multiplies the blocked component of the velocity by -elasticity. death reports whether
// the inner two thirds of the box touched a death tile in any step. Both components of size must be
// positive.
func (c *Collision) MoveBox(pos, vel *Vec, size Vec, elasticity float32) (death bool) {
	p, v := *pos, *vel
	d := v.Len()
	if !(d > 0.00001) {
		return false
	}
	steps := vec.Trunc(d)
	fraction := 1 / float32(steps+1)
	step := v.Mul(fraction)
	h := size.Mul(0.5)
	// A box of this size, and its inner box, touch only the tiles of the four corners.
	small := size.X <= TileSize-1 && size.Y <= TileSize-1
	var r freeRect
	for i := int32(0); i <= steps; i++ {
		q := p.Add(step)
		if q.X > r.x0 && q.X < r.x1 && q.Y > r.y0 && q.Y < r.y1 {
			p = q
			continue
		}
		x, y := c.columnSpan(q.X, h.X), c.rowSpan(q.Y, h.Y)
		touched := c.cornerFlags(x, y)
		if touched&(Solid|Death) == 0 && small {
			if x.b < maxExactTile && y.b < maxExactTile {
				r.x0, r.x1 = freeInterval(x, h.X)
				r.y0, r.y1 = freeInterval(y, h.Y)
			}
			p = q
			continue
		}
		if touched&Death != 0 || !small {
			if c.TestBox(q, size.Mul(float32(2)/3), Death) {
				death = true
			}
		}
		if touched&Solid != 0 {
			// Which of the two axes is blocked? After a horizontal hit the old height
			// is tested anyway, so the columns at q are still valid.
			hitY := c.cornerFlags(c.columnSpan(p.X, h.X), y)&Solid != 0
			hitX := c.cornerFlags(x, c.rowSpan(p.Y, h.Y))&Solid != 0
			if !hitX && !hitY { // exactly onto a corner
				hitX, hitY = true, true
			}
			if hitY {
				q.Y = p.Y
				v.Y = float32(v.Y * -elasticity)
			}
			if hitX {
				q.X = p.X
				v.X = float32(v.X * -elasticity)
			}
			step = v.Mul(fraction)
		}
		p = q
	}
	*pos, *vel = p, v
	return death
}

// MoveElastic moves a box as DDNet 20 does, without a check for death tiles. elasticity has a
// component for each axis, -1 to 1. A step that is too short to change a float32 position ends the
// move. landed reports whether the box bounced off something below it. Both components of size must
// be positive. MoveElastic is separate from MoveBox, so vanilla worlds do not pay for it.
func (c *Collision) MoveElastic(pos, vel *Vec, size, elasticity Vec) (landed bool) {
	p, v := *pos, *vel
	d := v.Len()
	if !(d > 0.00001) {
		return false
	}
	ex, ey := min(max(elasticity.X, -1), 1), min(max(elasticity.Y, -1), 1)
	steps := vec.Trunc(d)
	fraction := 1 / float32(steps+1)
	step := v.Mul(fraction)
	h := size.Mul(0.5)
	small := size.X <= TileSize-1 && size.Y <= TileSize-1
	var r freeRect
	for i := int32(0); i <= steps; i++ {
		q := p.Add(step)
		if q == p {
			break
		}
		if q.X > r.x0 && q.X < r.x1 && q.Y > r.y0 && q.Y < r.y1 {
			p = q
			continue
		}
		x, y := c.columnSpan(q.X, h.X), c.rowSpan(q.Y, h.Y)
		if c.cornerFlags(x, y)&Solid == 0 {
			if small && x.b < maxExactTile && y.b < maxExactTile {
				r.x0, r.x1 = freeInterval(x, h.X)
				r.y0, r.y1 = freeInterval(y, h.Y)
			}
			p = q
			continue
		}
		hitY := c.cornerFlags(c.columnSpan(p.X, h.X), y)&Solid != 0
		hitX := c.cornerFlags(x, c.rowSpan(p.Y, h.Y))&Solid != 0
		if !hitX && !hitY { // exactly onto a corner
			hitX, hitY = true, true
		}
		if hitY {
			landed = landed || ey > 0 && v.Y > 0
			q.Y = p.Y
			v.Y = float32(v.Y * -ey)
		}
		if hitX {
			q.X = p.X
			v.X = float32(v.X * -ex)
		}
		step = v.Mul(fraction)
		p = q
	}
	*pos, *vel = p, v
	return landed
}

// freeRect is the area in which the centre of a box can move without a corner leaving its current,
// free tiles. The zero value is empty.
type freeRect struct {
	x0, x1, y0, y1 float32
}

// freeInterval returns the free range along one axis for a box with half size h, at most 15.5,
// whose ends are on these tiles. The tiles are equal or neighbours. A coordinate belongs to tile i
// from 32i-0.5 up to 32i+31.5.
func freeInterval(e tileSpan, h float32) (lo, hi float32) {
	edge := float32(e.b * TileSize)
	if e.a != e.b {
		lo, hi = edge-h, edge+h
	} else {
		lo, hi = edge+h, edge+TileSize-h
	}
	return lo - (0.5 - roundingMargin), hi - (0.5 + roundingMargin)
}
