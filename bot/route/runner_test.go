package route_test

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// race lets runners race on a course for a number of ticks, and counts how often each finishes. see
// changes each view to what the runners' clients see.
func race(t *testing.T, course terrain.Terrain, runners, ticks int, see func(v *game.View)) (finishes [game.MaxPlayers]int) {
	cfg := route.Config{Terrain: course, Seed: 1}
	s := testenv.Must(route.NewSearch(cfg))
	s.Run(400_000)
	r := s.Route()
	way := testenv.Must(route.NewWay(cfg, &r))
	testenv.Check(t, way.Ticks() == r.Ticks, "the way has %d ticks, the route %d", way.Ticks(), r.Ticks)
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Terrain: course, Seed: 5})
	var list []*route.Runner
	for id := range game.PlayerID(runners) {
		w.Play(id)
		list = append(list, route.NewRunner(uint64(id)))
		list[id].SetWay(way)
	}
	for range ticks {
		var cmds []game.Command
		for i, r := range list {
			id := game.PlayerID(i)
			v := w.Game.View(id)
			see(&v)
			in := r.NextInput(&v)
			cmds = append(cmds, game.Command{Kind: game.CmdDirectInput, Player: id, Input: in}, game.Command{Kind: game.CmdInput, Player: id, Input: in})
			if r.WantsRestart() {
				cmds = append(cmds, game.Command{Kind: game.CmdKill, Player: id})
			}
		}
		for _, e := range w.Game.Step(cmds) {
			if e.Kind == game.EvRaceFinish {
				finishes[e.Player]++
			}
		}
	}
	return finishes
}

// all leaves the view as clients with DDRace support see it.
func all(*game.View) {}

// plain changes the view to what other clients see: a frozen tee is a ninja with closed eyes.
func plain(v *game.View) {
	f := *v.Frame
	f.Extended, f.Characters = false, slices.Clone(f.Characters)
	for i := range f.Characters {
		c := &f.Characters[i]
		if c.FreezeEnd != 0 {
			c.Weapon, c.Ammo = game.WeaponNinja, c.FreezeEnd
		}
		c.Flags, c.FreezeStart, c.FreezeEnd, c.Jumps, c.AirJumps, c.TeleCheckpoint = 0, 0, 0, 0, 0, 0
	}
	v.Frame = &f
}

// TestRunner checks that a runner finishes each course repeatedly, and that several runners who
// push each other finish too.
func TestRunner(t *testing.T) {
	testenv.Long(t)
	for name, course := range courses {
		t.Run(name, func(t *testing.T) {
			n := race(t, course, 1, 1600, all)
			testenv.Check(t, n[0] >= 2, "it finishes %d times", n[0])
		})
	}
	for _, name := range []string{"a freeze gap", "a speedup"} {
		n := race(t, courses[name], 3, 1000, all)
		testenv.Check(t, n[0]+n[1]+n[2] >= 1, "%s: three finish %v times", name, n[:3])
	}
	waits := draw(nil,
		"####################",
		"#   |   #          #",
		"#   |   #          #",
		"#S  |   #          #",
		"#####   #          #",
		"#   #fff#          #",
		"#   #   #          #",
		"#   #            ! #",
		"#   #            ! #",
		"####################")
	for _, see := range []func(*game.View){all, plain} {
		n := race(t, waits, 3, 1500, see)
		testenv.Check(t, min(n[0], n[1], n[2]) >= 1, "where the way waits for the end of a freeze, three finish %v times", n[:3])
	}
}
