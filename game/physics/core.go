package physics

import "github.com/teeyard/teeyard/game/vec"

// Input is the part of a player's input that moves the tee.
type Input struct {
	// Direction is -1 for left, 0 or 1 for right.
	Direction int32
	// TargetX and TargetY are the cursor's position relative to the tee, in units. They must not
	// both be 0.
	TargetX, TargetY int32
	// Jump and Hook report whether the buttons are held.
	Jump, Hook bool
}

// The values of Core.HookState. 1 to 3 count the ticks of retracting.
const (
	HookRetracted    int32 = -1
	HookIdle         int32 = 0
	HookRetractStart int32 = 1
	HookRetractEnd   int32 = 3
	HookFlying       int32 = 4
	HookGrabbed      int32 = 5
)

// The bits of Core.Events, as in the snapshot field triggered_events.
const (
	EventGroundJump       uint32 = 1
	EventAirJump          uint32 = 2
	EventHookAttachPlayer uint32 = 4
	EventHookAttachGround uint32 = 8
	EventHookHitNoHook    uint32 = 16
)

// The bits of Core.Jumped.
const (
	jumpHeld int32 = 1 // the button is still held after a jump
	jumpAir  int32 = 2 // the air jump is used
)

// noPlayer is the value of Core.HookedPlayer for none.
const noPlayer = -1

const (
	// maxHookTicks is the maximum time for which a hook holds a tee.
	maxHookTicks = 60
	// maxSpeed limits the velocity, in units per tick.
	maxSpeed float32 = 6000
)

// Core is the physical state of a tee. The fields are named after the snapshot item CharacterCore.
type Core struct {
	// World is the world of the core. World.Cores has the core at its player's id.
	World *World

	Pos Vec // units
	Vel Vec // units per tick

	HookPos Vec // units
	HookDir Vec // unit vector

	HookTick     int32 // ticks since the hook grabbed
	HookState    int32 // HookRetracted..HookGrabbed
	HookedPlayer int32 // player id, or -1

	Jumped    int32 // bit 0: button still held after a jump, bit 1: air jump used
	Direction int32 // -1, 0, 1
	Angle     int32 // of the target, radians * 256

	// Death reports whether the last Move touched a death tile.
	Death bool
	// Events is the set of events of the last Tick.
	Events uint32

	// Tuning is the core's own tuning; nil means World's.
	Tuning *Tuning
	// Exceptions have an effect only if World.Exceptions is set.
	Exceptions Exceptions

	aim        aimCache
	cacheIndex int // index in World.cache.present at the last use
}

// aimCache caches the angle of the last target, because a target often stays the same for many
// ticks. The zero value is valid: the angle of (0, 0) is 0.
type aimCache struct {
	x, y, angle int32
}

// NewCore returns a core at rest at pos. It does not add the core to w.Cores.
func NewCore(w *World, pos Vec) *Core {
	c := new(Core)
	c.Reset(w, pos)
	return c
}

// Reset sets c to the state that NewCore returns.
func (c *Core) Reset(w *World, pos Vec) {
	*c = Core{World: w, Pos: pos, HookedPlayer: noPlayer}
}

// Grounded reports whether a wall is directly below one of the tee's lower corners.
func (c *Core) Grounded() bool {
	col := c.World.Collision
	y := c.Pos.Y + TeeSize/2 + 5
	return col.At(c.Pos.X+TeeSize/2, y)&Solid != 0 || col.At(c.Pos.X-TeeSize/2, y)&Solid != 0
}

// hookedCore returns the hooked core, or nil if there is none.
func (c *Core) hookedCore() *Core {
	if c.HookedPlayer < 0 || c.HookedPlayer >= MaxCores {
		return nil
	}
	return c.World.Cores[c.HookedPlayer]
}

// saturatedAdd adds m to v without exceeding lo or hi; a value that is already beyond
// does not change.
func saturatedAdd(lo, hi, v, m float32) float32 {
	if m < 0 {
		if v < lo {
			return v
		}
		if v += m; v < lo {
			return lo
		}
		return v
	}
	if v > hi {
		return v
	}
	if v += m; v > hi {
		return hi
	}
	return v
}

// Tick computes velocity and hook for one tick: gravity, steering, jumps, hook, and
// forces between tees. If useInput is false, the tee continues with its last direction
// and in can be nil; clients predict other tees like this.
//
// A hook that holds another tee changes that tee's velocity at once, so the order of
// the cores' ticks matters.
func (c *Core) Tick(in *Input, useInput bool) {
	w := c.World
	w.refreshCache(c.tuning())
	c.Events = 0
	grounded := c.Grounded()

	c.Vel.Y += w.tuneParam(Gravity)

	speed, accel, friction := w.tuneParam(AirControlSpeed), w.tuneParam(AirControlAccel), w.tuneParam(AirFriction)
	if grounded {
		speed, accel, friction = w.tuneParam(GroundControlSpeed), w.tuneParam(GroundControlAccel), w.tuneParam(GroundFriction)
	}

	if useInput {
		c.applyInput(in, grounded)
	}

	switch {
	case c.Direction < 0:
		c.Vel.X = saturatedAdd(-speed, speed, c.Vel.X, -accel)
	case c.Direction > 0:
		c.Vel.X = saturatedAdd(-speed, speed, c.Vel.X, accel)
	default:
		c.Vel.X = float32(c.Vel.X * friction)
	}
	if grounded {
		c.Jumped &^= jumpAir
	}

	c.tickHook()
	if c.HookState == HookGrabbed {
		c.tickGrabbedHook()
	}
	c.applyPlayerForces()

	if square := c.Vel.Dot(c.Vel); square > maxSpeed*maxSpeed && vec.Sqrt(square) > maxSpeed {
		c.Vel = c.Vel.Normalize().Mul(maxSpeed)
	}
}

// applyInput sets direction and angle and starts or ends jumps and hooks.
func (c *Core) applyInput(in *Input, grounded bool) {
	w := c.World
	target := Vec{X: float32(in.TargetX), Y: float32(in.TargetY)}
	c.Direction = in.Direction
	if in.TargetX != c.aim.x || in.TargetY != c.aim.y {
		c.aim = aimCache{in.TargetX, in.TargetY, vec.Trunc(float32(target.Angle() * 256))}
	}
	c.Angle = c.aim.angle

	if !in.Jump {
		c.Jumped &^= jumpHeld
	} else if c.Jumped&jumpHeld == 0 {
		if grounded {
			c.Events |= EventGroundJump
			c.Vel.Y = -w.tuneParam(GroundJumpImpulse)
			c.Jumped |= jumpHeld
		} else if c.Jumped&jumpAir == 0 {
			c.Events |= EventAirJump
			c.Vel.Y = -w.tuneParam(AirJumpImpulse)
			c.Jumped |= jumpHeld | jumpAir
		}
	}

	if !in.Hook {
		c.HookedPlayer = noPlayer
		c.HookState = HookIdle
		c.HookPos = c.Pos
	} else if c.HookState == HookIdle {
		dir := target.Normalize()
		c.HookState = HookFlying
		c.HookPos = c.Pos.Add(dir.Mul(TeeSize).Mul(1.5))
		c.HookDir = dir
		c.HookedPlayer = noPlayer
		c.HookTick = 0
	}
}
