package game_test

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/internal/testenv"
)

// botMatch returns a world in which bots have been playing for a minute.
func botMatch(t testing.TB, players int) (*world, *bots.Bots) {
	w := newWorld(t, game.Config{Rules: bots.Rules()})
	b := &bots.Bots{Rand: 1}
	for id := range game.PlayerID(players) {
		w.Step(bots.Join(id))
	}
	for range 3000 {
		w.Step(b.Commands(players))
		w.Frame()
	}
	return w, b
}

func TestSteadyTickAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	for _, players := range []int{16, 64} {
		w, b := botMatch(t, players)
		n := testing.AllocsPerRun(500, func() {
			w.Step(b.Commands(players))
			w.Frame()
			w.View(3)
			w.Hash()
		})
		if n != 0 {
			t.Errorf("%d players: %v allocations per tick", players, n)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	for _, players := range []int{2, 16, 64} {
		b.Run(fmt.Sprintf("players=%d", players), func(b *testing.B) {
			w, bots := botMatch(b, players)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				w.Step(bots.Commands(players))
			}
		})
	}
}

func BenchmarkHash(b *testing.B) {
	w, _ := botMatch(b, 16)
	b.ReportAllocs()
	for range b.N {
		w.Hash()
	}
}
