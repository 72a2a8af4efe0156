// Package watchdog notices a tick of a world that does not end because a mode or mod does not
// return, and names the code.
package watchdog

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// Watchdog watches the ticks of a world. It counts its own wake-ups while a tick lasts. Neither a
// clock that is set nor a machine that sleeps can mislead it. The zero value is ready.
type Watchdog struct {
	// running is the tick that runs, with a number that differs each time. It is 0 between two
	// ticks, and takenOver after the world's goroutine has lost the program.
	running atomic.Uint64
	number  uint32
}

const takenOver = ^uint64(0)

const (
	interval = time.Second
	maxBeats = 5 // in the same tick
)

// Patience is how long a tick may last.
const Patience = maxBeats * interval

// Stuck is a tick that has lasted too long.
type Stuck struct {
	Tick int32
	// Function is the function of the mode or mod that the world has called, or "the world".
	Function string
	// Stack is the stack of the world's goroutine down to the world, in lines.
	Stack []string
}

// String describes the code.
func (s *Stuck) String() string {
	return fmt.Sprintf("%s has not returned for %v", s.Function, Patience)
}

// Begin notes that the world runs a tick until End.
func (d *Watchdog) Begin(tick int32) {
	d.number = d.number%(1<<31) + 1
	d.running.Store(uint64(d.number)<<32 | uint64(uint32(tick)))
}

// End ends a tick. It does not return after the tick was found to be stuck.
func (d *Watchdog) End() {
	if d.running.Swap(0) == takenOver {
		d.running.Store(takenOver)
		select {}
	}
}

// Watch watches in another goroutine until end is called. If a tick takes longer than Patience, it
// calls stuck there, once. The world must not be used afterwards.
func (d *Watchdog) Watch(stuck func(Stuck)) (end func()) {
	ticker := time.NewTicker(interval)
	stop := make(chan struct{})
	go d.watch(ticker.C, stop, func(tick int32) {
		function, lines := stuckIn(stacks())
		stuck(Stuck{tick, function, lines})
	})
	return func() {
		ticker.Stop()
		close(stop)
	}
}

// watch calls stuck when the same tick has lasted for maxBeats, until stop is closed.
func (d *Watchdog) watch(beats <-chan time.Time, stop <-chan struct{}, stuck func(tick int32)) {
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
		if seen++; seen >= maxBeats && d.running.CompareAndSwap(last, takenOver) {
			stuck(int32(uint32(last)))
			return
		}
	}
}

// stacks returns the stacks of all goroutines.
func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// maxLines is the largest number of lines of a stack.
const maxLines = 32

// stuckIn searches the stacks of all goroutines for the one that runs the world of a server, or
// reruns a match. It returns the function of a mode or mod that the world has called there, and the
// lines of the stack down to the world's.
func stuckIn(stacks string) (function string, lines []string) {
	function = "the world"
	for stack := range strings.SplitSeq(stacks, "\n\n") {
		if !strings.Contains(stack, "/server.(*Server).runWorld(") && !strings.Contains(stack, "/server.(*Server).newWorld(") &&
			!strings.Contains(stack, "/game/replay.Verify(") {
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
	return function, lines[:min(len(lines), maxLines)]
}
