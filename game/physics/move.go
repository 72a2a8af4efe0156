package physics

import (
	"math"

	"github.com/teeyard/teeyard/game/vec"
)

// velocityRamp is the factor on sideward speed at that speed (units/s).
func (w *World) velocityRamp(speed float32) float32 {
	start := w.tune(VelrampStart)
	if speed < start {
		return 1
	}
	return 1 / vec.Pow(w.tune(VelrampCurvature), (speed-start)/w.tune(VelrampRange))
}

// Move moves the tee by its velocity through the map and stops it at other
// tees. It sets Death.
func (c *Core) Move() {
	w := c.World
	w.refresh()
	ramp := w.velocityRamp(float32(c.Vel.Len() * 50))
	next := c.Pos
	if ramp == 1 {
		c.Death = w.Collision.MoveBox(&next, &c.Vel, Vec{X: Size, Y: Size}, 0)
	} else {
		c.Vel.X = float32(c.Vel.X * ramp)
		c.Death = w.Collision.MoveBox(&next, &c.Vel, Vec{X: Size, Y: Size}, 0)
		c.Vel.X = float32(c.Vel.X * (1 / ramp))
	}
	if w.Tuning[PlayerCollision] != 0 {
		next = c.stopAtOthers(next)
	}
	c.Pos = next
}

// stopAtOthers returns where a tee on its way to next ends up because of the
// other tees: at the last sample before the first that is within a body's size
// of another one.
func (c *Core) stopAtOthers(next Vec) Vec {
	pos := c.Pos
	var near [MaxCores]uint8 // indices of who is close to the way
	n := 0
	area := around(pos, next, Size)
	list := c.World.present()
	for i, o := range list {
		if area.has(o.Pos) && o != c {
			near[n] = uint8(i)
			n++
		}
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
			// Of a square below Size*Size the rounded root is below Size, and the
			// other way round. NaN (d is 0, so a is NaN) never collides.
			v := p.Sub(o.Pos)
			square := v.Dot(v)
			if !(square < Size*Size) {
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

// area is a rectangle without its edges, as its centre and half sizes.
type area struct {
	centre, half Vec
}

// around returns a rectangle that surely holds every point within distance of
// any point that is computed to lie between a and b. It holds every number when
// a or b is so far out that rounding errors count.
func around(a, b Vec, distance float32) area {
	const far = 1 << 20
	x, y := a.X-b.X, a.Y-b.Y
	r := area{centre: Vec{X: b.X + float32(x*0.5), Y: b.Y + float32(y*0.5)}}
	if !within(r.centre.X, far) || !within(r.centre.Y, far) || !within(x, far) || !within(y, far) {
		return area{half: Vec{X: math.MaxFloat32, Y: math.MaxFloat32}}
	}
	distance++
	r.half = Vec{X: float32(abs(x)*0.5) + distance, Y: float32(abs(y)*0.5) + distance}
	return r
}

func (r *area) has(p Vec) bool {
	if !within(p.X-r.centre.X, r.half.X) {
		return false
	}
	return within(p.Y-r.centre.Y, r.half.Y)
}

// within tells whether |v| < limit, for a limit that is not negative. One
// comparison of integers that is mostly false is cheaper here than two of
// floats, of which the first is true half of the time.
func within(v, limit float32) bool {
	return math.Float32bits(v)&^(1<<31) < math.Float32bits(limit)
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }
