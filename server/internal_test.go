package server

import (
	"errors"
	"testing/fstest"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/script"
)

// ddraceConfig is of a server with a map of DDRace, "race", of 40 × 10 tiles, on which a test may paint more.
func ddraceConfig(paint ...func(*twmap.TileLayer)) Config {
	const w, h = 40, 10
	g := twmap.NewGameLayer(w, h)
	for x := range w {
		g.Set(x, 0, 1, 0)
		g.Set(x, h-1, 1, 0)
	}
	for y := range h {
		g.Set(0, y, 1, 0)
		g.Set(w-1, y, 1, 0)
	}
	g.Set(20, h-2, twmap.Spawn, 0)
	g.Set(25, h-2, 9, 0) // freeze
	for _, f := range paint {
		f(g)
	}
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, g)}}
	data, err := m.Bytes()
	if err != nil {
		panic(err)
	}
	return Config{
		Files: fstest.MapFS{"maps/race.map": {Data: data}},
		Modes: append(BuiltinModes(), NamedMode{"ddrace", ddrace.New}),
	}
}

// promptRanks waits for answers, so that tests in virtual time get them in the tick in which they ask.
type promptRanks struct{ *rank.Journal }

func (p promptRanks) Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer)) {
	answers := make(chan game.RankAnswer, 1)
	p.Journal.Submit(r, from, func(a game.RankAnswer) { answers <- a })
	answer(<-answers)
}

// scriptFiles are scripts by their names.
type scriptFiles map[string]string

func (f scriptFiles) find(name string) (func() game.Mod, error) {
	source, ok := f[name]
	if !ok {
		return nil, errors.New("there is no such file")
	}
	cfg := script.Config{Name: "mods/" + name + ".lua", Source: source}
	if _, err := script.New(cfg); err != nil {
		return nil, err
	}
	return func() game.Mod { return testenv.Must(script.New(cfg)) }, nil
}

func newScript(info replay.ModInfo) (game.Mod, error) {
	return script.New(script.Config{Name: "mods/" + info.Name + ".lua", Source: string(info.Source), Costs: info.Costs})
}
