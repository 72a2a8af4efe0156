package watchdog

import (
	"testing"
	"time"
)

// Find returns the function and the stack of a tick that is stuck now.
func Find() (function string, lines []string) { return stuckIn(stacks()) }

// StuckIn is stuckIn for tests of package watchdog_test.
var StuckIn = stuckIn

// TestWatchdog lets many ticks last for less than five wake-ups each, and one for five.
func TestWatchdog(t *testing.T) {
	var d Watchdog
	beats, stop, stuck := make(chan time.Time), make(chan struct{}), make(chan int32, 1)
	go d.watch(beats, stop, func(tick int32) { stuck <- tick })
	beat := func(n int) {
		for range n {
			select {
			case beats <- time.Time{}:
			case tick := <-stuck:
				t.Fatalf("stuck in tick %d", tick)
			}
		}
	}
	for tick := range int32(3) {
		d.Begin(7)         // as in a world that is begun again
		beat(maxBeats - 1) // of which the last may count for the next tick
		d.End()
		beat(int(tick) * maxBeats) // between ticks
	}
	d.Begin(7)
	for range maxBeats {
		beats <- time.Time{}
	}
	select {
	case beats <- time.Time{}:
	case tick := <-stuck:
		stuck <- tick
	}
	if tick := <-stuck; tick != 7 || d.running.Load() != takenOver {
		t.Errorf("tick %d, running %x", tick, d.running.Load())
	}
}
