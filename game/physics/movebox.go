package physics

import "github.com/teeyard/teeyard/game/vec"

// MoveBox moves a box by its velocity in steps of at most one unit, stopping at
// walls: there the blocked part of the velocity is multiplied by -elasticity.
// death tells whether the inner two thirds of the box touched a death tile at
// any step. The parts of size are positive.
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
	var r room
	for i := int32(0); i <= steps; i++ {
		q := p.Add(step)
		if q.X > r.x0 && q.X < r.x1 && q.Y > r.y0 && q.Y < r.y1 {
			p = q
			continue
		}
		x0, x1 := cell(vec.Round(q.X-h.X), c.width), cell(vec.Round(q.X+h.X), c.width)
		y0, y1 := cell(vec.Round(q.Y-h.Y), c.height), cell(vec.Round(q.Y+h.Y), c.height)
		upper, lower := int(y0)*int(c.width), int(y1)*int(c.width)
		touched := Flags(c.tiles[upper+int(x0)] | c.tiles[upper+int(x1)] | c.tiles[lower+int(x0)] | c.tiles[lower+int(x1)])
		if touched&(Solid|Death) == 0 && x1-x0 <= 1 && y1-y0 <= 1 {
			// Box and inner box touch no tiles but these four.
			r.set(x0, x1, y0, y1, h)
			p = q
			continue
		}
		if c.TestBox(q, size.Mul(float32(2)/3), Death) {
			death = true
		}
		if touched&Solid != 0 {
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
			step = v.Mul(fraction)
		}
		p = q
	}
	*pos, *vel = p, v
	return death
}

// room is where the centre of a box can be without a corner leaving the tiles it
// lies on; they are known to be free. The zero value is no room at all.
type room struct {
	x0, x1, y0, y1 float32
}

// set is for a box with these half sizes and with corners on the tile columns x0
// and x1 and the rows y0 and y1. A coordinate belongs to tile i from 32i-0.5 up
// to 32i+31.5. Beyond the bounds where sums are exact enough r stays.
func (r *room) set(x0, x1, y0, y1 int32, h Vec) {
	if x1 >= exactTiles || y1 >= exactTiles {
		return
	}
	r.x0, r.x1 = span(x0, x1, h.X)
	r.y0, r.y1 = span(y0, y1, h.Y)
}

func span(i0, i1 int32, h float32) (lo, hi float32) {
	lo, hi = float32(i0*TileSize)+h, float32(i1*TileSize+TileSize)-h
	if a := float32(i1*TileSize) - h; a > lo {
		lo = a
	}
	if a := float32(i0*TileSize+TileSize) + h; a < hi {
		hi = a
	}
	return lo - (0.5 - margin), hi - (0.5 + margin)
}
