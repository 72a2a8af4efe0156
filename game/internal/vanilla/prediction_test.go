package vanilla

import (
	"math"
	"testing"

	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestAbsurdPredictions predicts tees with values that only a hostile server sends. The map has no
// walls. Without limits, each of the tees would take minutes.
func TestAbsurdPredictions(t *testing.T) {
	open := testenv.Must(physics.NewCollision(20, 20, make([]uint8, 400)))
	for _, c := range []struct {
		name   string
		state  physics.CoreState
		change func(t *physics.Tuning)
		added  bool
		left   bool // after a second
	}{
		{"an honest tee", physics.CoreState{VelX: 2000, HookState: physics.HookFlying, HookX: 100, HookDX: 256}, func(*physics.Tuning) {}, true, true},
		{"a fast tee", physics.CoreState{VelX: math.MaxInt32}, func(*physics.Tuning) {}, false, false},
		{"a far hook", physics.CoreState{HookState: physics.HookFlying, HookX: 1 << 30}, func(*physics.Tuning) {}, false, false},
		{"a ramp that speeds up", physics.CoreState{VelX: 50_000}, func(t *physics.Tuning) {
			t[physics.VelrampStart], t[physics.VelrampRange], t[physics.VelrampCurvature] = 0, 100_000, 1
		}, true, false},
		{"a ramp of no number", physics.CoreState{VelX: 50_000}, func(t *physics.Tuning) {
			t[physics.VelrampStart], t[physics.VelrampRange], t[physics.VelrampCurvature] = 0, 0, 0
		}, true, false},
		{"gravity", physics.CoreState{}, func(t *physics.Tuning) { t[physics.Gravity] = math.MaxInt32 }, true, false},
		{"a hook without end", physics.CoreState{HookState: physics.HookFlying, HookDX: math.MaxInt32}, func(t *physics.Tuning) {
			t[physics.HookLength], t[physics.HookFireSpeed] = math.MaxInt32, math.MaxInt32
		}, true, true},
	} {
		tuning := physics.DefaultTuning()
		c.change(&tuning)
		p := NewPrediction(open)
		p.Begin(1, &tuning, false)
		testenv.Check(t, p.Add(tee.ID(3), vec.Vec2{}, &c.state, 0) == c.added, "%s: added %v", c.name, !c.added)
		for range 50 {
			p.Step()
		}
		testenv.Check(t, (p.Core(3) != nil) == c.left, "%s: left %v", c.name, !c.left)
	}
}
