package client_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// TestPredictionOfOwnTee checks that the server moves the client's tee to the predicted positions,
// as long as inputs arrive and no other player interferes.
func TestPredictionOfOwnTee(t *testing.T) {
	for _, c := range []struct {
		link    servertest.Link
		version client.Version
	}{
		{servertest.Link{Delay: 5 * time.Millisecond}, client.Version07},
		{servertest.Link{Delay: 60 * time.Millisecond}, client.Version07},
		{servertest.Link{Delay: 60 * time.Millisecond, Jitter: 8 * time.Millisecond}, client.Version07},
		{servertest.Link{Delay: 60 * time.Millisecond, Jitter: 8 * time.Millisecond}, client.Version06},
	} {
		link := c.link
		tn := servertest.Over(t, link, server.Config{}, "sv_map teeyard1")
		ahead := map[int32]vec.Vec2{} // by tick
		var distance int32
		r := rand.New(rand.NewPCG(1, 2))
		var in game.Input
		s := tn.Dial(client.Config{Name: "seer", Version: c.version, Play: func(_ *client.Client, v *game.View) game.Input {
			for _, c := range v.Characters {
				if c.Player == v.Viewer {
					ahead[v.Tick] = c.Pos
				}
			}
			if v.Tick%7 == 0 {
				in.Direction, in.Jump, in.Hook = int32(r.IntN(3)-1), r.IntN(2) == 0, r.IntN(3) == 0
				in.TargetX, in.TargetY = int32(r.IntN(400)-200), int32(r.IntN(400)-300)
			}
			return in
		}})
		right, wrong, moved := 0, 0, 0
		var before vec.Vec2
		var seen int32
		tn.WaitUntil(5*time.Second, "in the game", func() bool { return hasEvent[event.Entered](s) })
		tn.Wait(2 * time.Second) // the clocks settle
		for range 2000 {
			tn.Wait(5 * time.Millisecond)
			s.WithView(func(v *game.View) {
				if v.Tick == seen {
					return
				}
				seen = v.Tick
				for _, c := range v.Characters {
					at, ok := ahead[v.Tick]
					if c.Player != v.Viewer || !ok {
						continue
					}
					if c.Pos == at {
						right++
					} else {
						wrong++
					}
					if c.Pos != before {
						moved++
					}
					before = c.Pos
				}
			})
			s.WithPredictedView(func(v *game.View) { distance = v.Tick })
		}
		distance -= seen
		t.Logf(
			"%v, %v, jitter %v: %d of %d places were foreseen, the tee moved %d times, %d ticks ahead",
			c.version,
			link.Delay,
			link.Jitter,
			right,
			right+wrong,
			moved,
			distance,
		)
		if right+wrong < 200 || moved < 100 || wrong*20 > right {
			t.Errorf("%+v: %d right, %d wrong, moved %d", link, right, wrong, moved)
		}
		if min := int32(2 * link.Delay / (20 * time.Millisecond)); distance < min {
			t.Errorf("it looks %d ticks ahead at a round trip of %v", distance, 2*link.Delay)
		}
	}
}

// changer is a mod that gives players other tunings and sometimes freezes them.
type changer struct {
	tuning game.Tuning
	freeze bool
	jumps  int32 // 0 for the default
}

func (*changer) Start(*game.Setup) {}
func (*changer) PureTuning() bool  { return false }

func (m *changer) OnTick(ctx *game.Ctx) {
	for p := range ctx.Players() {
		p.SetTuning(&m.tuning)
		if m.jumps != 0 {
			p.SetJumps(m.jumps)
		}
		if m.freeze && ctx.Tick()%200 == 0 {
			p.Freeze(150)
		}
	}
}

// TestPredictionWithTuningAndFreeze checks that a client predicts its tee with the tuning from the
// server and keeps it still while frozen. A client that knows DDNet's states also knows how often
// it can jump.
func TestPredictionWithTuningAndFreeze(t *testing.T) {
	tuning := physics.DefaultTuning()
	tuning[physics.Gravity], tuning[physics.GroundControlSpeed], tuning[physics.AirJumpImpulse], tuning[physics.HookDragAccel] = 20, 1500, 2000, 500
	for _, c := range []struct {
		version client.Version
		freeze  bool
		jumps   int32
	}{
		{client.Version07, false, 0}, {client.Version07, true, 0},
		{client.Version06, false, 0}, {client.Version06, true, 0}, {client.Version06, false, 5}, {client.Version06, false, 1},
	} {
		version, freeze := c.version, c.freeze
		delay := 40 * time.Millisecond
		if c.jumps != 0 {
			delay *= 5 // so that the client foresees a jump after another
		}
		tn := servertest.Over(t, servertest.Link{Delay: delay}, withMod(func() game.Mod { return &changer{tuning, freeze, c.jumps} }), "sv_map teeyard1")
		ahead := map[int32]vec.Vec2{} // by tick
		r := rand.New(rand.NewPCG(1, 2))
		var in game.Input
		told := 0
		s := tn.Dial(client.Config{Name: "seer", Version: version, Play: func(_ *client.Client, v *game.View) game.Input {
			for _, c := range v.Characters {
				if c.Player == v.Viewer {
					ahead[v.Tick] = c.Pos
				}
			}
			if v.Tick%7 == 0 {
				in.Direction, in.Jump, in.Hook = int32(r.IntN(3)-1), r.IntN(2) == 0, r.IntN(3) == 0
				in.TargetX, in.TargetY = int32(r.IntN(400)-200), int32(r.IntN(400)-300)
			}
			if c.jumps != 0 {
				in.Jump = v.Tick/4%2 == 0
			}
			return in
		}})
		tn.WaitUntil(5*time.Second, "in the game", func() bool { return hasEvent[event.Entered](s) })
		tn.Wait(2 * time.Second) // the clocks settle
		right, wrong, moved := 0, 0, 0
		var before vec.Vec2
		var seen int32
		for range 2000 {
			tn.Wait(5 * time.Millisecond)
			s.WithView(func(v *game.View) {
				if v.Tick == seen {
					return
				}
				seen = v.Tick
				for _, c := range v.Characters {
					at, ok := ahead[v.Tick]
					// The client learns of changes by the server only after a round trip.
					if c.Player != v.Viewer || !ok || freeze && (v.Tick%200 < 20 || v.Tick%200 >= 145) {
						continue
					}
					if c.Pos == at {
						right++
					} else {
						wrong++
					}
					if c.Pos != before {
						moved++
					}
					before = c.Pos
				}
			})
		}
		for _, e := range s.Events {
			if _, ok := e.(event.Tuning); ok {
				told++
			}
		}
		t.Logf(
			"%v, freeze %v, %d jumps: %d of %d places were foreseen, the tee moved %d times, told %d tunings",
			version,
			freeze,
			c.jumps,
			right,
			right+wrong,
			moved,
			told,
		)
		if right+wrong < 100 || wrong*20 > right || !freeze && moved < 100 || !freeze && told != 2 {
			t.Errorf("%v, freeze %v, %d jumps: %d right, %d wrong, moved %d, told %d tunings", version, freeze, c.jumps, right, wrong, moved, told)
		}
	}
}

// TestPredictionOfAllTees checks that a jumping tee of another player is predicted with PredictAll,
// and otherwise stays at its position from the server.
func TestPredictionOfAllTees(t *testing.T) {
	for _, all := range []bool{false, true} {
		tn := servertest.Over(t, servertest.Link{Delay: 50 * time.Millisecond}, server.Config{}, "sv_map testbox")
		jumper := tn.JoinAs(client.Config{Name: "jumper"})
		s := tn.JoinAs(client.Config{Name: "seer", PredictAll: all})
		tn.Wait(2 * time.Second)                                  // the clocks settle
		seen, ahead := map[int32]vec.Vec2{}, map[int32]vec.Vec2{} // by tick
		differs := 0
		for i := range 100 {
			if i == 20 {
				jumper.SetInput(game.Input{Jump: true, TargetX: 1})
			}
			tn.Wait(20 * time.Millisecond)
			find := func(in map[int32]vec.Vec2, at *vec.Vec2) func(v *game.View) {
				return func(v *game.View) {
					for _, c := range v.Characters {
						if c.Player == jumper.Self() {
							in[v.Tick], *at = c.Pos, c.Pos
						}
					}
				}
			}
			var now, then vec.Vec2
			s.WithView(find(seen, &now))
			s.WithPredictedView(find(ahead, &then))
			if now != then {
				differs++
			}
		}
		right, wrong := 0, 0
		for tick, at := range seen {
			if before, ok := seen[tick-2]; !ok || before == at {
				continue // only while it moves
			}
			if ahead[tick] == at {
				right++
			} else {
				wrong++ // a key press cannot be predicted
			}
		}
		t.Logf("all %v: %d of %d places were foreseen, elsewhere in %d of 100 looks", all, right, right+wrong, differs)
		if right+wrong < 20 || all && right < 4*wrong || !all && (right > 0 || differs > 0) {
			t.Errorf("PredictAll %v: %d places foreseen, %d not, elsewhere in %d of 100 looks", all, right, wrong, differs)
		}
	}
}

// TestBadNetwork uses a network that loses, duplicates and reorders datagrams. Every chat line must
// arrive once and in order, snapshots must decode, and inputs must come in time.
func TestBadNetwork(t *testing.T) {
	tn := servertest.Over(t, servertest.Link{Delay: 40 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.05, Duplicate: 0.05}, server.Config{})
	early, late := 0, 0
	var players []*servertest.Player
	for i := range 4 {
		players = append(players, tn.JoinAs(client.Config{
			Name: fmt.Sprint("player ", i), Version: []client.Version{client.Version07, client.Version06}[i%2],
			Play: func(_ *client.Client, v *game.View) game.Input {
				return game.Input{Direction: v.Tick/40%3 - 1, Jump: v.Tick%50 < 3, Fire: v.Tick / 10 & 63, TargetX: v.Tick%100 - 50, TargetY: -20}
			},
			OnInputTiming: func(_, left int32) {
				if left < 0 {
					late++
				} else {
					early++
				}
			},
		}))
	}
	for n := range 30 {
		players[0].Say(fmt.Sprint("line ", n))
		tn.Wait(600 * time.Millisecond)
	}
	tn.Wait(2 * time.Second)
	for i, s := range players {
		n := 0
		for _, e := range s.Events {
			if chat, ok := e.(event.Chat); ok && chat.From.Name == "player 0" {
				if want := fmt.Sprint("line ", n); chat.Text != want {
					t.Fatalf("player %d heard %q instead of %q", i, chat.Text, want)
				}
				n++
			}
		}
		st := s.Stats()
		if n != 30 || st.CRCFailures+st.BadDelta+st.BadMessage != 0 || st.Snapshots < 300 {
			t.Errorf("player %d heard %d lines: %+v", i, n, st)
		}
	}
	t.Logf("%d inputs in time, %d late; player 0: %+v", early, late, players[0].Stats())
	if early == 0 || late*4 > early {
		t.Errorf("%d inputs were late, %d in time", late, early)
	}
}
