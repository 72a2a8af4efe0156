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
	for i := range list {
		if o := list[i].core; o != c && area.has(o.Pos) {
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
			o := list[k].core
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

// area is a rectangle without its edges.
type area struct {
	x0, x1, y0, y1 float32
}

// around returns a rectangle that surely holds every point within distance of
// any point that is computed to lie between a and b. It holds everything finite
// when a or b is so far out that rounding errors count.
func around(a, b Vec, distance float32) area {
	const far = 1 << 20
	x0, x1, y0, y1 := a.X, b.X, a.Y, b.Y
	if x0 > x1 {
		x0, x1 = x1, x0
	}
	if y0 > y1 {
		y0, y1 = y1, y0
	}
	if !(x0 > -far && x1 < far && y0 > -far && y1 < far) {
		return area{-math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32}
	}
	distance++
	return area{x0 - distance, x1 + distance, y0 - distance, y1 + distance}
}

func (r *area) has(p Vec) bool {
	return p.X > r.x0 && p.X < r.x1 && p.Y > r.y0 && p.Y < r.y1
}
