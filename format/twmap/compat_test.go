package twmap

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/format/datafile"

	"github.com/teeyard/teeyard/internal/testenv"
)

// fileVersions returns the versions of a file's tile layers and envelopes.
func fileVersions(t *testing.T, b []byte) (tiles, envelopes []int32) {
	t.Helper()
	f, err := datafile.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range f.ItemsOf(itemLayer) {
		if it.Int(1) == layerTiles {
			tiles = append(tiles, it.Int(3))
			if block, err := f.Block(int(it.Int(14)), 64<<20); it.Int(3) < 4 && (err != nil || len(block) != int(4*it.Int(4)*it.Int(5))) {
				t.Errorf("a layer of %d×%d has %d bytes, %v", it.Int(4), it.Int(5), len(block), err)
			}
		}
	}
	for _, it := range f.ItemsOf(itemEnvelope) {
		envelopes = append(envelopes, it.Int(0))
	}
	return tiles, envelopes
}

// TestMakeCompatibleRealMaps checks that real maps can be converted without changing
// the game layer, and that nothing is left that old clients cannot read.
func TestMakeCompatibleRealMaps(t *testing.T) {
	compressed := 0
	for _, path := range realMaps(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > maxRewritten() {
			continue // converting and writing larger maps takes seconds
		}
		m, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		before := m.GameLayer().Indices()
		had, hadEnv := fileVersions(t, b)
		needs := slices.Max(had) > 3 || len(hadEnv) > 0 && slices.Max(hadEnv) > 2
		if needs {
			compressed++
		}
		if changed := m.MakeCompatible(); changed != needs {
			t.Errorf("%s: layers of versions %v, changed: %v", name, had, changed)
		}
		plain, err := m.Bytes()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if tiles, envs := fileVersions(t, plain); slices.Max(tiles) > 3 || len(envs) > 0 && slices.Max(envs) > 2 || len(tiles) != len(had) {
			t.Errorf("%s: layers %v and envelopes %v are left", name, tiles, envs)
		}
		again, err := Parse(plain)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if g := again.GameLayer(); g.Width != m.GameLayer().Width || !bytes.Equal(g.Indices(), before) {
			t.Errorf("%s: is played differently", name)
		}
		if m.Size, m.CRC, m.SHA256 = again.Size, again.CRC, again.SHA256; !sameContent(m, again) {
			t.Errorf("%s: reads back differently", name)
		}
	}
	testenv.Check(t, compressed != 0, "no map had anything to change")
}

// TestMakeCompatible checks each conversion, and that a second call changes nothing.
func TestMakeCompatible(t *testing.T) {
	m := &Map{
		Images: []Image{
			{Name: "rgb", Width: 2, Height: 1, Pixels: []byte{1, 2, 3, 4, 5, 6}},
			{Name: "rgba", Width: 1, Height: 1, Format: 1, Pixels: []byte{1, 2, 3, 4}},
			ExternalImage("grass_main", 1024, 1024),
		},
		Envelopes: []Envelope{
			{Version: 3, Channels: 3, Points: []EnvPoint{{Curve: 5, Tangents: [16]int32{1, 2, 3}}, {Time: 5, Curve: 1}}},
			{Version: 2, Channels: 4, Points: []EnvPoint{{Curve: 2}}},
		},
		Groups: []Group{NewGroup("", 100, 100, &TileLayer{
			Kind: KindGame, Width: 3, Height: 1, Tiles: []Tile{{Index: 1}, {Index: 1}, {}}, Version: 4, Image: None, ColorEnv: None,
		})},
	}
	testenv.Require(t, m.MakeCompatible(), "nothing to turn")
	if img := m.Images[0]; img.Format != 1 || !bytes.Equal(img.Pixels, []byte{1, 2, 3, 255, 4, 5, 6, 255}) {
		t.Errorf("image %+v", img)
	}
	if img := m.Images[1]; len(img.Pixels) != 4 {
		t.Errorf("image %+v", img)
	}
	if e := m.Envelopes[0]; e.Version != 2 || e.Points[0] != (EnvPoint{Curve: 4}) || e.Points[1] != (EnvPoint{Time: 5, Curve: 1}) {
		t.Errorf("envelope %+v", e)
	}
	if l := m.Groups[0].Layers[0].(*TileLayer); l.Version != 3 {
		t.Errorf("layer of version %d", l.Version)
	}
	testenv.Check(t, !m.MakeCompatible(), "turned twice")
}
