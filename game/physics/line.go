package physics

import "github.com/teeyard/teeyard/game/vec"

// Within these bounds the error of a sum of two coordinates is below 1/64 unit, so
// that shortcuts with a margin of 1/16 give the same results as the full arithmetic.
// Beyond them no shortcut is taken.
const (
	maxExactTile   = 2048
	maxExactUnits  = maxExactTile * TileSize
	roundingMargin = 1.0 / 16
)

// IntersectLine samples the line from p0 to p1 in steps of about one unit. It returns
// the first sample inside a wall, the sample before it (p0 if the start is in the
// wall) and the wall's flags; without a wall it returns p1, p1 and 0.
func (c *Collision) IntersectLine(p0, p1 Vec) (hit, before Vec, flags TileFlags) {
	n := vec.Trunc(vec.Distance(p0, p1) + 1)
	whole := p1.Sub(p0)
	sample := func(i int32) Vec {
		a := float32(i) / float32(n)
		return Vec{X: p0.X + float32(whole.X*a), Y: p0.Y + float32(whole.Y*a)}
	}
	s := newLineStride(whole, n)
	for i := int32(0); i <= n; i++ {
		p := sample(i)
		x, y := clampedTile(vec.Round(p.X), c.width), clampedTile(vec.Round(p.Y), c.height)
		t := c.tiles[int(y)*int(c.width)+int(x)]
		if TileFlags(t)&Solid != 0 {
			before = p0
			if i > 0 {
				before = sample(i - 1)
			}
			return p, before, TileFlags(t & flagMask)
		}
		if free := s.freeSamples(p, x, y, int32(t>>freeRingsShift)); free >= 1 {
			if free >= float32(n-i) {
				break
			}
			i += int32(free)
		}
	}
	return p1, p1, 0
}

// lineStride computes how many samples of a line stay within a free square of tiles.
type lineStride struct {
	samplesPerX, samplesPerY float32 // samples per unit, 0 if the line does not move along that axis
	movesRight, movesDown    bool    // the coordinate grows along the line
	usable                   bool
}

func newLineStride(whole Vec, n int32) lineStride {
	s := lineStride{movesRight: whole.X > 0, movesDown: whole.Y > 0}
	ax, ay := whole.X, whole.Y
	if !s.movesRight {
		ax = -ax
	}
	if !s.movesDown {
		ay = -ay
	}
	if s.usable = ax < maxExactUnits && ay < maxExactUnits; !s.usable {
		return s
	}
	if ax > 0 {
		s.samplesPerX = float32(n) / ax
	}
	if ay > 0 {
		s.samplesPerY = float32(n) / ay
	}
	return s
}

// freeSamples returns how many samples after the one at p are certainly not in a wall. p is on tile
// (x, y). room is the number of free rings of that tile.
func (s *lineStride) freeSamples(p Vec, x, y, room int32) float32 {
	if !s.usable || x >= maxExactTile || y >= maxExactTile {
		return 0
	}
	const unlimited = 1 << 30
	kx, ky := float32(unlimited), float32(unlimited)
	if s.samplesPerX != 0 {
		kx = distanceToWall(p.X, x, room, s.movesRight) * s.samplesPerX
	}
	if s.samplesPerY != 0 {
		ky = distanceToWall(p.Y, y, room, s.movesDown) * s.samplesPerY
	}
	if ky < kx {
		return ky
	}
	return kx
}

// distanceToWall returns the distance from v, on tile i, to the end of the free rings
// around it. A coordinate belongs to tile i from 32i-0.5 on.
func distanceToWall(v float32, i, room int32, up bool) float32 {
	if up {
		return float32((i+room)*TileSize) - (0.5 + roundingMargin) - v
	}
	return v - float32((i-room+1)*TileSize) + (0.5 - roundingMargin)
}
