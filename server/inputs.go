package server

import "github.com/teeyard/teeyard/game"

// maxInputs is the number of inputs stored per client. Clients send one per tick, 10 ms
// ahead, so four seconds are plenty.
const maxInputs = 200

// inputBuffer stores a client's inputs until their ticks come. As in the original it is a
// ring in the order of arrival, and of two inputs for one tick the one in the lower slot
// counts.
type inputBuffer struct {
	ticks  [maxInputs]int32 // 0 for empty slots
	inputs [maxInputs]game.Input
	valid  [maxInputs]bool // the input passed its range check
	next   int
}

func (r *inputBuffer) reset() { *r = inputBuffer{} }

// add stores an input for a tick.
func (r *inputBuffer) add(tick int32, in game.Input, ok bool) {
	r.ticks[r.next], r.inputs[r.next], r.valid[r.next] = tick, in, ok
	r.next = (r.next + 1) % maxInputs
}

// find returns the input for a tick. It returns false if there is none, or an invalid one.
func (r *inputBuffer) find(tick int32) (game.Input, bool) {
	for i, at := range r.ticks {
		if at == tick {
			return r.inputs[i], r.valid[i]
		}
	}
	return game.Input{}, false
}
