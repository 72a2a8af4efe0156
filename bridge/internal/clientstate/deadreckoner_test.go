package clientstate

import (
	"math"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestAbsurdReckoning checks that tees whose movement would take seconds to compute stay where the
// server sent them.
func TestAbsurdReckoning(t *testing.T) {
	var r deadReckoner
	r.setMap(testenv.Must(physics.NewCollision(20, 20, make([]uint8, 400)))) // without walls
	for name, c := range map[string]struct {
		tee   game.CharacterState
		moves bool
	}{
		"honest":       {game.CharacterState{Tick: 10, VelX: 500, HookState: physics.HookFlying, HookX: 50, HookDX: 256}, true},
		"fast":         {game.CharacterState{Tick: 10, VelX: math.MaxInt32}, false},
		"a far hook":   {game.CharacterState{Tick: 10, HookState: physics.HookFlying, HookX: 1 << 30}, false},
		"a hook ahead": {game.CharacterState{Tick: 10, HookState: physics.HookFlying, X: math.MinInt32, HookX: math.MaxInt32}, false},
	} {
		at := r.position(&c.tee, 100)
		testenv.Check(t, (at.X != float32(c.tee.X)) == c.moves, "%s: at %v", name, at)
	}
}
