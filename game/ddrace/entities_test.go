package ddrace

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// entityTile is the tile of an entity.
func entityTile(kind EntityKind) uint8 { return uint8(kind) + tileEntities - 1 }

// TestPickups checks what each pickup does, also on a switch and with a radius.
func TestPickups(t *testing.T) {
	d := room(60, 10)
	for i, kind := range []EntityKind{EntityHealth, EntityShotgun, EntityGrenade, EntityLaser, EntityNinja, EntityArmor, EntityNoShotgun,
		EntityNoGrenade, EntityNoLaser, EntityNoNinja} {
		d.game(4+4*i, 3, entityTile(kind), 0)
	}
	d.switchAt(50, 3, 1, entityTile(EntityShotgun), 0, 0)
	d.Settings = []string{"switch_open 1"}
	s := newStage(t, d)
	a := s.put(0, tile(2, 3))
	touch := func(x int) {
		s.place(a, tile(x, 3).Add(Vec{X: 47}))
		s.tickEntities()
	}
	touch(4)
	testenv.Check(t, a.FreezeTime == 150 && a.FreezeStart == s.tick, "health: frozen for %d ticks", a.FreezeTime)
	for i := range 3 {
		touch(8 + 4*i)
	}
	testenv.Check(t, a.Weapons[WeaponShotgun] && a.Weapons[WeaponGrenade] && a.Weapons[WeaponLaser] && a.ActiveWeapon == WeaponGun, "weapons %v", a.Weapons)
	touch(20)
	testenv.Check(t, a.ActiveWeapon == WeaponNinja && a.LastWeapon == WeaponGun && a.Ninja.ActivationTick == s.tick, "no ninja: %d", a.ActiveWeapon)
	touch(40)
	testenv.Check(t, a.Ninja.ActivationTick == -500, "the ninja goes on")
	a.ActiveWeapon = WeaponGrenade
	touch(28)
	touch(32)
	testenv.Check(t, !a.Weapons[WeaponShotgun] && !a.Weapons[WeaponGrenade] && a.Weapons[WeaponLaser] && a.ActiveWeapon == WeaponHammer &&
		a.LastWeapon == WeaponGun, "shields: %v, active %d", a.Weapons, a.ActiveWeapon)
	a.ActiveWeapon = WeaponLaser
	touch(24)
	testenv.Check(t, a.Weapons == [NumWeapons]bool{WeaponHammer: true, WeaponGun: true} && a.ActiveWeapon == WeaponHammer,
		"armor: %v, active %d", a.Weapons, a.ActiveWeapon)
	touch(50)
	testenv.Check(t, !a.Weapons[WeaponShotgun], "a pickup that is switched off")
	s.switches.active[0].Set(1, true)
	touch(50)
	testenv.Check(t, a.Weapons[WeaponShotgun], "a pickup that is switched on")
	s.place(a, tile(12, 3).Add(Vec{X: 48}))
	s.tickEntities()
	testenv.Check(t, !a.Weapons[WeaponGrenade], "a pickup 48 units away")
}

// TestMovers checks that entities take the velocity of movers every 7 ticks, and keep it in
// between.
func TestMovers(t *testing.T) {
	d := room(20, 10)
	d.game(5, 3, tileMover, turned90)
	d.game(6, 3, tileFastMover, turned180)
	d.over(5, 3, entityTile(EntityHealth), 0)
	s := newStage(t, d)
	s.tick = 0
	for range 7 * 8 {
		s.steps(1)
	}
	p := &s.entities.pickups[0]
	testenv.Check(t, p.Pos == tile(5, 3).Add(Vec{X: 16, Y: 64}), "the pickup is at %v", p.Pos.Sub(tile(5, 3)))
}

// TestLights checks that lights turn, grow, shrink, and freeze tees.
func TestLights(t *testing.T) {
	d := room(30, 30)
	d.game(15, 15, entityTile(EntityLight), 0) // fast against the clock
	d.game(16, 15, entityTile(entityLength), 0)
	d.game(17, 15, entityTile(entityOpening+2), 0) // 5 units per tick
	d.game(5, 5, entityTile(EntityLight+3), 0)     // fixed
	d.game(5, 6, entityTile(entityLength+1), 0)
	s := newStage(t, d)
	a := s.put(0, Vec{X: 400, Y: 100})
	turning, fixed := &s.entities.lights[1], &s.entities.lights[0]
	testenv.Require(t, turning.full == 96 && fixed.full == 192, "lights %+v, %+v", *turning, *fixed)
	var lengths []int32
	for range 12 {
		turning.turn()
		lengths = append(lengths, turning.length)
	}
	// At an end the direction changes. The distance beyond the end comes with the next step.
	want := []int32{35, 70, 96, 70, 35, 0, 35, 70, 96, 70, 35, 0}
	testenv.Check(t, slices.Equal(lengths, want), "lengths %v, not %v", lengths, want)
	testenv.Check(t, abs(turning.rotation-(pi/2+12*7*pi/90)) < 1e-4 || abs(turning.rotation-(pi/2+12*7*pi/90-2*pi)) < 1e-4, "rotation %v", turning.rotation)
	for s.Step(nil); s.tick%7 != 0; s.Step(nil) {
	}
	testenv.Check(t, nearly(fixed.To, tile(5, 5).Add(Vec{Y: 192})), "the fixed light ends at %v", fixed.To)
	s.place(a, tile(5, 9).Add(Vec{X: 28}))
	s.tickLight(fixed)
	testenv.Check(t, !a.Frozen(), "frozen at a distance of 28")
	s.place(a, tile(5, 9).Add(Vec{X: 27}))
	s.tickLight(fixed)
	testenv.Check(t, a.Frozen(), "not frozen at a distance of 27")
}

// TestDraggers checks the tees that draggers pull, the force, and the end of the pull.
func TestDraggers(t *testing.T) {
	d := room(60, 12)
	d.game(20, 5, entityTile(EntityDragger+1), 0)
	d.game(35, 5, TileSolid, 0)
	s := newStage(t, d)
	a, b, c := s.put(0, Vec{}), s.put(1, Vec{}), s.put(2, Vec{})
	g := &s.entities.draggers[0]
	look := func(at ...Vec) {
		for i, tee := range []*Tee{a, b, c} {
			s.place(tee, at[i])
		}
		s.tick = 7 * 1000
		s.tickDragger(0)
		s.removeEntities()
	}
	far := tile(55, 9)
	look(tile(25, 5), tile(24, 5), far)
	testenv.Check(t, g.beams == TeeSet{low: 1 << 1} && b.Core.Vel == Vec{X: -2} && a.Core.Vel == Vec{},
		"beams %v, velocities %v, %v", g.beams, a.Core.Vel, b.Core.Vel)
	look(tile(21, 5), tile(24, 5), far)
	testenv.Check(t, g.beams == TeeSet{low: 1 << 1}, "another target though the first one is still there: %v", g.beams)
	s.SetTeam(2, 7)
	a.Core.Solo = true
	look(tile(21, 5), tile(24, 5), tile(22, 5))
	testenv.Check(t, g.beams == TeeSet{low: 7} && len(s.entities.beams) == 3, "solo and another team: %v", g.beams)
	a.Core.Solo = false
	look(tile(21, 5), tile(40, 5), far)
	testenv.Check(t, g.beams == TeeSet{low: 1} && len(s.entities.beams) == 1, "a tee behind a wall, one that is far: %v", g.beams)
	s.place(a, g.Pos.Add(Vec{X: 28}))
	s.tickDraggerBeam(&s.entities.beams[0])
	testenv.Check(t, a.Core.Vel == Vec{} && !s.entities.beams[0].gone, "pulled in the middle: %v", a.Core.Vel)
	s.place(a, g.Pos.Add(Vec{X: 700}))
	s.tickDraggerBeam(&s.entities.beams[0])
	testenv.Check(t, s.entities.beams[0].gone && g.beams == TeeSet{}, "a beam of 700 units")
	g.ThroughWalls = true
	s.settings.DraggerRange = 2000
	look(tile(40, 5), far, far)
	testenv.Check(t, g.beams.Has(0), "no beam through the wall: %v", g.beams)
}

// TestTurrets checks the rate of turrets, and the effects of plasma.
func TestTurrets(t *testing.T) {
	d := room(40, 12)
	d.game(10, 5, entityTile(EntityTurretBoth), 0)
	s := newStage(t, d)
	a, b := s.put(0, Vec{}), s.put(1, Vec{})
	s.place(a, tile(20, 5))
	s.place(b, tile(25, 5))
	s.entities.turrets[0].firedAtTeam[0] = 0
	s.entities.beams, s.entities.shots = nil, 0
	for range 50 {
		s.tickTurret(&s.entities.turrets[0])
		s.tick++
	}
	shots := len(s.entities.beams)
	testenv.Check(t, shots == 4 && s.entities.beams[0].target == 0, "%d shots in a second, the first at %d", shots, s.entities.beams[0].target)
	s.entities.beams = s.entities.beams[:1]
	shot := &s.entities.beams[0]
	n := 0
	for ; !shot.gone && n < 100; n++ {
		s.tickPlasma(shot)
	}
	testenv.Check(t, a.Frozen() && vec.Distance(a.Core.Vel, Vec{}) > 1 && !b.Frozen() && n < 40,
		"frozen %v, velocity %v after %d ticks", a.Frozen(), a.Core.Vel, n)
	shot.gone, shot.plasma.life, shot.plasma.Pos, shot.plasma.vel = false, 75, tile(3, 3), Vec{}
	for n = 0; !shot.gone && n < 100; n++ {
		s.tickPlasma(shot)
	}
	testenv.Check(t, n == 76, "plasma ends in its tick %d", n)
	s.SetTeam(1, 3)
	b.Core.Vel = Vec{}
	s.unfreeze(a)
	shot.gone, shot.plasma.life, shot.plasma.Pos, shot.plasma.vel = false, 75, tile(24, 5), Vec{X: 1}
	s.tickPlasma(shot)
	testenv.Check(t, !shot.gone && b.Core.Vel == Vec{}, "plasma for another team hits")
	s.Kill(0, WeaponSelf, false)
	s.tickPlasma(shot)
	testenv.Check(t, shot.gone, "plasma lives without its target")
}

// TestCrazyBullets checks that the bullets of entities never stop bouncing, and freeze tees that
// they touch.
func TestCrazyBullets(t *testing.T) {
	d := room(20, 12)
	d.game(10, 5, entityTile(EntityBullet), turned90)
	d.game(3, 3, entityTile(EntityBulletExplosive), turned0)
	d.switchAt(10, 7, 0, entityTile(EntityBullet), turned90, 0) // on the switch layer without a number: freezes nobody
	s := newStage(t, d)
	a := s.put(0, Vec{})
	right, down, bare := &s.entities.projectiles[1], &s.entities.projectiles[0], &s.entities.projectiles[2]
	testenv.Require(t, nearly(right.Dir, Vec{X: 1}) && right.Bounces == 1 && nearly(down.Dir, Vec{Y: 1}) && down.Bounces == 2 && down.Explosive,
		"bullets %+v, %+v", *right, *down)
	turns := 0
	for range 500 {
		x := right.Dir.X
		s.place(a, tile(17, 2))
		s.steps(1)
		if right.Dir.X != x {
			turns++
		}
		p := s.projectileAt(right, s.tick)
		testenv.Require(t, !s.m.walls.IsSolid(p) && abs(right.Dir.Y) < 1e-6, "the bullet is at %v", p)
	}
	testenv.Check(t, turns >= 8 && turns <= 10 && len(s.entities.projectiles) == 3, "%d turns in 500 ticks, %d bullets", turns, len(s.entities.projectiles))
	at := s.projectileAt(bare, s.tick)
	s.place(a, at)
	s.tick++
	s.tickProjectile(bare)
	testenv.Check(t, !a.Frozen(), "frozen by a bullet on the switch layer without a number")
	s.place(a, s.projectileAt(right, s.tick))
	s.tickProjectile(right)
	testenv.Check(t, a.Frozen(), "not frozen")
}
