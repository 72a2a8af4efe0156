package ws

import (
	"math/rand/v2"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		name string
		seen []uint16 // before
		n    uint16
		want bool
	}{
		{"the first number", nil, 40000, true},
		{"number 0", nil, 0, true},
		{"a copy", []uint16{7}, 7, false},
		{"a copy of an older one", []uint16{7, 8, 9}, 8, false},
		{"a late one", []uint16{7, 9}, 8, true},
		{"a late one from before the first", []uint16{7}, 6, true},
		{"a late one from before the wraparound", []uint16{65534, 1}, 65535, true},
		{"a copy after the wraparound", []uint16{65535, 0, 1}, 0, false},
		{"a copy from before the wraparound", []uint16{65535, 0, 1}, 65535, false},
		{"the oldest", []uint16{10_000}, 10_000 - windowSize + 1, true},
		{"one that is too old", []uint16{10_000}, 10_000 - windowSize, false},
		{"a jump", []uint16{10_000}, 10_000 + 32767, true},
		{"half the numbers away", []uint16{10_000}, 10_000 + 32768, false},
		{"a copy of a jump", []uint16{10_000, 30_000}, 30_000, false},
		{"a number in the place of a forgotten one", []uint16{1, 1 + windowSize - 1}, 1 + windowSize, true},
		{"a late one in the place of a forgotten one", []uint16{5, 5 + 2*windowSize - 1}, 5 + windowSize, true},
		{"a late one after a jump over the window", []uint16{5, 3 * windowSize}, 2*windowSize + 5, true},
	} {
		var w window
		for _, n := range c.seen {
			testenv.Check(t, w.first(n), "%s: %d is not new", c.name, n)
		}
		testenv.Check(t, w.first(c.n) == c.want, "%s: %v", c.name, !c.want)
	}
}

// TestWindowOfTwoPaths sends numbers twice, several times around, with each copy late by a random
// part of the window. Each number must be new exactly once.
func TestWindowOfTwoPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const sent = 300_000
	due := make([][]int, sent+windowSize)
	for i := range sent {
		for range 2 {
			at := i + r.IntN(windowSize-1)
			due[at] = append(due[at], i)
		}
	}
	var w window
	passed := make([]int, sent)
	for _, now := range due {
		for _, i := range now {
			if w.first(uint16(i)) {
				passed[i]++
			}
		}
	}
	for i, n := range passed {
		if n != 1 {
			t.Fatalf("number %d was new %d times", i, n)
		}
	}
}
