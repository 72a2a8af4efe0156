package ddrace

import (
	"testing"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// stage is a world in which a test places tees.
type stage struct {
	*World
	t testing.TB
}

// newStage begins a match on a map. The map gets a spawn point in its first free corner.
func newStage(t testing.TB, d *drawing) *stage {
	t.Helper()
	d.game(1, 1, tileEntities, 0)
	s := &stage{New(Config{Map: d.load(t), Seed: [2]uint64{3, 4}}), t}
	s.tick = 1001 // nobody freezes in the first second
	for i := range s.entities.projectiles {
		s.entities.projectiles[i].Start = s.tick
	}
	return s
}

// put lets a player enter and places their tee somewhere, at rest.
func (s *stage) put(id int, at Vec) *Tee {
	s.t.Helper()
	s.Enter(id, false)
	for range 5 {
		s.Step(nil)
	}
	tee := s.Tee(id)
	testenv.Require(s.t, tee != nil, "no tee")
	s.place(tee, at)
	return tee
}

func (s *stage) place(tee *Tee, at Vec) {
	tee.Core.Pos, tee.Pos, tee.PrevPos, tee.Core.Vel = at, at, at, Vec{}
}

// fire presses fire once for a tee that aims at a point relative to it. It does not run a tick.
func (s *stage) fire(tee *Tee, x, y int32) {
	in := tee.latestInput
	in.TargetX, in.TargetY = x, y
	in.Fire += 1 + in.Fire&1
	tee.numInputs++ // the first one of a tee does not fire
	s.directInput(tee.ID(), &in)
	tee.latestInput.Fire++
	tee.latestPrevInput = tee.latestInput
}

// steps runs ticks.
func (s *stage) steps(n int) {
	for range n {
		s.Step(nil)
	}
}

// nearly reports whether two vectors are equal except for rounding.
func nearly(a, b Vec) bool { return vec.Distance(a, b) < 0.001 }

// arm gives a tee a weapon and makes it the active one.
func (s *stage) arm(tee *Tee, weapon Weapon) {
	s.GiveWeapon(tee.ID(), weapon, true)
	tee.ActiveWeapon, tee.ReloadTimer = weapon, 0
}

// TestHammer checks the push of a hammer, that it wakes frozen tees, and its reload time.
func TestHammer(t *testing.T) {
	s := newStage(t, room(30, 10))
	a, b := s.put(0, Vec{}), s.put(1, tile(11, 5))
	s.place(a, tile(10, 5))
	s.arm(a, WeaponHammer)
	s.freeze(b, 3)
	s.fire(a, 100, 0)
	want := normalize(Vec{X: 1, Y: -1.1}).Mul(10).Add(Vec{Y: -1})
	testenv.Check(t, nearly(b.Core.Vel, want) && !b.Frozen() && a.ReloadTimer == 16,
		"velocity %v, not %v; frozen %v, reloads %d ticks", b.Core.Vel, want, b.Frozen(), a.ReloadTimer)
	for _, c := range []struct {
		what   string
		change func()
	}{
		{"another team", func() { s.SetTeam(1, 3) }},
		{"solo", func() { s.SetTeam(1, 0); b.Core.Solo = true }},
		{"hits off", func() { b.Core.Solo = false; a.UnhitHammer = true }},
		{"too far", func() { a.UnhitHammer = false; s.place(b, a.Pos.Add(Vec{X: 64})) }},
	} {
		c.change()
		b.Core.Vel, a.ReloadTimer = Vec{}, 0
		s.fire(a, 100, 0)
		testenv.Check(t, b.Core.Vel == Vec{} && a.ReloadTimer == 6, "%s: velocity %v, reloads %d ticks", c.what, b.Core.Vel, a.ReloadTimer)
	}
	// Restrictions limit the push, and tuning is a factor of it.
	s.place(b, a.Pos.Add(Vec{X: 32}))
	b.Restrictions, a.ReloadTimer = cannotUp|cannotRight, 0
	s.fire(a, 100, 0)
	testenv.Check(t, b.Core.Vel == Vec{}, "pushed against stoppers: %v", b.Core.Vel)
}

// TestGrenades checks the lifetime of grenades, and the tees that their explosions push.
func TestGrenades(t *testing.T) {
	s := newStage(t, room(60, 40))
	a, b, c := s.put(0, Vec{}), s.put(1, Vec{}), s.put(2, tile(50, 20))
	s.place(a, tile(10, 20))
	s.place(b, tile(50, 20))
	s.explode(b.Pos.Add(Vec{X: -60}), 0, false, -1)
	l := float32(1 - float32(60-48)/87)
	testenv.Check(t, nearly(b.Core.Vel, Vec{X: 12 * l}) && c.Core.Vel == b.Core.Vel && a.Core.Vel == Vec{}, "pushed by %v", b.Core.Vel)
	for _, tee := range []*Tee{a, b, c} {
		tee.Core.Vel = Vec{}
	}
	s.explode(b.Pos, 0, true, -1)
	testenv.Check(t, c.Core.Vel == Vec{Y: 12} && b.Core.Vel == Vec{}, "an explosion of an entity pushes the newest of a team: %v, %v", b.Core.Vel, c.Core.Vel)
	c.Core.Vel = Vec{}
	a.UnhitGrenade = true
	s.explode(b.Pos, 0, false, -1)
	s.explode(a.Pos, 0, false, -1)
	testenv.Check(t, c.Core.Vel == Vec{} && a.Core.Vel == Vec{Y: 12}, "hits off: %v, owner %v", c.Core.Vel, a.Core.Vel)
	a.UnhitGrenade = false
	s.SetTeam(2, 5)
	s.explode(b.Pos, 0, false, -1)
	testenv.Check(t, c.Core.Vel == Vec{} && b.Core.Vel == Vec{Y: 12}, "another team is pushed: %v", c.Core.Vel)

	s.settings.Tuning[GrenadeSpeed], s.settings.Tuning[GrenadeCurvature] = 0, 0
	s.cacheTuning()
	s.arm(a, WeaponGrenade)
	s.place(a, tile(10, 10))
	s.fire(a, 0, -100)
	n := 0
	for ; len(s.entities.projectiles) > 0 && n < 200; n++ {
		s.place(a, tile(30, 10))
		s.steps(1)
	}
	testenv.Check(t, n == 101, "a grenade ends in its tick %d", n)
}

// TestBullets checks that bullets fly straight, hit and vanish with their owner.
func TestBullets(t *testing.T) {
	s := newStage(t, room(60, 10))
	a, b := s.put(0, Vec{}), s.put(1, tile(20, 8))
	s.place(a, tile(5, 8))
	s.fire(a, 100, 0)
	p := &s.entities.projectiles[0]
	testenv.Check(t, p.Pos == a.Pos.Add(Vec{X: 21}) && p.life == 100 && a.ReloadTimer == 6, "bullet %+v", *p)
	testenv.Check(t, nearly(s.projectileAt(p, s.tick+10), p.Pos.Add(Vec{X: 280})), "after 10 ticks at %v", s.projectileAt(p, s.tick+10))
	s.steps(20)
	testenv.Check(t, len(s.entities.projectiles) == 0, "the bullet did not hit")
	b.Core.Vel = Vec{}
	a.ReloadTimer = 0
	s.place(a, tile(5, 5))
	s.fire(a, 0, -100)
	s.Kill(0, WeaponSelf, false)
	s.steps(1)
	testenv.Check(t, len(s.entities.projectiles) == 0, "the bullet lives without its owner")
}

// TestLasers checks the hits and bounces of lasers and shotguns.
func TestLasers(t *testing.T) {
	s := newStage(t, room(60, 10))
	a, b := s.put(0, Vec{}), s.put(1, tile(15, 5))
	s.place(a, tile(5, 5))
	s.freeze(b, 3)
	s.arm(a, WeaponLaser)
	s.fire(a, 100, 0)
	testenv.Check(t, !b.Frozen() && len(s.entities.beams) == 1 && s.entities.beams[0].laser.energy < 0, "the laser does not wake up")
	s.arm(a, WeaponShotgun)
	s.fire(a, 100, 0)
	testenv.Check(t, b.Core.Vel == Vec{X: -10}, "pulled by %v", b.Core.Vel)
	s.place(b, a.Pos)
	s.arm(a, WeaponShotgun)
	s.fire(a, 100, 0)
	testenv.Check(t, b.Core.Vel == shotgunBug, "pulled from its own place by %v", b.Core.Vel)
	b.UnhitShotgun, a.UnhitShotgun = false, true
	b.Core.Vel = Vec{}
	s.arm(a, WeaponShotgun)
	s.fire(a, 100, 0)
	testenv.Check(t, b.Core.Vel == Vec{}, "hits off: pulled by %v", b.Core.Vel)

	s = newStage(t, room(20, 10))
	a = s.put(0, tile(10, 5))
	s.settings.Tuning[LaserReach], s.settings.Tuning[LaserBounceCost] = 60000, 1000
	s.cacheTuning()
	s.arm(a, WeaponLaser)
	s.fire(a, 100, 0)
	l := &s.entities.beams[0].laser
	reach := float32(19*tileSize-1) - a.Pos.X
	testenv.Check(t, l.dir == Vec{X: -1} && l.bounces == 1 && l.energy < 600-reach && l.energy > 600-reach-12 && l.Eval == s.tick, "after a bounce %+v", *l)
	s.freeze(a, 3)
	for range 9 {
		s.place(a, tile(10, 5))
		s.steps(1)
	}
	testenv.Check(t, !a.Frozen(), "the laser does not hit its owner after a bounce")
	s.steps(10)
	testenv.Check(t, len(s.entities.beams) == 0 && s.entities.shots == 0, "the laser stays")
}

// TestNinja checks the dash of a ninja and its end.
func TestNinja(t *testing.T) {
	s := newStage(t, room(60, 10))
	a, b := s.put(0, Vec{}), s.put(1, tile(8, 5))
	s.place(a, tile(5, 5))
	a.Core.Vel = Vec{X: 3.9}
	s.giveNinja(a)
	s.fire(a, 100, 0)
	testenv.Check(t, a.Ninja.OldVelAmount == 3 && a.Ninja.CurrentMoveTime == 10 && a.ReloadTimer == 40, "ninja %+v", a.Ninja)
	x := a.Core.Pos.X
	s.steps(1)
	testenv.Check(t, a.Core.Pos.X == x+50 && a.Core.Vel.X == 0, "after a tick at %v, velocity %v", a.Core.Pos.X-x, a.Core.Vel)
	hits := 0
	for range 8 {
		before := b.Core.Vel.Y
		s.steps(1)
		if b.Core.Vel.Y < before-5 {
			hits++
		}
	}
	testenv.Check(t, hits == 1, "hit %d times in a dash", hits)
	s.steps(1)
	testenv.Check(t, a.Core.Vel.X > 2.8 && a.Core.Vel.X <= 3, "after the dash %v", a.Core.Vel)
	a.Ninja.ActivationTick = s.tick - 749
	s.steps(1)
	testenv.Check(t, a.Weapons[WeaponNinja], "the ninja ends early")
	s.steps(1)
	testenv.Check(t, !a.Weapons[WeaponNinja] && a.ActiveWeapon == WeaponGun, "the ninja does not end: weapon %d", a.ActiveWeapon)
}

// TestJetpack checks that a held gun pushes in each tick.
func TestJetpack(t *testing.T) {
	s := newStage(t, room(20, 20))
	a := s.put(0, tile(10, 10))
	a.Jetpack, a.NinjaJetpack = true, true
	s.fire(a, 0, 100)
	a.latestInput.Fire++
	a.latestPrevInput = a.latestInput
	for i := range 3 {
		before := a.Core.Vel
		s.tickWeapons(a)
		testenv.Check(t, nearly(a.Core.Vel.Sub(before), Vec{Y: -4 / 6.11}), "tick %d: pushed by %v", i, a.Core.Vel.Sub(before))
	}
	s.freeze(a, 3)
	before := a.Core.Vel
	s.tickWeapons(a)
	testenv.Check(t, a.Core.Vel == before && len(s.entities.projectiles) == 0, "pushed while frozen, or a bullet")
}

// TestWeaponSwitch checks the selection of weapons by counters and by number.
func TestWeaponSwitch(t *testing.T) {
	s := newStage(t, room(20, 20))
	a := s.put(0, tile(10, 10))
	s.GiveWeapon(0, WeaponLaser, true)
	a.numInputs = 1
	change := func(f func(in *Input)) Weapon {
		in := a.latestInput
		f(&in)
		s.directInput(0, &in)
		return a.ActiveWeapon
	}
	testenv.Check(t, change(func(in *Input) { in.NextWeapon += 2 }) == WeaponLaser, "next: %d", a.ActiveWeapon)
	testenv.Check(t, change(func(in *Input) { in.NextWeapon += 4 }) == WeaponGun, "two next: %d", a.ActiveWeapon)
	testenv.Check(t, change(func(in *Input) { in.PrevWeapon += 4 }) == WeaponLaser, "two before: %d", a.ActiveWeapon)
	a.ReloadTimer = 3
	a.input.WantedWeapon = 1 + int32(WeaponHammer)
	testenv.Check(t, change(func(in *Input) { in.WantedWeapon = 1 }) == WeaponLaser && a.QueuedWeapon == WeaponHammer, "while reloading: %d", a.ActiveWeapon)
	a.ReloadTimer = 0
	testenv.Check(t, change(func(in *Input) {}) == WeaponHammer && a.LastWeapon == WeaponLaser, "queued: %d", a.ActiveWeapon)
}

// TestWeaponTeleporters checks that bullets and lasers go on from the exit.
func TestWeaponTeleporters(t *testing.T) {
	d := room(40, 12)
	d.teleport(8, 3, 2, teleInWeapon)
	d.teleport(20, 8, 2, TeleOut)
	d.teleport(8, 5, 3, teleInWeapon) // leads nowhere
	s := newStage(t, d)
	a := s.put(0, tile(5, 3))
	s.fire(a, 100, 0)
	s.steps(5)
	p := &s.entities.projectiles[0]
	testenv.Check(t, p.Pos == tile(20, 8) && p.Dir == Vec{X: 1}, "the bullet began at %v", p.Pos)
	s.place(a, tile(5, 3))
	s.arm(a, WeaponLaser)
	s.fire(a, 100, 0)
	l := &s.entities.beams[0].laser
	testenv.Check(t, l.wasTele && l.telePos == tile(20, 8) && l.bounces == 0, "laser %+v", *l)
	s.entities.projectiles = nil
	s.place(a, tile(5, 5))
	a.ActiveWeapon, a.ReloadTimer = WeaponGun, 0
	s.fire(a, 100, 0)
	s.steps(5)
	testenv.Check(t, s.entities.projectiles[0].Pos == tile(5, 5).Add(Vec{X: 21}), "a teleporter without exits moved the bullet")
}

// TestTeleguns checks the destinations of teleguns.
func TestTeleguns(t *testing.T) {
	d := room(40, 20)
	d.over(21, 5, tileTelePoint, 0)
	d.switchAt(21, 8, 0, tileTeleBlue, 0, 2)
	d.game(21, 5, TileSolid, 0)
	d.game(21, 8, TileSolid, 0)
	s := newStage(t, d)
	a := s.put(0, tile(17, 5))
	a.Telegun = true
	s.fire(a, 100, 0)
	s.steps(5)
	testenv.Check(t, a.Pos.X > 19*tileSize && a.Core.Vel.X == 0, "the tee is at %v", a.Pos)
	s.place(a, tile(17, 8))
	a.ReloadTimer = 0
	s.fire(a, 100, 0)
	s.steps(5)
	testenv.Check(t, a.Pos.X < 19*tileSize, "a tile for grenades works for bullets: at %v", a.Pos)
	allowed, blue := s.m.telegunTile(int32(d.at(21, 8)), WeaponGrenade)
	testenv.Check(t, allowed && blue, "the tile for grenades does not work for them")
	// The first free place on the way down, and the middle of the tile before a wall.
	to, ok := s.m.freeAround(Vec{X: 100, Y: 46})
	testenv.Check(t, ok && to == Vec{X: 100, Y: 46}, "near the ceiling: %v, %v", to, ok)
	to, ok = s.m.freeAround(tile(5, 5))
	testenv.Check(t, ok && to == tile(5, 5).Sub(Vec{Y: 5}), "in the open: %v, %v", to, ok)
	to, ok = s.m.freeBefore(Vec{X: 20*tileSize + 31, Y: tile(0, 5).Y}, tile(17, 5))
	testenv.Check(t, ok && to == Vec{X: 20*tileSize + 17, Y: tile(0, 5).Y}, "before a wall: %v, %v", to, ok)
	to, ok = s.m.freeBefore(Vec{X: 300, Y: tileSize}, Vec{X: 300, Y: 100})
	testenv.Check(t, ok && to == Vec{X: 300, Y: tileSize + tileSize/2 - 2}, "below a ceiling: %v, %v", to, ok)
}

// TestUnfreeze checks that an operator can end the freeze of a tee.
func TestUnfreeze(t *testing.T) {
	s := newStage(t, room(30, 10))
	tee := s.put(0, tile(10, 5))
	s.Freeze(0, 3)
	testenv.Check(t, tee.FreezeTime > 0, "not frozen")
	s.Unfreeze(0)
	testenv.Check(t, tee.FreezeTime == 0, "frozen for %d ticks", tee.FreezeTime)
	s.Unfreeze(1) // who is not there
}

// TestSuperCollides checks that super tees push others, even without collision.
func TestSuperCollides(t *testing.T) {
	for _, c := range []struct{ super, noCollision, pushes bool }{{false, false, true}, {false, true, false}, {true, true, true}, {true, false, true}} {
		s := newStage(t, room(30, 10))
		a, b := s.put(0, tile(10, 5)), s.put(1, tile(10, 5).Add(Vec{X: 20}))
		s.place(a, tile(10, 5))
		a.Super, a.Core.NoCollision = c.super, c.noCollision
		s.Step(nil)
		testenv.Check(t, a.Core.Pos.X < tile(10, 5).X == c.pushes, "%+v: %v and %v", c, a.Core.Pos, b.Core.Pos)
	}
}

// TestEndlessHook checks that an endless hook never lets go: its ticks are not counted.
func TestEndlessHook(t *testing.T) {
	for _, endless := range []bool{false, true} {
		s := newStage(t, room(30, 10))
		a, b := s.put(0, Vec{}), s.put(1, tile(14, 5))
		s.place(a, tile(10, 5))
		a.EndlessHook = endless
		a.Core.HookState, a.Core.HookedPlayer = physics.HookGrabbed, int32(b.ID())
		a.savedInput.Hook, a.Core.HookTick = true, 0
		s.place(b, tile(14, 5))
		a.Core.HookPos = b.Core.Pos
		s.Step(nil)
		testenv.Check(t, a.Core.HookedPlayer == int32(b.ID()) && (a.Core.HookTick == 0) == endless,
			"endless %v: hooks %d for %d ticks", endless, a.Core.HookedPlayer, a.Core.HookTick)
	}
}
