package ddrace_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestFinishesOfBotsAreQuiet checks that only a bot itself gets the message about its finish,
// unless bots have ranks.
func TestFinishesOfBotsAreQuiet(t *testing.T) {
	for setting, want := range map[string]game.PlayerMask{"0": game.MaskOne(0), "1": game.MaskAll} {
		p := newParty(t, 2)
		p.run(1, game.SetVariable("sv_rank_bots", setting),
			game.Command{Kind: game.CmdPlayerFlags, Player: 0, Target: game.Nobody, Value: int32(game.PlayerFlagBot)})
		p.walk(1, 150, 0)
		finishes := 0
		for _, e := range p.events {
			if e.Kind == game.EvRaceFinish {
				finishes++
				testenv.Check(t, e.To == want, "sv_rank_bots %s: %x are told", setting, e.To)
			}
		}
		testenv.Check(t, finishes == 1, "sv_rank_bots %s: %d finishes", setting, finishes)
	}
}
