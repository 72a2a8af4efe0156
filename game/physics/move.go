package physics

import (
	"math"

	"github.com/teeyard/teeyard/game/vec"
)

// velocityRamp returns the factor for the horizontal velocity at a speed (units/s).
func (t *Tuning) velocityRamp(speed float32) float32 {
	start := t.At(VelrampStart)
	if speed < start {
		return 1
	}
	return 1 / vec.Pow(t.At(VelrampCurvature), (speed-start)/t.At(VelrampRange))
}

// Move moves the tee by its velocity, stopping at walls and other tees. It sets Death.
func (c *Core) Move() {
	w := c.World
	w.refreshCores()
	t := c.tuning()
	ramp := t.velocityRamp(float32(c.Vel.Len() * 50))
	next := c.Pos
	if ramp == 1 {
		c.Death = w.Collision.MoveBox(&next, &c.Vel, Vec{X: TeeSize, Y: TeeSize}, 0)
	} else {
		c.Vel.X = float32(c.Vel.X * ramp)
		c.Death = w.Collision.MoveBox(&next, &c.Vel, Vec{X: TeeSize, Y: TeeSize}, 0)
		c.Vel.X = float32(c.Vel.X * (1 / ramp))
	}
	if t[PlayerCollision] != 0 {
		next = c.stopAtOthers(next)
	}
	c.Pos = next
}

// Way returns the length of the next Move at most, in units. The cost of Move grows with it.
func (c *Core) Way() float32 {
	v := c.Vel
	v.X = float32(v.X * c.tuning().velocityRamp(float32(v.Len()*50)))
	return v.Len()
}

// stopAtOthers returns where a tee on its way to next stops because of other tees: at
// the last sample before the first one that is within TeeSize of another tee.
func (c *Core) stopAtOthers(next Vec) Vec {
	pos := c.Pos
	var near [MaxCores]uint8 // indices of the tees close to the path
	area := searchRectAround(pos, next, TeeSize)
	list := c.World.presentCores()
	before, after, second := c.splitAtSelf(list)
	n := area.findCores(before, 0, near[:])
	n += area.findCores(after, second, near[n:])
	if c.World.Exceptions {
		n = c.keepColliding(list, near[:n])
	}
	if n == 0 {
		return next
	}
	d := vec.Distance(pos, next)
	end := vec.Trunc(d + 1)
	last := pos
	for i := int32(0); i < end; i++ {
		a := float32(i) / d
		p := vec.Mix(pos, next, a)
		for _, k := range near[:n] {
			o := list[k]
			// If the square is below TeeSize*TeeSize, the rounded root is below
			// TeeSize, and vice versa. NaN (d is 0, so a is NaN) never collides.
			v := p.Sub(o.Pos)
			square := v.Dot(v)
			if !(square < TeeSize*TeeSize) {
				continue
			}
			if a > 0 {
				return last
			}
			if vec.Distance(next, o.Pos) > vec.Sqrt(square) {
				return next
			}
			return pos
		}
		last = p
	}
	return next
}

// searchRect is an open rectangle, given by its centre and the magnitudes of half its
// width and height.
type searchRect struct {
	x, y          float32
	width, height uint32
}

// searchRectAround returns a rectangle that certainly contains all points within
// distance of any point computed between a and b. It contains all numbers if a or b is
// so far away that rounding errors matter.
func searchRectAround(a, b Vec, distance float32) searchRect {
	const far = 1 << 20
	const everything = 0x7f7fffff // the magnitude of the largest number
	x, y := b.X-a.X, b.Y-a.Y
	r := searchRect{x: a.X + float32(x*0.5), y: a.Y + float32(y*0.5)}
	limit := magnitude(far)
	if magnitude(r.x) >= limit || magnitude(r.y) >= limit || magnitude(x) >= limit || magnitude(y) >= limit {
		return searchRect{width: everything, height: everything}
	}
	distance++
	r.width = magnitude(float32(math.Float32frombits(magnitude(x))*0.5) + distance)
	r.height = magnitude(float32(math.Float32frombits(magnitude(y))*0.5) + distance)
	return r
}

// findCores appends the indices of the cores in the rectangle to dst, increased by
// base, and returns their number.
func (r *searchRect) findCores(list []*Core, base int, dst []uint8) (n int) {
	x, y, width, height := r.x, r.y, r.width, r.height
	for i, o := range list {
		if magnitude(o.Pos.X-x) >= width {
			continue
		}
		if magnitude(o.Pos.Y-y) >= height {
			continue
		}
		dst[n] = uint8(base + i)
		n++
	}
	return n
}

// magnitude maps |v| to integers in the same order, with NaN above all. In the loops
// over tees one integer comparison that is mostly false is faster than two float
// comparisons of which the first is true half of the time.
func magnitude(v float32) uint32 { return math.Float32bits(v) &^ (1 << 31) }
