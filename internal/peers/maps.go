package peers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/terrain"
)

// PlainMap returns a map file that has only a game layer, enough for servers. [modtest.ParseMap]
// describes the drawing.
func PlainMap(drawing string) []byte {
	m := &twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, parseDrawing(drawing))}}
	file, err := m.Bytes()
	if err != nil {
		panic(err)
	}
	return file
}

// spikes maps letters of a drawing to FNG's spikes: normal, golden, red team, blue team, green and
// purple.
var spikes = map[byte]uint8{'N': 8, 'O': 7, 'D': 9, 'U': 10, 'G': 14, 'P': 15}

func parseDrawing(drawing string) *twmap.TileLayer {
	terrain := modtest.ParseMap(spikes, strings.Split(strings.TrimSpace(drawing), "\n")...)
	layer := twmap.NewGameLayer(terrain.Width, terrain.Height)
	for i, tile := range terrain.Tiles {
		layer.Set(i%terrain.Width, i/terrain.Width, tile, 0)
	}
	return layer
}

// The colours of the maps that DrawMap makes, to find them in screenshots.
var (
	SkyColor  = twmap.Color{R: 120, G: 180, B: 240, A: 255}
	RockColor = twmap.Color{R: 140, G: 90, B: 50, A: 255}
)

// spikeColors are the colours of spikes by tile.
var spikeColors = map[uint8]twmap.Color{
	8: {R: 90, G: 90, B: 90, A: 255}, 7: {R: 240, G: 200, B: 40, A: 255}, 9: {R: 220, G: 40, B: 40, A: 255},
	10: {R: 40, G: 60, B: 220, A: 255}, 14: {R: 40, G: 180, B: 60, A: 255}, 15: {R: 160, G: 40, B: 200, A: 255},
}

// IsColor returns a function that reports whether a pixel is close to the given colour.
func IsColor(c twmap.Color) func(r, g, b uint8) bool {
	near := func(a uint8, b int32) bool { return int32(a)-b < 6 && b-int32(a) < 6 }
	return func(r, g, b uint8) bool { return near(r, c.R) && near(g, c.G) && near(b, c.B) }
}

// DrawMap returns a map file for a drawing, in plain colours without images.
func DrawMap(t testing.TB, drawing string) []byte {
	t.Helper()
	layer := parseDrawing(drawing)
	var quads []twmap.Quad
	for y := range layer.Height {
		for x := range layer.Width {
			switch tile := layer.At(x, y).Index; tile {
			case spikes['N'], spikes['O'], spikes['D'], spikes['U'], spikes['G'], spikes['P']:
				c := spikeColors[tile]
				quads = append(quads, twmap.NewQuad(float64(x), float64(y), 1, 1).Shaded(c, c))
			case twmap.Solid:
				quads = append(quads, twmap.NewQuad(float64(x), float64(y), 1, 1).Shaded(RockColor, RockColor))
			case twmap.Death:
				quads = append(quads, twmap.NewQuad(float64(x), float64(y), 1, 1).Shaded(twmap.Color{A: 255}, twmap.Color{R: 200, A: 255}))
			}
		}
	}
	sky := twmap.NewQuad(-100, -100, 200, 200).Shaded(SkyColor, SkyColor)
	m := &twmap.Map{Groups: []twmap.Group{
		twmap.NewGroup("Sky", 0, 0, twmap.NewQuadLayer("Sky", twmap.None, sky)),
		twmap.NewGroup("Game", 100, 100, twmap.NewQuadLayer("Rock", twmap.None, quads...), layer),
	}}
	file, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// DDNetTerrain returns the terrain of a map of Debian's ddnet-data.
func DDNetTerrain(t testing.TB, name string) terrain.Terrain {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("/usr/share/games/ddnet/data/maps", name+".map"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := twmap.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	found, err := m.Terrain()
	if err != nil {
		t.Fatal(err)
	}
	return found
}
