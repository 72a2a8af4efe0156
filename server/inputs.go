package server

import (
	"github.com/teeyard/teeyard/game"
)

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
	// slots counts the stored ticks by their lowest byte, and has the index of the newest one. With
	// a count of 0 or 1, find need not search.
	slots [256]struct{ count, newest uint8 }
}

func (r *inputBuffer) reset() { *r = inputBuffer{} }

// add stores an input for a tick.
func (r *inputBuffer) add(tick int32, in game.Input, ok bool) {
	if old := r.ticks[r.next]; old != 0 {
		r.slots[uint8(old)].count--
	}
	s := &r.slots[uint8(tick)]
	s.count, s.newest = s.count+1, uint8(r.next)
	r.ticks[r.next], r.inputs[r.next], r.valid[r.next] = tick, in, ok
	r.next = (r.next + 1) % maxInputs
}

// find returns the first input for a tick at a slot from begin on, and the slot after it, for the
// next one. The input may be invalid; without one the slot is -1.
func (r *inputBuffer) find(tick int32, begin int) (in *game.Input, valid bool, next int) {
	end := maxInputs
	switch s := &r.slots[uint8(tick)]; s.count {
	case 0:
		return nil, false, -1
	case 1: // the newest, since the oldest go first
		begin, end = max(begin, int(s.newest)), int(s.newest)+1
	}
	for i := begin; i < end; i++ {
		if r.ticks[i] == tick {
			return &r.inputs[i], r.valid[i], i + 1
		}
	}
	return nil, false, -1
}

// forwardedInput is the last input of a client that was sent to other clients.
type forwardedInput struct {
	keys  game.Input // without aim and flags
	tick  int32      // of the server's clock
	count int        // inputs sent in that tick
}
