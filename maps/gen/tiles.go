package main

import "github.com/teeyard/teeyard/format/twmap"

// The tilesets have the same names in 0.6 and 0.7, but some are drawn differently. All tile numbers
// in this folder show the same picture in both.

// earth draws solid ground with grass_main: grass on top, earth below. The tileset has no tile for
// ground of only one tile.
var earth = twmap.AutoTile{
	Inside: 1,
	Rules: []twmap.AutoTileRule{
		// Edges.
		{Empty: twmap.N, Index: 16},
		{Empty: twmap.E, Index: 21},
		{Empty: twmap.S, Index: 52},
		{Empty: twmap.W, Index: 20},
		// Corners.
		{Empty: twmap.N | twmap.E, Index: 5},
		{Empty: twmap.N | twmap.W, Index: 4},
		{Empty: twmap.S | twmap.W, Index: 36},
		{Empty: twmap.S | twmap.E, Index: 37},
		// Inner corners: below an overhang, and where grass meets a wall.
		{Empty: twmap.SW, Full: twmap.W | twmap.S, Index: 54},
		{Empty: twmap.SE, Full: twmap.E | twmap.S, Index: 53},
		{Empty: twmap.NE, Full: twmap.E | twmap.N, Index: 49},
		{Empty: twmap.NW, Full: twmap.W | twmap.N, Index: 48},
		// The foot of a wall, overgrown with grass, and a step of one tile.
		{Empty: twmap.W, Full: twmap.SW | twmap.S, Index: 22},
		{Empty: twmap.E, Full: twmap.SE | twmap.S, Index: 38},
		{Empty: twmap.N | twmap.E, Full: twmap.SE, Index: 33},
		{Empty: twmap.N | twmap.W, Full: twmap.SW, Index: 32},
	},
	Scatter:      []uint8{2, 3, 66, 67, 68},
	ScatterEvery: 22,
}

// cave draws the dark earth behind tunnels with grass_main.
var cave = twmap.AutoTile{
	Inside: 13,
	Rules: []twmap.AutoTileRule{
		{Empty: twmap.N, Index: 26},
		{Empty: twmap.E, Index: 25},
		{Empty: twmap.S, Index: 10},
		{Empty: twmap.W, Index: 24},
		{Empty: twmap.N | twmap.E, Index: 9},
		{Empty: twmap.N | twmap.W, Index: 8},
		{Empty: twmap.S | twmap.W, Index: 40},
		{Empty: twmap.S | twmap.E, Index: 41},
		{Empty: twmap.SW, Full: twmap.W | twmap.S, Index: 12},
		{Empty: twmap.SE, Full: twmap.E | twmap.S, Index: 11},
		{Empty: twmap.NE, Full: twmap.E | twmap.N, Index: 27},
		{Empty: twmap.NW, Full: twmap.W | twmap.N, Index: 28},
	},
	Scatter:      []uint8{29, 42, 43, 44, 45},
	ScatterEvery: 24,
}

// drawUnhookable draws unhookable tiles with generic_unhookable, in slabs as large as possible.
func drawUnhookable(l, game *twmap.TileLayer) {
	slabs := []struct{ sx, sy, w, h int }{{0, 5, 3, 3}, {3, 4, 3, 2}, {5, 0, 2, 2}, {1, 0, 1, 1}}
	fits := func(x, y, w, h int) bool {
		for j := range h {
			for i := range w {
				if game.At(x+i, y+j).Index != twmap.Unhookable || l.At(x+i, y+j).Index != 0 {
					return false
				}
			}
		}
		return true
	}
	for y := range l.Height {
		for x := range l.Width {
			for _, s := range slabs {
				if fits(x, y, s.w, s.h) {
					l.Stamp(x, y, s.sx, s.sy, s.w, s.h, false)
					break
				}
			}
		}
	}
}

// drawSpikes draws death tiles with generic_deathtiles: a spike and its base in the ground below.
// The layer must be behind the ground.
func drawSpikes(l, game *twmap.TileLayer) {
	for y := range l.Height {
		for x := range l.Width {
			if game.At(x, y).Index == twmap.Death {
				l.Stamp(x, y, 3, 0, 1, 2, false)
			}
		}
	}
}
