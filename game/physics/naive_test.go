package physics

import (
	"math"

	"github.com/teeyard/teeyard/game/vec"
)

// The functions of this file implement the formulas without shortcuts, as the
// reference for the fast versions.

func naiveRound(f float32) int {
	t := func(f float32) int {
		if math.IsNaN(float64(f)) || f < -1<<31 || f >= 1<<31 {
			return math.MinInt32
		}
		return int(f)
	}
	if f > 0 {
		return t(f + 0.5)
	}
	return t(f - 0.5)
}

func (c *Collision) naiveAt(x, y float32) TileFlags {
	tx := max(0, min(naiveRound(x)/32, c.Width()-1))
	ty := max(0, min(naiveRound(y)/32, c.Height()-1))
	return TileFlags(c.tiles[ty*c.Width()+tx]) & (Solid | Death | NoHook)
}

func (c *Collision) naiveIntersectLine(p0, p1 Vec) (hit, before Vec, flags TileFlags) {
	n := vec.Trunc(vec.Distance(p0, p1) + 1)
	last := p0
	for i := int32(0); i <= n; i++ {
		p := vec.Mix(p0, p1, float32(i)/float32(n))
		if f := c.naiveAt(p.X, p.Y); f&Solid != 0 {
			return p, last, f
		}
		last = p
	}
	return p1, p1, 0
}

func (c *Collision) naiveTestBox(p, size Vec, flags TileFlags) bool {
	h := size.Mul(0.5)
	return c.naiveAt(p.X-h.X, p.Y-h.Y)&flags != 0 || c.naiveAt(p.X+h.X, p.Y-h.Y)&flags != 0 ||
		c.naiveAt(p.X-h.X, p.Y+h.Y)&flags != 0 || c.naiveAt(p.X+h.X, p.Y+h.Y)&flags != 0
}

func (c *Collision) naiveMoveBox(pos, vel *Vec, size Vec, elasticity float32) (death bool) {
	p, v := *pos, *vel
	d := v.Len()
	if !(d > 0.00001) {
		return false
	}
	steps := vec.Trunc(d)
	fraction := 1 / float32(steps+1)
	inner := size.Mul(float32(2) / 3)
	for i := int32(0); i <= steps; i++ {
		q := p.Add(v.Mul(fraction))
		if c.naiveTestBox(q, inner, Death) {
			death = true
		}
		if c.naiveTestBox(q, size, Solid) {
			hits := 0
			if c.naiveTestBox(Vec{X: p.X, Y: q.Y}, size, Solid) {
				q.Y = p.Y
				v.Y = float32(v.Y * -elasticity)
				hits++
			}
			if c.naiveTestBox(Vec{X: q.X, Y: p.Y}, size, Solid) {
				q.X = p.X
				v.X = float32(v.X * -elasticity)
				hits++
			}
			if hits == 0 { // exactly onto a corner
				q = p
				v = v.Mul(-elasticity)
			}
		}
		p = q
	}
	*pos, *vel = p, v
	return death
}

func (c *Core) naivePushOthers() {
	t := &c.World.Tuning
	for i, o := range &c.World.Cores {
		if o == nil || o == c {
			continue
		}
		d := vec.Distance(c.Pos, o.Pos)
		n := c.Pos.Sub(o.Pos).Normalize()
		if t[PlayerCollision] != 0 && d < collideDistance && d > 0 {
			const reach float32 = 40.600002 // 28 times the float32 nearest 1.45
			a := reach - d
			var f float32 = 0.5
			// A tee that already moves away is pushed less.
			if float64(c.Vel.Len()) > 0.0001 {
				f = 1 - float32((c.Vel.Normalize().Dot(n)+1)/2)
			}
			c.Vel = c.Vel.Add(n.Mul(a).Mul(float32(f * 0.75)))
			c.Vel = c.Vel.Mul(0.85)
		}
		if c.HookedPlayer == int32(i) && t[PlayerHooking] != 0 && d > TeeSize*1.5 {
			accel := float32(t.At(HookDragAccel) * (d / t.At(HookLength)))
			limit := t.At(HookDragSpeed)
			o.Vel.X = saturatedAdd(-limit, limit, o.Vel.X, float32(float32(accel*n.X)*1.5))
			o.Vel.Y = saturatedAdd(-limit, limit, o.Vel.Y, float32(float32(accel*n.Y)*1.5))
			c.Vel.X = saturatedAdd(-limit, limit, c.Vel.X, float32(float32(-accel*n.X)*0.25))
			c.Vel.Y = saturatedAdd(-limit, limit, c.Vel.Y, float32(float32(-accel*n.Y)*0.25))
		}
	}
}

func (t *Tuning) naiveRamp(speed float32) float32 {
	start := t.At(VelrampStart)
	if speed < start {
		return 1
	}
	return 1 / vec.Pow(t.At(VelrampCurvature), (speed-start)/t.At(VelrampRange))
}

func (c *Core) naiveMove() {
	w := c.World
	ramp := w.Tuning.naiveRamp(float32(c.Vel.Len() * 50))
	c.Vel.X = float32(c.Vel.X * ramp)
	next := c.Pos
	c.Death = w.Collision.naiveMoveBox(&next, &c.Vel, Vec{X: TeeSize, Y: TeeSize}, 0)
	c.Vel.X = float32(c.Vel.X * (1 / ramp))
	if w.Tuning[PlayerCollision] != 0 {
		next = c.naiveStopAtOthers(next)
	}
	c.Pos = next
}

func (c *Core) naiveStopAtOthers(next Vec) Vec {
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
			if e := vec.Distance(p, o.Pos); e < TeeSize && e >= 0 {
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

func (c *Core) naiveGrab(next Vec) {
	var best float32
	for i, o := range &c.World.Cores {
		if o == nil || o == c {
			continue
		}
		near := vec.ClosestOnSegment(c.HookPos, next, o.Pos)
		if vec.Distance(o.Pos, near) < hookGrabDistance {
			if d := vec.Distance(c.HookPos, o.Pos); c.HookedPlayer == noPlayer || d < best {
				c.Events |= EventHookAttachPlayer
				c.HookState = HookGrabbed
				c.HookedPlayer = int32(i)
				best = d
			}
		}
	}
}

func (c *Collision) naiveMoveElastic(pos, vel *Vec, size, elasticity Vec) (landed bool) {
	p, v := *pos, *vel
	d := v.Len()
	if !(d > 0.00001) {
		return false
	}
	steps := vec.Trunc(d)
	fraction := 1 / float32(steps+1)
	ex, ey := vec.Clamp(elasticity.X, -1, 1), vec.Clamp(elasticity.Y, -1, 1)
	vertical := func() {
		landed = landed || ey > 0 && v.Y > 0
		v.Y = float32(v.Y * -ey)
	}
	for i := int32(0); i <= steps; i++ {
		q := p.Add(v.Mul(fraction))
		if v == (Vec{}) || q == p {
			break
		}
		if c.naiveTestBox(q, size, Solid) {
			hits := 0
			if c.naiveTestBox(Vec{X: p.X, Y: q.Y}, size, Solid) {
				q.Y = p.Y
				vertical()
				hits++
			}
			if c.naiveTestBox(Vec{X: q.X, Y: p.Y}, size, Solid) {
				q.X = p.X
				v.X = float32(v.X * -ex)
				hits++
			}
			if hits == 0 { // exactly onto a corner
				q = p
				vertical()
				v.X = float32(v.X * -ex)
			}
		}
		p = q
	}
	*pos, *vel = p, v
	return landed
}
