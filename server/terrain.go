package server

import (
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
)

// Terrain returns what a world needs of a map.
func Terrain(m *twmap.Map) (game.Terrain, error) { return m.Terrain() }
