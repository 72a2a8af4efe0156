package peers

import (
	"strings"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game/modtest"
)

// PlainMap returns the file of a map that consists of a game layer only, which servers can
// play. The drawing is one of [modtest.ParseMap].
func PlainMap(drawing string) []byte {
	m := &twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, parseDrawing(drawing))}}
	file, err := m.Bytes()
	if err != nil {
		panic(err)
	}
	return file
}

func parseDrawing(drawing string) *twmap.TileLayer {
	terrain := modtest.ParseMap(nil, strings.Split(strings.TrimSpace(drawing), "\n")...)
	layer := twmap.NewGameLayer(terrain.Width, terrain.Height)
	for i, tile := range terrain.Tiles {
		layer.Set(i%terrain.Width, i/terrain.Width, tile, 0)
	}
	return layer
}
