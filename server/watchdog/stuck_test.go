package watchdog_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/server/watchdog"
)

// stuckMod calls stay in a hook.
type stuckMod struct{ stay func() }

func (stuckMod) Start(*game.Setup) {}

func (m stuckMod) OnTick(ctx *game.Ctx) {
	if ctx.Tick() == 9 {
		m.stay()
	}
}

// TestStuckIn looks for a hook that does not return, because it waits or because it spins.
func TestStuckIn(t *testing.T) {
	for _, spins := range []bool{false, true} {
		entered, release := make(chan struct{}), make(chan struct{})
		var free atomic.Bool
		stay := func() {
			close(entered)
			for spins && !free.Load() {
			}
			<-release
		}
		ts := servertest.New(t, server.Config{Mods: []func() game.Mod{func() game.Mod { return stuckMod{stay} }}})
		done := make(chan struct{})
		go func() {
			defer close(done)
			ts.Step(20)
		}()
		<-entered
		function, lines := watchdog.Find()
		free.Store(true)
		close(release)
		<-done
		text := strings.Join(lines, "\n")
		if function != "watchdog_test.stuckMod.OnTick" || !strings.HasPrefix(text, "goroutine ") ||
			!strings.Contains(text, "stuck_test.go:") || strings.Contains(text, "\t") {
			t.Errorf("%q in\n%s", function, text)
		}
	}
	if function, lines := watchdog.StuckIn("goroutine 1 [running]:\nmain.main()\n\t/main.go:3\n"); function != "the world" || lines != nil {
		t.Errorf("%q, %q", function, lines)
	}
}
