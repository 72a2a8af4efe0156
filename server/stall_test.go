package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/internal/fill"
)

// inputsOf returns for how many of the last 100 ticks the server has had an input of a
// player.
func (tn *testNetwork) inputsOf(p *player) (n int) {
	c := tn.srv.sessions[p.id()]
	for tick := tn.srv.clock.tick - 99; tick <= tn.srv.clock.tick; tick++ {
		if _, valid, _ := c.inputs.find(tick, 0); valid {
			n++
		}
	}
	return n
}

// TestCatchUpAfterAStall lets the server's machine stand still. No tick is left out, as in
// the original, so that the time of the game does not move back for its clients: they would
// send no inputs until it is where it was. Nor are they told to hurry, for their inputs waited
// for the server.
func TestCatchUpAfterAStall(t *testing.T) {
	for i, span := range []time.Duration{500 * time.Millisecond, 3 * time.Second, 6 * time.Second, 9 * time.Second} {
		var s memoryReplays
		tn := newRecordedNetwork(t, &s, uint64(i))
		mostLate := int32(0) // of the inputs, as the clients are told, in ms
		for n, kind := range []client.SessionConfig{player07, player06DDNet, player06} {
			kind.OnInputTiming = func(_, left int32) { mostLate = min(mostLate, left) }
			p := tn.dial(n+1, named(kind, fmt.Sprint("player ", n)))
			tn.untilPlaying(p)
			p.moveRandomly()
		}
		tn.run(3 * time.Second)
		var before []int
		for _, p := range tn.players {
			before = append(before, tn.inputsOf(p))
		}
		start := tn.srv.clock.start
		tn.stall(span)
		if ticks := int32(tn.now().Sub(start) / tickDuration); tn.srv.clock.start != start || tn.srv.world.Tick() != ticks {
			t.Errorf("after %v at tick %d, want %d", span, tn.srv.world.Tick(), ticks)
		}
		tn.run(3 * time.Second) // of which the clients need the first for their clocks
		for k, p := range tn.players {
			if n := tn.inputsOf(p); p.State() != client.Playing || n < before[k]*8/10 {
				t.Errorf("after %v %s is %v and sends %d inputs in 2 s, before it were %d", span, p.name, p.State(), n, before[k])
			}
		}
		if mostLate < -500 {
			t.Errorf("after %v clients are told that they are %d ms late", span, -mostLate)
		}
		checkStats(t, tn.players...)
		tn.srv.Shutdown(tn.now(), "")
		s.verify(t, 1)
	}
}

// TestLongStallsAreCutShort checks that a server that stood still for longer than any client
// waits does not run all ticks of that time.
func TestLongStallsAreCutShort(t *testing.T) {
	var c clock
	c.reset(0)
	at := func(d time.Duration) conn.Time { return conn.Time(d) }
	if n, skipped := c.due(at(time.Minute)); n != 60*game.TickRate || skipped != 0 {
		t.Errorf("after a minute %d ticks are due and %d skipped", n, skipped)
	}
	c.reset(0)
	if n, skipped := c.due(at(time.Hour)); n != maxCatchUp || skipped != 3600*game.TickRate-maxCatchUp {
		t.Errorf("after an hour %d ticks are due and %d skipped", n, skipped)
	}
	c.tick += maxCatchUp
	if n, _ := c.due(at(time.Hour)); n != 0 {
		t.Errorf("%d more ticks are due", n)
	}
}

// TestOverloadIsNoStall checks that a server whose ticks take too long does not run ever more of
// them at once.
func TestOverloadIsNoStall(t *testing.T) {
	var c clock
	now := conn.Time(0)
	most := 0
	for range 200 {
		n, _ := c.due(now)
		most = max(most, n)
		c.tick += int32(n)
		now = now.Add(max(time.Duration(n)*25*time.Millisecond, time.Millisecond))
	}
	if most != maxOverload {
		t.Errorf("%d ticks at once", most)
	}
}

// TestBotsDoNotThinkInAStall checks that bots think only in the last ticks that a server catches up
// on. Their thinking costs more than all else.
func TestBotsDoNotThinkInAStall(t *testing.T) {
	var s memoryReplays
	tn := newRecordedNetwork(t, &s, 1, "sv_bots 9")
	tn.waitForNav()
	p := tn.join(1, "player")
	tn.until(3*time.Second, "bots", func() bool { return tn.srv.bots.Count() == 8 })
	tn.run(time.Second)
	before := tn.srv.world.Tick()
	tn.stall(9 * time.Second)
	after := tn.srv.world.Tick()
	tn.run(time.Second)
	if p.State() != client.Playing || tn.srv.bots.Count() != 8 {
		t.Errorf("the player is %v, beside %d bots", p.State(), tn.srv.bots.Count())
	}
	tn.srv.Shutdown(tn.now(), "")
	thought := 0
	names, _ := s.Names()
	_, err := replay.Verify(s.reader(t, names[0]),
		replay.VerifyConfig{Modes: builtin.Modes().New, OnTick: func(w *game.World, tick *replay.Tick, _ []game.Event) {
			for _, c := range tick.Commands {
				if c.Player >= 32 && w.Tick() > before && w.Tick() <= after {
					thought++
				}
			}
		}})
	testenv.NoError(t, err)
	if after-before < 400 || thought == 0 || thought > 8*2*fill.MaxCatchUp {
		t.Errorf("bots thought %d times in %d ticks", thought, after-before)
	}
}
