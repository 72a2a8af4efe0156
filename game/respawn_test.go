package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/internal/testenv"
)

// ticksToRespawn counts the ticks until a dead player lives again, with input
// held.
func (w *world) ticksToRespawn(id game.PlayerID, in game.Input) int {
	w.t.Helper()
	for n := 1; n < 400; n++ {
		w.hold(id, in, 1)
		if w.alive(id) {
			return n
		}
	}
	w.t.Fatal("never respawned")
	return 0
}

func TestRespawnTimes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		weapon game.Weapon
		fire   int32
		want   int
	}{
		{"asked for after a death", game.WeaponWorld, 1, 25},
		{"not asked for", game.WeaponWorld, 0, 150},
		{"asked for after a suicide", game.WeaponSelf, 1, 150},
	} {
		w := newWorld(t, game.Config{})
		w.enter(0)
		w.kill(0, tt.weapon)
		testenv.Require(t, !w.alive(0), "still alive")
		if got := w.ticksToRespawn(0, game.Input{Fire: tt.fire}); got != tt.want {
			t.Errorf("%s: after %d ticks, want %d", tt.name, got, tt.want)
		}
	}
}

func TestKillCommand(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	evs := w.do(game.Command{Kind: game.CmdKill, Player: 0})
	kills := eventsOf(evs, game.EvKill)
	testenv.Require(t, len(kills) == 1 && kills[0].Weapon == game.WeaponSelf && kills[0].Player == 0 && kills[0].Target == 0, "kills %+v", kills)
	testenv.Check(t, len(eventsOf(evs, game.EvDeath)) == 1 && sounds(evs, game.SoundDie) == 1, "death not seen or heard")
	testenv.Check(t, w.score(0) == -1, "score %d", w.score(0))
	// The command arrived after the previous tick: 150 ticks from there.
	if got := w.ticksToRespawn(0, game.Input{Fire: 1}); got != 149 {
		t.Errorf("respawned after %d ticks", got)
	}
	testenv.Check(t, len(eventsOf(w.do(game.Command{Kind: game.CmdKill, Player: 0}), game.EvKill)) == 1, "the kill command is refused after 150 ticks")
	w.steps(148)
	w.do(game.Command{Kind: game.CmdKill, Player: 0}) // too soon, must not count
	if got := w.ticksToRespawn(0, game.Input{Fire: 1}); got != 1 {
		t.Fatalf("respawned %d ticks late", got-1)
	}
	testenv.Check(t, len(eventsOf(w.do(game.Command{Kind: game.CmdKill, Player: 0}), game.EvKill)) == 1, "a refused request counted")
}

func TestSpawnIsFarFromOthers(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: bots.ParseMap(
		"##############################",
		"#S   S                      S#",
		"##############################",
	)})
	w.enter(0)
	w.enter(1)
	w.enter(2)
	x := func(id game.PlayerID) int { return int(w.char(id).Pos.X) / 32 }
	testenv.Check(t, x(0) == 1 && x(1) == 28 && x(2) == 5, "spawned at tiles %d, %d, %d; want 1, 28, 5", x(0), x(1), x(2))
}

func TestSpawnBesideATakenPoint(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: bots.ParseMap(
		"#####",
		"#S  #",
		"#####",
	)})
	w.enter(0, 1)
	if a, b := w.char(0).Pos, w.char(1).Pos; b.X-a.X < 28 || a.Y != b.Y {
		t.Errorf("spawned at %v and %v", a, b) // walls are to the left and above
	}
	w.Step(join(2))
	w.steps(200)
	testenv.Check(t, !w.alive(2), "a third found room")
}

func TestDeathTileAndFallOutOfTheMap(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: bots.ParseMap(
		"#####",
		"# S #",
		"#   #",
		"#xxx#",
		"#####",
	)})
	w.Step(join(0))
	kills := eventsOf(w.steps(40), game.EvKill)
	testenv.Require(t, len(kills) == 1 && kills[0].Weapon == game.WeaponWorld && kills[0].Player == 0, "kills %+v", kills)
	testenv.Check(t, w.score(0) == -1, "score %d", w.score(0))

	w = newWorld(t, game.Config{Terrain: bots.ParseMap("S")}) // the border tile, which is repeated outside, is air
	w.Step(join(0))
	kills = eventsOf(w.steps(400), game.EvKill)
	testenv.Require(t, len(kills) != 0 && kills[0].Weapon == game.WeaponWorld, "kills %+v", kills)
}

func TestNinjaAppearsAfter90Seconds(t *testing.T) {
	row := "#S      n#"
	w := newWorld(t, game.Config{Terrain: bots.ParseMap("##########", row, "##########")})
	w.steps(90 * 50)
	testenv.Check(t, len(w.Frame().Pickups) == 0, "there after 4500 ticks")
	w.steps(1)
	testenv.Check(t, len(w.Frame().Pickups) == 1, "not there after 4501 ticks")
	r := rules(func(r *game.Rules) { r.Powerups = false })
	w = newWorld(t, game.Config{Rules: r, Terrain: bots.ParseMap("##########", row, "##########")})
	w.steps(90*50 + 1)
	testenv.Check(t, len(w.Frame().Pickups) == 0, "there although powerups are off")
}
