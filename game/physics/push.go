package physics

import "github.com/teeyard/teeyard/game/vec"

// collideDistance is where tees begin to push each other apart, in units.
const collideDistance float32 = Size * 1.25

// pushOthers applies the forces between this tee and every other in ascending
// order: bodies push this tee away, a hook pulls both ends together.
func (c *Core) pushOthers() {
	w := c.World
	list := w.present()
	collide := w.Tuning[PlayerCollision] != 0
	if c.HookedPlayer != nobody && w.Tuning[PlayerHooking] != 0 {
		if o := c.hooked(); o != nil && o != c {
			i := w.index(c.HookedPlayer)
			if collide {
				c.pushFromAll(list[:i+1])
			}
			c.pull(o)
			list = list[i+1:]
		}
	}
	if collide {
		c.pushFromAll(list)
	}
}

// pushFromAll pushes this tee away from those of the list that are too close.
func (c *Core) pushFromAll(list []*Core) {
	pos := c.Pos
	for _, o := range list {
		// The distance is never less than one of its parts.
		if !within(pos.X-o.Pos.X, collideDistance) {
			continue
		}
		if within(pos.Y-o.Pos.Y, collideDistance) && o != c {
			c.pushFrom(o)
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
		f = 1 - float32((c.Vel.Normalize().Dot(n)+1)/2)
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
