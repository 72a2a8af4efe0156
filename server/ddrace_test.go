package server

import (
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/message/msg7"
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

// TestInputsOfOneTick sends three inputs for a tick: in DDRace the first moves the tee and the others act
// on its weapons, in vanilla a shot comes on arrival and the rest is left out.
func TestInputsOfOneTick(t *testing.T) {
	for _, mode := range []string{"ddrace", "dm"} {
		ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_warmup 0; sv_gametype "+mode)
		c := ts.joinAs(client06DDNet, ip(1), "dora")
		ts.play(100, c, msg7.PlayerInput{TargetX: 1})
		before := ts.srv.world.Frame().Characters[0].X
		at := ts.srv.clock.tick + 3
		c.Input(at, msg7.PlayerInput{TargetX: 100, Direction: 1})
		c.Input(at, msg7.PlayerInput{TargetX: -100, Fire: 1})
		c.Input(at, msg7.PlayerInput{TargetX: 100, Fire: 2})
		shots := map[int32]game.ProjectileState{}
		for range 6 {
			ts.step(1)
			for _, p := range ts.srv.world.Frame().Projectiles {
				if _, seen := shots[p.StartTick]; !seen {
					shots[p.StartTick] = p
				}
			}
		}
		after := ts.srv.world.Frame().Characters[0].X
		want := at - 1
		if mode == "dm" {
			want = at - 3
		}
		p, fired := shots[want]
		testenv.Check(t, len(shots) == 1 && fired && p.VelX < 0, "%s: the shots by tick are %+v, want one to the left in tick %d", mode, shots, want)
		testenv.Check(t, after > before, "%s: the tee was at %d and is at %d; its first input was to the right", mode, before, after)
	}
}
