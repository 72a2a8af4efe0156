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

// TestCompatibleRealMaps checks that converting real maps changes nothing but the versions, and
// removes everything that old clients cannot read.
func TestCompatibleRealMaps(t *testing.T) {
	converted := 0
	for _, path := range realMaps(t) {
		b := testenv.Must(os.ReadFile(path))
		if len(b) > maxRewritten() {
			continue // converting and reading larger maps takes seconds
		}
		name := filepath.Base(path)
		had, hadEnv := fileVersions(t, b)
		needs := slices.Max(had) > 3 || len(hadEnv) > 0 && slices.Max(hadEnv) > 2
		plain, err := Compatible(b)
		if err != nil || (plain != nil) != needs {
			t.Errorf("%s: layers of versions %v, converted: %v, %v", name, had, plain != nil, err)
		}
		if plain == nil {
			continue
		}
		converted++
		if tiles, envs := fileVersions(t, plain); slices.Max(tiles) > 3 || len(envs) > 0 && slices.Max(envs) > 2 || len(tiles) != len(had) {
			t.Errorf("%s: layers %v and envelopes %v remain", name, tiles, envs)
		}
		want := testenv.Must(Parse(b))
		for _, g := range want.Groups {
			for _, l := range g.Layers {
				if l, ok := l.(*TileLayer); ok {
					l.Version = min(l.Version, maxCompatTileVersion)
				}
			}
		}
		for i := range want.Envelopes {
			e := &want.Envelopes[i]
			e.Version = min(e.Version, maxCompatEnvelopeVersion)
			for j := range e.Points {
				e.Points[j].Curve, e.Points[j].Tangents = min(e.Points[j].Curve, curveSmooth), [16]int32{}
			}
		}
		if got, err := Parse(plain); err != nil || !sameContent(got, want) {
			t.Errorf("%s: the content differs, %v", name, err)
		}
	}
	testenv.Check(t, converted != 0, "no map had anything to convert")
}

// TestCompatible checks each conversion, and that converting again changes nothing.
func TestCompatible(t *testing.T) {
	file := testenv.Must((&Map{
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
		UnknownItems: []UnknownItem{{Type: 77, ID: 3, Ints: []int32{1, 2}}},
	}).Bytes())
	plain, err := Compatible(file)
	testenv.NoError(t, err)
	m, err := Parse(plain)
	testenv.NoError(t, err)
	if img := m.Images[0]; img.Format != 1 || !bytes.Equal(img.Pixels, []byte{1, 2, 3, 255, 4, 5, 6, 255}) {
		t.Errorf("image %+v", img)
	}
	if img := m.Images[1]; len(img.Pixels) != 4 {
		t.Errorf("image %+v", img)
	}
	if e := m.Envelopes[0]; e.Version != 2 || e.Points[0] != (EnvPoint{Curve: 4}) || e.Points[1] != (EnvPoint{Time: 5, Curve: 1}) {
		t.Errorf("envelope %+v", e)
	}
	if e := m.Envelopes[1]; e.Version != 2 || len(e.Points) != 1 || e.Points[0] != (EnvPoint{Curve: 2}) {
		t.Errorf("envelope %+v", e)
	}
	if l := m.Groups[0].Layers[0].(*TileLayer); l.Version != 3 || !slices.Equal(l.Indices(), []uint8{1, 1, 0}) {
		t.Errorf("layer %+v", l)
	}
	testenv.Check(t, len(m.UnknownItems) == 1, "unknown items are lost")
	again, err := Compatible(plain)
	testenv.Check(t, again == nil && err == nil, "converted twice, %v", err)
}

// TestCompatibleKeepsImagesCompressed checks that only converted blocks are decompressed.
func TestCompatibleKeepsImagesCompressed(t *testing.T) {
	m := Map{Groups: []Group{NewGroup("", 100, 100, NewGameLayer(50, 50))}}
	m.GameLayer().Version = 4
	for range 8 {
		m.Images = append(m.Images, Image{Name: "big", Width: 1024, Height: 1024, Pixels: make([]byte, 4<<20), Format: 1})
	}
	file := testenv.Must(m.Bytes())
	var plain []byte
	n := testenv.Allocated(func() { plain = testenv.Must(Compatible(file)) })
	testenv.Check(t, plain != nil && n < 4<<20, "%d bytes allocated for a file of %d", n, len(file))
}

// TestCompatibleSurvivesDamage converts damaged files, whose blocks have sizes that differ from
// those in the items.
func TestCompatibleSurvivesDamage(t *testing.T) {
	layer := func(width, height int32) []int32 {
		return []int32{0, layerTiles, 0, 4, width, height, 1, 0, 0, 0, 0, -1, 0, -1, 0, 0, 0, 0}
	}
	for name, items := range map[string][][]int32{
		"no tiles":      {layer(0, 0)},
		"negative":      {layer(-5, -5)},
		"too many":      {layer(1<<30, 1<<30)},
		"shared block":  {layer(2, 1), layer(1, 2)},
		"runs too few":  {layer(300, 1)},
		"missing block": {append(layer(1, 1)[:14:14], 7)},
	} {
		var w datafile.Writer
		w.AddItem(itemVersion, 0, []int32{1})
		for i, ints := range items {
			w.AddItem(itemLayer, uint16(i), ints)
		}
		w.AddBlock([]byte{1, 0, 1, 0})
		if out, err := Compatible(testenv.Must(w.Bytes())); err == nil {
			t.Errorf("%s: converted to %d bytes", name, len(out))
		}
	}
}
