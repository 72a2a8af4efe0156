package physics

import "github.com/teeyard/teeyard/game/vec"

// collideDistance is the distance below which tees push each other, in units.
const collideDistance float32 = TeeSize * 1.25

// collideMagnitude is the magnitude of collideDistance.
const collideMagnitude = 0x420c0000

// applyPlayerForces applies the forces between this tee and all others in ascending
// order of their ids: bodies push this tee away, a hook pulls both tees together.
func (c *Core) applyPlayerForces() {
	w := c.World
	list := w.presentCores()
	collide := w.cache.tuning[PlayerCollision] != 0
	if w.Exceptions {
		c.applySomeForces(list, collide)
		return
	}
	if o := c.hookedCore(); o != nil && o != c && w.cache.tuning[PlayerHooking] != 0 {
		i := w.presentIndex(c.HookedPlayer)
		if collide {
			c.pushFromAll(list[:i+1])
		}
		c.pullHookedCore(o)
		if collide {
			c.pushFromAll(list[i+1:])
		}
		return
	}
	if collide {
		before, after, _ := c.splitAtSelf(list)
		c.pushFromAll(before)
		c.pushFromAll(after)
	}
}

// pushFromAll pushes this tee away from all in the list that are too close, itself
// excluded.
func (c *Core) pushFromAll(list []*Core) {
	x, y := c.Pos.X, c.Pos.Y
	for _, o := range list {
		// The distance is at least the difference of each coordinate.
		if magnitude(x-o.Pos.X) >= collideMagnitude {
			continue
		}
		if magnitude(y-o.Pos.Y) >= collideMagnitude {
			continue
		}
		c.pushFrom(o)
	}
}

// pushFrom pushes this tee away from another one if it is too close. Two tees at the same position
// have no direction between them, so nothing happens.
func (c *Core) pushFrom(o *Core) {
	d := vec.Distance(c.Pos, o.Pos)
	if !(d < collideDistance && d > 0) {
		return
	}
	const reach float32 = 40.600002 // 28 times the float32 nearest 1.45
	n := c.Pos.Sub(o.Pos).Normalize()
	a := reach - d
	var f float32 = 0.5
	// A tee that already moves away is pushed less.
	if float64(c.Vel.Len()) > 0.0001 {
		f = 1 - float32((c.Vel.Normalize().Dot(n)+1)/2)
	}
	c.Vel = c.Vel.Add(n.Mul(a).Mul(float32(f * 0.75)))
	c.Vel = c.Vel.Mul(0.85)
}

// pullHookedCore pulls the hooked tee o and this one together.
func (c *Core) pullHookedCore(o *Core) {
	w := c.World
	d := vec.Distance(c.Pos, o.Pos)
	if !(d > TeeSize*1.5) {
		return
	}
	n := c.Pos.Sub(o.Pos).Normalize()
	accel := float32(w.tuneParam(HookDragAccel) * (d / w.tuneParam(HookLength)))
	limit := w.tuneParam(HookDragSpeed)
	o.Vel.X = saturatedAdd(-limit, limit, o.Vel.X, float32(float32(accel*n.X)*1.5))
	o.Vel.Y = saturatedAdd(-limit, limit, o.Vel.Y, float32(float32(accel*n.Y)*1.5))
	c.Vel.X = saturatedAdd(-limit, limit, c.Vel.X, float32(float32(-accel*n.X)*0.25))
	c.Vel.Y = saturatedAdd(-limit, limit, c.Vel.Y, float32(float32(-accel*n.Y)*0.25))
}
