package twmap

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// realMaps returns the installed map files of the Debian packages teeworlds-data and ddnet-data.
func realMaps(t testing.TB) []string {
	var all []string
	for _, pattern := range []string{
		"/usr/share/games/teeworlds/data/maps/*.map",
		"/usr/share/games/ddnet/data/*/*.map",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files...)
	}
	if len(all) == 0 {
		t.Skip("no maps of teeworlds-data or ddnet-data are installed")
	}
	return all
}

// maxRewritten returns the largest size in bytes of real maps that are also written.
func maxRewritten() int {
	switch {
	case testenv.Race:
		return 6 << 10
	case testenv.Full():
		return 100 << 10
	}
	return testenv.Amount(8<<10, 20<<10)
}

// sameContent compares two maps without the size and checksums of their files.
func sameContent(a, b *Map) bool {
	x, xt := withoutTiles(a)
	y, yt := withoutTiles(b)
	return slices.EqualFunc(xt, yt, slices.Equal[[]Tile]) && reflect.DeepEqual(x, y)
}

// withoutTiles returns a copy of the map without tiles, and the tiles. reflect.DeepEqual would take
// seconds for tiles.
func withoutTiles(m *Map) (Map, [][]Tile) {
	c := *m
	c.Size, c.CRC, c.SHA256 = 0, 0, [32]byte{}
	c.Groups = slices.Clone(m.Groups)
	var tiles [][]Tile
	for i := range c.Groups {
		g := &c.Groups[i]
		g.Layers = slices.Clone(g.Layers)
		for j, l := range g.Layers {
			if l, ok := l.(*TileLayer); ok {
				bare := *l
				bare.Tiles = nil
				g.Layers[j] = &bare
				tiles = append(tiles, l.Tiles)
			}
		}
	}
	return c, tiles
}

// TestRealMaps checks that real maps can be read and do not change when written.
func TestRealMaps(t *testing.T) {
	for _, path := range realMaps(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			testenv.Check(t, m.Size == len(b), "Size = %d, file has %d bytes", m.Size, len(b))
			g := m.GameLayer()
			testenv.Require(t, g != nil, "no game layer")
			for _, e := range m.UnknownItems {
				testenv.Check(t, e.Type >= 0x8000 || e.Type == 0xffff, "unknown item type %d", e.Type)
			}
			if len(b) > maxRewritten() {
				return // compressing the map again would take a second
			}
			out, err := m.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Parse(out)
			if err != nil {
				t.Fatal(err)
			}
			testenv.Check(t, sameContent(m, again), "writing changed the map")
			only, err := Config{GameOnly: true}.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			testenv.Check(t, slices.Equal(only.GameLayer().Tiles, g.Tiles), "GameOnly sees another game layer")
			t.Logf("%d×%d, %d groups, %d images, %d bytes, written %d", g.Width, g.Height, len(m.Groups), len(m.Images), len(b), len(out))
		})
	}
}
