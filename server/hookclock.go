package server

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/game"
)

// hookClock measures the hooks of mods while the world runs a tick; see [game.HookClock]. It counts about a hundred
// beats a second by its own wake-ups, so that neither a clock that is set nor a machine that stands still stops
// anything. A tick that is as short as usual has none.
type hookClock struct {
	threadTime func() time.Duration // nil without one

	used  bool // a mode or mod of this world has it
	slow  bool // the last ticks took long
	busy  int  // the ticks in which hooks are measured, since one took long
	began time.Time
	spent int64 // when the tick began
	runs  atomic.Bool
	beats atomic.Uint32
	timer *time.Timer
}

// hookBeat is the time between two beats.
const hookBeat = 10 * time.Millisecond

// busyTicks is how long hooks are measured after a slow tick.
const busyTicks = 50

// slowTick is the duration from which ticks with mods run one by one also while no client is
// connected: datagrams of those who want to join wait for the end of all.
const slowTick = 4 * time.Millisecond

// clocked is a mode or mod that has a clock.
type clocked interface{ SetClock(game.HookClock) }

// watch gives a mode or mod the clock, if it has use for one.
func (c *hookClock) watch(m any) {
	if m, ok := m.(clocked); ok {
		m.SetClock(c)
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
	runtime.LockOSThread() // for its processor time
	c.began = time.Now()
	c.runs.Store(true)
	c.spent = c.Spent()
	c.timer.Reset(hookBeat)
}

func (c *hookClock) beat() {
	if c.runs.Load() {
		c.beats.Add(1)
		c.timer.Reset(hookBeat)
	}
}

func (c *hookClock) end() {
	if !c.used {
		return
	}
	c.runs.Store(false)
	c.timer.Stop()
	if time.Since(c.began) > slowTick {
		c.busy = busyTicks
	} else if c.busy > 0 {
		c.busy--
	}
	runtime.UnlockOSThread()
}

// Beats returns the beats until now.
func (c *hookClock) Beats() uint32 { return c.beats.Load() }

// Busy reports whether hooks are measured.
func (c *hookClock) Busy() bool { return c.busy > 0 }

// Began returns what Spent was when the tick began.
func (c *hookClock) Began() int64 { return c.spent }

// Spent returns the processor time of the thread that runs the world, 0 while it does not run.
func (c *hookClock) Spent() int64 {
	if c.threadTime == nil || !c.runs.Load() {
		return 0
	}
	return int64(c.threadTime())
}
