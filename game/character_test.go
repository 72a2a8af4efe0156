package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

func TestModMovesAndPushesTees(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0, 1)
	var start, floor vec.Vec2
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		start = p.Pos()
		testenv.Check(t, p.Grounded(), "does not stand")
		p.SetPos(vec.Vec2{X: start.X + 100.25, Y: start.Y - 200})
		floor = p.Pos()
		p.SetVel(vec.Vec2{X: 3})
		p.Push(vec.Vec2{X: 2, Y: -1})
		testenv.Check(t, p.Vel() == vec.Vec2{X: 5, Y: -1}, "velocity %v", p.Vel())
	})
	testenv.Check(t, floor == vec.Vec2{X: start.X + 100, Y: start.Y - 200}, "at %v, which clients would not see", floor)
	w.steps(1)
	c := w.char(0)
	testenv.Check(t, c.X == int32(floor.X)+5 && c.VelX > 0 && c.VelY < 0 && c.Tick == w.Tick(), "then %+v from %v", c, floor)

	nan := float32(0)
	nan /= nan
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		p.SetVel(vec.Vec2{X: nan, Y: 1e30})
		testenv.Check(t, p.Vel() == vec.Vec2{Y: 6000}, "velocity %v", p.Vel())
		p.SetVel(vec.Vec2{})
		p.SetPos(vec.Vec2{X: nan, Y: nan})
		testenv.Check(t, p.Pos() == vec.Vec2{}, "at %v", p.Pos())
		ctx.Player(5).SetPos(vec.Vec2{})
		ctx.Player(5).Push(vec.Vec2{X: 1})
	})
}

func TestMovedTeeIsNotHeldByHooks(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(5)})
	w.enter(0, 1)
	hook := game.Input{TargetX: 100, Hook: true}
	if w.char(0).X > w.char(1).X {
		hook.TargetX = -100
	}
	w.hold(0, hook, 5)
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(1)
		testenv.Require(t, ctx.Player(0).Hooked() == 1 && p.Hooked() == game.Nobody, "does not hold the other")
		p.SetPos(p.Pos().Add(vec.Vec2{Y: -64}))
		testenv.Check(t, ctx.Player(0).Hooked() == game.Nobody, "still holds")
	})
	w.steps(1)
	testenv.Check(t, w.char(0).HookState == physics.HookRetracted, "hook state %d", w.char(0).HookState)
}

func TestModArmsTees(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0)
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		testenv.Check(t, !p.SelectWeapon(game.WeaponLaser) && !p.HasWeapon(9) && !p.HasWeapon(-1), "has a laser")
		p.GiveWeapon(game.WeaponLaser, 2)
		testenv.Check(t, p.SelectWeapon(game.WeaponLaser) && p.Weapon() == game.WeaponLaser && p.Ammo(game.WeaponLaser) == 2, "not armed")
		p.SetAmmo(game.WeaponLaser, 99)
		testenv.Check(t, p.Ammo(game.WeaponLaser) == 10, "%d rounds", p.Ammo(game.WeaponLaser))
		p.SetAmmo(game.WeaponLaser, -1)
		p.SetHealth(0)
		p.SetArmor(99)
		health, armor := p.Health(), p.Armor()
		testenv.Check(t, health == 1 && armor == 10, "health %d, armor %d", health, armor)
		p.SetEmote(game.EmoteAngry, 10)
		p.SetReloadTicks(5)
	})
	testenv.Check(t, w.char(0).Emote == game.EmoteAngry, "emote %d", w.char(0).Emote)
	testenv.Check(t, sounds(w.shoot(0, 100, -100, 3), game.SoundLaserFire) == 0, "fires while it reloads")
	w.steps(10)
	testenv.Check(t, sounds(w.shoot(0, 100, -100, 2), game.SoundLaserFire) == 1, "does not fire")
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		testenv.Check(t, p.Ammo(game.WeaponLaser) == -1 && p.ReloadTicks() > 30, "rounds %d, reload %d", p.Ammo(game.WeaponLaser), p.ReloadTicks())
	})
}

// mirror is a mod that turns inputs around.
type mirror struct{ script }

func (*mirror) OnInput(_ *game.Ctx, id game.PlayerID, in *game.Input) {
	if id == 0 {
		in.Direction = -in.Direction
	} else {
		in.Direction = 7
	}
}

func TestModsSeeChangeAndMaskInputs(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{&mirror{}}})
	w.enter(0, 1)
	right := game.Input{Direction: 1, TargetX: 100}
	w.hold(0, right, 3)
	testenv.Check(t, w.char(0).VelX < 0 && w.char(0).Direction == -1, "moves right: %+v", w.char(0))
	w.hold(1, right, 3)
	testenv.Check(t, w.char(1).VelX > 0, "an invalid input counts: %+v", w.char(1))
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(1)
		testenv.Check(t, p.Input().Direction == 1 && ctx.Player(9).Input() == game.Input{}, "input %+v", p.Input())
		p.MaskInput(game.ControlAll)
		testenv.Check(t, p.MaskedInput() == game.ControlAll, "masks %v", p.MaskedInput())
	})
	all := game.Input{Direction: 1, TargetX: 100, TargetY: -50, Jump: true, Hook: true, WantedWeapon: int32(game.WeaponHammer) + 1}
	w.steps(50)
	at := w.char(1).Pos
	w.hold(1, all, 20)
	c := w.char(1)
	testenv.Check(t, c.Pos == at && c.Direction == 0 && c.HookState == physics.HookIdle && c.Weapon == game.WeaponGun,
		"masked, but %+v", c)
	testenv.Check(t, sounds(w.shoot(1, 100, -50, 3), game.SoundGunFire) == 0, "fires")
	testenv.Check(t, w.char(1).Angle != 0, "does not aim")
	w.inTick(func(ctx *game.Ctx) { ctx.Player(1).MaskInput(game.ControlJump) })
	w.hold(1, all, 2)
	testenv.Check(t, w.char(1).Pos.X > at.X && w.char(1).Pos.Y >= at.Y && w.char(1).HookState != physics.HookIdle, "still masked: %+v", w.char(1))
}

func TestFrozenTeeStandsUntilTheTimeIsOver(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0)
	in := game.Input{Direction: 1, TargetX: 100, Jump: true}
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		testenv.Check(t, p.Freeze(20) && p.Frozen() == 20, "frozen for %d", p.Frozen())
		testenv.Check(t, !p.Freeze(20) && !p.Freeze(60) && !p.Freeze(0) && !p.Freeze(-7) && !ctx.Player(5).Freeze(9), "frozen again")
	})
	begin, at := w.Tick(), w.char(0).Pos
	c := w.char(0)
	testenv.Check(t, w.Frame().Extended && c.FreezeStart == begin && c.FreezeEnd == begin+20 && c.Emote == game.EmoteBlink, "shown as %+v", c)
	for w.Tick() < begin+19 {
		evs := w.hold(0, in, 1)
		in.Fire++
		c = w.char(0)
		testenv.Require(t, c.Pos == at && c.Direction == 0 && c.FreezeEnd == begin+20 && sounds(evs, game.SoundGunFire) == 0,
			"at %d of 20 ticks %+v", w.Tick()-begin, c)
	}
	w.hold(0, in, 1)
	c = w.char(0)
	testenv.Check(t, c.Pos.X > at.X && c.Pos.Y < at.Y && c.FreezeEnd == 0 && c.Emote == game.EmoteNormal, "still frozen: %+v", c)

	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		testenv.Check(t, p.Freeze(game.FreezeForever) && p.Frozen() == game.FreezeForever && !p.Freeze(100), "not for ever")
	})
	w.hold(0, in, 100)
	testenv.Check(t, w.char(0).Direction == 0 && w.char(0).FreezeEnd == game.FreezeForever && w.char(0).Emote == game.EmotePain, "moves: %+v", w.char(0))
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		testenv.Check(t, p.Unfreeze() && !p.Unfreeze() && p.Frozen() == 0, "cannot be freed")
	})
	w.hold(0, in, 1)
	testenv.Check(t, w.char(0).Direction == 1, "still frozen")
	// Called in every tick, as on a tile that freezes, it changes once a second.
	starts := map[int32]bool{}
	for range 120 {
		w.inTick(func(ctx *game.Ctx) { ctx.Player(0).Freeze(150) })
		starts[w.char(0).FreezeStart] = true
	}
	testenv.Check(t, len(starts) == 3, "froze anew %d times", len(starts))
}

func TestFreezeWaitsInAPause(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).Freeze(30) })
	w.do(game.Command{Kind: game.CmdPause, Player: game.Nobody, Value: -1})
	w.steps(100)
	left := w.char(0).FreezeEnd - w.Tick()
	testenv.Check(t, left > 25 && left <= 30, "%d ticks left", left)
}

// meeting brings player 0 and player 1 side by side, with the flags, and holds an input of
// player 0 for some ticks.
func (w *world) meeting(f game.CharacterFlags, in game.Input, ticks int) []game.Event {
	w.t.Helper()
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		p.SetFlags(f)
		testenv.Check(w.t, p.Flags() == f, "has flags %x", p.Flags())
		for id := range game.PlayerID(2) {
			ctx.Player(id).SetPos(vec.Vec2{X: 500 + float32(30*id), Y: 430})
			ctx.Player(id).SetVel(vec.Vec2{})
			ctx.Player(id).SetHealth(10)
		}
	})
	return w.hold(0, in, ticks)
}

func TestFlagsOfCharacters(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{armed()}, Rules: rules(func(r *game.Rules) { r.Warmup = 0 })})
	w.enter(0, 1)
	idle, hook := game.Input{TargetX: 100}, game.Input{TargetX: 100, Hook: true}
	passes := func(f game.CharacterFlags) bool {
		w.meeting(f, idle, 1)
		return w.char(0).Pos.X == 500 && w.char(1).Pos.X == 530
	}
	testenv.Check(t, !passes(0) && !passes(game.CharacterFlagNoHook), "tees do not push each other")
	testenv.Check(t, passes(game.CharacterFlagSolo) && passes(game.CharacterFlagNoCollision), "tees push each other")
	runsInto := func(f game.CharacterFlags) bool {
		w.meeting(f, game.Input{TargetX: 100, Direction: 1}, 20)
		return w.char(0).Pos.X > w.char(1).Pos.X
	}
	testenv.Check(t, !runsInto(0) && runsInto(game.CharacterFlagSolo) && runsInto(game.CharacterFlagNoCollision), "tees stop each other wrongly")

	hooks := func(f game.CharacterFlags) game.PlayerID {
		w.meeting(f, idle, 1)
		w.inTick(func(ctx *game.Ctx) { ctx.Player(1).SetPos(ctx.Player(0).Pos().Add(vec.Vec2{X: 150})) })
		w.hold(0, hook, 4)
		return w.hooked(0)
	}
	testenv.Check(t, hooks(0) == 1 && hooks(game.CharacterFlagNoCollision) == 1, "does not hook")
	testenv.Check(t, hooks(game.CharacterFlagSolo) == -1 && hooks(game.CharacterFlagNoHook) == -1, "hooks")
	testenv.Check(t, hooks(0) == 1, "does not hook again")
	w.inTick(func(ctx *game.Ctx) { ctx.Player(1).AddFlags(game.CharacterFlagSolo) })
	w.hold(0, hook, 1)
	testenv.Check(t, w.hooked(0) == -1, "still hooks one who is solo now")
	w.inTick(func(ctx *game.Ctx) { ctx.Player(1).RemoveFlags(game.CharacterFlagSolo) })
	holds := func(f game.CharacterFlags) bool {
		hooks(f)
		w.hold(0, hook, 80)
		return w.hooked(0) == 1
	}
	testenv.Check(t, !holds(0) && holds(game.CharacterFlagEndlessHook), "a hook ends wrongly")

	jumps := func(f game.CharacterFlags) (n int) {
		w.meeting(f, idle, 1)
		for range 6 {
			w.hold(0, game.Input{TargetX: 100, Jump: true}, 1)
			if w.char(0).TriggeredEvents&3 != 0 {
				n++
			}
			w.hold(0, idle, 3)
		}
		return n
	}
	testenv.Check(t, jumps(0) == 2 && jumps(game.CharacterFlagEndlessJump) == 6, "jumps wrongly")

	hits := func(f game.CharacterFlags, weapon game.Weapon) bool {
		w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SelectWeapon(weapon) })
		w.meeting(f|game.CharacterFlagNoCollision, idle, 60)
		return len(eventsOf(w.shoot(0, 100, 0, 20), game.EvDamage)) > 0
	}
	for weapon, flag := range map[game.Weapon]game.CharacterFlags{
		game.WeaponHammer: game.CharacterFlagNoHammerHit, game.WeaponGun: game.CharacterFlagNoGrenadeHit, game.WeaponShotgun: game.CharacterFlagNoShotgunHit,
		game.WeaponGrenade: game.CharacterFlagNoGrenadeHit, game.WeaponLaser: game.CharacterFlagNoLaserHit,
	} {
		testenv.Check(t, hits(0, weapon), "weapon %d does not hit", weapon)
		testenv.Check(t, !hits(flag, weapon), "weapon %d hits", weapon)
		testenv.Check(t, !hits(game.CharacterFlagSolo, weapon), "weapon %d of a tee that is solo hits", weapon)
	}
	w.inTick(func(ctx *game.Ctx) { ctx.Player(1).SetFlags(game.CharacterFlagInvincible) })
	testenv.Check(t, !hits(0, game.WeaponLaser) && !hits(0, game.WeaponHammer) && w.char(1).VelX > 0, "an invincible tee is hit, or not pushed")

	w.kill(0, game.WeaponWorld)
	w.steps(150)
	w.inTick(func(ctx *game.Ctx) {
		testenv.Check(t, ctx.Player(0).Alive() && ctx.Player(0).Flags() == 0, "flags live on")
	})
}

// hooked returns the player whom a player's hook holds. The frame may be some ticks behind.
func (w *world) hooked(id game.PlayerID) (held game.PlayerID) {
	w.inTick(func(ctx *game.Ctx) { held = ctx.Player(id).Hooked() })
	return held
}

// tunings returns the events that tell tunings to players.
func tunings(evs []game.Event) (told []game.Event) {
	for _, e := range evs {
		if e.Kind == game.EvPlayerTuning || e.Kind == game.EvTuneParams {
			told = append(told, e)
		}
	}
	return told
}

func TestPlayerTuningMovesOneTeeAndIsToldOnce(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0, 1)
	own := physics.DefaultTuning()
	own[physics.GroundControlSpeed], own[physics.GunSpeed] = 500, 1
	var told []game.Event
	for range 20 {
		evs := w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetTuning(&own) })
		told = append(told, tunings(evs)...)
	}
	want := own
	want[physics.GunSpeed] = physics.DefaultTuning()[physics.GunSpeed] // clients move all bullets with it
	testenv.Require(t, len(told) == 1, "told %d times", len(told))
	testenv.Check(t, told[0].To == game.MaskOne(0) && told[0].Player == 0 && *told[0].Tuning == want && told[0].Flag, "told %+v", told[0])
	testenv.Check(t, w.PlayerTuning(0) == want && w.PlayerTuning(1) == physics.DefaultTuning(), "tuned wrongly")
	run := func(id game.PlayerID) int32 {
		w.inTick(func(ctx *game.Ctx) { ctx.Player(id).SetPos(vec.Vec2{X: 300 + 400*float32(id), Y: 430}) })
		w.hold(id, game.Input{Direction: 1, TargetX: 100}, 20)
		x := w.char(id).Pos.X
		w.hold(id, game.Input{Direction: 1, TargetX: 100}, 1)
		return int32(w.char(id).Pos.X - x)
	}
	testenv.Check(t, run(0) == 5, "runs at %d", run(0))
	testenv.Check(t, run(1) == 10, "the other one runs at %d", run(1))

	// The operator changes a parameter of a weapon.
	world := w.Tuning()
	world[physics.GunSpeed] = 4242
	told = tunings(w.do(game.Command{Kind: game.CmdTuneParams, Player: game.Nobody, Tuning: &world}))
	testenv.Require(t, len(told) == 2 && told[0].To == game.MaskAll && told[1].To == game.MaskOne(0), "told %+v", told)
	testenv.Check(t, told[1].Tuning[physics.GunSpeed] == 4242 && told[1].Tuning[physics.GroundControlSpeed] == 500, "told %v", *told[1].Tuning)

	told = tunings(w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetTuning(nil) }))
	testenv.Check(t, len(told) == 1 && *told[0].Tuning == world, "told %+v", told)
	testenv.Check(t, run(0) == 10, "still runs at %d", run(0))
}

func TestPredictedTuningIsToldWhenStatesChange(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0, 1)
	check := func(what string, params ...int) {
		t.Helper()
		got := w.PredictedTuning(0)
		want := physics.DefaultTuning()
		for _, i := range params {
			want[i] = 0
		}
		testenv.Check(t, got == want, "%s: %v", what, got)
		testenv.Check(t, w.PlayerTuning(0) == physics.DefaultTuning(), "%s: the physics have another tuning", what)
	}
	told := tunings(w.inTick(func(ctx *game.Ctx) { ctx.Player(0).Freeze(10) }))
	testenv.Check(t, len(told) == 1 && !told[0].Flag && told[0].To == game.MaskOne(0), "told %+v", told)
	check("frozen", physics.GroundControlAccel, physics.AirControlAccel, physics.GroundJumpImpulse, physics.AirJumpImpulse, physics.HookLength,
		physics.PlayerHooking)
	testenv.Check(t, len(tunings(w.steps(8))) == 0 && len(tunings(w.steps(1))) == 1 && len(tunings(w.steps(20))) == 0, "the end is told at another time")
	check("free")
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetFlags(game.CharacterFlagSolo) })
	check("solo", physics.PlayerCollision, physics.PlayerHooking)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetFlags(game.CharacterFlagNoCollision) })
	check("no collision", physics.PlayerCollision)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetFlags(game.CharacterFlagNoHook) })
	check("no hook", physics.PlayerHooking)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetFlags(0); ctx.Player(0).MaskInput(game.ControlMove) })
	check("masked", physics.GroundControlAccel, physics.AirControlAccel)
}

func TestVisibility(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0, 1, 2)
	sees := func(viewer game.PlayerID) bool {
		v := w.View(viewer)
		return v.Shows(w.char(0).NotFor)
	}
	testenv.Check(t, sees(0) && sees(1) && sees(2) && sees(game.Nobody), "hidden at first")
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		p.SetVisibleTo(game.MaskOne(1))
		testenv.Check(t, p.VisibleTo() == game.MaskOne(0).Or(game.MaskOne(1)) && ctx.Player(9).VisibleTo().IsEmpty(), "visible to %x", p.VisibleTo())
	})
	testenv.Check(t, sees(0) && sees(1) && !sees(2) && !sees(game.Nobody), "shown to the wrong ones")
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetVisibleTo(game.PlayerMask{}) })
	testenv.Check(t, sees(0) && !sees(1) && !sees(2) && !sees(game.Nobody), "shown to others")
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetVisibleTo(game.MaskAll) })
	testenv.Check(t, sees(1) && sees(2) && sees(game.Nobody), "still hidden")
}

func TestSkinOverride(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0)
	skin := func() game.Skin { p, _ := w.Player(0); return p.Profile.Skin }
	own := skin()
	zombie := game.Skin{PartNames: [game.NumSkinParts]string{"standard", "a name that is longer than it may be"}}
	cut := zombie
	cut.PartNames[1] = cut.PartNames[1][:game.MaxSkinPartLen]
	var told []game.Event
	for range 3 {
		told = append(told, eventsOf(w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetSkin(zombie, 0) }), game.EvSkinChange)...)
	}
	testenv.Check(t, len(told) == 1 && told[0].To == game.MaskAll && skin() == cut, "told %+v, shown %v", told, skin())
	w.kill(0, game.WeaponWorld)
	w.steps(200)
	testenv.Check(t, skin() == cut, "only for a life")

	// A skin that the player chooses meanwhile is shown later.
	chosen := game.Skin{PartNames: [game.NumSkinParts]string{"kitty"}}
	w.steps(300)
	told = eventsOf(w.do(game.Command{Kind: game.CmdSkinChange, Player: 0, Profile: &game.Profile{Skin: chosen}}), game.EvSkinChange)
	testenv.Check(t, len(told) == 0 && skin() == cut && own != chosen, "told %+v", told)
	told = eventsOf(w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		p.ClearSkin()
		testenv.Check(t, p.Skin() == chosen, "skin %v", p.Skin())
	}), game.EvSkinChange)
	testenv.Check(t, len(told) == 1 && skin() == chosen, "told %+v, shown %v", told, skin())

	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetSkin(zombie, 10) })
	testenv.Check(t, len(eventsOf(w.steps(8), game.EvSkinChange)) == 0 && skin() == cut, "over too soon")
	testenv.Check(t, len(eventsOf(w.steps(2), game.EvSkinChange)) == 1 && skin() == chosen, "not over")
}

// TestStatesAreHashed checks that all that mods change of characters is part of the hash.
func TestStatesAreHashed(t *testing.T) {
	tuning := physics.DefaultTuning()
	tuning[physics.Gravity] = 1
	seen := map[uint64]string{}
	for _, s := range []struct {
		what   string
		change func(ctx *game.Ctx)
	}{
		{"nothing", func(*game.Ctx) {}},
		{"freeze", func(ctx *game.Ctx) { ctx.Player(0).Freeze(100) }},
		{"freeze for ever", func(ctx *game.Ctx) { ctx.Player(0).Freeze(game.FreezeForever) }},
		{"flags", func(ctx *game.Ctx) { ctx.Player(0).SetFlags(game.CharacterFlagEndlessJump) }},
		{"mask", func(ctx *game.Ctx) { ctx.Player(0).MaskInput(game.ControlFire) }},
		{"visibility", func(ctx *game.Ctx) { ctx.Player(0).SetVisibleTo(game.PlayerMask{}) }},
		{"tuning", func(ctx *game.Ctx) { ctx.Player(0).SetTuning(&tuning) }},
		{"skin", func(ctx *game.Ctx) { ctx.Player(0).SetSkin(game.Skin{}, 0) }},
		{"skin for a time", func(ctx *game.Ctx) { ctx.Player(0).SetSkin(game.Skin{}, 50) }},
	} {
		w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
		w.enter(0)
		w.inTick(s.change)
		h := w.Hash()
		testenv.Check(t, seen[h] == "", "%s and %s have the same hash", s.what, seen[h])
		seen[h] = s.what
	}
}

func TestStatesAllocateNothing(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0, 1)
	tuning := physics.DefaultTuning()
	tuning[physics.Gravity] = 40
	w.script.tick = func(ctx *game.Ctx) {
		p := ctx.Player(0)
		p.SetTuning(&tuning)
		p.AddFlags(game.CharacterFlagSolo | game.CharacterFlagEndlessHook)
		ctx.Player(1).Freeze(1000)
		ctx.Player(1).SetVisibleTo(game.MaskOne(1))
		ctx.Player(1).SetSkin(game.Skin{}, 0)
		p.MaskInput(game.ControlHook)
	}
	w.steps(5)
	n := testing.AllocsPerRun(40, func() { w.Step(nil); w.Frame() })
	testenv.Check(t, n == 0, "%v allocations per tick", n)
}

func TestStatesAreRestored(t *testing.T) {
	cfg := game.Config{Terrain: twoTeesMap(8), Mode: dm.Mode{}, Rules: rules(nil), Mods: []game.Mod{&script{}}}
	w := newWorld(t, cfg)
	w.enter(0, 1)
	tuning := physics.DefaultTuning()
	tuning[physics.Gravity] = 20
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		p.SetTuning(&tuning)
		p.SetSkin(game.Skin{PartNames: [game.NumSkinParts]string{"kitty"}}, 40)
		p.SetFlags(game.CharacterFlagNoCollision | game.CharacterFlagEndlessJump)
		p.MaskInput(game.ControlHook)
		ctx.Player(1).Freeze(30)
		ctx.Player(1).SetVisibleTo(game.PlayerMask{})
	})
	cfg.Mods = []game.Mod{&script{}, &script{}} // newWorld adds one
	restored, err := game.Restore(cfg, w.AppendState(nil))
	testenv.NoError(t, err)
	in := game.Input{Direction: 1, TargetX: 100, Jump: true, Hook: true}
	for i := range 60 {
		in.Jump = i%4 == 0
		var cmds []game.Command
		for id := range game.PlayerID(2) {
			cmds = append(cmds, game.Command{Kind: game.CmdDirectInput, Player: id, Input: in}, game.Command{Kind: game.CmdInput, Player: id, Input: in})
		}
		a, b := len(w.Step(cmds)), len(restored.Step(cmds))
		testenv.Require(t, w.Hash() == restored.Hash() && a == b, "after %d ticks they differ", i+1)
	}
}

// impure is a mod that may change the tuning.
type impure struct{ script }

func (*impure) PureTuning() bool { return false }

// TestStandardTuningIsKept checks that in game types of the original players get only the standard
// tuning. Clients would leave with another one.
func TestStandardTuningIsKept(t *testing.T) {
	own := physics.DefaultTuning()
	own[physics.Gravity] = 10
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Rules: rules(func(r *game.Rules) { r.PureTuning = true })})
	w.enter(0)
	change := func(ctx *game.Ctx) { ctx.Player(0).SetTuning(&own); ctx.Player(0).Freeze(10) }
	told := tunings(w.inTick(change))
	testenv.Check(t, len(told) == 0 && w.PlayerTuning(0) == physics.DefaultTuning() && w.PredictedTuning(0) == physics.DefaultTuning(), "told %+v", told)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SetPos(vec.Vec2{X: 500, Y: 200}); ctx.Player(0).SetVel(vec.Vec2{}) })
	w.steps(1)
	testenv.Check(t, w.char(0).VelY == 128, "falls with %d", w.char(0).VelY)

	w = newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{&impure{}}, Rules: rules(func(r *game.Rules) { r.PureTuning = true })})
	w.enter(0)
	testenv.Check(t, w.ModeName() == "DM+", "the game type is %s", w.ModeName())
	testenv.Check(t, len(tunings(w.inTick(change))) == 1 && w.PlayerTuning(0) == own, "not told")
}

// TestBlink counts the ticks, of five seconds, in which an idle tee's eyes are closed.
func TestBlink(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	n := 0
	for range 250 {
		w.Step(nil)
		if w.char(0).Emote == game.EmoteBlink {
			n++
		}
	}
	if n != 4 {
		t.Errorf("closed for %d ticks, want 4", n)
	}
}
