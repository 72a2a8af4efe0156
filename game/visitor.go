package game

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/teeyard/teeyard/game/vec"
)

// visitOp is the operation of a visitor on the fields.
type visitOp uint8

const (
	hashing visitOp = iota
	saving
	restoring
)

// visitor visits the fields of a world.
type visitor struct {
	op visitOp
	// seats is the number of players to visit: fewPlayers in states from before there were more,
	// and in the hash while no player with a higher id was in the game. Otherwise MaxPlayers.
	seats int
	hash  hasher
	buf   []byte // what is saved, or left to restore
	err   error  // the first one; all values are zero then
}

func (v *visitor) fail(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("%w: "+format, append([]any{ErrSavedState}, args...)...)
	}
	v.buf = nil
}

// within fails unless lo <= n <= hi.
func within[T integer](v *visitor, what string, n, lo, hi T) {
	if v.op == restoring && (n < lo || n > hi) {
		v.fail("%s: %d is outside %d..%d", what, n, lo, hi)
	}
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// The values in their saved form. Code that visits fields uses the functions below.

func (v *visitor) putUint(n uint64) { v.buf = binary.AppendUvarint(v.buf, n) }

func (v *visitor) getUint() uint64 {
	n, size := binary.Uvarint(v.buf)
	if size <= 0 {
		v.fail("unexpected end")
		return 0
	}
	v.buf = v.buf[size:]
	return n
}

// getBytes returns the next n bytes. They share memory with the state.
func (v *visitor) getBytes(n uint64) []byte {
	if n > uint64(len(v.buf)) {
		v.fail("unexpected end")
		return nil
	}
	b := v.buf[:n]
	v.buf = v.buf[n:]
	return b
}

// value saves or restores a number.
func value[T integer](v *visitor, p *T) {
	switch v.op {
	case saving:
		v.buf = binary.AppendVarint(v.buf, int64(*p))
	case restoring:
		u := v.getUint()
		n := int64(u>>1) ^ -int64(u&1)
		if *p = T(n); int64(*p) != n {
			v.fail("number %d is out of range", n)
		}
	}
}

// num visits a number of at most 32 bits.
func num[T integer](v *visitor, p *T) {
	if v.op == hashing {
		v.hash.i32(int32(*p))
		return
	}
	value(v, p)
}

// pair visits two numbers.
func pair[A, B integer](v *visitor, a *A, b *B) {
	if v.op == hashing {
		v.hash.pair(int32(*a), int32(*b))
		return
	}
	value(v, a)
	value(v, b)
}

// number64 visits a number whose bits are all in use.
func number64[T ~uint64](v *visitor, p *T) {
	switch v.op {
	case hashing:
		v.hash.add(uint64(*p))
	case saving:
		v.buf = binary.LittleEndian.AppendUint64(v.buf, uint64(*p))
	case restoring:
		if b := v.getBytes(8); b != nil {
			*p = T(binary.LittleEndian.Uint64(b))
		}
	}
}

// mask visits a set of players.
func (v *visitor) mask(m *PlayerMask) {
	if number64(v, &m.Low); v.seats > fewPlayers {
		number64(v, &m.High)
	}
}

// bits visits the first numbers of players of a set that is saved with as few bytes as possible.
func (v *visitor) bits(m *PlayerMask) {
	words := [...]*uint64{&m.Low, &m.High}
	for _, word := range words[:v.seats/fewPlayers] {
		if v.op == restoring {
			*word = v.getUint()
		} else {
			v.putUint(*word)
		}
	}
}

// bools visits at most 32 flags.
func (v *visitor) bools(flags ...*bool) {
	if v.op == restoring {
		n := v.getUint()
		for i, f := range flags {
			*f = n>>(len(flags)-1-i)&1 != 0
		}
		if n>>len(flags) != 1 && v.err == nil {
			v.fail("unknown flags %#x", n)
		}
		return
	}
	n := uint64(1)
	for _, f := range flags {
		n <<= 1
		if *f {
			n |= 1
		}
	}
	if v.op == hashing {
		v.hash.add(n)
	} else {
		v.putUint(n)
	}
}

// text visits a text of at most limit bytes.
func (v *visitor) text(s *string, limit int) {
	switch v.op {
	case hashing:
		v.hash.text(*s)
	case saving:
		v.putUint(uint64(len(*s)))
		v.buf = append(v.buf, *s...)
	case restoring:
		n := v.getUint()
		if n > uint64(limit) {
			v.fail("text of %d bytes is too long", n)
		}
		*s = string(v.getBytes(n))
	}
}

// The forms of a saved float. Tees are at whole units, with velocities in 1/256.
const (
	floatWhole = iota // the rest of the number is the value
	floatParts        // the rest is the value * 256
	floatBits         // its bits follow
	floatForms
)

// float saves or restores a float from -limit to limit, never NaN.
func (v *visitor) float(p *float32, limit float32) {
	if v.op == restoring {
		u := v.getUint()
		n := int64(u / floatForms)
		n = n>>1 ^ -(n & 1)
		switch u % floatForms {
		case floatWhole:
			*p = float32(n)
		case floatParts:
			*p = float32(n) / 256
		case floatBits:
			if b := v.getBytes(4); b != nil {
				*p = math.Float32frombits(binary.LittleEndian.Uint32(b))
			}
		}
		if !(*p >= -limit && *p <= limit) {
			v.fail("number %g exceeds %g", *p, limit)
		}
		return
	}
	f, bits := *p, math.Float32bits(*p)
	whole, form := int32(0), uint64(floatBits)
	if -1<<22 < f && f < 1<<22 {
		if whole = int32(f); math.Float32bits(float32(whole)) == bits {
			form = floatWhole
		} else if whole = int32(f * 256); math.Float32bits(float32(whole)/256) == bits {
			form = floatParts
		}
	}
	if form == floatBits {
		v.putUint(floatBits)
		v.buf = binary.LittleEndian.AppendUint32(v.buf, bits)
		return
	}
	v.putUint(uint64(uint32(whole<<1)^uint32(whole>>31))*floatForms + form)
}

// The limits of coordinates. They exceed all maps and tunings. A line between two such positions
// can still be followed unit by unit in some time.
const (
	limitPos  float32 = 1 << 25 // of places and velocities, units
	limitView float32 = 1 << 32 // of cameras, which clients can move anywhere
	limitUnit float32 = 2       // of directions
)

// vec visits a vector whose coordinates are not greater than limit.
func (v *visitor) vec(p *vec.Vec2, limit float32) {
	if v.op == hashing {
		v.hash.vec(*p)
		return
	}
	v.float(&p.X, limit)
	v.float(&p.Y, limit)
}

// length visits the length of a list and makes it that long. Its elements take at least a
// byte each.
func length[E any](v *visitor, list *[]E, limit int) {
	switch v.op {
	case saving:
		v.putUint(uint64(len(*list)))
	case restoring:
		n := v.getUint()
		if n > uint64(min(limit, len(v.buf))) {
			v.fail("list of %d elements; at most %d are possible", n, min(limit, len(v.buf)))
			n = 0
		}
		*list = make([]E, n)
	}
}

// extra reports whether an extra must be visited: if has is true, or when restoring, if the state
// has it. The numbers of the extras of a part are ascending and below 128. After the last one comes
// end.
func (v *visitor) extra(number uint8, has bool) bool {
	switch v.op {
	case hashing:
		if has {
			v.hash.add(0xe<<60 | uint64(number))
		}
	case saving:
		if has {
			v.buf = append(v.buf, number)
		}
	case restoring:
		if has = len(v.buf) > 0 && v.buf[0] == number; has {
			v.buf = v.buf[1:]
		}
	}
	return has
}

// end visits the end of the extras of a part.
func (v *visitor) end() {
	switch v.op {
	case saving:
		v.buf = append(v.buf, 0)
	case restoring:
		if b := v.getBytes(1); b != nil && b[0] != 0 {
			v.fail("unknown part %d", b[0])
		}
	}
}
