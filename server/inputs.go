package server

import "github.com/teeyard/teeyard/game"

// inputRing is how many inputs of a client are kept. A client sends at most
// one per tick and aims 10 ms ahead, so four seconds are plenty.
const inputRing = 200

// inputs holds a client's inputs until their ticks come.
//
// As in the original the ring is not ordered by tick, and of two inputs for
// one tick that in the lower slot counts.
type inputs struct {
	at   [inputRing]int32 // intended tick, 0 empty
	in   [inputRing]game.Input
	ok   [inputRing]bool // whether the input passed its range check
	next int
}

func (r *inputs) reset() { *r = inputs{} }

// add keeps an input for a tick.
func (r *inputs) add(tick int32, in game.Input, ok bool) {
	r.at[r.next], r.in[r.next], r.ok[r.next] = tick, in, ok
	r.next = (r.next + 1) % inputRing
}

// take finds the input for a tick.
func (r *inputs) take(tick int32) (game.Input, bool) {
	for i, at := range r.at {
		if at == tick {
			return r.in[i], r.ok[i]
		}
	}
	return game.Input{}, false
}
