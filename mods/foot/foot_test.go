package foot_test

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/foot"
)

var tiles = map[byte]uint8{'r': 9, 'b': 10}

// placed is Foot with fixed spawns: players 0 and 2, who are red, near the ball, and player 1, who
// is blue, on a shelf above it.
type placed struct{ *foot.Mode }

func (placed) PickSpawn(_ *game.Ctx, id game.PlayerID) (vec.Vec2, bool) {
	at := [...][2]float32{{8, 5}, {12, 1}, {4, 5}}[id]
	return vec.Vec2{X: at[0]*32 + 16, Y: at[1]*32 + 16}, true
}

// field is a map with goals to the left and right, and the ball in the middle.
func field(goalRed, goalBlue string) game.Terrain {
	air := strings.Repeat(" ", 18)
	high := [2]string{" ", " "}
	if goalRed != "1" {
		high = [2]string{goalRed, goalBlue}
	}
	return modtest.ParseMap(tiles,
		"######################",
		"#                    #",
		"#          ####      #",
		"#"+high[0]+air+high[1]+"#",
		"#"+high[0]+air+high[1]+"#",
		"#"+goalRed+"         g        "+goalBlue+"#",
		"######################",
	)
}

// play starts a match and waits until the ball is at its start.
func play(t *testing.T, terrain game.Terrain, variables map[string]string, players ...game.PlayerID) *modtest.World {
	t.Helper()
	all := map[string]string{"sv_ball_respawn": "1"}
	for name, value := range variables {
		all[name] = value
	}
	w := modtest.New(t, game.Config{Mode: placed{foot.New().(*foot.Mode)}, Terrain: terrain, Variables: all, Seed: 7})
	w.Play(players...)
	w.RunUntil("the ball is there", 200, func() bool { return ready(w) })
	return w
}

func ready(w *modtest.World) bool { return len(w.Frame().Pickups) == 1 }

// flying returns the position of a flying ball.
func flying(w *modtest.World) (vec.Vec2, bool) {
	for _, p := range w.Frame().Projectiles {
		return vec.Vec2{X: float32(p.X), Y: float32(p.Y)}, true
	}
	return vec.Vec2{}, false
}

// has reports whether a player carries the ball.
func has(w *modtest.World, id game.PlayerID) bool {
	return w.Alive(id) && w.Tee(id).Weapon == game.WeaponGrenade
}

// walk makes a player walk in a direction until is returns true.
func walk(w *modtest.World, id game.PlayerID, direction int32, what string, is func() bool) []game.Event {
	w.T.Helper()
	w.Hold(id, game.Input{Direction: direction})
	events := w.RunUntil(what, 150, is)
	w.Hold(id, game.Input{})
	return events
}

// fetch makes a player take the ball from its start.
func fetch(w *modtest.World, id game.PlayerID) {
	w.T.Helper()
	walk(w, id, 1, "has the ball", func() bool { return has(w, id) })
}

// kick makes a player kick the ball in a direction.
func kick(w *modtest.World, id game.PlayerID, x, y int32) []game.Event {
	w.T.Helper()
	w.Hold(id, game.Input{TargetX: x, TargetY: y})
	w.Run(2)
	events := w.Fire(id, 2)
	if has(w, id) {
		w.T.Fatalf("%d still has the ball", id)
	}
	return events
}

// untilGoal runs until the kickoff after a goal.
func untilGoal(w *modtest.World, events []game.Event) []game.Event {
	w.T.Helper()
	scored := func() int32 { return w.TeamScore(game.TeamRed) + w.TeamScore(game.TeamBlue) }
	before := scored()
	if modtest.Count(events, game.EvBroadcast) > 0 {
		return events
	}
	return append(events, w.RunUntil("a goal", 300, func() bool { return scored() != before })...)
}

func TestGoals(t *testing.T) {
	for name, terrain := range map[string]game.Terrain{"tiles": field("r", "b"), "flag stands": field("1", "2")} {
		w := play(t, terrain, nil, 0, 1)
		fetch(w, 0)
		testenv.Check(t, !ready(w), "%s: the ball is also at its start", name)
		events := untilGoal(w, kick(w, 0, 100, -30))
		testenv.Check(t, w.TeamScore(game.TeamRed) == 1 && w.TeamScore(game.TeamBlue) == 0 && w.Score(0) == 1 && w.Score(1) == 0,
			"%s: %d to %d, scores %d and %d", name,
			w.TeamScore(game.TeamRed), w.TeamScore(game.TeamBlue), w.Score(0), w.Score(1))
		testenv.Check(t, modtest.Told(events, 1, "player 0 scored for the red team"), "%s: nobody says so", name)

		// At the kickoff all players are back at once, and the ball after a second.
		testenv.Check(t, !ready(w), "%s: the ball is back at once", name)
		w.Run(5)
		testenv.Check(t, w.Alive(0) && w.Alive(1) && w.Pos(0).X == 8*32+16 && w.Pos(1).X == 12*32+16, "%s: not all are back", name)
		w.Run(40)
		testenv.Check(t, !ready(w), "%s: the ball is back early", name)
		w.Run(10)
		testenv.Check(t, ready(w), "%s: the ball is not back", name)
	}
}

func TestGoalTilesCanBeOthers(t *testing.T) {
	w := play(t, field("b", "r"), map[string]string{"sv_goal_tile_red": "10", "sv_goal_tile_blue": "9"}, 0, 1)
	fetch(w, 0)
	untilGoal(w, kick(w, 0, -100, -30))
	testenv.Check(t, w.TeamScore(game.TeamBlue) == 1, "not the goal of red")
}

func TestOwnGoals(t *testing.T) {
	w := play(t, field("r", "b"), nil, 0, 1)
	fetch(w, 0)
	events := untilGoal(w, kick(w, 0, -100, -30))
	testenv.Check(t, w.TeamScore(game.TeamBlue) == 1 && w.TeamScore(game.TeamRed) == 0 && w.Score(0) == -1, "score %d", w.Score(0))
	testenv.Check(t, modtest.Told(events, 1, "own goal for the blue team"), "nobody says so")
}

func TestGoalsOfWhoLeft(t *testing.T) {
	w := play(t, field("r", "b"), nil, 0, 1, 2)
	fetch(w, 0)
	kick(w, 0, 100, -30)
	w.Run(1, game.Command{Kind: game.CmdLeave, Player: 0})
	w.RunUntil("a goal", 100, func() bool { return w.TeamScore(game.TeamRed) == 1 })
}

func TestPasses(t *testing.T) {
	w := play(t, field("r", "b"), nil, 0, 1, 2)
	fetch(w, 0)
	kick(w, 0, -100, -5)
	w.RunUntil("2 has the ball", 100, func() bool { return has(w, 2) })
	w.Run(1, game.Command{Kind: game.CmdKill, Player: 0}) // out of the way; the death costs a point
	events := untilGoal(w, kick(w, 2, 100, -45))
	testenv.Check(t, w.TeamScore(game.TeamRed) == 1 && w.Score(2) == 1 && w.Score(0) == 0, "scores %d and %d", w.Score(2), w.Score(0))
	testenv.Check(t, modtest.Told(events, 1, "player 2 scored for the red team with a pass from player 0"), "nobody says so")
}

func TestOpponentsHammerTheBallAway(t *testing.T) {
	w := play(t, field("r", "b"), map[string]string{"sv_ball_carry": "60"}, 0, 1)
	fetch(w, 0)
	walk(w, 1, -1, "down", func() bool { return w.Pos(1).Y > 5*32 })
	if w.Pos(1).X < w.Pos(0).X-45 {
		walk(w, 1, 1, "beside", func() bool { return w.Pos(1).X > w.Pos(0).X-45 })
	}
	w.Run(5)
	w.Shoot(1, 0, game.WeaponHammer)
	testenv.Check(t, has(w, 1) && !has(w, 0) && w.Tee(0).Armor == 0, "not taken")
	testenv.Check(t, w.Tee(0).Health == 10 && w.Tee(1).Armor > 0, "hurt")
	w.Hold(1, game.Input{WantedWeapon: 1 + int32(game.WeaponHammer)})
	w.Run(5)
	testenv.Check(t, has(w, 1), "the ball can be put away")
	testenv.Check(t, len(w.Frame().Projectiles) == 0, "grenades")
}

func TestTeamMatesDoNotTakeTheBall(t *testing.T) {
	w := play(t, field("r", "b"), nil, 0, 1, 2)
	fetch(w, 0)
	walk(w, 2, 1, "beside", func() bool { return w.Pos(2).X > w.Pos(0).X-45 })
	w.Run(5)
	w.Shoot(2, 0, game.WeaponHammer)
	testenv.Check(t, has(w, 0) && !has(w, 2), "taken")
}

func TestNobodyKeepsTheBall(t *testing.T) {
	w := play(t, field(" ", " "), map[string]string{"sv_ball_carry": "2"}, 0, 1)
	fetch(w, 0)
	w.Hold(0, game.Input{TargetX: -1})
	w.Run(1)
	testenv.Check(t, w.Tee(0).Armor == 10, "%d armor", w.Tee(0).Armor)
	w.Run(50)
	testenv.Check(t, w.Tee(0).Armor >= 4 && w.Tee(0).Armor <= 6, "%d armor after a second", w.Tee(0).Armor)
	w.Run(45)
	testenv.Check(t, has(w, 0), "lost early")
	w.Run(8)
	pos, ok := flying(w)
	testenv.Check(t, ok && !has(w, 0) && pos.X < w.Pos(0).X && w.Tee(0).Armor == 0, "still there: %v", pos)
}

func TestBallBounces(t *testing.T) {
	w := play(t, field(" ", " "), map[string]string{"sv_ball_lifetime": "3"}, 0, 1)
	fetch(w, 0)
	kick(w, 0, -100, -100)
	turns, up, at := 0, true, w.Pos(0)
	for range 100 {
		w.Run(1)
		pos, ok := flying(w)
		if !ok {
			break
		}
		testenv.Check(t, pos.X > 0 && pos.Y > 0 && pos.Y < 7*32, "in a wall: %v", pos)
		if rises := pos.Y < at.Y; pos.Y != at.Y && rises != up {
			turns, up = turns+1, rises
		}
		at = pos
	}
	testenv.Check(t, turns >= 3, "%d turns", turns)
}

func TestBallGoesBackIfNobodyTakesIt(t *testing.T) {
	w := play(t, field(" ", " "), map[string]string{"sv_ball_lifetime": "3", "sv_ball_bounce": "0"}, 0, 1)
	fetch(w, 0)
	kick(w, 0, -100, -20)
	w.Hold(0, game.Input{Direction: 1}) // away from the start of the ball
	w.Run(140)
	pos, ok := flying(w)
	testenv.Check(t, ok && !ready(w), "back early")
	w.Run(1)
	now, _ := flying(w)
	testenv.Check(t, vec.Distance(pos, now) < 2, "it does not come to rest: %v, %v", pos, now)
	w.Run(70)
	testenv.Check(t, ready(w), "not back")
}

func TestWhoDiesLosesTheBall(t *testing.T) {
	for _, how := range []game.Command{{Kind: game.CmdKill}, {Kind: game.CmdLeave}, {Kind: game.CmdSetTeam, Team: game.TeamSpectators}} {
		w := play(t, field("r", "b"), nil, 0, 1, 2)
		fetch(w, 0)
		w.Run(60)
		w.Run(1, how)
		_, ok := flying(w)
		testenv.Check(t, !ok && !ready(w), "%v: the ball is not away", how.Kind)
		w.Run(55)
		testenv.Check(t, ready(w), "%v: the ball is not back", how.Kind)
	}
}

func TestMatchEndsAtTheLimit(t *testing.T) {
	rules := modtest.Rules()
	rules.ScoreLimit = 1
	w := modtest.New(t, game.Config{Mode: placed{foot.New().(*foot.Mode)}, Terrain: field("r", "b"), Variables: map[string]string{"sv_ball_respawn": "0"},
		Rules: rules, Seed: 7})
	w.Play(0, 1)
	fetch(w, 0)
	untilGoal(w, kick(w, 0, 100, -30))
	w.Run(1)
	testenv.Check(t, w.Frame().Game.State&game.StateGameOver != 0, "state %v", w.Frame().Game.State)
}

// pitch is a map with goals, a hole and the ball.
var pitch = modtest.ParseMap(tiles,
	"##############################",
	"#                            #",
	"#  R                      B  #",
	"#r ###        g       ##### b#",
	"#r                          b#",
	"#r R        #   #         B b#",
	"#############xxx##############",
	"##############################",
)

func TestReplay(t *testing.T) {
	modtest.Match{Mode: foot.New, Terrain: pitch, Ticks: 3000}.VerifyReplay(t)
}

// TestGoesOn checks that a saved state contains the ball in every phase.
func TestGoesOn(t *testing.T) {
	terrain := field("r", "b")
	w := play(t, terrain, nil, 0, 1)
	fetch(w, 0)
	same := func(what string) {
		t.Helper()
		cfg := game.Config{Mode: placed{foot.New().(*foot.Mode)}, Terrain: terrain, Rules: w.Game.Rules(), Seed: 7,
			Variables: map[string]string{"sv_ball_respawn": "1"}}
		restored, err := game.Restore(cfg, w.Game.AppendState(nil))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for range 30 {
			w.Game.Step(nil)
			restored.Step(nil)
			testenv.Check(t, w.Game.Hash() == restored.Hash(), "%s: another world at tick %d", what, w.Now())
		}
	}
	same("carried")
	kick(w, 0, 100, -100)
	same("flying")
}

func TestTicksAllocateNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w := play(t, field(" ", " "), nil, 0, 1)
	fetch(w, 0)
	if n := testing.AllocsPerRun(400, func() { w.Game.Step(nil) }); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
}
