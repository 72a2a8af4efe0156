package watchdog_test

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/server/watchdog"
)

// stuckMod waits in a hook.
type stuckMod struct{ release chan struct{} }

func (stuckMod) Start(*game.Setup) {}

func (m stuckMod) OnTick(ctx *game.Ctx) {
	if ctx.Tick() == 9 {
		func() { m.release <- struct{}{}; <-m.release }()
	}
}

// TestStuckIn looks for a hook that does not return.
func TestStuckIn(t *testing.T) {
	release := make(chan struct{})
	ts := servertest.New(t, server.Config{Mods: []func() game.Mod{func() game.Mod { return stuckMod{release} }}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		ts.Step(20)
	}()
	<-release
	function, lines := watchdog.Find()
	release <- struct{}{}
	<-done
	text := strings.Join(lines, "\n")
	if function != "watchdog_test.stuckMod.OnTick" || !strings.HasPrefix(text, "goroutine ") ||
		!strings.Contains(text, "stuck_test.go:") || strings.Contains(text, "\t") {
		t.Errorf("%q in\n%s", function, text)
	}
	if function, lines := watchdog.StuckIn("goroutine 1 [running]:\nmain.main()\n\t/main.go:3\n"); function != "the world" || lines != nil {
		t.Errorf("%q, %q", function, lines)
	}
}
