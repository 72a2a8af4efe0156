package game_test

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
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
				ctx.GiveArmor(id, tt.armor)
			}
			w := newWorld(t, game.Config{Terrain: twoTeesMap(tt.apart), Mods: []game.Mod{m}})
			w.enter(0, 1)
			x := int32(w.char(1).Pos.X - w.char(0).Pos.X)
			w.selectWeapon(0, tt.weapon, x, 0)
			evs := w.shoot(0, x, 0, 20)
			var got hit
			for _, e := range eventsOf(evs, game.EvDamage) {
				check(t, e.Player == 1 && e.Target == 0 && e.Weapon == tt.weapon && !e.Flag, "hit %+v", e)
				got.health += e.Value
				got.armor += e.Extra
				got.hits++
			}
			check(t, got == tt.want, "got %+v, want %+v", got, tt.want)
			if c := w.char(1); c.Health != 10-got.health || c.Armor != tt.armor-got.armor {
				t.Errorf("victim left with %d health, %d armor", c.Health, c.Armor)
			}
			if n := sounds(evs, game.SoundHit); n != int(got.hits) {
				t.Errorf("%d hit sounds", n)
			}
		})
	}
}

func TestHitSoundIsForTheAttacker(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(3)})
	w.enter(0, 1)
	w.do(join(2)...)
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 2, Team: game.TeamSpectators})
	w.do(game.Command{Kind: game.CmdSpectate, Player: 2, Spectate: game.SpectatePlayer, Target: 0})
	w.selectWeapon(0, game.WeaponGun, 100, 0)
	for _, e := range eventsOf(w.shoot(0, 100, 0, 20), game.EvSound) {
		if e.Sound == game.SoundHit {
			if want := game.MaskOne(0) | game.MaskOne(2); e.To != want {
				t.Errorf("heard by %b, want %b", e.To, want)
			}
			return
		}
	}
	t.Error("no hit sound")
}

func TestSelfDamageIsHalf(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{armed()}})
	w.enter(0)
	w.selectWeapon(0, game.WeaponGrenade, 0, 100)
	evs := eventsOf(w.shoot(0, 0, 100, 10), game.EvDamage)
	require(t, len(evs) == 1 && evs[0].Value == 3 && evs[0].Flag && evs[0].Player == 0, "got %+v", evs)
}

func TestExplosionPushesAndFadesWithDistance(t *testing.T) {
	var lost []int32
	for _, apart := range []int{2, 3, 4, 5} {
		w := newWorld(t, game.Config{Terrain: twoTeesMap(apart)})
		w.enter(0, 1)
		evs := w.inTick(func(ctx *game.Ctx) { ctx.Explode(ctx.Pos(0), 0, game.WeaponGrenade, 6) })
		total := int32(0)
		for _, e := range eventsOf(evs, game.EvDamage) {
			if e.Player == 1 {
				total += e.Value
			}
		}
		lost = append(lost, total)
	}
	// 64, 96, 128 and 160 units away: factor 1-(d-48)/87 of 6, cut.
	check(t, slices.Equal(lost, []int32{4, 2, 0, 0}), "lost %v", lost)
}

func TestGunReloadsOneRoundPer25Ticks(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0)
	w.selectWeapon(0, game.WeaponGun, 0, -100)
	fire := int32(0)
	for range 5 {
		fire++
		w.hold(0, game.Input{TargetY: -100, Fire: fire}, 1)
		fire++
		w.hold(0, game.Input{TargetY: -100, Fire: fire}, 6)
	}
	// Shooting does not reset the time, so a round can have come in between.
	last := w.char(0).Ammo
	require(t, last == 6 || last == 7, "ammo %d after five shots", last)
	missing := int(10 - last)
	var at []int32
	for range 200 {
		w.hold(0, game.Input{TargetY: -100, Fire: fire}, 1)
		if a := w.char(0).Ammo; a != last {
			at = append(at, w.Tick())
			last = a
		}
	}
	require(t, len(at) == missing, "%d rounds came, %d were missing", len(at), missing)
	for i := 1; i < len(at); i++ {
		if at[i]-at[i-1] != 26 { // 25 of loading, one to start
			t.Errorf("rounds came at %v", at)
		}
	}
}

func TestEmptyClick(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{&script{spawn: func(ctx *game.Ctx, id game.PlayerID) {
		ctx.GiveWeapon(id, game.WeaponLaser, 0)
	}}}})
	w.enter(0)
	w.selectWeapon(0, game.WeaponLaser, 100, 0)
	clicks := 0
	for i := range int32(40) {
		clicks += sounds(w.hold(0, game.Input{TargetX: 100, Fire: i & 63}, 1), game.SoundWeaponNoAmmo)
	}
	check(t, clicks == 1, "%d clicks heard within 40 ticks, want 1", clicks)
}

func TestFullAuto(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{armed()}})
	w.enter(0)
	w.selectWeapon(0, game.WeaponLaser, 0, -100)
	shots := sounds(w.hold(0, game.Input{TargetY: -100, Fire: 1}, 82), game.SoundLaserFire)
	if shots != 3 { // at once and every 41 ticks: 40 of reload, then one to fire
		t.Errorf("%d shots with the button held, want 3", shots)
	}
}

func TestDirectInputFiresAtOnce(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0)
	in := game.Input{TargetX: 100}
	w.hold(0, in, 5)
	in.Fire = 1
	evs := w.do(game.Command{Kind: game.CmdDirectInput, Player: 0, Input: in})
	require(t, sounds(evs, game.SoundGunFire) == 1, "no shot on arrival")
	// It was fired at the tick before this step and has already moved for one tick.
	p := w.Frame().Projectiles
	check(t, len(p) == 1 && p[0].StartTick == w.Tick()-1 && p[0].Pos.X > float32(p[0].X), "projectile %+v at tick %d", p, w.Tick())
}

func TestNoShotBeforeThreeMovementInputs(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.Step(join(0))
	shots := 0
	for i := range int32(3) {
		in := game.Input{TargetX: 100, Fire: i + 1}
		shots += sounds(w.hold(0, in, 1), game.SoundGunFire)
	}
	check(t, shots == 0, "%d shots", shots)
	if n := sounds(w.hold(0, game.Input{TargetX: 100, Fire: 5}, 1), game.SoundGunFire); n != 1 {
		t.Errorf("fourth input: %d shots", n)
	}
}

func TestNinja(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(4), Mods: []game.Mod{&script{spawn: func(ctx *game.Ctx, id game.PlayerID) {
		if id == 0 {
			ctx.GiveWeapon(id, game.WeaponNinja, -1)
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
	check(t, len(hits) == 1 && hits[0].Value == 9 && hits[0].Player == 1, "hits %+v, want one of 9", hits)
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

func TestWeaponSwitchWaitsForReload(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{armed()}})
	w.enter(0)
	w.selectWeapon(0, game.WeaponLaser, 0, -100)
	w.shoot(0, 0, -100, 1)
	in := game.Input{TargetY: -100, Fire: 2, WantedWeapon: int32(game.WeaponGun) + 1}
	w.hold(0, in, 10)
	if got := w.char(0).Weapon; got != game.WeaponLaser {
		t.Fatalf("switched to %d while reloading", got)
	}
	w.hold(0, in, 40)
	if got := w.char(0).Weapon; got != game.WeaponGun {
		t.Errorf("weapon %d after the reload", got)
	}
}

func TestNextAndPreviousWeapon(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{armed()}})
	w.enter(0)
	in := game.Input{TargetX: 100}
	w.hold(0, in, 5)
	for _, step := range []struct {
		next, prev int32
		want       game.Weapon
	}{
		{next: 1, want: game.WeaponShotgun},
		{next: 1, want: game.WeaponGrenade},
		{next: 2, want: game.WeaponHammer}, // skips the ninja, which is not owned
		{prev: 1, want: game.WeaponLaser},
	} {
		for range 2 * step.next {
			in.NextWeapon = (in.NextWeapon + 1) & 63
			w.hold(0, in, 1)
		}
		for range 2 * step.prev {
			in.PrevWeapon = (in.PrevWeapon + 1) & 63
			w.hold(0, in, 1)
		}
		if got := w.char(0).Weapon; got != step.want {
			t.Fatalf("weapon %d, want %d", got, step.want)
		}
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
	require(t, len(first) == 1, "lasers %+v", first)
	start := first[0]
	w.steps(8)
	second := w.Frame().Lasers
	check(t, len(second) == 1 && second[0].StartTick == start.StartTick+8 && second[0].FromX == start.X, "after the delay %+v, first %+v", second, start)
	w.steps(8)
	if l := w.Frame().Lasers; len(l) != 0 {
		t.Errorf("still there: %+v", l)
	}
}
