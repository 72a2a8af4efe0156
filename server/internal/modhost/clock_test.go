package modhost_test

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/internal/modhost"
)

// clockedMod is a mod that takes the clock.
type clockedMod struct{ clock game.HookClock }

func (m *clockedMod) SetClock(clock game.HookClock) { m.clock = clock }

// TestClock counts beats only while the world runs.
func TestClock(t *testing.T) {
	var c modhost.Clock
	c.Watch(struct{}{})
	c.Note(1, time.Second)
	c.Begin()
	c.Beat()
	c.End()
	testenv.Check(t, c.Beats() == 0 && !c.IsSlow(), "a clock that no mod has runs: %d beats", c.Beats())
	var m clockedMod
	c.Watch(&m)
	testenv.Check(t, c.IsSlow(), "the last tick was not slow")
	c.Begin()
	for end := time.Now().Add(10 * time.Second); c.Beats() < 3 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	c.End()
	beats := m.clock.Beats()
	testenv.Check(t, beats >= 3 && m.clock.Busy(), "%d beats, busy %v", beats, m.clock.Busy())
	c.Beat()
	testenv.Check(t, m.clock.Beats() == beats, "the clock counts between two ticks")
}
