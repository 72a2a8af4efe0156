package server_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// ddraceConfig is of a server with a map of DDRace, "race", of 40 × 10 tiles, on which a test may
// paint more.
func ddraceConfig(paint ...func(*twmap.TileLayer)) server.Config {
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
	return server.Config{
		Files: fstest.MapFS{"maps/race.map": {Data: data}},
		Modes: append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New}),
	}
}

// TestInputsOfOneTick sends three inputs for a tick: in DDRace the first moves the tee and the
// others act on its weapons, in vanilla a shot comes on arrival and the rest is left out.
func TestInputsOfOneTick(t *testing.T) {
	for _, mode := range []string{"ddrace", "dm"} {
		ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_warmup 0; sv_gametype "+mode)
		c := ts.EnterAs(client06DDNet, ip(1), "dora")
		ts.Play(100, c, msg7.PlayerInput{TargetX: 1})
		before := ts.World().Frame().Characters[0].X
		at := ts.World().Tick() + 3
		c.Input(at, msg7.PlayerInput{TargetX: 100, Direction: 1})
		c.Input(at, msg7.PlayerInput{TargetX: -100, Fire: 1})
		c.Input(at, msg7.PlayerInput{TargetX: 100, Fire: 2})
		shots := map[int32]game.ProjectileState{}
		for range 6 {
			ts.Step(1)
			for _, p := range ts.World().Frame().Projectiles {
				if _, seen := shots[p.StartTick]; !seen {
					shots[p.StartTick] = p
				}
			}
		}
		after := ts.World().Frame().Characters[0].X
		want := at - 1
		if mode == "dm" {
			want = at - 3
		}
		p, fired := shots[want]
		testenv.Check(t, len(shots) == 1 && fired && p.VelX < 0, "%s: the shots by tick are %+v, want one to the left in tick %d", mode, shots, want)
		testenv.Check(t, after > before, "%s: the tee was at %d and is at %d; its first input was to the right", mode, before, after)
	}
}

// TestWhoReturnsAfterAMapChange checks that players of DDRace are not greeted again when the map
// changes, nor the others told that they have come.
func TestWhoReturnsAfterAMapChange(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, ddraceConfig(), `sv_map race; sv_gametype ddrace; sv_welcome "Hello there"`)
		a, b := tn.dial(1, named(kind, "a")), tn.dial(2, named(kind, "b"))
		told := map[string]int{}
		knowsItself := map[*player]bool{} // clients of 0.7 say nothing about those who were there before
		for _, p := range []*player{a, b} {
			p.onMessage = func(m testclient.Message) {
				switch m := m.(type) {
				case *msg7.SvClientInfo:
					if !m.Silent && !m.Local && knowsItself[p] {
						told["somebody comes"]++
					}
					knowsItself[p] = knowsItself[p] || m.Local
				case *msg7.SvChat:
					told[string(m.Message)]++
				case *msg6.SvChat:
					told[string(m.Message)]++
				}
			}
		}
		tn.untilPlaying(a, b)
		tn.Wait(time.Second)
		testenv.Check(t, told["Hello there"] == 2 && told["somebody comes"]+told["'b' entered and joined the game"] > 0, "told %v", told)
		clear(told)
		clear(knowsItself)
		tn.Execute("reload")
		tn.untilPlaying(a, b)
		tn.Wait(time.Second)
		testenv.Check(t, len(told) == 0, "after the change told %v", told)
		testenv.Check(t, tn.World().IsDDRace(), "another mode")
	})
}
