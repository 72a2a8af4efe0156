package ddrace_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	engine "github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// chooser is a mod that runs a function of the test.
type chooser struct{ do func(tx *game.Tx) }

func (*chooser) Start(*game.Setup) {}
func (c *chooser) OnTick(ctx *game.Ctx) {
	if c.do != nil {
		c.do(&ctx.Tx)
	}
	c.do = nil
}

// sightWorld returns a world with three players in the teams 0, 1 and 1, and a spectator.
func sightWorld(t *testing.T) (w *modtest.World, do func(func(tx *game.Tx))) {
	c := new(chooser)
	w = modtest.New(t, game.Config{Mode: ddrace.New(), Mods: []game.Mod{c}, Seed: 7, Terrain: modtest.ParseMap(tiles,
		"####################",
		"#  S    S    S     #",
		"####################")})
	w.Play(0)
	w.Play(1)
	w.Play(2)
	w.Game.Step(nil)
	do = func(f func(tx *game.Tx)) {
		c.do = f
		w.Game.Step(nil)
		w.Game.Step(nil)
	}
	do(func(tx *game.Tx) {
		tx.DDRace().SetTeam(1, 1)
		tx.DDRace().SetTeam(2, 1)
	})
	return w, do
}

// seen returns the players whose tees a player sees.
func seen(w *modtest.World, id game.PlayerID) (list []game.PlayerID) {
	v := w.Game.View(id)
	for i := range v.Characters {
		if v.ShowsTee(&v.Characters[i]) {
			list = append(list, v.Characters[i].Player)
		}
	}
	return list
}

// TestShowOthersIsTold checks that a player who enters a map that shows others is told so.
func TestShowOthersIsTold(t *testing.T) {
	for _, shown := range []bool{false, true} {
		terrain := modtest.ParseMap(tiles, "####", "#S #", "####")
		if shown {
			terrain.Settings = []string{"sv_show_others_default 1"}
		}
		w := modtest.New(t, game.Config{Mode: ddrace.New(), Terrain: terrain})
		told := false
		for _, e := range w.Run(1,
			game.Command{Kind: game.CmdJoin, Player: 3}, game.Command{Kind: game.CmdProfile, Player: 3, Profile: &game.Profile{Name: "three"}},
			game.Command{Kind: game.CmdEnterGame, Player: 3}) {
			told = told || e.Kind == game.EvChat && e.To == game.MaskOne(3) &&
				e.Text == "You can see other players. To disable this use DDNet client and type /showothers"
		}
		testenv.Check(t, told == shown, "shown %v, told %v", shown, told)
	}
}

// TestShowOthers checks which players of other teams, and which solo players, a player sees.
func TestShowOthers(t *testing.T) {
	w, do := sightWorld(t)
	check := func(what string, id game.PlayerID, n int) {
		t.Helper()
		got := seen(w, id)
		testenv.Check(t, len(got) == n, "%s: player %d sees %v", what, id, got)
	}
	testenv.Check(t, w.Frame().Characters[0].Ammo == 0, "a tee shows rounds, which have no end: %+v", w.Frame().Characters[0])
	check("at first", 0, 1)
	check("at first", 1, 2)
	w.Game.Step([]game.Command{{Kind: game.CmdShowOthers, Player: 0, Value: int32(game.ShowOthersOn)}})
	check("all are shown", 0, 3)
	check("another one's choice", 1, 2)
	do(func(tx *game.Tx) {
		tx.DDRace().Tee(2).Core.Solo = true
		testenv.Check(t, tx.Player(0).Camera().ShowOthers() == game.ShowOthersOn, "it is %v", tx.Player(0).Camera().ShowOthers())
	})
	check("a mate is solo", 1, 1)
	check("recordings show all", game.Nobody, 3)
	do(func(tx *game.Tx) { tx.Player(2).SetVisibleTo(game.MaskOne(1)) })
	check("but not whom a mod hides", game.Nobody, 2)
	do(func(tx *game.Tx) { tx.Player(2).SetVisibleTo(game.MaskAll) })
	do(func(tx *game.Tx) { tx.Player(1).Camera().SetShowOthers(game.ShowOthersTeam) })
	check("the team is shown", 1, 2)
	w.Game.Step([]game.Command{{Kind: game.CmdShowOthers, Player: 0, Value: 3}, {Kind: game.CmdShowOthers, Player: 50}})
	check("no such choice", 0, 3)
	do(func(tx *game.Tx) { tx.SetDDRaceOptions(game.DDRaceOptions{HideOthers: true}) })
	w.Game.Step([]game.Command{{Kind: game.CmdShowOthers, Player: 0}})
	check("clients have no choice", 0, 3)

	// A free camera sees all tees, or its own team. A camera that follows a player sees the tees
	// that this player sees.
	do(func(tx *game.Tx) {
		tx.DDRace().Tee(2).Core.Solo = false
		tx.Player(0).Camera().SetShowOthers(game.ShowOthersOff)
		tx.Player(0).Camera().SetPause(game.PauseInPlace)
	})
	check("a free camera", 0, 3)
	do(func(tx *game.Tx) {
		tx.Player(0).Camera().SetSpecTeam(true)
		testenv.Check(t, tx.Player(0).Camera().SpecTeam(), "it is off")
	})
	check("a free camera of the team", 0, 1)
	w.Game.Step([]game.Command{{Kind: game.CmdSpectate, Player: 0, Spectate: game.SpectatePlayer, Target: 2}})
	check("following", 0, 2)

	do(func(tx *game.Tx) {
		tx.Player(0).Camera().SetShowAll(true)
		testenv.Check(t, tx.Player(0).Camera().ShowAll(), "it is off")
	})
	testenv.Check(t, w.Game.View(0).Range == game.DDRaceMap && w.Game.View(1).Range == game.DDRaceRange, "ranges %v and %v", w.Game.View(0).Range,
		w.Game.View(1).Range)
}

// TestPause checks the tee of a player who pauses, and the messages about it.
func TestPause(t *testing.T) {
	w, do := sightWorld(t)
	input := func(id game.PlayerID, in game.Input) {
		for range 30 {
			w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: id, Input: in}, {Kind: game.CmdDirectInput, Player: id, Input: in}})
		}
	}
	state := func(id game.PlayerID) game.PlayerState {
		for _, p := range w.Frame().Players {
			if p.ID == id {
				return p
			}
		}
		return game.PlayerState{}
	}
	input(0, game.Input{TargetX: 1}) // it lands
	pos := w.Frame().Characters[0].Pos
	do(func(tx *game.Tx) { tx.Player(0).Camera().SetPause(game.PauseInPlace) })
	input(0, game.Input{Direction: 1, TargetX: 400, TargetY: 300})
	p := state(0)
	testenv.Check(t, p.Pause == game.PauseInPlace && p.Spectating && p.ViewX == 400 && p.ViewY == 300, "paused: %+v", p)
	testenv.Check(t, w.Frame().Characters[0].Pos == pos, "the tee moved to %v", w.Frame().Characters[0].Pos)

	do(func(tx *game.Tx) { tx.Player(0).Camera().SetPause(game.PauseVanished) })
	f := w.Frame()
	testenv.Require(t, len(f.Characters) == 2 && len(f.SpecTees) == 1, "%d tees, %d of which are away", len(f.Characters), len(f.SpecTees))
	testenv.Check(t, f.SpecTees[0].Player == 0 && f.SpecTees[0].X == int32(pos.X), "%+v", f.SpecTees[0])
	testenv.Check(t, f.SpecTees[0].NotFor.Has(1) && !f.SpecTees[0].NotFor.Has(0), "it is hidden from %b", f.SpecTees[0].NotFor)
	for target, hidden := range map[game.PlayerID]bool{2: true, game.Nobody: false} { // a paused player sees it as the followed player does
		do(func(tx *game.Tx) { tx.Player(1).Camera().SetPause(game.PauseInPlace) })
		mode := game.SpectateFree
		if target >= 0 {
			mode = game.SpectatePlayer
		}
		w.Game.Step([]game.Command{{Kind: game.CmdSpectate, Player: 1, Spectate: mode, Target: target}})
		w.Game.Step(nil)
		testenv.Check(t, w.Frame().SpecTees[0].NotFor.Has(1) == hidden, "who follows %d: hidden from %b", target, w.Frame().SpecTees[0].NotFor)
	}
	do(func(tx *game.Tx) { tx.Player(1).Camera().SetPause(game.NotPaused) })

	input(0, game.Input{TargetX: 1}) // otherwise the last input would be repeated
	do(func(tx *game.Tx) { tx.Player(0).Camera().SetPause(game.NotPaused) })
	f = w.Frame()
	testenv.Require(t, len(f.Characters) == 3 && len(f.SpecTees) == 0, "%d tees, %d of which are away", len(f.Characters), len(f.SpecTees))
	testenv.Check(t, f.Characters[0].Pos == pos && !state(0).Spectating, "it came back at %v", f.Characters[0].Pos)
	input(0, game.Input{Direction: 1, TargetX: 1})
	testenv.Check(t, w.Frame().Characters[0].Pos != pos, "it cannot move")

	do(func(tx *game.Tx) { tx.Player(0).Camera().SetPause(game.PauseInPlace) })
	input(0, game.Input{Direction: -1, TargetX: 1})
	pos = w.Frame().Characters[0].Pos
	do(func(tx *game.Tx) { tx.Player(0).Camera().SetPause(game.NotPaused) })
	testenv.Check(t, w.Frame().Characters[0].Pos.X < pos.X, "it does not do what its player held last")

	do(func(tx *game.Tx) { tx.Player(0).SetHideClock(true) })
	testenv.Check(t, state(0).HideClock, "the clock is shown")
}

// TestAFK checks when a player counts as away, also in a restored world.
func TestAFK(t *testing.T) {
	w, do := sightWorld(t)
	do(func(tx *game.Tx) { tx.SetDDRaceOptions(game.DDRaceOptions{MaxAFK: 2}) })
	afk := func(id int) bool { return w.Frame().Players[id].AFK }
	for i, want := range []bool{true, true, false} { // a client sends the first input by itself
		testenv.Check(t, afk(0) == want, "after %d inputs: away %v", i, afk(0))
		w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: game.Input{TargetX: int32(i + 10)}}})
	}
	for i := range 110 {
		in := game.Input{Direction: 1, TargetX: 1}
		turns := game.Input{TargetX: int32(i + 1)}
		w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: in}, {Kind: game.CmdInput, Player: 1, Input: turns}})
	}
	testenv.Check(t, afk(0) && !afk(1) && afk(2), "away: %v %v %v", afk(0), afk(1), afk(2))
	cfg := game.Config{Mode: ddrace.New(), Mods: []game.Mod{new(chooser)}, Terrain: modtest.ParseMap(tiles,
		"####################",
		"#  S    S    S     #",
		"####################")}
	restored := testenv.Must(game.Restore(cfg, w.Game.AppendState(nil)))
	testenv.Check(t, restored.Hash() == w.Game.Hash() && restored.Frame().Players[0].AFK, "the restored world differs")
	w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: game.Input{TargetX: 1}}})
	testenv.Check(t, !afk(0), "who does something is away")
	do(func(tx *game.Tx) {
		tx.SetDDRaceOptions(game.DDRaceOptions{})
		testenv.Check(t, !tx.Player(2).AFK() && tx.Player(2).Camera().Pause() == game.NotPaused, "without a limit there are players who are away")
	})
}

// TestBeamsFade checks that clients draw the beams of lights and draggers as with DDNet-Server: a
// light is new when it turns, and no beam is older than four ticks.
func TestBeamsFade(t *testing.T) {
	index := map[byte]uint8{'L': 192 + 13, 'l': 192 + 19, 'D': 192 + 43}
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Seed: 7, Terrain: modtest.ParseMap(index,
		"####################",
		"#   S    D    lL   #",
		"####################")})
	w.Play(0)
	ages := [2]map[int32]bool{{}, {}} // of the light and the dragger
	for i := range 60 {
		var cmds []game.Command
		if i == 20 {
			cmds = []game.Command{{Kind: game.CmdKill, Player: 0}}
		}
		w.Game.Step(cmds)
		f := w.Frame()
		for i := range f.Lasers {
			l := &f.Lasers[i]
			age := f.Tick - l.StartTick
			switch {
			case l.Entity.Kind != game.NoMapEntity:
				continue
			case l.X > 12*32:
				testenv.Check(t, age == min(f.Tick%7, 4), "the light is %d ticks old in tick %d", age, f.Tick)
				ages[0][age] = true
			default:
				ages[1][age] = true
			}
		}
	}
	testenv.Check(t, len(ages[0]) == 5 && len(ages[1]) == 5, "ages of light and beam: %v", ages)
}

// TestStars checks that bullets end in stars, and that stars count the seconds of a freeze.
func TestStars(t *testing.T) {
	w := play(t,
		"########",
		"# S  zz#",
		"########")
	w.Play(0)
	stars := map[game.Weapon]int32{}
	for i := range 160 {
		in := game.Input{Direction: int32(i / 60 % 2), TargetX: 100, TargetY: -100, WantedWeapon: 2, Fire: int32(i / 5 % 64)}
		for _, e := range w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: in}}) {
			if e.Kind == game.EvDamage {
				stars[e.Weapon] += e.Value
			}
		}
	}
	testenv.Check(t, stars[game.WeaponGun] > 0 && stars[game.WeaponGun]%10 == 0 && stars[game.WeaponNinja] > 0, "stars: %v", stars)
}

// TestShownEyes checks that the eyes of tees show a hit, a freeze, and an absent player.
func TestShownEyes(t *testing.T) {
	w, do := sightWorld(t)
	eyes := func(id game.PlayerID, want game.Emote, what string) {
		t.Helper()
		for _, c := range w.Frame().Characters {
			if c.Player == id {
				testenv.Check(t, c.Emote == want, "%s: %v", what, c.Emote)
			}
		}
	}
	change := func(f func(tee *engine.Tee)) { do(func(tx *game.Tx) { f(tx.DDRace().Tee(0)) }) }
	eyes(0, game.EmoteBlink, "at first")
	for x := range int32(2) {
		w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: game.Input{TargetX: x + 1}}})
	}
	eyes(0, game.EmoteNormal, "it has looked around")
	change(func(tee *engine.Tee) { tee.FreezeTime = 100 })
	eyes(0, game.EmoteBlink, "frozen")
	change(func(tee *engine.Tee) { tee.Deep = true })
	eyes(0, game.EmotePain, "frozen for ever")
	do(func(tx *game.Tx) { tx.Player(0).Camera().SetPause(game.PauseInPlace) })
	eyes(0, game.EmoteNormal, "frozen, and its player looks around")
	change(func(tee *engine.Tee) { tee.Deep, tee.FreezeTime = false, 0 })
	eyes(0, game.EmoteBlink, "its player looks around")
	do(func(tx *game.Tx) { tx.Player(0).Camera().SetPause(game.NotPaused) })
	change(func(tee *engine.Tee) { tee.Live = true })
	eyes(0, game.EmotePain, "it cannot move")
	change(func(tee *engine.Tee) { tee.Live, tee.Jetpack, tee.NinjaJetpack = false, true, true })
	eyes(0, game.EmoteHappy, "a ninja with a jetpack")
	testenv.Check(t, w.Frame().Characters[0].Weapon == game.WeaponNinja, "it has %v", w.Frame().Characters[0].Weapon)
	change(func(tee *engine.Tee) { tee.EmoteStop = w.Now() + 20 })
	eyes(0, game.EmotePain, "hit")
}
