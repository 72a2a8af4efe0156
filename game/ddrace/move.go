package ddrace

import "github.com/teeyard/teeyard/game/vec"

// velocityRamp returns the factor for the horizontal velocity at a speed (units/s).
func (p *params) velocityRamp(speed float32) float32 {
	if speed < p[VelrampStart] {
		return 1
	}
	return 1 / vec.Pow(p[VelrampCurvature], (speed-p[VelrampStart])/p[VelrampRange])
}

// move moves the core by its velocity, stopping at walls and other tees.
func (w *World) move(t *Tee) {
	c, p := &t.Core, w.params(t.Zone)
	ramp := p.velocityRamp(float32(c.Vel.Len() * 50))
	c.Vel.X = float32(c.Vel.X * ramp)
	// A map's tuning can make explosions and hammers so strong that a move would take too long.
	// From 1<<31 on, the tee does not move.
	if speed := c.Vel.Len(); speed > maxMove && speed < 1<<31 {
		c.Vel = c.Vel.Mul(maxMove / speed)
	}
	next, before := c.Pos, c.Vel
	if w.moveBox(&next, &c.Vel, p) {
		c.Jumped &^= jumpUsed
		c.JumpedTotal = 0
	}

	c.Colliding = 0
	if c.Vel.X < 0.001 && c.Vel.X > -0.001 {
		switch {
		case before.X > 0:
			c.Colliding = 1
		case before.X < 0:
			c.Colliding = 2
		}
	} else {
		c.LeftWall = true
	}
	c.Vel.X = float32(c.Vel.X * (1 / ramp))
	if t.Super || p[PlayerCollision] != 0 && !c.NoCollision && !c.Solo {
		next = w.stopAtOthers(t, next)
	}
	c.Pos = next
}

// moveBox moves a tee by its velocity. It reports whether that bounced off the ground.
func (w *World) moveBox(pos, vel *Vec, p *params) (landed bool) {
	size := Vec{X: teeSize, Y: teeSize}
	if w.settings.release20() {
		return w.m.walls.MoveElastic(pos, vel, size, Vec{X: p[GroundElasticityX], Y: p[GroundElasticityY]})
	}
	w.m.walls.MoveBox(pos, vel, size, 0)
	return false
}

// stopAtOthers returns the position at which other tees stop a tee on its way to next: the last
// sample before the way comes within a tee's size of another tee.
func (w *World) stopAtOthers(t *Tee, next Vec) Vec {
	pos := t.Core.Pos
	d := vec.Distance(pos, next)
	if !(d > 0) {
		return next
	}
	var others [MaxTees]*Tee
	n := 0
	middle, reach := vec.Mix(pos, next, 0.5), float32(d*0.5)+teeSize+1
	for _, id := range w.present() {
		o := &w.tees[id]
		if o == t || !near(middle, o.Core.Pos, reach) {
			continue
		}
		if t.Super || o.Super || !t.Core.Solo && !o.Core.Solo && !o.Core.NoCollision && w.canCollide(int(t.id), int(id)) {
			others[n] = o
			n++
		}
	}
	if n == 0 {
		return next
	}
	end, margin := vec.Trunc(d+1), marginOf(pos, next)
	for i := int32(0); i < end; {
		a := float32(i) / d
		p := vec.Mix(pos, next, a)
		nearest := float32(maxMove)
		for _, o := range others[:n] {
			far := vec.Distance(p, o.Core.Pos)
			if !(far < teeSize && far >= 0) {
				nearest = min(nearest, far)
				continue
			}
			switch {
			case a > 0:
				return vec.Mix(pos, next, float32(i-1)/d)
			case vec.Distance(next, o.Core.Pos) > far:
				return next
			}
			return pos
		}
		// Samples are a unit apart. The next ones, as many as the distance to the nearest tee
		// allows, need no look.
		if i++; nearest-teeSize-margin > 1 {
			i += vec.Trunc(nearest-teeSize-margin) - 1
		}
	}
	return next
}
