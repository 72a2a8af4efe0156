package server

import (
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
)

// Terrain returns the part of a map that a world needs.
func Terrain(m *twmap.Map) (game.Terrain, error) { return m.Terrain() }
