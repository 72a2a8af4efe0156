package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
)

// TestFollowFlag: who follows a flag sees it at its stand, with who carries it, and
// where it was dropped.
func TestFollowFlag(t *testing.T) {
	w := newWorld(t, game.Config{
		Mode: &grabber{}, Rules: rules(func(r *game.Rules) { r.SpamProtection = false }),
		Terrain: bots.ParseMap(
			"####################",
			"#                  #",
			"#  R 2         1 B #",
			"####################",
		),
	})
	w.Step(join(0, 1, 9))
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 9, Team: game.TeamSpectators})
	w.steps(40)
	follows := func(when string, flag game.Team, watched game.PlayerID) {
		t.Helper()
		mode := game.SpectateFlagRed + game.SpectateMode(flag)
		s, at := w.state(9), w.Frame().Flags[flag]
		if s.SpecMode != mode || s.SpectatorID != watched || s.ViewX != at.X || s.ViewY != at.Y {
			t.Errorf("%s: state %+v, flag %+v", when, s, at)
		}
	}
	w.do(watch(game.SpectateFlagRed, game.Nobody))
	w.steps(1)
	follows("red at its stand", game.TeamRed, game.Nobody)
	w.do(watch(game.SpectateFlagBlue, game.Nobody))
	w.steps(1)
	follows("blue at its stand", game.TeamBlue, game.Nobody)
	w.hold(0, game.Input{Direction: 1, TargetX: 1}, 20)
	if w.Frame().Game.FlagCarrier[1] != 0 {
		t.Fatal("nobody carries it")
	}
	follows("carried", game.TeamBlue, 0)
	w.do(game.Command{Kind: game.CmdKill, Player: 0})
	w.steps(1)
	follows("dropped", game.TeamBlue, game.Nobody)
}
