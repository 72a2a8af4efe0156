package ddrace

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
)

// practice begins a match with two tees that practise in team 3, far from each other.
func practice(t testing.TB, d *drawing) (s *stage, tee, other *Tee) {
	t.Helper()
	s = newStage20(t, 20, d, nil)
	tee, other = s.put(0, tile(5, 8)), s.put(1, tile(15, 8))
	s.SetTeam(0, 3)
	s.SetTeam(1, 3)
	s.SetPractice(3, true)
	return s, tee, other
}

// types runs a practice command and returns the answer.
func (s *stage) types(line string) string {
	s.t.Helper()
	words := strings.Fields(line)
	answer, known := s.RunPracticeCommand(0, words[0], words[1:])
	testenv.Check(s.t, known, "%s is unknown", line)
	return answer
}

// TestPracticeCommands checks the effect of each command, and that its opposite undoes it.
func TestPracticeCommands(t *testing.T) {
	s, tee, _ := practice(t, room(20, 10))
	weapon := func(w Weapon) func() bool { return func() bool { return tee.Weapons[w] } }
	typed := map[string]bool{"totele": true, "totelecp": true, "setswitch": true} // have tests of their own
	for _, c := range []struct {
		on, off string
		is      func() bool
	}{
		{"solo", "unsolo", func() bool { return tee.Core.Solo }},
		{"deep", "undeep", func() bool { return tee.Deep }},
		{"livefreeze", "unlivefreeze", func() bool { return tee.Live }},
		{"shotgun", "unshotgun", weapon(WeaponShotgun)},
		{"grenade", "ungrenade", weapon(WeaponGrenade)},
		{"laser", "unlaser", weapon(WeaponLaser)},
		{"rifle", "unrifle", weapon(WeaponLaser)},
		{"weapons", "unweapons", weapon(WeaponGrenade)},
		{"addweapon 2", "removeweapon 2", weapon(WeaponShotgun)},
		{"addweapon -1", "removeweapon -1", weapon(WeaponLaser)},
		{"ninja", "unninja", weapon(WeaponNinja)},
		{"jetpack", "unjetpack", func() bool { return tee.Jetpack }},
		{"setjumps 7", "setjumps 2", func() bool { return tee.Core.Jumps == 7 }},
		{"infjump", "uninfjump", func() bool { return tee.AirJumps }},
		{"endless", "unendless", func() bool { return tee.EndlessHook }},
		{"invincible", "invincible", func() bool { return tee.Invincible && tee.AirJumps }},
		{"invincible 1", "invincible 0", func() bool { return tee.Invincible }},
		{"collision", "collision", func() bool { return tee.Core.NoCollision }},
		{"hookcollision", "hookcollision", func() bool { return tee.Core.NoHookHit }},
		{"hitothers", "hitothers all", func() bool { return tee.UnhitHammer && tee.UnhitShotgun && tee.UnhitGrenade && tee.UnhitLaser }},
		{"hitothers hammer", "hitothers hammer", func() bool { return tee.UnhitHammer && !tee.UnhitShotgun }},
		{"hitothers shotgun", "hitothers shotgun", func() bool { return tee.UnhitShotgun && !tee.UnhitHammer }},
		{"hitothers grenade", "hitothers grenade", func() bool { return tee.UnhitGrenade && !tee.UnhitHammer }},
		{"hitothers laser", "hitothers laser", func() bool { return tee.UnhitLaser && !tee.UnhitHammer }},
	} {
		for _, line := range []string{c.on, c.off} {
			name, _, _ := strings.Cut(line, " ")
			typed[name] = true
		}
		testenv.Check(t, !c.is() && s.types(c.on) == "" && c.is(), "%s does nothing", c.on)
		testenv.Check(t, s.types(c.off) == "" && !c.is(), "%s does not end %s", c.off, c.on)
	}
	for _, c := range PracticeCommands() {
		testenv.Check(t, typed[c.Name], "%s was not typed", c.Name)
		_, before := newStage20(t, 16, room(20, 10), nil).RunPracticeCommand(0, c.Name, []string{"1"})
		testenv.Check(t, !before, "16.4 has %s", c.Name)
	}
	s.SetPractice(3, false)
	testenv.Check(t, s.types("jetpack") == NotInPractice && !tee.Jetpack, "without practice")
	changed := s.Settings().Clone()
	changed.Team = 0
	s.SetSettings(changed)
	testenv.Check(t, s.types("solo") == "Command is not available on solo servers" && !tee.Core.Solo, "without teams")
}

// TestTestCommandsOf20 checks the operators' commands that 16.4 lacks.
func TestTestCommandsOf20(t *testing.T) {
	for _, c := range TestCommands() {
		for _, release := range []int32{16, 20} {
			_, known := newStage20(t, release, room(10, 10), nil).RunTestCommand(0, c.Name, []string{"1", "1"})
			testenv.Check(t, known == (release == 20 || !c.Since20), "%s with %d", c.Name, release)
		}
	}
	s := newStage20(t, 20, room(10, 10), nil)
	tee := s.put(0, tile(5, 8))
	s.RunTestCommand(0, "freeze", nil)
	frozen := tee.FreezeTime
	s.RunTestCommand(0, "unfreeze", nil)
	testenv.Check(t, frozen == 150 && tee.FreezeTime == 0, "frozen for %d ticks, then %d", frozen, tee.FreezeTime)
	s.RunTestCommand(0, "super", nil)
	s.RunTestCommand(0, "invincible", nil)
	testenv.Check(t, tee.Invincible && !tee.Super, "invincible ends super")
	s.RunTestCommand(0, "super", nil)
	testenv.Check(t, !tee.Invincible && tee.Super && !tee.AirJumps, "super ends invincible")
	_, known := s.RunTestCommand(0, "setjumps", nil)
	testenv.Check(t, !known, "setjumps without a number")
}

// TestSetSwitch checks the effect of setswitch, at once and after 60 ticks.
func TestSetSwitch(t *testing.T) {
	for _, c := range []struct {
		line          string
		before, after bool // the switch is on at first
	}{
		{"setswitch 2", false, false},
		{"setswitch 2 1", true, true},
		{"setswitch 2 0", false, false},
		{"setswitch 2 0 1", false, true},
		{"setswitch 2 1 1", true, false},
		{"setswitch 2 0 5", false, false},
		{"setswitch 1 0", true, true},
	} {
		d := room(20, 10)
		d.switchAt(9, 2, 2, SwitchClose, 0, 0)
		s, _, _ := practice(t, d)
		testenv.Check(t, s.types(c.line) == "", "%s answers", c.line)
		before := s.switchActive(2, 3)
		s.steps(60)
		testenv.Check(t, before == c.before && s.switchActive(2, 3) == c.after && s.switchActive(2, 4), "%s: %v, then %v", c.line, before, s.switchActive(2, 3))
		testenv.Check(t, s.types("setswitch 0") == "" && s.types("setswitch 3") == "Invalid switch ID" &&
			s.types("setswitch -1") == "Invalid switch ID", "numbers")
	}
	s, _, _ := practice(t, room(20, 10))
	testenv.Check(t, s.types("setswitch 0") == "Invalid switch ID", "a map without switches")
}

// TestInvincible puts invincible tees on tiles that harm others.
func TestInvincible(t *testing.T) {
	for what, set := range map[string]func(d *drawing){
		"freeze": func(d *drawing) { d.game(5, 8, TileFreeze, 0) },
		"deep":   func(d *drawing) { d.over(5, 8, TileDeep, 0) },
		"live":   func(d *drawing) { d.game(5, 8, TileLive, 0) },
		"death":  func(d *drawing) { d.game(5, 8, TileDeath, 0) },
		"switch": func(d *drawing) { d.switchAt(5, 8, 1, TileDeep, 0, 0) },
		"tele": func(d *drawing) {
			d.teleport(5, 8, 1, TeleIn)
			d.teleport(12, 3, 1, TeleOut)
		},
		"to the checkpoint": func(d *drawing) { d.teleport(5, 8, 1, TeleCheckIn) },
	} {
		for _, invincible := range []bool{false, true} {
			d := room(20, 10)
			set(d)
			s := newStage20(t, 20, d, nil)
			tee := s.put(0, tile(8, 8))
			s.setInvincible(tee, invincible)
			s.place(tee, tile(5, 8))
			s.steps(2)
			harmed := !s.players[0].alive || tee.FreezeTime > 0 || tee.Deep || tee.Live || int(tee.Pos.X)/tileSize != 5
			testenv.Check(t, harmed != invincible, "%s, invincible %v: %+v", what, invincible, tee)
		}
	}
}

// TestDeathInPractice checks that death tiles only freeze tees in practice, except outside of the
// map.
func TestDeathInPractice(t *testing.T) {
	d := room(20, 10)
	d.game(8, 8, TileDeath, 0)
	for _, release := range []int32{16, 20} {
		s, tee, _ := practice(t, d)
		changed := s.Settings().Clone()
		changed.Release = release
		s.SetSettings(changed)
		s.steps(60)
		s.place(tee, tile(8, 8))
		s.steps(2)
		testenv.Check(t, s.players[0].alive == (release == 20) && (tee.FreezeTime > 0) == (release == 20),
			"%d: alive %v, frozen for %d", release, s.players[0].alive, tee.FreezeTime)
		if release == 20 {
			testenv.Check(t, tee.InFreeze && s.players[0].dieTick >= s.tick-2, "it counts as freeze, and as a death for the next one")
			s.place(tee, Vec{X: -210 * tileSize, Y: 0})
			s.steps(2)
			testenv.Check(t, !s.players[0].alive, "outside of the map")
		}
	}
}

// TestPlaces takes tees back to the places where they stood, teleported and died.
func TestPlaces(t *testing.T) {
	d := room(20, 10)
	d.teleport(12, 3, 7, TeleOut)
	d.teleport(14, 3, 9, TeleCheckOut)
	s, tee, _ := practice(t, d)
	at := func(what string, want Vec) {
		t.Helper()
		testenv.Check(t, nearly(tee.Core.Pos, want) && tee.Core.Vel == Vec{}, "%s: at %v with %v, want %v", what, tee.Core.Pos, tee.Core.Vel, want)
	}
	ground := Vec{X: 5.5 * tileSize, Y: 9*tileSize - 15}
	s.place(tee, ground)
	s.steps(2)
	testenv.Check(t, !s.CanTeleportAgain(0) && !s.CanGoBack(0), "nobody teleported or died")

	testenv.Check(t, s.types("totele 8") == "There is no teleporter with that index on the map." && s.types("totele 263") != "" &&
		s.types("totelecp 7") == "There is no checkpoint teleporter with that index on the map.", "no such exits")
	tee.Core.Jumped, tee.Core.JumpedTotal, tee.Core.Vel = 3, 1, Vec{X: 3}
	s.freeze(tee, 3)
	testenv.Check(t, s.types("totele 7") == "" && tee.Core.Jumped == 0 && tee.Core.JumpedTotal == 0 && tee.FreezeTime == 0, "%+v", tee.Core)
	at("totele", tile(12, 3))
	s.types("totelecp 9")
	at("totelecp", tile(14, 3))
	tee.TeleCheckpoint = 1
	s.types("laser")
	s.steps(20)
	s.TeleportAgain(0)
	at("lasttp", tile(14, 3))
	testenv.Check(t, tee.TeleCheckpoint == 9 && !tee.Weapons[WeaponLaser], "it has all of its state again: %d", tee.TeleCheckpoint)

	s.SetManualRescue(0, true)
	testenv.Check(t, !s.SetRescue(0), "a place in the air")
	s.place(tee, ground)
	testenv.Check(t, s.SetRescue(0), "a place on the ground")
	s.place(tee, ground.Add(Vec{X: 96}))
	s.steps(2)
	s.place(tee, tile(12, 3))
	testenv.Check(t, s.Rescue(0), "a rescue")
	at("the player's place", ground)
	s.SetManualRescue(0, false)
	s.Rescue(0)
	at("where it last stood", ground.Add(Vec{X: 96}))

	s.LockTeam(3, true)
	s.Die(0, WeaponWorld)
	s.steps(200)
	s.SetPractice(3, true)
	tee = s.Tee(0)
	s.freeze(tee, 3)
	testenv.Check(t, s.CanGoBack(0) && tee.Core.Pos != ground, "it died")
	s.GoBack(0)
	at("back", ground.Add(Vec{X: 96}))
	testenv.Check(t, tee.FreezeTime == 0, "without freeze")

	changed := s.Settings().Clone()
	changed.Release = 16
	tee.Invincible = true
	s.SetManualRescue(0, true)
	s.SetSettings(changed)
	testenv.Check(t, !s.CanGoBack(0) && !s.CanTeleportAgain(0) && !s.ManualRescue(0) && !tee.Invincible, "what 16.4 lacks is over")
}

// TestRescuePlaces checks the places that are not for rescues as of DDNet 20.
func TestRescuePlaces(t *testing.T) {
	d := room(20, 10)
	d.switchAt(5, 8, 1, entityTile(EntityHealth), 0, 0)
	d.game(10, 8, TileDeath, 0)
	for _, release := range []int32{16, 20} {
		s, tee, _ := practice(t, d)
		changed := s.Settings().Clone()
		changed.Release = release
		s.SetSettings(changed)
		s.switches.active[3].Set(1, false)
		s.place(tee, Vec{X: 5.5 * tileSize, Y: 9*tileSize - 15})
		testenv.Check(t, s.isRescuePlace(tee) == (release == 16), "%d: on a pickup that freezes, which is off", release)
		s.place(tee, Vec{X: 8 * tileSize, Y: 9*tileSize - 15})
		testenv.Check(t, s.isRescuePlace(tee), "%d: elsewhere", release)
	}
}

// TestCoordinates checks the coordinates that /tpxy computes, on a map of 20 tiles with the view at
// 100.
func TestCoordinates(t *testing.T) {
	for text, want := range map[string]float32{
		"9": 288, "-1.5": -48, "~": 100, "~2": 164, "~-1": 68, "": 0, "1e3": 640 + 6431, "-1e30": -6431, "1e38": 640 + 6431,
	} {
		v, ok := coordinate(text, 100, 20)
		testenv.Check(t, ok && v == want, "%q: %v, %v, want %v", text, v, ok, want)
	}
	for _, text := range []string{"x", "1x", "~~", "~x", "nan", "inf", "-Inf", "1e39", "1e999"} {
		_, ok := coordinate(text, 100, 20)
		testenv.Check(t, !ok, "%q is one", text)
	}
}

// TestEndPractice checks the tees that die with the end of practice.
func TestEndPractice(t *testing.T) {
	for _, solo := range []bool{false, true} {
		s, _, _ := practice(t, room(20, 10))
		s.put(2, tile(10, 8))
		changed := s.Settings().Clone()
		if solo {
			changed.SoloServer = 1
		}
		s.SetSettings(changed)
		s.EndPractice(0)
		testenv.Check(t, !s.Practises(3) && s.AliveTee(0) == nil && (s.AliveTee(1) != nil) == solo && s.AliveTee(2) != nil, "solo %v", solo)
		s.steps(1)
		testenv.Check(t, s.AliveTee(0) != nil, "the player has a new tee")
	}
}

// TestFreezeOutOfTheWorld takes a frozen tee out of the world for 100 ticks, and checks the age of
// its freeze.
func TestFreezeOutOfTheWorld(t *testing.T) {
	for _, release := range []int32{16, 20} {
		s := newStage20(t, release, room(20, 10), nil)
		tee := s.put(0, tile(5, 8))
		s.freeze(tee, 3)
		s.steps(10)
		s.Pause(0, true)
		s.steps(100)
		s.Pause(0, false)
		age := s.tick - tee.FreezeStart
		testenv.Check(t, age == map[int32]int32{16: 110, 20: 10}[release], "%d: %d ticks", release, age)
	}
}

// TestLoadedPlaces checks three effects of loading in DDNet 20: the loaded place becomes the place
// for rescues, a swap also swaps those places, and a hook on a missing wall ends.
func TestLoadedPlaces(t *testing.T) {
	for _, release := range []int32{16, 20} {
		is20 := release == 20
		s := newStage20(t, release, room(20, 10), nil)
		tees := []*Tee{s.put(0, tile(5, 4)), s.put(1, tile(15, 4))}
		s.SetTeam(0, 3)
		s.SetTeam(1, 3)
		k := &tees[0].Core
		k.HookState, k.HookPos = physics.HookGrabbed, tile(7, 4)
		saved, ids, ok := s.SaveTeam(3, 0)
		testenv.Require(t, ok && len(ids) == 2, "not saved")
		s.LoadTeam(3, &saved, ids, false)
		testenv.Check(t, s.CanRescue(0) == is20 && (k.HookState == physics.HookRetracted) == is20,
			"%d: rescue %v, hook %d at %v", release, s.CanRescue(0), k.HookState, k.HookPos)
		if is20 {
			s.SwapTees(0, 1, 0)
			s.place(tees[0], tile(9, 4))
			s.Rescue(0)
			testenv.Check(t, nearly(tees[0].Pos, tile(15, 4)), "after a swap at %v", tees[0].Pos)
		}
	}
}
