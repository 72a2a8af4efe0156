//go:build peers

package ddnetmaps

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestMapsOfDDNet loads all maps of Debian's ddnet-data, among them the coverage map with nearly
// all tiles. Our terrain must know everything in them, their layers must survive writing and
// reading, and clients must get the file unchanged.
func TestMapsOfDDNet(t *testing.T) {
	peers.RequirePrograms(t, "DDNet-Server")
	files := testenv.Must(filepath.Glob("/usr/share/games/ddnet/data/maps/*.map"))
	// The numbers of entities, switches and settings in the maps made for DDRace.
	type content struct{ entities, switches, settings int }
	want := map[string]content{
		"Gold Mine.map": {16, 2, 0}, "LearnToPlay.map": {87, 8, 1}, "Sunny Side Up.map": {}, "Tsunami.map": {9, 0, 0},
		"Tutorial.map": {4, 1, 2}, "coverage.map": {7, 0, 0},
	}
	found := 0
	for _, path := range files {
		name := filepath.Base(path)
		b := testenv.Must(os.ReadFile(path))
		m := testenv.Must(twmap.Parse(b))
		terrain := testenv.Must(m.Terrain())
		prepared := testenv.Must(ddrace.NewMap(&terrain, ddrace.DefaultSettings()))
		testenv.Check(t, len(prepared.Faults.List) == 0, "%s: %v", name, prepared.Faults.List)
		spawns := 0
		for _, list := range prepared.Spawns {
			spawns += len(list)
		}
		testenv.Check(t, spawns > 0, "%s: no spawn points", name)
		compatible, err := twmap.Compatible(b)
		testenv.Check(t, compatible == nil && err == nil, "%s: another file for some clients, %v", name, err)
		if c, ok := want[name]; ok {
			found++
			got := content{len(prepared.Entities), prepared.Switches, len(terrain.Settings)}
			testenv.Check(t, got == c, "%s: %+v, not %+v", name, got, c)
			sameLayers(t, name, m)
		}
	}
	testenv.Check(t, found == len(want) && len(files) > 15, "%d maps, %d of DDRace", len(files), found)
}

// sameLayers checks that the game's layers are the same after writing and reading.
func sameLayers(t *testing.T, name string, m *twmap.Map) {
	t.Helper()
	game := twmap.Map{Info: m.Info}
	for _, g := range m.Groups {
		g.Layers = slices.DeleteFunc(slices.Clone(g.Layers), func(l twmap.Layer) bool {
			tiles, ok := l.(*twmap.TileLayer)
			return !ok || tiles.Kind == 0
		})
		game.Groups = append(game.Groups, g)
	}
	again := testenv.Must(twmap.Parse(testenv.Must(game.Bytes())))
	testenv.Check(t, slices.Equal(again.GameLayer().Tiles, m.GameLayer().Tiles) && slices.Equal(again.Info.Settings, m.Info.Settings),
		"%s: another game layer or other settings", name)
	for _, kind := range []twmap.TileKind{twmap.KindTele, twmap.KindSpeed, twmap.KindFront, twmap.KindSwitch, twmap.KindTune} {
		before, after := testenv.Must(m.DDNetLayer(kind)), testenv.Must(again.DDNetLayer(kind))
		testenv.Check(t, slices.Equal(before, after) && (before == nil) == (after == nil), "%s: the layer %d changed", name, kind)
	}
}
