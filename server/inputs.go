package server

import "github.com/teeyard/teeyard/game"

// maxInputs is how many inputs of a client are kept. A client sends at most
// one per tick and aims 10 ms ahead, so four seconds are plenty.
const maxInputs = 200

// inputBuffer holds a client's inputBuffer until their ticks come.
//
// As in the original the ring is not ordered by tick, and of two inputBuffer for
// one tick that in the lower slot counts.
type inputBuffer struct {
	ticks  [maxInputs]int32 // intended tick, 0 empty
	inputs [maxInputs]game.Input
	valid  [maxInputs]bool // whether the input passed its range check
	next   int
}

func (r *inputBuffer) reset() { *r = inputBuffer{} }

// add keeps an input for a tick.
func (r *inputBuffer) add(tick int32, in game.Input, ok bool) {
	r.ticks[r.next], r.inputs[r.next], r.valid[r.next] = tick, in, ok
	r.next = (r.next + 1) % maxInputs
}

// find finds the input for a tick.
func (r *inputBuffer) find(tick int32) (game.Input, bool) {
	for i, at := range r.ticks {
		if at == tick {
			return r.inputs[i], r.valid[i]
		}
	}
	return game.Input{}, false
}
