package ddrace

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/game/vec"
)

// hookGrabDistance is the distance at which a flying hook grabs a tee, in units.
const hookGrabDistance = teeSize + 2

// tickHook changes the hook's state, except for a hook that holds. target is the direction of this
// tick's input, in which a hook leaves a teleporter.
func (w *World) tickHook(t *Tee, target Vec, p *params) {
	c := &t.Core
	switch s := c.HookState; {
	case s == physics.HookIdle:
		c.HookedPlayer = noTee
		c.HookPos = c.Pos
	case s >= physics.HookRetractStart && s < physics.HookRetractEnd:
		c.HookState++
	case s == physics.HookRetractEnd:
		c.Events |= CoreHookRetract
		c.HookState = physics.HookRetracted
	case s == physics.HookFlying:
		w.tickFlyingHook(t, target, p)
	}
}

// tickFlyingHook moves a flying hook: it is limited by its length and by walls, then it grabs a tee
// on its path, then the wall.
func (w *World) tickFlyingHook(t *Tee, target Vec, p *params) {
	if w.hooking >= maxLooks {
		return
	}
	c := &t.Core
	base := c.Pos
	if c.NewHook {
		base = c.HookTeleBase
	}
	next := c.HookPos.Add(c.HookDir.Mul(p[HookFireSpeed]))
	if vec.Distance(base, next) > p[HookLength] {
		c.HookState = physics.HookRetractStart
		if !w.settings.release20() {
			base = c.Pos
		}
		next = base.Add(normalize(next.Sub(base)).Mul(p[HookLength]))
	}
	next, hit, tele := w.m.hookLine(c.HookPos, next, w.settings.OldTeleportHook != 0, &w.hooking)
	// A teleported hook that is too long no longer grabs tees.
	ended := c.NewHook && c.HookState != physics.HookFlying && w.settings.release20()
	if !c.NoHookHit && p[PlayerHooking] != 0 && !ended {
		w.grabTee(t, next)
	}
	if c.HookState != physics.HookFlying {
		return
	}
	switch {
	case tele != 0:
		if outs := w.m.outs.count(tele); outs > 0 {
			c.Events = 0
			c.HookedPlayer = noTee
			c.NewHook = true
			c.HookPos = w.m.exit(&w.m.outs, tele, w.rand.choose(outs)).Add(target.Mul(teeSize).Mul(1.5))
			c.HookDir = target
			c.HookTeleBase = c.HookPos
			return
		}
	case hit == TileNoHook:
		c.Events |= CoreHookHitNoHook
		c.HookState = physics.HookRetractStart
	case hit != 0:
		c.Events |= CoreHookAttachGround
		c.HookState = physics.HookGrabbed
	}
	c.HookPos = next
}

// grabTee grabs a tee near the hook's path to next: the one closest to the hook's position.
func (w *World) grabTee(t *Tee, next Vec) {
	c := &t.Core
	var best float32
	around := boxAround(c.HookPos, next, hookGrabDistance)
	for _, id := range w.present() {
		o := &w.tees[id]
		if around.misses(o.Core.Pos) || o == t || !(t.Super || o.Super) && (c.Solo || o.Core.Solo || !w.canCollide(int(t.id), int(id))) {
			continue
		}
		point, ok := closest(c.HookPos, next, o.Core.Pos)
		if !ok || !(vec.Distance(o.Core.Pos, point) < hookGrabDistance) {
			continue
		}
		if d := vec.Distance(c.HookPos, o.Core.Pos); c.HookedPlayer == noTee || d < best {
			c.Events |= CoreHookAttachPlayer
			c.HookState = physics.HookGrabbed
			c.HookedPlayer = int32(id)
			best = d
		}
	}
}

// tickGrabbedHook handles a hook that holds: it follows a hooked tee, or pulls this tee towards the
// wall.
func (w *World) tickGrabbedHook(t *Tee, p *params) {
	c := &t.Core
	if c.HookedPlayer != noTee {
		if o := w.Tee(int(c.HookedPlayer)); o != nil && w.canKeepHook(int(t.id), int(o.id)) {
			c.HookPos = o.Core.Pos
		} else {
			c.releaseHook()
		}
	}
	if c.HookedPlayer == noTee && vec.Distance(c.HookPos, c.Pos) > 46 {
		v := normalize(c.HookPos.Sub(c.Pos)).Mul(p[HookDragAccel])
		if v.Y > 0 { // weaker downwards
			v.Y = float32(v.Y * 0.3)
		}
		if v.X < 0 && c.Direction < 0 || v.X > 0 && c.Direction > 0 {
			v.X = float32(v.X * 0.95)
		} else {
			v.X = float32(v.X * 0.75)
		}
		v = c.Vel.Add(v)
		if l := v.Len(); l < p[HookDragSpeed] || l < c.Vel.Len() {
			c.Vel = v
		}
	}
	c.HookTick++
	if c.HookedPlayer != noTee && (c.HookTick > maxHookTicks || w.Tee(int(c.HookedPlayer)) == nil) {
		c.releaseHook()
	}
}

// releaseHooksOn ends the hooks that hold a tee. Their drawn positions change with the next tick.
func (w *World) releaseHooksOn(id int8) {
	for _, i := range w.present() {
		if t := &w.tees[i]; t.Core.HookedPlayer == int32(id) && !t.Super {
			t.Core.HookedPlayer = noTee
			t.Core.Events |= CoreHookRetract
			t.Core.HookState = physics.HookRetracted
		}
	}
}

// throughOffset is the offset to the tile before a wall, against the direction of flight.
func throughOffset(a, b Vec) Vec {
	x, y := a.X-b.X, a.Y-b.Y
	switch {
	case abs(x) > abs(y) && x < 0:
		return Vec{X: -tileSize}
	case abs(x) > abs(y):
		return Vec{X: tileSize}
	case y < 0:
		return Vec{Y: -tileSize}
	}
	return Vec{Y: tileSize}
}

// hookPasses reports whether a hook that flies from a to b passes the wall at p.
func (m *Map) hookPasses(i int32, p, back, a, b Vec) bool {
	switch f, flags := m.tileAndFlags(i, true); {
	case f == tileThroughAll, f == tileCut, f == tileThroughDir && flies(flags, a, b):
		return true
	}
	before := m.pureIndex(Vec{X: float32(vec.Round(p.X)) + back.X, Y: float32(vec.Round(p.Y)) + back.Y})
	return m.tiles[before] == tileThrough || m.frontAt(before) == tileThrough
}

// blocksHook reports whether a tile without a wall stops a hook that flies from a to b.
func (m *Map) blocksHook(i int32, a, b Vec) bool {
	for front := range 2 {
		index, flags := m.tileAndFlags(i, front == 1)
		if index == tileThroughAll || index == tileThroughDir && flies(flags, b, a) {
			return true
		}
	}
	return false
}

// flies reports whether the way from a to b goes in the direction of a turned tile: up, right, down
// or left.
func flies(flags terrain.TileFlags, a, b Vec) bool {
	switch flags {
	case turned0:
		return a.Y > b.Y
	case turned90:
		return a.X < b.X
	case turned180:
		return a.Y < b.Y
	case turned270:
		return a.X > b.X
	}
	return false
}
