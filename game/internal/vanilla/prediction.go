package vanilla

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// maxPredictedSpeed limits the speed of predicted tees, in units per tick, and maxPredictedHook the
// length of their hooks, in units. The cost grows with both, and a server can send any value. No
// game is that fast.
const (
	maxPredictedSpeed = 300
	maxPredictedHook  = 20_000
)

// Prediction predicts tees on a client. The client's own tee moves with its inputs, and the others
// keep their direction.
type Prediction struct {
	world *physics.World
	cores [tee.Max]physics.Core
	tick  int32
	own   tee.ID
	state OwnState
	input physics.Input // for the next tick
	given bool          // input is set
}

// OwnState is the state of the client's own tee that disables controls and limits jumps.
type OwnState struct {
	Flags     tee.Flags
	CanMove   bool
	FreezeEnd int32 // as in tee.States
	Jumps     int32 // before the tee must land, 0 if the server sends no number
	AirJumps  int32
}

// NewPrediction returns a prediction without tees.
func NewPrediction(c *physics.Collision) *Prediction {
	return &Prediction{world: physics.NewWorld(c), own: tee.Nobody}
}

// Begin removes all tees and sets the tick and the tuning. Exceptions reports whether the flags of
// tees have an effect.
func (p *Prediction) Begin(tick int32, t *physics.Tuning, exceptions bool) {
	p.tick, p.own, p.given = tick, tee.Nobody, false
	p.world.Tuning, p.world.Exceptions = *t, exceptions
	hook := &p.world.Tuning[physics.HookLength]
	*hook = min(max(*hook, 0), maxPredictedHook*100)
	clear(p.world.Cores[:])
}

// Add adds a tee, unless it is too fast or its hook too far away. It reports whether it did.
func (p *Prediction) Add(id tee.ID, pos vec.Vec2, s *physics.CoreState, f tee.Flags) bool {
	if max(s.VelX, -s.VelX, s.VelY, -s.VelY) > 256*maxPredictedSpeed || s.HookWay() > maxPredictedHook {
		return false
	}
	core := &p.cores[id]
	core.Reset(p.world, pos)
	core.SetState(s)
	core.Exceptions = f.Exceptions()
	p.world.Cores[id] = core
	p.world.HighIDs = p.world.HighIDs || id >= 64
	return true
}

// SetOwn makes a tee the client's own one.
func (p *Prediction) SetOwn(id tee.ID, s OwnState) { p.own, p.state = id, s }

// SetInput sets the input of the client's tee for the next Step. It ignores other tees.
func (p *Prediction) SetInput(id tee.ID, in tee.Input) {
	if id == p.own {
		in.Aim()
		p.input, p.given = in.Physics(), true
	}
}

// Step predicts one tick. It removes tees that the tuning makes too fast.
func (p *Prediction) Step() {
	p.tick++
	for id, core := range &p.world.Cores {
		switch {
		case core == nil:
		case p.given && tee.ID(id) == p.own:
			in := p.input
			p.state.maskInput(&in, p.tick)
			core.Tick(&in, true)
			if s := &p.state; s.Jumps != 0 {
				s.Flags.EndTick(core, s.Jumps, &s.AirJumps)
			}
		default:
			core.Tick(nil, false)
		}
	}
	p.given = false
	for id, core := range &p.world.Cores {
		switch {
		case core == nil:
		case core.Way() <= 2*maxPredictedSpeed:
			core.Move()
			core.Quantize()
		default: // also if it is not a number
			p.world.Cores[id] = nil
		}
	}
}

// Core returns the core of a tee, or nil without a living tee.
func (p *Prediction) Core(id tee.ID) *physics.Core { return p.world.Cores[id] }

// maskInput clears the controls in an input that have no effect in a tick, because the tee is
// frozen or cannot move.
func (s *OwnState) maskInput(in *physics.Input, tick int32) {
	frozen := s.FreezeEnd == tee.FreezeForever || s.FreezeEnd > tick
	if frozen || !s.CanMove {
		in.Direction, in.Jump = 0, false
	}
	in.Hook = in.Hook && !frozen
}
