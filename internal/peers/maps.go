package peers

import (
	"strings"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game/modtest"
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
