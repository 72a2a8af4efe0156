package bot

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/splitmix"
	"github.com/teeyard/teeyard/internal/testenv"
)

// largeMap returns a large map with floors everywhere.
func largeMap(width, height int) game.Terrain {
	t := game.Terrain{Width: width, Height: height, Tiles: make([]uint8, width*height)}
	r := splitmix.Rand(1)
	for y := range height {
		for x := range width {
			i := y*width + x
			switch {
			case x == 0 || y == 0 || x == width-1 || y == height-1:
				t.Tiles[i] = 1
			case y%5 == 0 && r.Percent(60):
				t.Tiles[i] = 1
			case r.Uint32n(5000) == 0:
				t.Tiles[i] = uint8(192 + r.Uint32n(11))
			}
		}
	}
	return t
}

// TestLargeMapsAreBounded checks the limits on nodes and pickups.
func TestLargeMapsAreBounded(t *testing.T) {
	tr := largeMap(500, 300)
	n := &NavGraph{width: tr.Width, height: tr.Height}
	full := testenv.Must(NewNavGraph(game.Terrain{Width: 3, Height: 3, Tiles: make([]uint8, 9)}, nil))
	n.tuning = full.tuning
	testenv.NoError(t, n.loadTerrain(tr))
	covered := 0
	var above, below int
	for i, node := range n.nodeOf {
		if node == noNode {
			continue
		}
		covered++
		if i < len(n.nodeOf)/2 {
			above++
		} else {
			below++
		}
	}
	t.Logf("%d places to stand, %d nodes, %d pickups", covered, len(n.nodePos), len(n.pickupSites))
	if len(n.nodePos) > maxNodes || len(n.pickupSites) > maxPickupSites {
		t.Errorf("%d nodes, %d pickups", len(n.nodePos), len(n.pickupSites))
	}
	if covered < 2*len(n.nodePos) || above > 2*below || below > 2*above {
		t.Errorf("%d tiles have a node, %d above, %d below", covered, above, below)
	}
}

// BenchmarkLargeNav builds the graph of a map of 500 x 300 tiles.
func BenchmarkLargeNav(b *testing.B) {
	tr := largeMap(500, 300)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewNavGraph(tr, nil); err != nil {
			b.Fatal(err)
		}
	}
}
