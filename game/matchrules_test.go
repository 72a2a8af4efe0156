package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
)

// named is a mod that changes the name of the game type, and decides about purity.
type named struct {
	noHooks
	prefix string
	pure   bool
}

func (m named) GameType(name string) string {
	if m.prefix == "" {
		return ""
	}
	return m.prefix + name
}
func (m named) PureTuning() bool { return m.pure }

func TestModsNameTheGameType(t *testing.T) {
	w := newWorld(t, game.Config{Mods: []game.Mod{named{prefix: "i"}, named{}, named{prefix: "x"}}})
	testenv.Check(t, w.ModeName() == "xiDM", "named %s", w.ModeName())
}

func TestModsDecideAboutPurity(t *testing.T) {
	changed := physics.DefaultTuning()
	changed[physics.TuneParamIndex("gravity")]++
	for _, pure := range []bool{false, true} {
		w := newWorld(t, game.Config{Mods: []game.Mod{named{pure: pure}, named{pure: !pure}}, Rules: rules(func(r *game.Rules) { r.PureTuning = !pure })})
		r := rules(func(r *game.Rules) { r.PureTuning = !pure })
		w.do(game.Command{Kind: game.CmdSetRules, Player: game.Nobody, Rules: &r})
		w.do(game.Command{Kind: game.CmdTuneParams, Player: game.Nobody, Tuning: &changed})
		testenv.Check(t, w.Rules().PureTuning == pure && (w.Tuning() == changed) == !pure, "the rule says %v: %v", pure, w.Rules().PureTuning)
	}
}

// starter is a mod that lets a match start from a tick on.
type starter struct {
	from   int32
	enough bool // as told last
	rounds int
}

func (m *starter) Start(setup *game.Setup) {
	if m.from < 0 {
		setup.Match().StartWarmup(-m.from)
	}
}
func (m *starter) CanStartMatch(ctx *game.Ctx, enough bool) bool {
	m.enough = enough
	return ctx.Tick() >= m.from
}
func (m *starter) OnRoundStart(*game.Ctx) { m.rounds++ }

func TestModsDecideWhenAMatchStarts(t *testing.T) {
	m := &starter{from: 100}
	w := newWorld(t, game.Config{Mods: []game.Mod{m}})
	w.Step(join(0, 1))
	w.steps(90)
	w.wantState(game.StateWarmup)
	testenv.Check(t, m.enough && m.rounds == 0, "two are enough %v, %d rounds", m.enough, m.rounds)
	w.steps(20)
	w.wantState(0)
	testenv.Check(t, m.rounds == 1, "%d rounds", m.rounds)

	m = &starter{from: -3} // a warmup of three seconds, then anybody
	w = newWorld(t, game.Config{Mods: []game.Mod{m}})
	w.Step(join(0))
	w.steps(100)
	w.wantState(game.StateWarmup)
	w.steps(100)
	w.wantState(0)
	testenv.Check(t, !m.enough && m.rounds == 1, "one is enough %v, %d rounds", m.enough, m.rounds)
}

// puller is a mod that brings all spectators into the game at the start of a round.
type puller struct {
	noHooks
	rounds int
}

func (m *puller) OnRoundStart(ctx *game.Ctx) {
	m.rounds++
	for p := range ctx.Players() {
		p.SetTeam(game.TeamRed)
	}
}

func TestAMatchStartsOnceWhenAHookBringsPlayers(t *testing.T) {
	m := &puller{}
	w := newWorld(t, game.Config{Mods: []game.Mod{m}, Rules: rules(func(r *game.Rules) { r.Countdown = 2 })})
	for id := range game.PlayerID(3) {
		w.Step(joinSpectators(id))
	}
	w.wantState(game.StateWarmup)
	starts := len(eventsOf(w.Step([]game.Command{{Kind: game.CmdRestart, Player: game.Nobody}}), game.EvRoundStart))
	testenv.Check(t, m.rounds == 1 && starts == 1, "%d rounds, %d events", m.rounds, starts)
	w.wantState(game.StateCountdown | game.StatePaused)
	w.steps(140)
	w.wantState(0)
	for id := range game.PlayerID(3) {
		testenv.Check(t, w.alive(id), "player %d does not play", id)
	}
}

// bouncer is a mod that asks a function about teams.
type bouncer struct {
	noHooks
	decide func(ctx *game.Ctx, r *game.TeamRequest)
	asked  []game.TeamRequest
}

func (m *bouncer) JoinTeam(ctx *game.Ctx, r *game.TeamRequest) {
	m.asked = append(m.asked, *r)
	m.decide(ctx, r)
}

// joinSpectators lets a player enter as a spectator.
func joinSpectators(id game.PlayerID) []game.Command {
	cmds := join(id)
	cmds[0].AsSpectator = true
	return cmds
}

func TestModsDecideAboutTeams(t *testing.T) {
	var decide func(ctx *game.Ctx, r *game.TeamRequest)
	first := &bouncer{decide: func(ctx *game.Ctx, r *game.TeamRequest) { decide(ctx, r) }}
	second := &bouncer{decide: func(*game.Ctx, *game.TeamRequest) {}}
	w := newWorld(t, game.Config{Mode: tdm.Mode{}, Mods: []game.Mod{first, second},
		Rules: rules(func(r *game.Rules) { r.TeamBalanceTime, r.PlayerSlots = 0, 2 })})
	refuse := func(ctx *game.Ctx, r *game.TeamRequest) {
		r.Refusal = "not now"
		ctx.Cancel()
	}
	decide = func(_ *game.Ctx, r *game.TeamRequest) { r.Team = game.TeamBlue }
	w.Step(join(0))
	testenv.Check(t, w.team(0) == game.TeamBlue, "the rule's team is blue, got %v", w.team(0))
	decide = refuse
	w.Step(join(1))
	testenv.Check(t, w.team(1) == game.TeamSpectators && w.NumPlaying() == 1, "let in: %v", w.team(1))
	testenv.Check(t, len(second.asked) == 1 && second.asked[0] == game.TeamRequest{From: game.TeamSpectators, Team: game.TeamBlue},
		"after a rule that cancels the next is asked: %+v", second.asked)

	w.steps(200)
	told := eventsOf(w.Step([]game.Command{{Kind: game.CmdSetTeam, Player: 1, Team: game.TeamRed}}), game.EvChat)
	testenv.Check(t, w.team(1) == game.TeamSpectators && len(told) == 1 && told[0].Text == "not now" && told[0].To == game.MaskOne(1),
		"%v, told %+v", w.team(1), told)
	w.do(game.Command{Kind: game.CmdForceTeam, Player: 1, Team: game.TeamRed})
	testenv.Check(t, w.team(1) == game.TeamSpectators, "moved by an operator against the rule: %v", w.team(1))
	asked := first.asked[len(first.asked)-2:]
	testenv.Check(t, asked[0] == game.TeamRequest{Player: 1, From: game.TeamSpectators, Team: game.TeamRed, Cause: game.JoinPlayer} &&
		asked[1].Cause == game.JoinOperator, "asked %+v", asked)

	decide = func(_ *game.Ctx, r *game.TeamRequest) { r.Team = game.TeamRed }
	w.Step(joinSpectators(2)) // a spectator whom the rule lets play
	testenv.Check(t, w.team(2) == game.TeamRed && w.NumPlaying() == 2, "%v, %d play", w.team(2), w.NumPlaying())
	w.Step(joinSpectators(3)) // no slot is free
	testenv.Check(t, w.team(3) == game.TeamSpectators && w.NumPlaying() == 2, "%v, %d play", w.team(3), w.NumPlaying())
}
