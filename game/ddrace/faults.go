package ddrace

import (
	"fmt"

	"github.com/teeyard/teeyard/game/terrain"
)

// maxFaults limits the faults that a list keeps.
const maxFaults = 100

// Fault is a tile or setting of a map that the simulation does not support.
type Fault struct {
	Layer Layer
	X, Y  int // tile, of the first one of its kind
	What  string
	// Count is the number of tiles with this fault.
	Count int
	// Setting is the index of the line in the map's settings, for a fault in the settings.
	Setting int
}

// IsSetting reports whether the fault is in the settings.
func (f Fault) IsSetting() bool { return f.Layer == layerSettings }

// String returns the place and the description of the fault.
func (f Fault) String() string {
	if f.IsSetting() {
		return "map settings: " + f.What
	}
	s := fmt.Sprintf("%s layer, tile %d, %d: %s", f.Layer, f.X, f.Y, f.What)
	if f.Count > 1 {
		s += fmt.Sprintf(" (and %d more)", f.Count-1)
	}
	return s
}

// Faults is a list of faults. Equal faults of a layer are one entry, so that the list stays short.
type Faults struct {
	List []Fault
	More int // faults that are not in List, which has a limit
}

// add adds a fault of the tiles in a tally, if there are any.
func (f *Faults) add(l Layer, m *Map, t tally, what string) {
	switch {
	case t.count == 0:
	case len(f.List) == maxFaults:
		f.More++
	default:
		f.List = append(f.List, Fault{Layer: l, X: int(t.first % m.width), Y: int(t.first / m.width), What: what, Count: t.count})
	}
}

// addSetting adds a fault of the settings.
func (f *Faults) addSetting(what string) {
	f.add(layerSettings, &Map{width: 1}, tally{count: 1}, what)
}

// indexSet is a set of tile indices.
type indexSet [256]bool

// indices returns the set of the indices in the ranges, given by their first and last ones.
func indices(ranges ...uint8) *indexSet {
	var s indexSet
	for r := 0; r < len(ranges); r += 2 {
		for i := int(ranges[r]); i <= int(ranges[r+1]); i++ {
			s[i] = true
		}
	}
	return &s
}

// meaningful are the tile indices that DDNet-Server knows in the layers, among them those that have
// no effect on the game, such as credits.
var meaningful = [...]*indexSet{
	LayerGame: indices(0, 6, 9, 9, 11, 13, 16, 22, 32, 62, 64, 67, 71, 76, 88, 91, 96, 97, 104, 107, 112, 113, 128, 129, 140, 145, 156, 159,
		190, 218, 220, 229, 233, 238, 240, 240),
	LayerFront: indices(0, 0, 2, 2, 4, 6, 9, 9, 11, 13, 16, 22, 32, 62, 64, 67, 71, 76, 88, 91, 96, 99, 104, 107, 112, 113, 128, 129, 140, 145,
		156, 159, 190, 218, 220, 229, 233, 238, 240, 240),
	LayerTele:   indices(0, 0, 10, 10, 14, 15, 26, 27, 29, 31, 63, 63),
	LayerSwitch: indices(0, 0, 7, 7, 9, 9, 12, 13, 19, 20, 22, 25, 79, 79, 95, 95, 98, 99, 144, 145, 192, 218, 220, 229, 233, 238, 240, 240),
}

// findFaults lists the tiles with an index without a meaning in their layer.
func (m *Map) findFaults(t *terrain.Terrain) {
	var tallies [LayerTune][256]tally
	check := func(l Layer, i int, index uint8) {
		if !meaningful[l][index] {
			tallies[l][index].add(int32(i))
		}
	}
	for i, index := range t.Tiles {
		check(LayerGame, i, index)
	}
	for i, index := range t.Front {
		check(LayerFront, i, index)
	}
	for i, tile := range t.Tele {
		check(LayerTele, i, tile.Type)
	}
	for i, tile := range t.Speedup {
		if tile.Force != 0 && tile.Type == newSpeedup && !m.Settings.release20() {
			tallies[LayerSpeedup][tile.Type].add(int32(i))
		}
	}
	for i, tile := range t.Switch {
		check(LayerSwitch, i, tile.Type)
	}
	for l := range tallies {
		for index, v := range &tallies[l] {
			if v.count == 0 {
				continue
			}
			what := fmt.Sprintf("index %d means nothing here", index)
			if Layer(l) == LayerSpeedup {
				what = "a speedup of DDNet 20; it acts as an old one unless sv_ddnet_physics is 20"
			}
			m.Faults.add(Layer(l), m, v, what)
		}
	}
}

// tally counts tiles and remembers the first one.
type tally struct {
	count int
	first int32
}

func (t *tally) add(i int32) {
	if t.count == 0 {
		t.first = i
	}
	t.count++
}
