package route

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
)

// Way is a route with the states along it, for runners. It is immutable and can be shared.
type Way struct {
	m        *ddrace.Map
	inputs   []Step  // one per tick
	states   []state // before each input, and at the end
	settled  int     // first tick in which the tee is at rest
	finished bool
	looked   int // tiles read during its simulation
}

// state is the position and velocity of a tee.
type state struct{ pos, vel ddrace.Vec }

func stateOf(t *ddrace.Tee) state { return state{pos: t.Core.Pos, vel: t.Core.Vel} }

// from returns the approximate number of ticks that it takes to get from one state to the other.
func (s state) from(o state) float32 {
	return vec.Distance(s.pos, o.pos)/10 + vec.Distance(s.vel, o.vel)
}

// NewWay simulates a route. cfg must be the configuration with which the route was found.
func NewWay(cfg Config, r *Route) (*Way, error) {
	w, err := cfg.world()
	if err != nil {
		return nil, err
	}
	y := &Way{m: w.Map(), finished: r.Finished}
	if w.Tee(me) == nil {
		return y, nil
	}
	y.states = append(y.states, stateOf(w.Tee(me)))
	fire := int32(0)
	for i := range r.Steps {
		for range r.Steps[i].Ticks {
			in := r.Steps[i].Input(fire)
			fire = in.Fire
			w.Step([]ddrace.PlayerInput{{Player: me, Input: in}})
			y.looked += w.Work()
			t := w.Tee(me)
			if t == nil {
				return y, nil
			}
			y.inputs, y.states = append(y.inputs, r.Steps[i]), append(y.states, stateOf(t))
		}
		if i == 0 {
			y.settled = len(y.inputs)
		}
	}
	return y, nil
}

// work returns the work of simulating the way, in typical ticks.
func (y *Way) work() int { return len(y.inputs) + y.looked/tilesPerTick }

// Ticks returns the length of the way in ticks.
func (y *Way) Ticks() int { return len(y.inputs) }

// nearest returns the tick of the way in the range lo to hi-1 whose state is the most similar.
// apart is its distance; see state.from.
func (y *Way) nearest(s state, lo, hi, step int) (at int, apart float32) {
	at, apart = max(lo, 0), 1e9
	for i := at; i < min(hi, len(y.states)); i += step {
		if d := s.from(y.states[i]); d < apart {
			at, apart = i, d
		}
	}
	return at, apart
}

// Finished reports whether the way leads to the finish.
func (y *Way) Finished() bool { return y.finished }
