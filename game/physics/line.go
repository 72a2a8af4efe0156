package physics

import "github.com/teeyard/teeyard/game/vec"

// Within these bounds a sum of two coordinates is off by less than 1/64 unit, so
// that short cuts with a margin of 1/16 give the same results as the full
// arithmetic. What lies beyond takes the long way.
const (
	exactTiles = 2048
	exactUnits = exactTiles * TileSize
	margin     = 1.0 / 16
)

// IntersectLine walks from p0 to p1 in steps of about one unit. It returns the
// first sample inside a wall, the sample before it (p0 when the start is in the
// wall) and the wall's flags; without a wall p1, p1 and 0.
func (c *Collision) IntersectLine(p0, p1 Vec) (hit, before Vec, flags TileFlags) {
	n := vec.Trunc(vec.Distance(p0, p1) + 1)
	whole := p1.Sub(p0)
	sample := func(i int32) Vec {
		a := float32(i) / float32(n)
		return Vec{X: p0.X + float32(whole.X*a), Y: p0.Y + float32(whole.Y*a)}
	}
	s := newStride(whole, n)
	for i := int32(0); i <= n; i++ {
		p := sample(i)
		x, y := cell(vec.Round(p.X), c.width), cell(vec.Round(p.Y), c.height)
		t := c.tiles[int(y)*int(c.width)+int(x)]
		if TileFlags(t)&Solid != 0 {
			before = p0
			if i > 0 {
				before = sample(i - 1)
			}
			return p, before, TileFlags(t & flagMask)
		}
		if free := s.free(p, x, y, int32(t>>roomShift)); free >= 1 {
			if free >= float32(n-i) {
				break
			}
			i += int32(free)
		}
	}
	return p1, p1, 0
}

// stride tells how many samples of a line stay within a free rectangle of tiles.
type stride struct {
	perX, perY float32 // samples per unit, 0 when the line does not move that way
	right, low bool    // the line goes to growing coordinates
	usable     bool
}

func newStride(whole Vec, n int32) stride {
	s := stride{right: whole.X > 0, low: whole.Y > 0}
	ax, ay := whole.X, whole.Y
	if !s.right {
		ax = -ax
	}
	if !s.low {
		ay = -ay
	}
	if s.usable = ax < exactUnits && ay < exactUnits; !s.usable {
		return s
	}
	if ax > 0 {
		s.perX = float32(n) / ax
	}
	if ay > 0 {
		s.perY = float32(n) / ay
	}
	return s
}

// free returns how many samples after the one at p are certainly not in a wall,
// when p lies on tile (x, y) with that room.
func (s *stride) free(p Vec, x, y, room int32) float32 {
	if !s.usable || x >= exactTiles || y >= exactTiles {
		return 0
	}
	const unlimited = 1 << 30
	kx, ky := float32(unlimited), float32(unlimited)
	if s.perX != 0 {
		kx = reach(p.X, x, room, s.right) * s.perX
	}
	if s.perY != 0 {
		ky = reach(p.Y, y, room, s.low) * s.perY
	}
	if ky < kx {
		return ky
	}
	return kx
}

// reach is the way from v, on tile i, to the end of the room around it. A
// coordinate belongs to tile i from 32i-0.5 on.
func reach(v float32, i, room int32, up bool) float32 {
	if up {
		return float32((i+room)*TileSize) - (0.5 + margin) - v
	}
	return v - float32((i-room+1)*TileSize) + (0.5 - margin)
}
