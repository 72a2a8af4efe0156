package ddrace

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// teeSize is the width of a tee, in units.
const teeSize float32 = 28

// The events of a core.
const (
	CoreGroundJump       uint32 = 1 << iota
	CoreAirJump                 // 2
	CoreHookLaunch              // 4
	CoreHookAttachPlayer        // 8
	CoreHookAttachGround        // 16
	CoreHookHitNoHook           // 32
	CoreHookRetract             // 64
)

// The bits of Core.Jumped.
const (
	jumpHeld int32 = 1 // the button is still held after a jump
	jumpUsed int32 = 2 // there is no jump left
)

// noTee is the id of no tee.
const noTee = -1

const (
	maxHookTicks         = 60    // for which a hook holds a tee
	maxSpeed     float32 = 6000  // units per tick
	maxMove      float32 = 16384 // units per tick, with what acts after maxSpeed
)

// Core is the part of a tee that clients predict, as [physics.Core] is for the vanilla rules.
type Core struct {
	Pos Vec // units
	Vel Vec // units per tick

	HookPos      Vec
	HookDir      Vec   // unit vector
	HookTick     int32 // ticks since the hook grabbed
	HookState    int32 // as in physics
	HookedPlayer int32 // player id, or -1
	// HookTeleBase is the exit at which the hook left its last hook teleporter. NewHook reports
	// whether this hook went through one.
	HookTeleBase Vec
	NewHook      bool

	Jumped      int32 // bit 0: button still held after a jump, bit 1: no jump left
	JumpedTotal int32 // jumps in the air since the last ground
	Jumps       int32 // the tee's number of jumps, including the one from the ground; -1: only from the ground
	Direction   int32
	Angle       int32 // of the target, radians * 256
	Events      uint32
	// Colliding is the side on which the tee touches a wall: 1 right, 2 left, 0 none. LeftWall
	// reports whether the tee was away from walls since its last wall jump.
	Colliding int32
	LeftWall  bool

	Solo        bool // it and others do not affect each other
	NoCollision bool // it and others do not push or stop each other
	NoHookHit   bool // its hook does not grab other tees

	// restrictions apply at the place where the last tick began.
	restrictions Restrictions
}

// grounded reports whether a wall is directly below one of the tee's lower corners.
func (c *Core) grounded(walls *physics.Collision) bool { return onGround(walls, c.Pos) }

// onGround reports whether a tee at pos has ground below it.
func onGround(walls *physics.Collision, pos Vec) bool {
	y := pos.Y + teeSize/2 + 5
	return walls.IsSolid(Vec{X: pos.X + teeSize/2, Y: y}) || walls.IsSolid(Vec{X: pos.X - teeSize/2, Y: y})
}

// releaseHook ends the hook.
func (c *Core) releaseHook() {
	c.HookedPlayer = noTee
	c.HookState = physics.HookRetracted
	c.HookPos = c.Pos
}

// resetHook ends the hook for a cause outside of the core, and adds the event CoreHookRetract.
func (c *Core) resetHook() {
	c.releaseHook()
	c.Events |= CoreHookRetract
}

// angleOf returns the angle of a target as clients have it, from -pi/2 to 3 pi/2.
func angleOf(x, y int32) int32 {
	a := vec.Atan2(float32(y), float32(x))
	if a < -(pi / 2) {
		a += 2 * pi
	}
	return vec.Trunc(float32(a * 256))
}

// tickCore computes velocity and hook for one tick; forces between tees are separate.
func (w *World) tickCore(t *Tee) {
	c, in, p := &t.Core, &t.input, w.params(t.Zone)
	c.restrictions = w.m.restrictions(c.Pos, 18, -1, w.doorsFor(t))
	c.Events = 0
	grounded := c.grounded(w.m.walls)
	target := normalize(Vec{X: float32(in.TargetX), Y: float32(in.TargetY)})

	c.Vel.Y += p[Gravity]
	speed, accel, friction := p[AirControlSpeed], p[AirControlAccel], p[AirFriction]
	if grounded {
		speed, accel, friction = p[GroundControlSpeed], p[GroundControlAccel], p[GroundFriction]
	}

	c.Direction = in.Direction
	if in.TargetX != t.aim.x || in.TargetY != t.aim.y {
		t.aim = aimCache{in.TargetX, in.TargetY, angleOf(in.TargetX, in.TargetY)}
	}
	c.Angle = t.aim.angle
	c.jump(in.Jump, grounded, p)

	if !in.Hook {
		c.HookedPlayer = noTee
		c.HookState = physics.HookIdle
		c.HookPos = c.Pos
	} else if c.HookState == physics.HookIdle {
		c.HookState = physics.HookFlying
		c.HookPos = c.Pos.Add(target.Mul(teeSize).Mul(1.5))
		c.HookDir = target
		c.HookedPlayer = noTee
		c.HookTick = vec.Trunc(float32(TickRate * (1.25 - p[HookDuration])))
		c.Events |= CoreHookLaunch
	}

	if grounded {
		c.Jumped &^= jumpUsed
		c.JumpedTotal = 0
	}
	switch {
	case c.Direction < 0:
		c.Vel.X = saturatedAdd(-speed, speed, c.Vel.X, -accel)
	case c.Direction > 0:
		c.Vel.X = saturatedAdd(-speed, speed, c.Vel.X, accel)
	default:
		c.Vel.X = float32(c.Vel.X * friction)
	}

	w.tickHook(t, target, p)
	if c.HookState == physics.HookGrabbed {
		w.tickGrabbedHook(t, p)
	}
}

// jump begins or ends a jump.
func (c *Core) jump(held, grounded bool, p *params) {
	switch {
	case !held:
		c.Jumped &^= jumpHeld
	case c.Jumped&jumpHeld != 0:
	case grounded && (c.Jumped&jumpUsed == 0 || c.Jumps != 0):
		c.Events |= CoreGroundJump
		c.Vel.Y = -p[GroundJumpImpulse]
		c.Jumped |= jumpHeld
		if c.Jumps <= 1 {
			c.Jumped |= jumpUsed
		}
		c.JumpedTotal = 0
	case c.Jumped&jumpUsed == 0:
		c.Events |= CoreAirJump
		c.Vel.Y = -p[AirJumpImpulse]
		c.Jumped |= jumpHeld | jumpUsed
		c.JumpedTotal++
	}
}

// tickForces applies the forces between this tee and all others in ascending order of their ids:
// bodies push this one away, its hook pulls both together. A hooked tee changes at once, so the
// order of the tees' ticks matters.
func (w *World) tickForces(t *Tee) {
	c, p := &t.Core, w.params(t.Zone)
	for _, id := range w.present() {
		o := &w.tees[id]
		hooked := c.HookedPlayer == int32(id)
		if o == t || !hooked && !near(c.Pos, o.Core.Pos, teeSize*1.25) || !w.canCollide(int(t.id), int(id)) {
			continue
		}
		super := t.Super || o.Super
		if !super && (c.Solo || o.Core.Solo) {
			continue
		}
		d := vec.Distance(c.Pos, o.Core.Pos)
		if !(d > 0) {
			continue
		}
		n := normalize(c.Pos.Sub(o.Core.Pos))
		collide := super || !c.NoCollision && !o.Core.NoCollision && p[PlayerCollision] != 0
		if collide && d < teeSize*1.25 {
			c.pushAway(n, d)
		}
		if hooked && !c.NoHookHit && p[PlayerHooking] != 0 {
			c.pull(&o.Core, n, d, p)
		}
	}
	if c.HookState != physics.HookFlying {
		c.NewHook = false
	}
	if l := c.Vel.Len(); l > maxSpeed {
		c.Vel = normalize(c.Vel).Mul(maxSpeed)
	}
}

// pushAway pushes the tee into direction n, away from another one at distance d.
func (c *Core) pushAway(n Vec, d float32) {
	const reach float32 = 40.600002 // 28 times the float32 nearest 1.45
	a := reach - d
	var f float32 = 0.5
	// A tee that already moves away is pushed less.
	if c.Vel.Len() > 0.0001 {
		f = 1 - float32((normalize(c.Vel).Dot(n)+1)/2)
	}
	c.Vel = c.Vel.Add(n.Mul(a).Mul(float32(f * 0.75)))
	c.Vel = c.Vel.Mul(0.85)
}

// pull pulls the hooked tee o, at distance d, into direction n, and this one towards it.
func (c *Core) pull(o *Core, n Vec, d float32, p *params) {
	if !(d > teeSize*1.5) {
		return
	}
	accel := float32(p[HookDragAccel] * (d / p[HookLength]))
	limit := p[HookDragSpeed]
	o.Vel = o.restrictions.clamp(Vec{
		X: saturatedAdd(-limit, limit, o.Vel.X, float32(float32(accel*n.X)*1.5)),
		Y: saturatedAdd(-limit, limit, o.Vel.Y, float32(float32(accel*n.Y)*1.5)),
	})
	c.Vel = c.restrictions.clamp(Vec{
		X: saturatedAdd(-limit, limit, c.Vel.X, float32(float32(-accel*n.X)*0.25)),
		Y: saturatedAdd(-limit, limit, c.Vel.Y, float32(float32(-accel*n.Y)*0.25)),
	})
}

// quantize rounds the core to the values that a snapshot can represent. Snapshots do not contain
// the base of a teleported hook.
func (c *Core) quantize() {
	whole := func(v Vec) Vec { return Vec{X: float32(vec.Round(v.X)), Y: float32(vec.Round(v.Y))} }
	parts := func(v Vec) Vec {
		return Vec{X: float32(vec.Round(float32(v.X*256))) / 256, Y: float32(vec.Round(float32(v.Y*256))) / 256}
	}
	c.Pos, c.Vel = whole(c.Pos), parts(c.Vel)
	c.HookPos, c.HookDir = whole(c.HookPos), parts(c.HookDir)
}

// aimCache caches the angle of the last target. The zero value is valid.
type aimCache struct {
	x, y, angle int32
}
