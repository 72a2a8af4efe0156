package server

import (
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
)

// TestWatchdog lets many ticks last for less than five wake-ups each, and one for five.
func TestWatchdog(t *testing.T) {
	var d watchdog
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
		d.begin(7)           // as in a world that is begun again
		beat(watchBeats - 1) // of which the last may count for the next tick
		d.end()
		beat(int(tick) * watchBeats) // between ticks
	}
	d.begin(7)
	for range watchBeats {
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

// stuckMod waits in a hook.
type stuckMod struct{ release chan struct{} }

func (stuckMod) Start(*game.Setup) {}

func (m stuckMod) OnTick(ctx *game.Ctx) {
	if ctx.Tick() == 9 {
		func() { m.release <- struct{}{}; <-m.release }()
	}
}

// TestStuckIn looks for the hook that does not return.
func TestStuckIn(t *testing.T) {
	release := make(chan struct{})
	ts := newTestServerWith(t, Config{Mods: []func() game.Mod{func() game.Mod { return stuckMod{release} }}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		ts.step(20)
	}()
	<-release
	function, lines := stuckIn(stacks())
	release <- struct{}{}
	<-done
	text := strings.Join(lines, "\n")
	if function != "server.stuckMod.OnTick" || !strings.HasPrefix(text, "goroutine ") || !strings.Contains(text, "watchdog_test.go:") || strings.Contains(text, "\t") {
		t.Errorf("%q in\n%s", function, text)
	}
	if function, lines := stuckIn("goroutine 1 [running]:\nmain.main()\n\t/main.go:3\n"); function != "the world" || lines != nil {
		t.Errorf("%q, %q", function, lines)
	}
}
