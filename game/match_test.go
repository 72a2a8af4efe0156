package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
)

// scorer is a mod that gives points when told to.
type scorer struct{ points map[game.PlayerID]int32 }

func (*scorer) Start(*game.Tx) {}
func (s *scorer) OnTick(ctx *game.Ctx) {
	for id := range ctx.Players() {
		ctx.AddScore(id, s.points[id])
		delete(s.points, id)
	}
}

func scoring(r func(*game.Rules), t *testing.T) (*world, *scorer) {
	s := &scorer{points: map[game.PlayerID]int32{}}
	return newWorld(t, game.Config{Rules: rules(r), Mods: []game.Mod{s}}), s
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
	if len(of(evs, game.EvRoundStart)) != 1 {
		t.Error("a second seated player does not start the match")
	}
	w.wantState(0)
	if got := w.Frame().Game.StartTick; got != w.Tick()-1 {
		t.Errorf("started at %d, tick is %d", got, w.Tick())
	}
	if w.alive(0) {
		t.Error("the world was not reset")
	}
	w.steps(24)
	if w.alive(0) {
		t.Error("spawned 24 ticks after the reset")
	}
	w.steps(1)
	if !w.alive(0) {
		t.Error("did not spawn 25 ticks after the reset")
	}
}

func TestScoreLimit(t *testing.T) {
	w, s := scoring(func(r *game.Rules) { r.ScoreLimit = 5 }, t)
	w.enter(0, 1)
	s.points[0], s.points[1] = 5, 5
	w.steps(2)
	w.wantState(game.StateSuddenDeath)
	s.points[1] = 1
	w.steps(1)
	evs := w.steps(1)
	if ends := of(evs, game.EvMatchEnd); len(ends) != 1 || ends[0].Flag {
		t.Fatalf("ends %+v", ends)
	}
	w.wantState(game.StateGameOver)
	if !w.Paused() {
		t.Error("things still move")
	}
	// Clients show EndTick as the elapsed time: it stands still.
	g := w.Frame().Game
	if want := w.Tick() - g.StartTick; g.EndTick != want {
		t.Errorf("end tick %d, want %d", g.EndTick, want)
	}
	end := g.EndTick
	evs = w.steps(499)
	if w.Frame().Game.EndTick != end {
		t.Errorf("end tick moved from %d to %d", end, w.Frame().Game.EndTick)
	}
	if len(of(evs, game.EvRoundStart)) != 0 {
		t.Fatal("next match before 10 s")
	}
	evs = w.steps(1)
	if len(of(evs, game.EvRoundStart)) != 1 || len(of(evs, game.EvMatchEnd)) != 0 {
		t.Fatalf("after 10 s: %+v", evs)
	}
	w.steps(1)
	if w.score(0) != 0 || w.score(1) != 0 {
		t.Errorf("scores %d, %d in the new match", w.score(0), w.score(1))
	}
}

func TestTimeLimit(t *testing.T) {
	w, s := scoring(func(r *game.Rules) { r.TimeLimit = 1 }, t)
	w.Step(join(0, 1))
	start := w.Frame().Game.StartTick
	for w.Tick()-start < 60*50 {
		w.wantState(0)
		w.steps(1)
	}
	w.wantState(game.StateSuddenDeath)
	s.points[0] = 1
	w.steps(2)
	w.wantState(game.StateGameOver)
}

func TestSpectatorsScoreCounts(t *testing.T) {
	w, s := scoring(func(r *game.Rules) { r.ScoreLimit = 5 }, t)
	w.enter(0, 1, 2)
	s.points[0], s.points[2] = 4, 4
	w.steps(1)
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 2, Team: game.TeamSpectators})
	s.points[0], s.points[2] = 1, 1
	w.steps(2)
	w.wantState(game.StateSuddenDeath)
}

func TestMatchesPerMap(t *testing.T) {
	w, s := scoring(func(r *game.Rules) { r.ScoreLimit, r.MapRotation, r.MatchesPerMap = 1, true, 2 }, t)
	w.enter(0, 1)
	if cur, num := w.MatchNumber(); cur != 1 || num != 2 {
		t.Fatalf("match %d of %d", cur, num)
	}
	next := func() []game.Event {
		s.points[0] = 1
		return w.steps(600)
	}
	evs := next()
	if ends := of(evs, game.EvMatchEnd); len(ends) != 1 {
		t.Errorf("first match: ends %+v", ends)
	}
	if cur, _ := w.MatchNumber(); cur != 2 || len(of(evs, game.EvGameInfo)) != 1 {
		t.Errorf("match %d, events %+v", cur, of(evs, game.EvGameInfo))
	}
	ends := of(next(), game.EvMatchEnd)
	if len(ends) != 2 || ends[0].Flag || !ends[1].Flag {
		t.Errorf("second match: ends %+v", ends)
	}
}

func TestEndMatchCommandAsksForAMap(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0, 1)
	if evs := w.do(game.Command{Kind: game.CmdEndMatch}); len(of(evs, game.EvMatchEnd)) != 1 {
		t.Fatalf("events %+v", evs)
	}
	w.wantState(game.StateGameOver)
	ends := of(w.steps(499), game.EvMatchEnd)
	if len(ends) != 1 || !ends[0].Flag {
		t.Errorf("ends %+v", ends)
	}
}

func TestPauseFreezesEverything(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: duel(8), Mods: []game.Mod{armed()}})
	w.enter(0, 1)
	w.take(0, game.WeaponGrenade, 100, -100)
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

func TestCountdown(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.Countdown = 2 })})
	w.Step(join(0, 1))
	w.wantState(game.StateCountdown | game.StatePaused)
	// Teams may still be changed, which they may not in a pause.
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 1, Team: game.TeamSpectators})
	if got := w.state(1).Team; got != game.TeamSpectators {
		t.Errorf("team %d", got)
	}
	w.steps(98)
	w.wantState(0)
}

func TestReadyMode(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.ReadyMode, r.Warmup = true, -1 })})
	w.enter(0, 1)
	w.wantState(game.StateWarmup)
	ready := func(id game.PlayerID) []game.Event {
		return w.do(game.Command{Kind: game.CmdReady, Player: id})
	}
	if w.state(0).Flags&game.PlayerFlagReady != 0 {
		t.Error("ready without having said so")
	}
	ready(0)
	if w.state(0).Flags&game.PlayerFlagReady == 0 {
		t.Error("not ready")
	}
	w.wantState(game.StateWarmup)
	ready(1)
	w.wantState(0)
	w.steps(50)
	n := of(ready(0), game.EvGameMsg)
	if len(n) != 1 || n[0].GameMsg != game.GameMsgGamePaused || n[0].Player != 0 {
		t.Errorf("notices %+v", n)
	}
	w.wantState(game.StatePaused)
	w.steps(50)
	ready(0)
	w.wantState(game.StatePaused) // the other is unready too now
	ready(1)
	w.wantState(0)
}

func TestRestartCommand(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0, 1)
	w.do(game.Command{Kind: game.CmdRestart, Value: 3})
	w.wantState(game.StateWarmup)
	if got := w.Frame().Game.EndTick - w.Tick(); got != 149 {
		t.Errorf("%d ticks of warmup left", got)
	}
	if evs := w.steps(149); len(of(evs, game.EvRoundStart)) != 1 {
		t.Error("no match after the warmup")
	}
	w.wantState(0)
}

func TestInactivity(t *testing.T) {
	w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) {
		r.InactiveTime, r.InactiveAction, r.PlayerSlots = 1, 2, game.MaxPlayers-1
	})})
	w.Step(join(0, 1, 2))
	w.do(game.Command{Kind: game.CmdPlayerFlags, Player: 2, Value: int32(game.PlayerFlagAdmin)})
	var evs []game.Event
	for range 60*50 + 10 {
		evs = append(evs, w.Step(nil)...)
	}
	if got := w.state(0).Team; got != game.TeamSpectators {
		t.Errorf("the first idler is in team %d", got)
	}
	if got := of(evs, game.EvKick); len(got) == 0 || got[0].Player != 1 {
		t.Errorf("kicks %+v; the spectator seats are taken", got)
	}
	if got := w.state(2).Team; got != game.TeamRed {
		t.Errorf("an admin was moved to team %d", got)
	}
}

func TestRulesCommand(t *testing.T) {
	w := newWorld(t, game.Config{})
	r := w.Rules()
	r.ScoreLimit = 7
	evs := w.do(game.Command{Kind: game.CmdSetRules, Rules: &r})
	if len(of(evs, game.EvGameInfo)) != 1 || len(of(evs, game.EvServerSettings)) != 0 || w.Frame().Game.ScoreLimit != 7 {
		t.Errorf("score limit: %+v", evs)
	}
	r.PlayerSlots = 1
	evs = w.do(game.Command{Kind: game.CmdSetRules, Rules: &r})
	if len(of(evs, game.EvGameInfo)) != 0 || len(of(evs, game.EvServerSettings)) != 1 {
		t.Errorf("slots: %+v", evs)
	}
	w.Step(join(0, 1))
	if a, b := w.state(0).Team, w.state(1).Team; a != game.TeamRed || b != game.TeamSpectators {
		t.Errorf("teams %d, %d with one slot", a, b)
	}
}

func TestPureTuning(t *testing.T) {
	tuning := newWorld(t, game.Config{}).Tuning()
	def := tuning
	tuning[12] = 0 // gravity
	for _, pure := range []bool{false, true} {
		w := newWorld(t, game.Config{Rules: rules(func(r *game.Rules) { r.PureTuning = pure })})
		if evs := w.do(game.Command{Kind: game.CmdTuneParams, Tuning: &tuning}); len(of(evs, game.EvTuneParams)) != 1 {
			t.Error("nobody is told")
		}
		want := tuning
		if pure {
			want = def
		}
		if w.Tuning() != want {
			t.Errorf("pure %v: tuning %v", pure, w.Tuning())
		}
	}
}
