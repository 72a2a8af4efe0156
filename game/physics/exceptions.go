package physics

// Exceptions is a set of DDNet's exceptions from the ways in which tees affect each other.
type Exceptions uint8

// The exceptions.
const (
	// Solo: this tee and others do not affect each other.
	Solo Exceptions = 1 << iota
	// NoCollision: this tee and others do not push or stop each other.
	NoCollision
	// NoHookHit: the hook of this tee does not grab other tees.
	NoHookHit
)

// tuning returns the tuning of the core.
func (c *Core) tuning() *Tuning {
	if c.Tuning != nil {
		return c.Tuning
	}
	return &c.World.Tuning
}

// RefillJump lets the tee jump in the air again.
func (c *Core) RefillJump() { c.Jumped &^= jumpAir }

// AirJumped reports whether the tee must touch the ground before it can jump again.
func (c *Core) AirJumped() bool { return c.Jumped&jumpAir != 0 }

// LimitJumps lets a tee with inAir jumps in the air jump again, until it has jumped n times
// including the jump from the ground.
func (c *Core) LimitJumps(n, inAir int32) {
	switch {
	case n == 1 && c.Jumped != 0:
		c.Jumped |= jumpAir
	case inAir < n-1:
		c.RefillJump()
	}
}

// passes reports whether nothing passes between this tee and o.
func (c *Core) passes(o *Core) bool { return (c.Exceptions|o.Exceptions)&Solo != 0 }

// collides reports whether this tee and o push each other, as far as the tuning lets them.
func (c *Core) collides(o *Core) bool { return (c.Exceptions|o.Exceptions)&(Solo|NoCollision) == 0 }

// hooks reports whether the hook of this tee grabs o, as far as the tuning lets it.
func (c *Core) hooks(o *Core) bool { return c.Exceptions&NoHookHit == 0 && !c.passes(o) }

// applySomeForces is applyPlayerForces for cores with exceptions.
func (c *Core) applySomeForces(list []*Core, collide bool) {
	w := c.World
	hooked := c.hookedCore()
	if w.cache.tuning[PlayerHooking] == 0 {
		hooked = nil
	}
	for _, o := range list {
		if o == c {
			continue
		}
		if collide && c.collides(o) {
			c.pushFrom(o)
		}
		if o == hooked && c.hooks(o) {
			c.pullHookedCore(o)
		}
	}
}

// keepColliding keeps the indices in near of the cores in list that stop this one, and returns
// their number.
func (c *Core) keepColliding(list []*Core, near []uint8) int {
	n := 0
	for _, i := range near {
		if c.collides(list[i]) {
			near[n] = i
			n++
		}
	}
	return n
}
