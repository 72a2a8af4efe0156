package main

import (
	_ "embed"

	"github.com/teeyard/teeyard/format/twmap"
)

//go:embed testbox.txt
var testboxText string

// testbox builds a plain box for tests: a flat floor, walls, a few platforms and every kind of
// entity.
func testbox() (*twmap.Map, error) {
	game, err := twmap.ParseTiles(testboxText, legend)
	if err != nil {
		return nil, err
	}
	m := &twmap.Map{
		Info: twmap.Info{Author: "Teeyard", Version: "1", License: "MIT"},
		Images: []twmap.Image{
			twmap.ExternalImage("grass_main", 1024, 1024),
			twmap.ExternalImage("generic_unhookable", 1024, 1024),
			twmap.ExternalImage("generic_deathtiles", 1024, 1024),
		},
	}
	sky := twmap.NewQuad(-50, -50, 100, 100).Shaded(twmap.Color{R: 94, G: 132, B: 174, A: 255}, twmap.Color{R: 204, G: 232, B: 255, A: 255})
	ground := twmap.NewTileLayer("Ground", game.Width, game.Height, 0)
	earth.Apply(ground, hasIndex(game, twmap.Solid))
	// Clients repeat the outermost tiles outside the map. Edge tiles would form a pattern there.
	w, h := game.Width, game.Height
	for _, r := range [][4]int{{0, 0, w, 1}, {0, h - 1, w, 1}, {0, 0, 1, h}, {w - 1, 0, 1, h}} {
		ground.Fill(r[0], r[1], r[2], r[3], earth.Inside)
	}
	stone := twmap.NewTileLayer("Stone", game.Width, game.Height, 1)
	drawUnhookable(stone, game)
	spike := twmap.NewTileLayer("Spikes", game.Width, game.Height, 2)
	drawSpikes(spike, game)
	m.Groups = []twmap.Group{
		twmap.NewGroup("Sky", 0, 0, twmap.NewQuadLayer("Sky", twmap.None, sky)),
		twmap.NewGroup("Game", 100, 100, spike, ground, stone, game),
	}
	return m, nil
}
