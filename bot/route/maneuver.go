package route

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// maneuver appends random inputs for a few ticks to dst.
func (s *Search) maneuver(dst []Step, f field, aim [2]int16) []Step {
	r, t := &s.rand, s.world.Tee(me)
	dir := int8(r.Uint32n(3)) - 1
	if r.Percent(60) {
		dir = s.downhill(f, t.Pos)
	}
	ticks := uint8(3 + r.Uint32n(18))
	base := Step{Direction: dir, TargetX: aim[0], TargetY: aim[1]}
	switch hooked := t.Core.HookState == physics.HookGrabbed; {
	case hooked && r.Percent(60):
		base.Hook = true
	case !hooked && r.Percent(45):
		if x, y, ok := s.hookTarget(t.Pos); ok {
			base.Hook, base.TargetX, base.TargetY = true, x, y
			// Release the hook first.
			if t.Core.HookState != physics.HookIdle {
				idle := base
				idle.Ticks, idle.Hook = 1, false
				dst = append(dst, idle)
			}
			ticks += 6
		}
	}
	if t.Weapons[ddrace.WeaponGrenade] {
		base.Weapon = uint8(ddrace.WeaponGrenade) + 1
		if !base.Hook && t.ReloadTimer == 0 && t.ActiveWeapon == ddrace.WeaponGrenade && r.Percent(30) {
			return s.grenadeJump(dst, base, ticks)
		}
	}
	if !r.Percent(45) {
		base.Ticks = ticks
		return append(dst, base)
	}
	before := uint8(0)
	if r.Percent(50) {
		before = uint8(r.Uint32n(uint32(ticks)))
	}
	if before == 0 && t.Core.Jumped&1 != 0 {
		before = 1
	}
	if before > 0 {
		base.Ticks = before
		dst = append(dst, base)
	}
	base.Jump, base.Ticks = true, 1
	dst = append(dst, base)
	if rest := int(ticks) - int(before) - 1; rest > 0 {
		base.Jump, base.Ticks = false, uint8(rest)
		dst = append(dst, base)
	}
	return dst
}

// grenadeJump appends inputs that fire a grenade, mostly downwards, so that its explosion pushes
// the tee. Some of them jump first.
func (s *Search) grenadeJump(dst []Step, base Step, ticks uint8) []Step {
	r := &s.rand
	if wait := r.Uint32n(8); r.Percent(60) {
		base.Jump, base.Ticks = true, 1
		dst = append(dst, base)
		if base.Jump = false; wait > 0 {
			base.Ticks = uint8(wait)
			dst = append(dst, base)
		}
	}
	d := vec.Direction(float32(r.Uint32n(128)+32) * (3.14159265 / 192))
	if r.Percent(15) {
		d = vec.Direction(float32(r.Uint32n(256)) * (3.14159265 / 128))
	}
	base.TargetX, base.TargetY = int16(d.X*200), int16(d.Y*200)
	base.Fire, base.Ticks = true, 1
	dst = append(dst, base)
	base.Fire, base.Ticks = false, ticks
	return append(dst, base)
}

// downhill returns the horizontal direction in which the distance to the goal decreases, looking
// some tiles ahead.
func (s *Search) downhill(f field, at ddrace.Vec) int8 {
	w := s.ground.width
	i := s.ground.tile(at)
	x0 := i % w
	for range 4 {
		best := i
		x, y := i%w, i/w
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if x+dx < 0 || x+dx >= w || y+dy < 0 || y+dy >= s.ground.t.Height {
					continue
				}
				if k := (y+dy)*w + x + dx; f[k] < f[best] {
					best = k
				}
			}
		}
		i = best
	}
	switch x := i % w; {
	case x < x0:
		return -1
	case x > x0:
		return 1
	}
	return 0
}

// hookTarget returns a random direction in which the hook can attach.
func (s *Search) hookTarget(from ddrace.Vec) (x, y int16, ok bool) {
	const reach = 380
	for range 3 {
		d := vec.Direction(float32(s.rand.Uint32n(256)) * (3.14159265 / 128))
		if s.ground.m.HookHolds(from, from.Add(d.Mul(reach))) {
			return int16(d.X * 200), int16(d.Y * 200), true
		}
	}
	return 0, 0, false
}
