package physics

import "github.com/teeyard/teeyard/game/vec"

// Input is what a player does in a tick, as far as it moves the tee.
type Input struct {
	// Direction is -1 left, 0 or 1 right.
	Direction int32
	// TargetX and TargetY are the cursor relative to the tee, in units; not both 0.
	TargetX, TargetY int32
	// Jump and Hook are held buttons.
	Jump, Hook bool
}

// The hook states of Core.HookState. 1 to 3 count the ticks of retracting.
const (
	HookRetracted    int32 = -1
	HookIdle         int32 = 0
	HookRetractStart int32 = 1
	HookRetractEnd   int32 = 3
	HookFlying       int32 = 4
	HookGrabbed      int32 = 5
)

// The bits of Core.Events, as in Character.triggered_events.
const (
	EventGroundJump       uint32 = 1
	EventAirJump          uint32 = 2
	EventHookAttachPlayer uint32 = 4
	EventHookAttachGround uint32 = 8
	EventHookHitNoHook    uint32 = 16
)

// The bits of Core.Jumped.
const (
	jumpHeld int32 = 1 // a jump was made and the button is still held
	jumpAir  int32 = 2 // the air jump is used up
)

// nobody is the value of Core.HookedPlayer without a hooked player.
const nobody = -1

const (
	// collideLength is where overlapping tees push each other apart, in units.
	collideLength float32 = Size * 1.25
	// grabDistance is how close a flying hook must pass to grab a tee.
	grabDistance float32 = Size + 2
	// hookTime is how long a hook holds another tee, in ticks.
	hookTime = 60
	// maxSpeed bounds the velocity, in units per tick.
	maxSpeed float32 = 6000
)

// Core is a tee's physical state. The field meanings are those of the snapshot
// object CharacterCore.
type Core struct {
	// World is where the core acts; it stands in World.Cores under its own id.
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

	// Death tells whether the last Move touched a death tile.
	Death bool
	// Events are the Event bits of the last Tick.
	Events uint32
}

// NewCore returns a core at rest at pos, with nobody hooked. It is not entered
// into w.Cores.
func NewCore(w *World, pos Vec) *Core {
	c := new(Core)
	c.Reset(w, pos)
	return c
}

// Reset makes c what NewCore returns.
func (c *Core) Reset(w *World, pos Vec) {
	*c = Core{World: w, Pos: pos, HookedPlayer: nobody}
}

// Grounded tells whether a wall is right below one of the tee's lower corners.
func (c *Core) Grounded() bool {
	col := c.World.Collision
	y := c.Pos.Y + Size/2 + 5
	return col.At(c.Pos.X+Size/2, y)&Solid != 0 || col.At(c.Pos.X-Size/2, y)&Solid != 0
}

// hooked returns the hooked core, nil when there is none or it is gone.
func (c *Core) hooked() *Core {
	if c.HookedPlayer < 0 || c.HookedPlayer >= MaxCores {
		return nil
	}
	return c.World.Cores[c.HookedPlayer]
}

// saturatedAdd adds m to v without passing lo or hi on that side; what is
// already beyond stays.
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

// Tick computes the velocity and the hook for one tick: gravity, steering,
// jumps, hook, and the forces between tees. With useInput false the tee goes on
// with its last direction and in may be nil; clients predict others that way.
//
// A hook that holds another tee changes that tee's velocity at once, so the
// order in which cores tick counts.
func (c *Core) Tick(in *Input, useInput bool) {
	t := &c.World.Tuning
	c.Events = 0
	grounded := c.Grounded()

	c.Vel.Y += t.Gravity()

	speed, accel, friction := t.AirControlSpeed(), t.AirControlAccel(), t.AirFriction()
	if grounded {
		speed, accel, friction = t.GroundControlSpeed(), t.GroundControlAccel(), t.GroundFriction()
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

	c.advanceHook()
	if c.HookState == HookGrabbed {
		c.pullSelf()
	}
	c.pushOthers()

	if c.Vel.Len() > maxSpeed {
		c.Vel = c.Vel.Normalize().Mul(maxSpeed)
	}
}

// applyInput takes over direction and angle and starts or ends jumps and hooks.
func (c *Core) applyInput(in *Input, grounded bool) {
	t := &c.World.Tuning
	target := Vec{X: float32(in.TargetX), Y: float32(in.TargetY)}
	c.Direction = in.Direction
	c.Angle = vec.Trunc(float32(target.Angle() * 256))

	if !in.Jump {
		c.Jumped &^= jumpHeld
	} else if c.Jumped&jumpHeld == 0 {
		if grounded {
			c.Events |= EventGroundJump
			c.Vel.Y = -t.GroundJumpImpulse()
			c.Jumped |= jumpHeld
		} else if c.Jumped&jumpAir == 0 {
			c.Events |= EventAirJump
			c.Vel.Y = -t.AirJumpImpulse()
			c.Jumped |= jumpHeld | jumpAir
		}
	}

	if !in.Hook {
		c.HookedPlayer = nobody
		c.HookState = HookIdle
		c.HookPos = c.Pos
	} else if c.HookState == HookIdle {
		dir := target.Normalize()
		c.HookState = HookFlying
		c.HookPos = c.Pos.Add(dir.Mul(Size).Mul(1.5))
		c.HookDir = dir
		c.HookedPlayer = nobody
		c.HookTick = 0
	}
}

// pushOthers applies the forces between this tee and every other: bodies push
// this tee away, a hook pulls both ends together.
func (c *Core) pushOthers() {
	t := &c.World.Tuning
	for i, o := range &c.World.Cores {
		if o == nil || o == c {
			continue
		}
		d := vec.Distance(c.Pos, o.Pos)
		n := c.Pos.Sub(o.Pos).Normalize()
		if t[PlayerCollision] != 0 && d < collideLength && d > 0 {
			const reach float32 = 40.600002 // 28 times the float32 nearest 1.45
			a := reach - d
			var f float32 = 0.5
			// Less push for a tee that already moves away.
			if float64(c.Vel.Len()) > 0.0001 {
				f = 1 - (c.Vel.Normalize().Dot(n)+1)/2
			}
			c.Vel = c.Vel.Add(n.Mul(a).Mul(float32(f * 0.75)))
			c.Vel = c.Vel.Mul(0.85)
		}
		if c.HookedPlayer == int32(i) && t[PlayerHooking] != 0 && d > Size*1.5 {
			accel := float32(t.HookDragAccel() * (d / t.HookLength()))
			limit := t.HookDragSpeed()
			o.Vel.X = saturatedAdd(-limit, limit, o.Vel.X, float32(float32(accel*n.X)*1.5))
			o.Vel.Y = saturatedAdd(-limit, limit, o.Vel.Y, float32(float32(accel*n.Y)*1.5))
			c.Vel.X = saturatedAdd(-limit, limit, c.Vel.X, float32(float32(-accel*n.X)*0.25))
			c.Vel.Y = saturatedAdd(-limit, limit, c.Vel.Y, float32(float32(-accel*n.Y)*0.25))
		}
	}
}

// velocityRamp is the factor on sideward speed at that speed (units/s).
func (t *Tuning) velocityRamp(speed float32) float32 {
	start := t.VelrampStart()
	if speed < start {
		return 1
	}
	return 1 / vec.Pow(t.VelrampCurvature(), (speed-start)/t.VelrampRange())
}

// Move moves the tee by its velocity through the map and stops it at other
// tees. It sets Death.
func (c *Core) Move() {
	w := c.World
	ramp := w.Tuning.velocityRamp(float32(c.Vel.Len() * 50))
	c.Vel.X = float32(c.Vel.X * ramp)
	next := c.Pos
	c.Death = w.Collision.MoveBox(&next, &c.Vel, Vec{X: Size, Y: Size}, 0)
	c.Vel.X = float32(c.Vel.X * (1 / ramp))
	if w.Tuning[PlayerCollision] != 0 {
		next = c.stopAtOthers(next)
	}
	c.Pos = next
}

// stopAtOthers returns where a tee on its way to next ends up because of the
// other tees.
func (c *Core) stopAtOthers(next Vec) Vec {
	d := vec.Distance(c.Pos, next)
	n := vec.Trunc(d + 1)
	last := c.Pos
	for i := int32(0); i < n; i++ {
		a := float32(i) / d
		p := vec.Mix(c.Pos, next, a)
		for _, o := range &c.World.Cores {
			if o == nil || o == c {
				continue
			}
			// A distance of NaN (d is 0, a is NaN) never collides.
			if e := vec.Distance(p, o.Pos); e < Size && e >= 0 {
				if a > 0 {
					return last
				}
				if vec.Distance(next, o.Pos) > e {
					return next
				}
				return c.Pos
			}
		}
		last = p
	}
	return next
}
