package teeverify_test

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
)

// tileKind is a tile index in a layer.
type tileKind struct {
	layer string
	index uint8
}

// layers lists the layers. The functions of a layer return its tile indices, and a copy of the
// layer without one index. Most tiles do the same in the game and the front layer.
var layers = []struct {
	name   string
	index  func(t *terrain.Terrain, i int) uint8
	remove func(t *terrain.Terrain, index uint8)
}{
	{"game", func(t *terrain.Terrain, i int) uint8 { return t.Tiles[i] }, func(t *terrain.Terrain, index uint8) {
		t.Tiles, t.Front = without(t.Tiles, func(v uint8) bool { return v == index }), without(t.Front, func(v uint8) bool { return v == index })
	}},
	{"front", func(t *terrain.Terrain, i int) uint8 { return at(t.Front, i) }, nil},
	{"tele", func(t *terrain.Terrain, i int) uint8 { return at(t.Tele, i).Type }, func(t *terrain.Terrain, index uint8) {
		t.Tele = without(t.Tele, func(v terrain.TeleTile) bool { return v.Type == index })
	}},
	{"speedup", func(t *terrain.Terrain, i int) uint8 { return at(t.Speedup, i).Type }, func(t *terrain.Terrain, _ uint8) { t.Speedup = nil }},
	{"switch", func(t *terrain.Terrain, i int) uint8 { return at(t.Switch, i).Type }, func(t *terrain.Terrain, index uint8) {
		t.Switch = without(t.Switch, func(v terrain.SwitchTile) bool { return v.Type == index })
	}},
	{"tune", func(t *terrain.Terrain, i int) uint8 { return at(t.Tune, i).Type }, func(t *terrain.Terrain, _ uint8) { t.Tune = nil }},
}

// at returns a tile of a layer, or the zero value if the layer is missing.
func at[T any](tiles []T, i int) (tile T) {
	if tiles != nil {
		tile = tiles[i]
	}
	return tile
}

// without returns a copy of a layer without some of its tiles.
func without[T any](tiles []T, gone func(T) bool) []T {
	tiles = slices.Clone(tiles)
	for i, v := range tiles {
		if gone(v) {
			var none T
			tiles[i] = none
		}
	}
	return tiles
}

// unseen are tiles that do not change the positions of tees: finish and checkpoints of the race,
// added time, and tiles that DDRace does not use.
var unseen = []tileKind{
	{"game", 34}, {"game", 190}, {"game", 191}, {"game", 195}, {"game", 196}, {"switch", 79}, {"switch", 95},
}

// TestTiles checks for each kind of tile that a recording depends on it: without the tile, a tee is
// in another position. With TEEYARD_FULL=1 it checks all kinds.
func TestTiles(t *testing.T) {
	testenv.Long(t)
	names := testenv.Must(filepath.Glob("testdata/*.teehistorian.gz"))
	few := []string{"freeze-1", "stopper-1", "tele-1", "speedup-1", "switch-1"}
	type loaded struct {
		recorded
		path    string
		terrain terrain.Terrain
	}
	var all []loaded
	users := map[tileKind][]int{} // indices of the recordings with the tile
	for _, path := range names {
		r := readRecorded(path)
		m := r.gameMap(t)
		if m == nil || !testenv.Full() && !slices.Contains(few, strings.TrimSuffix(filepath.Base(path), ".teehistorian.gz")) {
			continue
		}
		l := loaded{r, path, testenv.Must(m.Terrain())}
		all = append(all, l)
		seen := map[tileKind]bool{}
		for i := range l.terrain.Tiles {
			for _, layer := range layers {
				k := tileKind{layer.name, layer.index(&l.terrain, i)}
				if k.layer == "front" {
					k.layer = "game"
				}
				if k.index != 0 && !seen[k] {
					seen[k] = true
					users[k] = append(users[k], len(all)-1)
				}
			}
		}
	}
	kinds := make([]tileKind, 0, len(users))
	for k := range users {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b tileKind) int {
		return cmp.Or(cmp.Compare(layerNumber(a.layer), layerNumber(b.layer)), cmp.Compare(a.index, b.index))
	})
	proven := map[tileKind]bool{}
	for _, k := range kinds {
		found := ""
		slices.SortStableFunc(users[k], func(a, b int) int { return len(all[a].file) - len(all[b].file) })
		for _, i := range users[k] {
			changed := all[i].terrain
			layers[layerNumber(k.layer)].remove(&changed, k.index)
			res := testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(all[i].file), Terrain: changed, NoSearch: true}))
			if res.Difference != nil {
				found = fmt.Sprintf("%s, tick %d", strings.TrimSuffix(filepath.Base(all[i].path), ".teehistorian.gz"), res.Difference.Tick)
				break
			}
		}
		t.Logf("%s %d: %d recordings: %s", k.layer, k.index, len(users[k]), found)
		proven[k] = found != ""
		if found == "" && testenv.Full() && !isUnseen(k) {
			t.Errorf("no recording depends on tile %d of the layer %s", k.index, k.layer)
		}
	}
	for _, k := range []tileKind{{"game", 1}, {"game", 9}, {"game", 60}, {"tele", 26}, {"speedup", 28}, {"switch", 23}} {
		if !proven[k] {
			t.Errorf("no recording depends on tile %d of the layer %s", k.index, k.layer)
		}
	}
}

func isUnseen(k tileKind) bool {
	return slices.Contains(unseen, k) || k.layer == "game" && k.index >= 35 && k.index <= 59
}

func layerNumber(name string) int {
	for i := range layers {
		if layers[i].name == name {
			return i
		}
	}
	return -1
}
