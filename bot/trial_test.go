package bot

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestTrialsAreSimulations compares the trials of maneuvers, which begin where they leave another
// one, with simulations from their beginning. Some maneuvers are left out, as on maps where hooks
// find no wall.
func TestTrialsAreSimulations(t *testing.T) {
	testenv.Long(t)
	tr := largeMap(60, 40)
	for i := range tr.Tiles {
		if i%97 == 0 && tr.Tiles[i] == 0 {
			tr.Tiles[i] = tileDeath
		}
	}
	n := testenv.Must(NewNavGraph(game.Terrain{Width: tr.Width, Height: tr.Height, Tiles: tr.Tiles}, nil))
	w := n.newWorld()
	shorter, landed, dead := 0, 0, 0
	count := func(n *int, ok bool) {
		if ok {
			*n++
		}
	}
	for step := 1; step <= 2; step++ {
		all := newTrials(w, newManeuverTree(step), nil)
		for i := 0; i < len(n.nodePos); i += 7 {
			p := n.nodePos[i]
			all.start(p)
			for k := i % step; k < len(maneuvers); k += step {
				if (i+k)%5 == 0 {
					continue
				}
				count(&shorter, all.parted[k].start == all.starts)
				c := physics.NewCore(w, p)
				want := simulate(c, &maneuvers[k], 0, maxManeuverTicks, nil)
				got, end := all.run(k)
				testenv.Require(t, got == want && end == c.Pos, "node %d, maneuver %d: %+v at %v, want %+v at %v", i, k, got, end, want, c.Pos)
				count(&landed, want.landed)
				count(&dead, want.dead)
			}
		}
	}
	t.Logf("%d of the maneuvers began where they left another; %d landed, %d died", shorter, landed, dead)
	testenv.Check(t, shorter > 1000 && landed > 1000 && dead > 100, "%d, %d, %d", shorter, landed, dead)
}
