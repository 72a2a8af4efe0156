//go:build linux

package script

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
)

// threadClock measures hooks as a server does, by the processor time of this thread.
type threadClock struct {
	busy  bool
	began time.Duration
}

func (c *threadClock) Busy() bool    { return c.busy }
func (c *threadClock) Began() int64  { return int64(c.began) }
func (c *threadClock) Spent() int64  { return int64(threadTime()) }
func (c *threadClock) Beats() uint32 { return uint32(threadTime() / (10 * time.Millisecond)) }

// longTick is the length of a tick after which a script may have at most two more such ticks before
// it is switched off.
const longTick = 3 * timeShare * time.Nanosecond

// TestHostileLogs stops the scripts of testdata/hostile early, by a clock of the test, and runs
// their logs.
func TestHostileLogs(t *testing.T) {
	testenv.Long(t)
	stopped := 0
	for _, path := range hostileScripts() {
		source := string(testenv.Must(os.ReadFile(path)))
		log, mod := clockedMatch(t, source, &spentClock{busy: true, each: 10_000, between: 15_000_000})
		if mod.off != "" {
			stopped++
		}
		res, err := replay.Verify(testenv.Must(replay.NewReader(bytes.NewReader(log))), verifyScripts)
		testenv.Check(t, err == nil && res.HashesMatched >= 2, "%s (%q): %+v, %v", path, mod.off, res, err)
	}
	testenv.Check(t, stopped > 30, "%d stopped", stopped)
}

func hostileScripts() []string { return testenv.Must(filepath.Glob("testdata/hostile/*.lua")) }

// TestHostileScripts plays the scripts of testdata/hostile, which are made to take as long as
// possible. They must be switched off after at most three long ticks, or take no longer than any
// script may.
func TestHostileScripts(t *testing.T) {
	if os.Getenv("TEEYARD_FULL") == "" {
		t.Log("set TEEYARD_FULL=1 to measure what hostile scripts take")
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, path := range hostileScripts() {
		w := newWorld(t, string(testenv.Must(os.ReadFile(path))))
		w.join(4)
		clock := &threadClock{}
		w.mod.SetClock(clock)
		var most, total time.Duration
		ticks, long, calm := 0, 0, 0
		for ; ticks < 100 && w.mod.off == ""; ticks++ {
			clock.began = threadTime()
			w.World.Step(nil)
			took := threadTime() - clock.began
			if took > longTick {
				long++
			}
			if most, total = max(most, took), total+took; took > 4*time.Millisecond {
				calm, clock.busy = 50, true
			} else if calm--; calm < 0 {
				clock.busy = false
			}
		}
		fmt.Printf("%-16s %3d ticks, %d long, the longest %7.2f ms, %6.2f ms in all  %s\n", strings.TrimSuffix(filepath.Base(path), ".lua"), ticks, long,
			float64(most)/1e6, float64(total)/1e6, w.mod.off)
		testenv.Check(t, long <= 3 && total <= time.Duration(long+1)*most+time.Duration(ticks)*timeShare+timeLoan,
			"%s: %d long ticks, the longest %v, all %v", path, long, most, total)
	}
}
