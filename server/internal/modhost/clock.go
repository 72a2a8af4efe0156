package modhost

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/game"
)

// Clock measures the hooks of mods while the world runs a tick; see [game.HookClock]. It counts its
// own wake-ups as beats, about a hundred a second. A clock that is set, or a machine that stands
// still, therefore stops no hook. A tick of the usual length has no beat.
type Clock struct {
	threadTime func() time.Duration // nil without one

	used  bool // a mode or mod of this world has it
	slow  bool // the last ticks took long
	busy  int  // ticks for which hooks are still measured after a slow tick
	began time.Time
	spent int64 // when the tick began
	runs  atomic.Bool
	beats atomic.Uint32
	timer *time.Timer
}

const (
	// slowTick is the duration from which a tick is slow.
	slowTick = 4 * time.Millisecond
	// hookBeat is the time between two beats.
	hookBeat = 10 * time.Millisecond
	// busyTicks is how long hooks are measured after a slow tick.
	busyTicks = 50
)

// clocked is a mode or mod that has a clock.
type clocked interface{ SetClock(game.HookClock) }

// Watch gives a mode or mod the clock, if it takes one.
func (c *Clock) Watch(m any) {
	if m, ok := m.(clocked); ok {
		m.SetClock(c)
		c.used = true
		if c.timer == nil {
			c.timer = time.AfterFunc(time.Hour, c.Beat)
			c.timer.Stop()
		}
	}
}

// Begin notes that the world runs a tick until End, in the same goroutine.
func (c *Clock) Begin() {
	if !c.used {
		return
	}
	runtime.LockOSThread() // for its processor time
	c.began = time.Now()
	c.runs.Store(true)
	c.spent = c.Spent()
	c.timer.Reset(hookBeat)
}

// Beat counts a beat if the world runs. Any goroutine may call it.
func (c *Clock) Beat() {
	if c.runs.Load() {
		c.beats.Add(1)
		c.timer.Reset(hookBeat)
	}
}

// End is called at the end of a tick.
func (c *Clock) End() {
	if !c.used {
		return
	}
	c.runs.Store(false)
	c.timer.Stop()
	if time.Since(c.began) > slowTick {
		c.Measure()
	} else if c.busy > 0 {
		c.busy--
	}
	runtime.UnlockOSThread()
}

// Measure makes the clock measure the hooks of the next ticks, as after a slow one.
func (c *Clock) Measure() { c.busy = busyTicks }

// Note notes how long the last ticks took, with all that the server does after them.
func (c *Clock) Note(ticks int, took time.Duration) { c.slow = took > slowTick*time.Duration(ticks) }

// IsSlow reports whether the last ticks of a world with the clock were slow.
func (c *Clock) IsSlow() bool { return c.used && c.slow }

// Beats returns the beats until now.
func (c *Clock) Beats() uint32 { return c.beats.Load() }

// Busy reports whether hooks are measured.
func (c *Clock) Busy() bool { return c.busy > 0 }

// Began returns the value of Spent at the start of the tick.
func (c *Clock) Began() int64 { return c.spent }

// Spent returns the processor time of the thread that runs the world, 0 while it does not run.
func (c *Clock) Spent() int64 {
	if c.threadTime == nil || !c.runs.Load() {
		return 0
	}
	return int64(c.threadTime())
}
