package server

import (
	"sync/atomic"
	"time"
)

// hookClock counts about a hundred beats a second while the world runs a tick, for mods whose hooks may be stopped when
// they take too long. It counts its own wake-ups, so that neither a clock that is set nor a machine that stands still
// stops anything. A tick that is as short as usual has none.
type hookClock struct {
	used  bool // a mode or mod of this world has it
	slow  bool // the last ticks took long
	runs  atomic.Bool
	beats atomic.Uint32
	timer *time.Timer
}

// hookBeat is the time between two beats.
const hookBeat = 10 * time.Millisecond

// clocked is a mode or mod that has a clock.
type clocked interface{ SetClock(func() uint32) }

// watch gives a mode or mod the clock, if it has use for one.
func (c *hookClock) watch(m any) {
	if m, ok := m.(clocked); ok {
		m.SetClock(c.beats.Load)
		c.used = true
		if c.timer == nil {
			c.timer = time.AfterFunc(time.Hour, c.beat)
			c.timer.Stop()
		}
	}
}

// begin notes that the world runs until end.
func (c *hookClock) begin() {
	if !c.used {
		return
	}
	c.runs.Store(true)
	c.timer.Reset(hookBeat)
}

func (c *hookClock) beat() {
	if c.runs.Load() {
		c.beats.Add(1)
		c.timer.Reset(hookBeat)
	}
}

func (c *hookClock) end() {
	if c.used {
		c.runs.Store(false)
		c.timer.Stop()
	}
}
