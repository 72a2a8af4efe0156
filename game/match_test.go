package game_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// addScores runs a tick in which players 0, 1, ... get points.
func (w *world) addScores(points ...int32) {
	w.inTick(func(ctx *game.Ctx) {
		for id, n := range points {
			ctx.Player(game.PlayerID(id)).AddScore(n)
		}
	})
}

func (w *world) wantState(want game.GameStateFlags) {
	w.t.Helper()
	if got := w.Frame().Game.State; got != want {
		w.t.Fatalf("tick %d: state %b, want %b", w.Tick(), got, want)
	}
}

func TestWarmupUntilTwoPlay(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.wantState(game.StateWarmup)
	w.enter(0)
	w.wantState(game.StateWarmup)
	evs := w.do(game.Command{Kind: game.CmdJoin, Player: 1})
	testenv.Check(t, len(eventsOf(evs, game.EvRoundStart)) == 1, "a second seated player does not start the match")
	w.wantState(0)
	if got := w.Frame().Game.StartTick; got != w.Tick()-1 {
		t.Errorf("started at %d, tick is %d", got, w.Tick())
	}
	testenv.Check(t, !w.alive(0), "the world was not reset")
	w.steps(24)
	testenv.Check(t, !w.alive(0), "spawned 24 ticks after the reset")
	w.steps(1)
	testenv.Check(t, w.alive(0), "did not spawn 25 ticks after the reset")
}

func TestScoreLimit(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.ScoreLimit = 5 })})
	w.enter(0, 1)
	w.addScores(5, 5)
	w.steps(1)
	w.wantState(game.StateSuddenDeath)
	w.addScores(0, 1)
	evs := w.steps(1)
	if ends := eventsOf(evs, game.EvMatchEnd); len(ends) != 1 || ends[0].Flag {
		t.Fatalf("ends %+v", ends)
	}
	w.wantState(game.StateGameOver)
	testenv.Check(t, w.Paused(), "things still move")
	// Clients show EndTick as the elapsed time. It no longer changes.
	g := w.Frame().Game
	if want := w.Tick() - g.StartTick; g.EndTick != want {
		t.Errorf("end tick %d, want %d", g.EndTick, want)
	}
	end := g.EndTick
	evs = w.steps(499)
	testenv.Check(t, w.Frame().Game.EndTick == end, "end tick moved from %d to %d", end, w.Frame().Game.EndTick)
	testenv.Require(t, len(eventsOf(evs, game.EvRoundStart)) == 0, "next match before 10 s")
	evs = w.steps(1)
	testenv.Require(t, len(eventsOf(evs, game.EvRoundStart)) == 1 && len(eventsOf(evs, game.EvMatchEnd)) == 0, "after 10 s: %+v", evs)
	w.steps(1)
	testenv.Check(t, w.score(0) == 0 && w.score(1) == 0, "scores %d, %d in the new match", w.score(0), w.score(1))
}

func TestTimeLimit(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.TimeLimit = 1 })})
	w.Step(join(0, 1))
	start := w.Frame().Game.StartTick
	for w.Tick()-start < 60*50 {
		w.wantState(0)
		w.steps(1)
	}
	w.wantState(game.StateSuddenDeath)
	w.addScores(1)
	w.steps(1)
	w.wantState(game.StateGameOver)
}

func TestSpectatorsScoreCounts(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.ScoreLimit = 5 })})
	w.enter(0, 1, 2)
	w.addScores(4, 0, 4)
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 2, Team: game.TeamSpectators})
	w.addScores(1, 0, 1)
	w.steps(1)
	w.wantState(game.StateSuddenDeath)
}

func TestMatchesPerMap(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.ScoreLimit, r.MapRotation, r.MatchesPerMap = 1, true, 2 })})
	w.enter(0, 1)
	if cur, num := w.MatchNumber(); cur != 1 || num != 2 {
		t.Fatalf("match %d of %d", cur, num)
	}
	next := func() []game.Event {
		w.addScores(1)
		return w.steps(599)
	}
	evs := next()
	if ends := eventsOf(evs, game.EvMatchEnd); len(ends) != 1 {
		t.Errorf("first match: ends %+v", ends)
	}
	if cur, _ := w.MatchNumber(); cur != 2 || len(eventsOf(evs, game.EvGameInfo)) != 1 {
		t.Errorf("match %d, events %+v", cur, eventsOf(evs, game.EvGameInfo))
	}
	ends := eventsOf(next(), game.EvMatchEnd)
	testenv.Check(t, len(ends) == 2 && !ends[0].Flag && ends[1].Flag, "second match: ends %+v", ends)
}

func TestEndMatchCommandAsksForAMap(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0, 1)
	if evs := w.do(game.Command{Kind: game.CmdEndMatch}); len(eventsOf(evs, game.EvMatchEnd)) != 1 {
		t.Fatalf("events %+v", evs)
	}
	w.wantState(game.StateGameOver)
	ends := eventsOf(w.steps(499), game.EvMatchEnd)
	testenv.Check(t, len(ends) == 1 && ends[0].Flag, "ends %+v", ends)
}

func TestPauseFreezesEverything(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{armed()}})
	w.enter(0, 1)
	w.selectWeapon(0, game.WeaponGrenade, 100, -100)
	w.shoot(0, 100, -100, 5)
	before := w.Frame()
	p, c, start := before.Projectiles[0], before.Characters[0], before.Game.StartTick
	w.do(game.Command{Kind: game.CmdPause, Value: 2})
	w.wantState(game.StatePaused)
	if got := w.Frame().Game.EndTick; got != w.Tick()+99 {
		t.Errorf("pause ends at %d, tick is %d", got, w.Tick())
	}
	w.steps(49)
	after := w.Frame()
	if got := after.Projectiles[0]; got.StartTick != p.StartTick+50 || got.Pos != p.Pos {
		t.Errorf("projectile went from %+v to %+v", p, got)
	}
	if got := after.Characters[0]; got.Pos != c.Pos || got.AttackTick != c.AttackTick+50 || got.Tick != 0 {
		t.Errorf("character went from %+v to %+v", c, got)
	}
	if got := after.Game.StartTick; got != start+50 {
		t.Errorf("start tick went from %d to %d", start, got)
	}
	w.steps(50)
	w.wantState(0)
}

func TestInactivity(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) {
		r.InactiveTime, r.InactiveAction, r.PlayerSlots = 1, 2, 63
	})})
	w.Step(join(0, 1, 2))
	w.do(game.Command{Kind: game.CmdPlayerFlags, Player: 2, Value: int32(game.PlayerFlagAdmin)})
	evs := w.steps(60*50 + 10)
	if got := w.state(0).Team; got != game.TeamSpectators {
		t.Errorf("the first idler is in team %d", got)
	}
	if got := eventsOf(evs, game.EvKick); len(got) == 0 || got[0].Player != 1 {
		t.Errorf("kicks %+v; the spectator seats are taken", got)
	}
	if got := w.state(2).Team; got != game.TeamRed {
		t.Errorf("an admin was moved to team %d", got)
	}
}

func TestRulesCommand(t *testing.T) {
	w := newWorld(t, game.Config{})
	evs := w.setRules(func(r *game.Rules) { r.ScoreLimit = 7 })
	testenv.Check(t, len(eventsOf(evs, game.EvGameInfo)) == 1 && len(eventsOf(evs, game.EvServerSettings)) == 0, "score limit: %+v", evs)
	testenv.Check(t, w.Frame().Game.ScoreLimit == 7, "score limit %d", w.Frame().Game.ScoreLimit)
	evs = w.setRules(func(r *game.Rules) { r.PlayerSlots = 1 })
	testenv.Check(t, len(eventsOf(evs, game.EvGameInfo)) == 0 && len(eventsOf(evs, game.EvServerSettings)) == 1, "slots: %+v", evs)
	w.Step(join(0, 1))
	testenv.Check(t, w.team(0) == game.TeamRed && w.team(1) == game.TeamSpectators, "teams %d, %d with one slot", w.team(0), w.team(1))
}

// TestToldAtOnce checks that players get the rules and tuning as of each change. This includes
// several changes in a tick, and settings that stay equal if the command asks for the message.
func TestToldAtOnce(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.ScoreLimit, r.PlayerSlots, r.MapRotation, r.MatchesPerMap = 1, 8, true, 3 })})
	r := w.Rules()
	set := func(tell int32, change func(r *game.Rules)) game.Command {
		change(&r)
		now := r
		return game.Command{Kind: game.CmdSetRules, Rules: &now, Value: tell}
	}
	nothing := func(*game.Rules) {}
	evs := w.Step([]game.Command{
		set(0, func(r *game.Rules) { r.ScoreLimit = 7 }), set(0, func(r *game.Rules) { r.TimeLimit = 2 }),
		set(game.TellLimits, nothing), set(0, func(r *game.Rules) { r.PlayerSlots = 4 }), set(0, nothing),
		{Kind: game.CmdLockTeams}, set(game.TellSettings, nothing), {Kind: game.CmdLockTeams},
	})
	var got []string
	for _, e := range evs {
		switch e.Kind {
		case game.EvGameInfo:
			got = append(got, fmt.Sprint("limits ", e.Rules.ScoreLimit, e.Rules.TimeLimit, " match ", e.Extra, " of ", e.Value))
		case game.EvServerSettings:
			got = append(got, fmt.Sprint("slots ", e.Rules.PlayerSlots, " locked ", e.Flag))
		}
	}
	want := []string{"limits 7 0 match 1 of 3", "limits 7 2 match 1 of 3", "slots 4 locked false", "slots 4 locked true", "slots 4 locked true",
		"slots 4 locked false"}
	testenv.Check(t, slices.Equal(got, want), "told %q, want %q", got, want)

	first, second := w.Tuning(), w.Tuning()
	first[12], second[12] = 1, 2
	evs = eventsOf(w.Step([]game.Command{{Kind: game.CmdTuneParams, Tuning: &first}, {Kind: game.CmdTuneParams, Tuning: &second}}), game.EvTuneParams)
	testenv.Check(t, len(evs) == 2 && *evs[0].Tuning == first && *evs[1].Tuning == second, "told %d times of the tuning", len(evs))
}

func TestPureTuning(t *testing.T) {
	tuning := newWorld(t, game.Config{}).Tuning()
	def := tuning
	tuning[12] = 0 // gravity
	for _, pure := range []bool{false, true} {
		w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.PureTuning = pure })})
		testenv.Check(t, len(eventsOf(w.do(game.Command{Kind: game.CmdTuneParams, Tuning: &tuning}), game.EvTuneParams)) == 1, "nobody is told")
		want := tuning
		if pure {
			want = def
		}
		testenv.Check(t, w.Tuning() == want, "pure %v: tuning %v", pure, w.Tuning())
	}
}
