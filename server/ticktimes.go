package server

import (
	"runtime"
	"time"
)

// TickTimes is a histogram of the time that the server's goroutine needed for a tick, with
// snapshots and sending. Ticks that ran together count with their mean.
type TickTimes struct {
	// Counts has a number for each of [TickTimeBounds], and one for times above the last bound.
	Counts [len(tickTimeBounds) + 1]uint64
	// Sum is the time of all ticks together.
	Sum time.Duration
	// Last is the time of the latest tick.
	Last time.Duration
}

var tickTimeBounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, time.Second,
}

// TickTimeBounds returns the upper bounds of the buckets of [TickTimes].
func TickTimeBounds() []time.Duration { return tickTimeBounds[:] }

// add counts ticks that took a time together.
func (t *TickTimes) add(ticks int, took time.Duration) {
	each, i := took/time.Duration(ticks), 0
	for i < len(tickTimeBounds) && each > tickTimeBounds[i] {
		i++
	}
	t.Counts[i] += uint64(ticks)
	t.Sum += took
	t.Last = each
}

// tickTimes measures ticks.
type tickTimes struct {
	clock, cpu TickTimes
	spent      time.Duration // processor time of the thread when the ticks began
}

// begin begins ticks that run together. Until end, the goroutine stays on its thread.
func (t *tickTimes) begin(threadTime func() time.Duration) {
	if threadTime != nil {
		runtime.LockOSThread()
		t.spent = threadTime()
	}
}

// end counts the ticks since begin.
func (t *tickTimes) end(threadTime func() time.Duration, ticks int, took time.Duration) {
	t.clock.add(ticks, took)
	if threadTime != nil {
		t.cpu.add(ticks, threadTime()-t.spent)
		runtime.UnlockOSThread()
	}
}
