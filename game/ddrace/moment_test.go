package ddrace

import (
	"bytes"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestMoment goes back to a moment, also in another world, and checks that the world then develops
// equally.
func TestMoment(t *testing.T) {
	m := arena(t, 4)
	p := newPlay(m, 1)
	for round := range 6 {
		for range 120 {
			p.step()
		}
		if round%2 == 0 {
			p.armed()
		}
		var moment Moment
		p.w.Save(&moment, 0)
		before, rand, inputs := save(t, p.w), p.rand, append([]PlayerInput(nil), p.inputs...)
		for range 120 {
			p.step()
		}
		after := save(t, p.w)
		other := New(Config{Map: m})
		other.Enter(0, false)
		for _, w := range []*World{p.w, other} {
			w.Load(&moment, 0)
			testenv.Check(t, moment.Bytes() > 1000, "it has %d bytes", moment.Bytes())
			testenv.Require(t, bytes.Equal(save(t, w), before), "round %d: the state that was loaded differs", round)
			q := &play{w: w, rand: rand, inputs: append([]PlayerInput(nil), inputs...)}
			for range 120 {
				q.step()
			}
			testenv.Require(t, bytes.Equal(save(t, w), after), "round %d: it does not go on as before", round)
		}
	}
}
