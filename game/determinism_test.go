package game_test

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestSameCommandsSameWorld plays a match of 16 twice and compares the hashes.
func TestSameCommandsSameWorld(t *testing.T) {
	play := func() (hashes []uint64) {
		w := newWorld(t, game.Config{Rules: bots.Rules(), Seed: 1})
		b := bots.Bots{Rand: 1}
		for id := range game.PlayerID(16) {
			w.Step(bots.Join(id))
		}
		for i := range 5000 {
			w.Step(b.Commands(16))
			if i%1000 == 999 {
				hashes = append(hashes, w.Hash())
			}
		}
		return hashes
	}
	first, second := play(), play()
	testenv.Check(t, slices.Equal(first, second), "two runs differ:\n%x\n%x", first, second)
	slices.Sort(first)
	testenv.Check(t, len(slices.Compact(first)) == len(second), "a hash came twice: %x", second)
}
