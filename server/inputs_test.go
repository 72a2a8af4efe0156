package server

import (
	"math/rand/v2"
	"testing"

	"github.com/teeyard/teeyard/game"
)

// TestInputBuffer: inputs are found as by looking at all slots, whatever came in which order.
func TestInputBuffer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var b inputBuffer
	var ticks [maxInputs]int32
	found := 0
	for i := range 4000 {
		tick := int32(1 + i/2)
		switch r.IntN(8) {
		case 0:
			tick += r.Int32N(600)
		case 1:
			tick = max(tick-r.Int32N(600), 1)
		}
		ticks[i%maxInputs] = tick
		b.add(tick, game.Input{Direction: int32(i)}, true)
		for _, want := range [...]int32{tick, tick + 1, tick + 256, int32(i / 2)} {
			at := 0
			for {
				slot := at
				for slot < maxInputs && ticks[slot] != want {
					slot++
				}
				in, _, next := b.find(want, at)
				if slot == maxInputs || want == 0 {
					if want != 0 && next != -1 {
						t.Fatalf("input %d: tick %d found before slot %d", i, want, next)
					}
					break
				}
				if next != slot+1 || in != &b.inputs[slot] {
					t.Fatalf("input %d: tick %d from slot %d on found before slot %d, not %d", i, want, at, next, slot+1)
				}
				at = next
				found++
			}
		}
	}
	if found < 4000 {
		t.Errorf("%d found", found)
	}
	b.reset()
	if _, _, next := b.find(ticks[0], 0); next != -1 {
		t.Error("found after reset")
	}
}
