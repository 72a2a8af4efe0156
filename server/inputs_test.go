package server

import (
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testclient"

	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestInputsCountInTheirTick checks that an input counts in the tick it is meant for, or
// in the next one if that has begun, and that the client is told how early it was, but
// not of inputs for ticks that it has sent one for.
func TestInputsCountInTheirTick(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(ip(1), "player")
	ts.step(10)
	var told [][2]int32
	p.OnMessage = func(m testclient.Message) {
		if m, ok := m.(*msg7.InputTiming); ok {
			told = append(told, [2]int32{m.IntendedTick, m.TimeLeft})
		}
	}
	now := ts.srv.clock.tick
	send := func(tick, direction int32) {
		m := msg7.Input{AckTick: p.SnapTick, IntendedTick: tick}
		m.SetPlayer(&msg7.PlayerInput{Direction: direction, TargetX: 1})
		p.SendUnreliable(&m)
	}
	direction := func() int32 {
		for _, c := range ts.srv.world.Frame().Characters {
			if c.Player == ts.session(p).id {
				return c.Direction
			}
		}
		t.Fatal("no tee")
		return 0
	}
	ts.now = ts.now.Add(5 * time.Millisecond) // within the tick
	send(now-3, 0)                            // late, but newer than all before
	send(now+4, 1)
	send(now+4, -1) // the first for a tick counts
	send(now+2, -1)
	send(now+6, -1)
	var moves []int32
	ts.now = ts.now.Add(-5 * time.Millisecond)
	for range 7 {
		ts.step(1)
		moves = append(moves, direction())
	}
	if want := []int32{0, -1, -1, 1, 1, -1, -1}; !slices.Equal(moves, want) {
		t.Errorf("moves %v, want %v", moves, want)
	}
	want := [][2]int32{{now - 3, -65}, {now + 4, 75}, {now + 6, 115}}
	if !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	// One that is late counts in the next tick.
	told = nil
	send(now+7, 1)
	ts.step(1)
	moves = append(moves[:0], direction())
	ts.step(2)
	if moves[0] != 1 || len(told) != 1 || told[0] != [2]int32{now + 7, 0} {
		t.Errorf("late: moves %v, told %v", moves, told)
	}
}
