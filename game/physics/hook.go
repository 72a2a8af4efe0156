package physics

import "github.com/teeyard/teeyard/game/vec"

// hookGrabDistance is the distance at which a flying hook grabs a tee, in units.
const hookGrabDistance float32 = TeeSize + 2

// tickHook changes the hook's state, except for a hook that holds.
func (c *Core) tickHook() {
	switch s := c.HookState; {
	case s == HookIdle:
		c.HookedPlayer = noPlayer
		c.HookPos = c.Pos
	case s >= HookRetractStart && s < HookRetractEnd:
		c.HookState++
	case s == HookRetractEnd:
		c.HookState = HookRetracted
	case s == HookFlying:
		c.tickFlyingHook()
	}
}

// tickFlyingHook moves a flying hook: it is limited by its length and by walls, then
// it grabs a tee on its path, then the wall.
func (c *Core) tickFlyingHook() {
	w := c.World
	next := c.HookPos.Add(c.HookDir.Mul(w.tuneParam(HookFireSpeed)))
	if vec.Distance(c.Pos, next) > w.tuneParam(HookLength) {
		c.HookState = HookRetractStart
		next = c.Pos.Add(next.Sub(c.Pos).Normalize().Mul(w.tuneParam(HookLength)))
	}
	next, _, wall := w.Collision.IntersectLine(c.HookPos, next)

	// A hook that has just reached its full length can still grab.
	if w.cache.tuning[PlayerHooking] != 0 {
		c.grabTee(next)
	}
	if c.HookState == HookFlying {
		switch {
		case wall&NoHook != 0:
			c.Events |= EventHookHitNoHook
			c.HookState = HookRetractStart
		case wall != 0:
			c.Events |= EventHookAttachGround
			c.HookState = HookGrabbed
		}
		c.HookPos = next
	}
}

// grabTee grabs a tee near the hook's path to next: the one closest to the hook's
// current position.
func (c *Core) grabTee(next Vec) {
	var best float32
	var near [MaxCores]uint8
	w := c.World
	area := searchRectAround(c.HookPos, next, hookGrabDistance)
	for _, i := range near[:area.findCores(w.presentCores(), 0, near[:])] {
		o := w.cache.present[i]
		if o == c || w.Exceptions && !c.hooks(o) {
			continue
		}
		point := vec.ClosestOnSegment(c.HookPos, next, o.Pos)
		if vec.Distance(o.Pos, point) < hookGrabDistance {
			if d := vec.Distance(c.HookPos, o.Pos); c.HookedPlayer == noPlayer || d < best {
				c.Events |= EventHookAttachPlayer
				c.HookState = HookGrabbed
				c.HookedPlayer = int32(w.cache.ids[i])
				best = d
			}
		}
	}
}

// tickGrabbedHook handles a hook that holds: it follows a hooked tee, or pulls this
// tee towards the wall.
func (c *Core) tickGrabbedHook() {
	w := c.World
	if c.HookedPlayer != noPlayer {
		if o := c.hookedCore(); o != nil && !(w.Exceptions && c.passes(o)) {
			c.HookPos = o.Pos
		} else {
			c.ReleaseHook()
		}
	}

	if c.HookedPlayer == noPlayer && vec.Distance(c.HookPos, c.Pos) > 46 {
		v := c.HookPos.Sub(c.Pos).Normalize().Mul(w.tuneParam(HookDragAccel))
		if v.Y > 0 { // weaker downwards
			v.Y = float32(v.Y * 0.3)
		}
		if v.X < 0 && c.Direction < 0 || v.X > 0 && c.Direction > 0 {
			v.X = float32(v.X * 0.95)
		} else {
			v.X = float32(v.X * 0.75)
		}
		v = c.Vel.Add(v)
		if l := v.Len(); l < w.tuneParam(HookDragSpeed) || l < c.Vel.Len() {
			c.Vel = v
		}
	}

	c.HookTick++
	if c.HookedPlayer != noPlayer && (c.HookTick > maxHookTicks || c.hookedCore() == nil) {
		c.ReleaseHook()
	}
}

// ReleaseHook ends the hook. The button must be released before the next one.
func (c *Core) ReleaseHook() {
	c.HookedPlayer = noPlayer
	c.HookState = HookRetracted
	c.HookPos = c.Pos
}
