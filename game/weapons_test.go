package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

func TestDamageTable(t *testing.T) {
	type hit struct{ health, armor, hits int32 }
	tests := []struct {
		name   string
		weapon game.Weapon
		apart  int
		armor  int32
		want   hit
	}{
		{"hammer", game.WeaponHammer, 1, 0, hit{3, 0, 1}},
		{"gun", game.WeaponGun, 3, 0, hit{1, 0, 1}},
		{"shotgun, every pellet", game.WeaponShotgun, 2, 0, hit{5, 0, 5}},
		{"grenade", game.WeaponGrenade, 5, 0, hit{6, 0, 1}},
		{"laser", game.WeaponLaser, 8, 0, hit{5, 0, 1}},
		{"armor takes all but one of a hit", game.WeaponHammer, 1, 10, hit{1, 2, 1}},
		{"armor takes a single point", game.WeaponGun, 3, 10, hit{0, 1, 1}},
		{"armor used up", game.WeaponLaser, 8, 2, hit{3, 2, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := armed()
			give := m.spawn
			m.spawn = func(ctx *game.Ctx, id game.PlayerID) {
				give(ctx, id)
				ctx.Player(id).GiveArmor(tt.armor)
			}
			w := newWorld(t, game.Config{Terrain: twoTeesMap(tt.apart), Mods: []game.Mod{m}})
			w.enter(0, 1)
			x := int32(w.char(1).Pos.X - w.char(0).Pos.X)
			w.selectWeapon(0, tt.weapon, x, 0)
			evs := w.shoot(0, x, 0, 20)
			var got hit
			for _, e := range eventsOf(evs, game.EvDamage) {
				testenv.Check(t, e.Player == 1 && e.Target == 0 && e.Weapon == tt.weapon && !e.Flag, "hit %+v", e)
				got.health += e.Value
				got.armor += e.Extra
				got.hits++
			}
			testenv.Check(t, got == tt.want, "got %+v, want %+v", got, tt.want)
			if c := w.char(1); c.Health != 10-got.health || c.Armor != tt.armor-got.armor {
				t.Errorf("victim left with %d health, %d armor", c.Health, c.Armor)
			}
			if n := sounds(evs, game.SoundHit); n != int(got.hits) {
				t.Errorf("%d hit sounds", n)
			}
		})
	}
}

func TestDirectInputFiresAtOnce(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0)
	in := game.Input{TargetX: 100}
	w.hold(0, in, 5)
	in.Fire = 1
	evs := w.do(game.Command{Kind: game.CmdDirectInput, Player: 0, Input: in})
	testenv.Require(t, sounds(evs, game.SoundGunFire) == 1, "no shot on arrival")
	// It was fired at the tick before this step and has already moved for one tick.
	p := w.Frame().Projectiles
	testenv.Check(t, len(p) == 1 && p[0].StartTick == w.Tick()-1 && p[0].Pos.X > float32(p[0].X), "projectile %+v at tick %d", p, w.Tick())
}

func TestNinja(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(4), Mods: []game.Mod{&script{spawn: func(ctx *game.Ctx, id game.PlayerID) {
		if id == 0 {
			ctx.Player(id).GiveWeapon(game.WeaponNinja, -1)
		}
	}}}})
	w.Step(join(0, 1))
	for !w.alive(0) {
		w.steps(1)
	}
	start := w.Tick()
	if c := w.char(0); c.Weapon != game.WeaponNinja || c.Ammo != start+750 {
		t.Fatalf("got %+v", c)
	}
	w.steps(80)
	before := w.char(0).Pos
	evs := w.hold(0, game.Input{TargetX: 100}, 5)
	evs = append(evs, w.shoot(0, 100, 0, 12)...)
	if moved := w.char(0).Pos.X - before.X; moved != 450 {
		t.Errorf("the dash went %v units, want 9 ticks of 50", moved)
	}
	hits := eventsOf(evs, game.EvDamage)
	testenv.Check(t, len(hits) == 1 && hits[0].Value == 9 && hits[0].Player == 1, "hits %+v, want one of 9", hits)
	for w.char(0).Weapon == game.WeaponNinja {
		w.steps(1)
	}
	if got := w.Tick() - start; got != 751 {
		t.Errorf("sword lost after %d ticks, want 751", got)
	}
	if c := w.char(0); c.Weapon != game.WeaponGun {
		t.Errorf("back to weapon %d", c.Weapon)
	}
}

func TestLaserBounces(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(20), Mods: []game.Mod{armed()}})
	w.enter(0)
	w.selectWeapon(0, game.WeaponLaser, 300, 100)
	evs := w.shoot(0, 300, 100, 1)
	if n := sounds(evs, game.SoundLaserBounce); n != 1 {
		t.Errorf("%d bounces at once", n)
	}
	first := w.Frame().Lasers
	testenv.Require(t, len(first) == 1, "lasers %+v", first)
	start := first[0]
	w.steps(8)
	second := w.Frame().Lasers
	testenv.Check(t, len(second) == 1 && second[0].StartTick == start.StartTick+8 && second[0].FromX == start.X,
		"after the delay %+v, first %+v", second, start)
	w.steps(8)
	if l := w.Frame().Lasers; len(l) != 0 {
		t.Errorf("still there: %+v", l)
	}
}

// TestHeldFire checks that a grenade launcher goes on firing while the button stays down, without
// new inputs.
func TestHeldFire(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).GiveWeapon(game.WeaponGrenade, 10) })
	w.selectWeapon(0, game.WeaponGrenade, 100, -100)
	w.hold(0, game.Input{TargetX: 100, TargetY: -100, Fire: 1}, 1)
	evs := w.steps(100)
	if n := sounds(evs, game.SoundGrenadeFire); n < 2 {
		t.Errorf("%d shots after the first in two seconds", n)
	}
}
