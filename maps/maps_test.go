package maps

import (
	"testing"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestMaps checks that the embedded maps are enclosed, have free spawn points, and can be read by
// 0.6 and 0.7 clients.
func TestMaps(t *testing.T) {
	for _, m := range All() {
		t.Run(m.Name, func(t *testing.T) {
			tm, err := twmap.Parse(m.Data)
			if err != nil {
				t.Fatal(err)
			}
			g := tm.GameLayer()
			testenv.Require(t, g != nil, "no game layer")
			solid := func(x, y int) bool {
				i := g.At(x, y).Index
				return i == twmap.Solid || i == twmap.Unhookable
			}
			for y := range g.Height {
				for x := range g.Width {
					testenv.Check(t, x != 0 && x != g.Width-1 && y != g.Height-1 || solid(x, y), "the border is open at %d,%d", x, y)
				}
			}
			// Clients repeat the outermost tiles of a layer outside the map. There, only the inside
			// of the ground and edges that point outwards look right.
			rim := 0
			seamless := func(x, y int, i uint8) bool {
				upright, level := i == 20 || i == 21, i == 16 || i == 52
				return i <= 1 || (x == 0 || x == g.Width-1) == level && (y == 0 || y == g.Height-1) == upright && level != upright
			}
			for _, group := range tm.Groups {
				for _, l := range group.Layers {
					ground, ok := l.(*twmap.TileLayer)
					if ok && ground.Version != 3 { // DDNet 16.4 crashes on version 4
						t.Errorf("tile layer %q has version %d", ground.Name, ground.Version)
					}
					if !ok || ground.Name != "Ground" {
						continue
					}
					rim++
					for y := range g.Height {
						for x := range g.Width {
							if x > 0 && x < g.Width-1 && y > 0 && y < g.Height-1 {
								continue
							}
							if i := ground.At(x, y).Index; !seamless(x, y, i) {
								t.Errorf("at the rim, %d,%d, is tile %d of the ground", x, y, i)
							}
						}
					}
				}
			}
			testenv.Check(t, rim != 0, "no layer of ground")
			count := map[uint8]int{}
			for e := range g.Entities {
				count[e.Index]++
				testenv.Check(t, e.Index != twmap.Spawn || e.Y != 0 && !solid(e.X, e.Y-1), "no head room at spawn %d,%d", e.X, e.Y)
			}
			for e := uint8(twmap.PickupArmor); e <= twmap.PickupLaser; e++ {
				testenv.Check(t, count[e] != 0 || m.Name == "yardrun", "no pickup of tile index %d", e)
			}
			testenv.Check(t, count[twmap.Spawn] >= 2 && count[twmap.Spawn] <= 64, "%d spawns", count[twmap.Spawn])
			for _, img := range tm.Images {
				testenv.Check(t, img.External, "image %q is embedded", img.Name)
			}
		})
	}
}

// TestDefaultIsConnected checks that all open tiles of the default map are connected.
func TestDefaultIsConnected(t *testing.T) {
	tm, err := twmap.Parse(Default().Data)
	if err != nil {
		t.Fatal(err)
	}
	g := tm.GameLayer()
	open := func(x, y int) bool {
		i := g.At(x, y).Index
		return x >= 0 && y >= 0 && x < g.Width && y < g.Height && i != twmap.Solid && i != twmap.Unhookable
	}
	var todo [][2]int
	total := 0
	for y := range g.Height {
		for x := range g.Width {
			if open(x, y) {
				total++
				if todo == nil {
					todo = [][2]int{{x, y}}
				}
			}
		}
	}
	seen := map[[2]int]bool{todo[0]: true}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			q := [2]int{p[0] + d[0], p[1] + d[1]}
			if open(q[0], q[1]) && !seen[q] {
				seen[q] = true
				todo = append(todo, q)
			}
		}
	}
	testenv.Check(t, len(seen) == total, "%d of %d open tiles are connected", len(seen), total)
}

func TestFind(t *testing.T) {
	for _, m := range All() {
		if got, ok := Find(m.Name); !ok || &got.Data[0] != &m.Data[0] {
			t.Errorf("Find(%q) does not return that map", m.Name)
		}
	}
	if _, ok := Find("dm1"); ok {
		t.Error("Find invents a map")
	}
}
