package modtest

import (
	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/game"
)

// graphKey is the part of a terrain from which the navigation graph is built.
type graphKey struct {
	width, height int
	tiles         string
}

// maxGraphs limits the memory of graphs.
const maxGraphs = 16

// graphs has the graphs of the last maps. Many tests of a mod play on the same map, and building a
// graph takes longer than a short match. The channel lets one test at a time use the table.
var graphs = func() chan map[graphKey]*bot.NavGraph {
	c := make(chan map[graphKey]*bot.NavGraph, 1)
	c <- map[graphKey]*bot.NavGraph{}
	return c
}()

// navGraph returns the navigation graph of a terrain.
func navGraph(t game.Terrain) (*bot.NavGraph, error) {
	known := <-graphs
	defer func() { graphs <- known }()
	key := graphKey{t.Width, t.Height, string(t.Tiles)}
	if nav := known[key]; nav != nil {
		return nav, nil
	}
	nav, err := bot.NewNavGraph(t, nil)
	if err != nil {
		return nil, err
	}
	if len(known) == maxGraphs {
		clear(known)
	}
	known[key] = nav
	return nav, nil
}
