package game_test

import (
	"bytes"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestHighIDs checks that players with ids from 64 on play, and that their world is saved whole.
func TestHighIDs(t *testing.T) {
	cfg := game.Config{Terrain: bots.Arena(), Mode: dm.Mode{}, Rules: rules(nil), Mods: []game.Mod{&script{}}}
	w := newWorld(t, cfg)
	before := w.Hash()
	w.enter(126, 127, 64, 3)
	testenv.Check(t, w.Hash() != before, "high ids are not in the hash")
	w.steps(100)
	alive := 0
	for _, c := range w.Frame().Characters {
		if c.Player >= 64 {
			alive++
		}
	}
	testenv.Require(t, alive == 3, "%d tees", alive)
	cfg.Mods = append(cfg.Mods, &script{}) // as newWorld does
	restored := testenv.Must(game.Restore(cfg, w.AppendState(nil)))
	testenv.Require(t, restored.Hash() == w.Hash(), "another state")
	for i := range 200 {
		cmds := []game.Command{{Kind: game.CmdInput, Player: 127, Input: game.Input{Direction: 1, TargetX: 1, Jump: i%20 < 10, Fire: int32(i)}}}
		w.Step(cmds)
		restored.Step(cmds)
		testenv.Require(t, restored.Hash() == w.Hash(), "another state after %d ticks", i)
	}
	w.Step([]game.Command{{Kind: game.CmdLeave, Player: 127}})
	restored.Step([]game.Command{{Kind: game.CmdLeave, Player: 127}})
	testenv.Check(t, bytes.Equal(w.AppendState(nil), restored.AppendState(nil)), "another state at the end")
}

// TestPlayerMask checks the operations of sets at the border between their words.
func TestPlayerMask(t *testing.T) {
	var m game.PlayerMask
	for _, id := range []game.PlayerID{127, 63, 64, 0, game.Nobody} {
		m.Add(id)
	}
	var all []game.PlayerID
	for id := range m.All() {
		all = append(all, id)
	}
	testenv.Check(t, len(all) == 4 && all[0] == 0 && all[1] == 63 && all[2] == 64 && all[3] == 127, "%v", all)
	m.Remove(64)
	m.Remove(game.Nobody)
	testenv.Check(t, m.Count() == 3 && !m.Has(64) && m.Has(127) && !m.Has(game.Nobody) && m.Not().Count() == 125, "%v", m)
	testenv.Check(t, m.And(game.MaskOne(127)) == game.MaskOne(127) && m.Without(m).IsEmpty() && m.Without(game.MaskOne(0)).Lowest() == 63, "%v", m)
	testenv.Check(t, game.MaskAll.IsPublic() && game.MaskAll.Without(game.MaskOne(90)).IsPublic() &&
		!game.MaskAll.Without(game.MaskOne(1).Or(game.MaskOne(90))).IsPublic(), "public")
}
