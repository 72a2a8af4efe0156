package server

import (
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestBotsRunWays lets bots finish a race beside a player who stands still, and ends the search for a
// way when the map changes.
func TestBotsRunWays(t *testing.T) {
	const w, h = 40, 10
	g := twmap.NewGameLayer(w, h)
	for i := range w * h {
		x, y := i%w, i/w
		switch {
		case x == 0 || y == 0 || x == w-1 || y == h-1, x == 20 && y > 5:
			g.Set(x, y, 1, 0)
		case x == 8:
			g.Set(x, y, 33, 0)
		case x == 30:
			g.Set(x, y, 34, 0)
		case y == h-2 && (x > 20 && x < 26 || x > 12 && x < 16):
			g.Set(x, y, 9, 0)
		}
	}
	g.Set(4, h-2, twmap.Spawn, 0)
	course := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, g)}}
	ts := newTestServerWith(t, Config{
		Files: fstest.MapFS{"maps/race.map": {Data: testenv.Must(course.Bytes())}},
		Modes: append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New}),
	}, "sv_map race; sv_warmup 0; sv_gametype ddrace; sv_bots 3")
	c := ts.joinAs(client06DDNet, ip(1), "dora")
	ways := &ts.srv.bots.ways
	testenv.Eventually(t, "there is a way to the finish", func() bool {
		ts.play(1, c, msg7.PlayerInput{TargetX: 1})
		return ways.way != nil && ways.way.Finished()
	})
	finished := func() (n int) {
		for _, p := range ts.srv.world.Frame().Players {
			if ts.srv.bots.has(p.ID) && p.Score > 0 && p.Score != game.NoRaceTime {
				n++
			}
		}
		return n
	}
	for range 4000 {
		if ts.play(1, c, msg7.PlayerInput{TargetX: 1}); finished() == 2 {
			break
		}
	}
	testenv.Check(t, finished() == 2, "%d of 2 bots finished", finished())

	testenv.Check(t, ts.srv.bots.nav == nil, "a graph for vanilla was made")
	stop, before := ways.stop, ts.srv.maps.Played()
	ts.srv.Execute("sv_bots 0")
	ts.srv.Execute("reload")
	testenv.Eventually(t, "the map is loaded again", func() bool {
		ts.step(1)
		return ts.srv.maps.Played() != before
	})
	ts.step(2)
	_, open := <-stop
	testenv.Check(t, !open && ways.gameMap == nil, "the search goes on after a map change")
}
