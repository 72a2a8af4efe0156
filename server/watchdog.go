package server

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// watchdog notices that a mode or mod does not return. It counts its own wake-ups while a tick
// lasts, so that neither a clock that is set nor a machine that slept can mislead it.
type watchdog struct {
	// running is what runs: a number that is another one each time, and the tick. It is 0
	// between them, and takenOver when the server is no longer its goroutine's.
	running atomic.Uint64
	number  uint32
}

const takenOver = ^uint64(0)

const (
	watchInterval = time.Second
	watchBeats    = 5 // in the same tick, after which the server ends
)

// begin notes that the world runs until end.
func (d *watchdog) begin(tick int32) {
	d.number = d.number%(1<<31) + 1
	d.running.Store(uint64(d.number)<<32 | uint64(uint32(tick)))
}

// end does not return if the server is about to end.
func (d *watchdog) end() {
	if d.running.Swap(0) == takenOver {
		d.running.Store(takenOver)
		select {}
	}
}

// watch calls stuck when the same tick has lasted for watchBeats, until stop is closed.
func (d *watchdog) watch(beats <-chan time.Time, stop <-chan struct{}, stuck func(tick int32)) {
	var last uint64
	seen := 0
	for {
		select {
		case <-beats:
		case <-stop:
			return
		}
		if now := d.running.Load(); now == 0 || now != last {
			last, seen = now, 0
			continue
		}
		if seen++; seen >= watchBeats && d.running.CompareAndSwap(last, takenOver) {
			stuck(int32(uint32(last)))
			return
		}
	}
}

// WatchTicks watches ticks in programs that rerun matches ([replay.Verify]). Call begin before each
// tick. If a tick takes more than five seconds, WatchTicks calls stuck in another goroutine. The
// lines name the tick and the code of the mode or mod that does not return.
func WatchTicks(stuck func(lines []string)) (begin func(tick int32), end func()) {
	d := new(watchdog)
	ticker := time.NewTicker(watchInterval)
	stop := make(chan struct{})
	go d.watch(ticker.C, stop, func(tick int32) {
		function, lines := stuckIn(stacks())
		stuck(append([]string{fmt.Sprintf("tick %d does not end: %s has not returned for %v", tick, function, watchBeats*watchInterval)}, lines...))
	})
	return d.begin, func() {
		ticker.Stop()
		close(stop)
	}
}

// stacks returns the stacks of all goroutines.
func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// maxStuckLines is the most lines of a stack that are printed.
const maxStuckLines = 32

// stuckIn finds the goroutine of the server, or of who runs a match again, among the stacks of all, and returns the function of
// a mode or mod that the world has called there, and the lines of its stack down to the world's.
func stuckIn(stacks string) (function string, lines []string) {
	function = "the world"
	for stack := range strings.SplitSeq(stacks, "\n\n") {
		if !strings.Contains(stack, "/server.(*Server).runWorld(") && !strings.Contains(stack, "/server.(*Server).newWorld(") && !strings.Contains(stack, "/game/replay.Verify(") {
			continue
		}
		called := false // by the world
		for l := range strings.Lines(stack) {
			l = strings.TrimSuffix(l, "\n")
			call := l[:max(strings.LastIndexByte(l, '('), 0)]
			if strings.Contains(call, "/server.(*Server).") || strings.HasSuffix(call, "/game/replay.Verify") {
				break
			}
			lines = append(lines, strings.ReplaceAll(l, "\t", "  "))
			called = called || strings.Contains(call, "/game.(*World).protect")
			if !called && call != "" && l[0] != '\t' && !strings.Contains(call, "/teeyard/game.") {
				function = call[strings.LastIndexByte(call, '/')+1:]
			}
		}
		break
	}
	return function, lines[:min(len(lines), maxStuckLines)]
}
