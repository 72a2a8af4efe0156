package ddrace_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// savedRace returns the saved state of a race of four players.
func savedRace(t testing.TB) []byte {
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Terrain: course, Seed: 3})
	w.Enter(0, 1, 2, 3)
	r := racers{Rand: rand.New(rand.NewPCG(1, 2))}
	for range 300 {
		w.Game.Step(r.next())
	}
	return w.Game.AppendState(nil)
}

// restoreRace restores a possibly invalid state. If it is valid, some ticks run.
func restoreRace(t *testing.T, state []byte) {
	w, err := game.Restore(game.Config{Mode: ddrace.New(), Terrain: course}, state)
	if err != nil {
		testenv.Check(t, errors.Is(err, game.ErrSavedState), "another error: %v", err)
		return
	}
	r := racers{Rand: rand.New(rand.NewPCG(3, 4))}
	for range 20 {
		w.Step(r.next())
		w.Frame()
	}
	w.AppendState(nil)
}

// FuzzRestore checks that no restored state makes the world panic.
func FuzzRestore(f *testing.F) {
	f.Add(savedRace(f))
	f.Fuzz(restoreRace)
}

// TestDamagedStates restores states with one wrong byte each.
func TestDamagedStates(t *testing.T) {
	state := savedRace(t)
	r := rand.New(rand.NewPCG(5, 6))
	for range testenv.Amount(100, 1000) {
		bad := bytes.Clone(state)
		for range 1 + r.IntN(2) {
			bad[r.IntN(len(bad))] = byte(r.IntN(256))
		}
		restoreRace(t, bad)
	}
	restoreRace(t, state)
}
