package game

import (
	"encoding/binary"
	"math"

	"github.com/teeyard/teeyard/game/vec"
)

// Hash returns a hash of everything that influences the future of the world, with floating point
// numbers as their bits. Two worlds with the same Config and equal hashes develop equally with
// equal commands, except for hash collisions.
//
// The hash of the same state can differ between versions of this package.
func (w *World) Hash() uint64 {
	v := &w.visitor
	*v = visitor{op: hashing, seats: w.tees.Seats, hash: 0x9e3779b97f4a7c15}
	v.world(w)
	return uint64(v.hash)
}

// hasher mixes 64 bits at a time.
type hasher uint64

func (h *hasher) add(v uint64) {
	x := (uint64(*h) ^ v) * 0xff51afd7ed558ccd
	*h = hasher(x ^ x>>32)
}

func (h *hasher) i32(v int32)     { h.add(uint64(uint32(v))) }
func (h *hasher) pair(a, b int32) { h.add(uint64(uint32(a))<<32 | uint64(uint32(b))) }
func (h *hasher) vec(v vec.Vec2)  { h.pair(int32(math.Float32bits(v.X)), int32(math.Float32bits(v.Y))) }
func (h *hasher) float(v float32) { h.add(uint64(math.Float32bits(v))) }

func (h *hasher) text(s string) {
	h.i32(int32(len(s)))
	for i := 0; i < len(s); i++ {
		h.add(uint64(s[i]))
	}
}

func (h *hasher) bytes(b []byte) {
	h.i32(int32(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h.add(binary.LittleEndian.Uint64(b))
	}
	for _, v := range b {
		h.add(uint64(v))
	}
}
