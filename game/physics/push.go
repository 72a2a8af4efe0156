package physics

import "github.com/teeyard/teeyard/game/vec"

// collideDistance is where tees begin to push each other apart, in units.
const collideDistance float32 = Size * 1.25

// pushOthers applies the forces between this tee and every other: bodies push
// this tee away, a hook pulls both ends together.
func (c *Core) pushOthers() {
	w := c.World
	var reach float32
	if w.Tuning[PlayerCollision] != 0 {
		reach = collideDistance
	}
	hooked := int32(nobody)
	if w.Tuning[PlayerHooking] != 0 {
		hooked = c.HookedPlayer
	}
	pos := c.Pos
	list := w.present()
	for i := range list {
		o := list[i].core
		// The distance is never less than one of its parts.
		x, y := pos.X-o.Pos.X, pos.Y-o.Pos.Y
		if x < reach && x > -reach && y < reach && y > -reach {
			if o != c {
				c.pushFrom(o)
			}
		}
		if list[i].id == hooked && o != c {
			c.pull(o)
		}
	}
}

// pushFrom pushes this tee away from another one that is too close.
func (c *Core) pushFrom(o *Core) {
	d := vec.Distance(c.Pos, o.Pos)
	if !(d < collideDistance && d > 0) {
		return
	}
	const reach float32 = 40.600002 // 28 times the float32 nearest 1.45
	n := c.Pos.Sub(o.Pos).Normalize()
	a := reach - d
	var f float32 = 0.5
	// Less push for a tee that already moves away.
	if float64(c.Vel.Len()) > 0.0001 {
		f = 1 - (c.Vel.Normalize().Dot(n)+1)/2
	}
	c.Vel = c.Vel.Add(n.Mul(a).Mul(float32(f * 0.75)))
	c.Vel = c.Vel.Mul(0.85)
}

// pull draws the hooked tee o and this one together.
func (c *Core) pull(o *Core) {
	w := c.World
	d := vec.Distance(c.Pos, o.Pos)
	if !(d > Size*1.5) {
		return
	}
	n := c.Pos.Sub(o.Pos).Normalize()
	accel := float32(w.tune(HookDragAccel) * (d / w.tune(HookLength)))
	limit := w.tune(HookDragSpeed)
	o.Vel.X = saturatedAdd(-limit, limit, o.Vel.X, float32(float32(accel*n.X)*1.5))
	o.Vel.Y = saturatedAdd(-limit, limit, o.Vel.Y, float32(float32(accel*n.Y)*1.5))
	c.Vel.X = saturatedAdd(-limit, limit, c.Vel.X, float32(float32(-accel*n.X)*0.25))
	c.Vel.Y = saturatedAdd(-limit, limit, c.Vel.Y, float32(float32(-accel*n.Y)*0.25))
}
