package ddrace_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// praise counts finishes and kills the tee of each player who finishes.
type praise struct {
	calls []game.RaceFinish
	state struct {
		Finishes game.PerPlayer[int32]
	}
}

func (m *praise) Start(*game.Setup) {}
func (m *praise) State() any        { return &m.state }
func (m *praise) OnFinish(ctx *game.Ctx, f *game.RaceFinish) {
	m.calls = append(m.calls, *f)
	m.state.Finishes[f.Player]++
	ctx.Player(f.Player).Kill(game.WeaponGame)
}

// TestFinishHook checks that mods get a finish for each player of a team, and none in practice.
func TestFinishHook(t *testing.T) {
	for _, practice := range []bool{false, true} {
		m := &praise{}
		p := newParty(t, 3)
		p.config.Mode, p.config.Mods = ddrace.New(), []game.Mod{m}
		p.World = modtest.New(t, p.config)
		for id := range game.PlayerID(3) {
			p.Play(id)
		}
		p.run(160)
		p.events = nil
		p.types(0, "team 5")
		p.types(1, "team 5")
		if practice {
			p.types(0, "practice")
			p.types(1, "practice")
		}
		p.walk(1, 50, 0)
		p.walk(1, 140, 0, 1)
		if practice {
			testenv.Check(t, len(m.calls) == 0, "in practice: %+v", m.calls)
			continue
		}
		told := p.take(game.EvRaceFinish)
		testenv.Require(t, len(m.calls) == 2 && len(told) == 2, "calls %+v, told %+v", m.calls, told)
		for i, f := range m.calls {
			testenv.Check(t, f.Player == game.PlayerID(i) && f.Time == told[i].Value && f.Time > 1000, "call %d: %+v, told %+v", i, f, told[i])
		}
		testenv.Check(t, m.state.Finishes[0] == 1 && m.state.Finishes[1] == 1 && m.state.Finishes[2] == 0, "state %+v", m.state)
	}
}

// TestReplayOfFinishes replays a match with a mod that reacts to finishes.
func TestReplayOfFinishes(t *testing.T) {
	testenv.Long(t)
	var made []*praise
	modtest.Match{
		Mode: ddrace.New, Ticks: 1500, Players: 4, Mods: []func() game.Mod{func() game.Mod { made = append(made, &praise{}); return made[len(made)-1] }},
		Terrain: modtest.ParseMap(tiles,
			"############",
			"#          #",
			"#ff S   ss #",
			"############"),
	}.VerifyReplay(t)
	testenv.Check(t, len(made) > 1 && len(made[0].calls) > 0, "%d mods, %d finishes", len(made), len(made[0].calls))
}
