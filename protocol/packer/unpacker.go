package packer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
)

var (
	// ErrShort means that the data ends within or before a value.
	ErrShort = errors.New("packer: data ends too early")
	// ErrUnterminated means that a string has no terminating NUL.
	ErrUnterminated = errors.New("packer: string without NUL")
	// ErrSize means that a negative number of bytes was requested, usually from a bad length on the
	// wire.
	ErrSize = errors.New("packer: negative size")
)

// Unpacker reads values from a buffer, one after the other. An Unpacker keeps the first error.
// After an error, integers read as 0, and strings and raw bytes as nil. Callers can therefore read
// a whole message and check the error once at the end.
//
// The zero value is an Unpacker of an empty buffer. An Unpacker does not allocate.
type Unpacker struct {
	b   []byte
	pos int
	err error
}

// Reset starts to read b and clears the error. The Unpacker borrows b: returned slices are parts of
// it, and String sanitises it in place.
func (u *Unpacker) Reset(b []byte) {
	u.b, u.pos, u.err = b, 0, nil
}

// Int reads a variable length integer. Int accepts encodings that are longer than necessary. If the
// data ends before or within the integer, Int returns 0 and sets ErrShort.
func (u *Unpacker) Int() int32 {
	if p := u.pos; p < len(u.b) {
		if c := u.b[p]; c < 0x80 {
			u.pos = p + 1
			return int32(c&0x3f) ^ -int32(c>>6)
		}
	}
	return u.longInt()
}

// longInt reads an integer of more than one byte.
func (u *Unpacker) longInt() int32 {
	v, n := parseInt(u.b[u.pos:])
	if n == 0 {
		u.fail(ErrShort)
		return 0
	}
	u.pos += n
	return v
}

// parseInt reads one integer from the start of b. n is 0 if b is too short.
func parseInt(b []byte) (v int32, n int) {
	var x uint64
	if len(b) >= 8 {
		x = binary.LittleEndian.Uint64(b)
	} else {
		for i := 0; i < len(b) && i < MaxIntLen; i++ {
			x |= uint64(b[i]) << (8 * i)
		}
	}
	// The first clear extension bit ends the integer; the fifth byte always does.
	ends := ^x&0x80808080 | 1<<39
	n = bits.TrailingZeros64(ends)>>3 + 1
	if n > len(b) {
		return 0, 0
	}
	x &= ends ^ (ends - 1) // everything up to and including the last byte
	u := x&0x3f | x>>2&(0x7f<<6) | x>>3&(0x7f<<13) | x>>4&(0x7f<<20) | x>>5&(0x0f<<27)
	return int32(u) ^ -int32(x>>6&1), n
}

// Ints reads len(dst) integers as Int does. Ints reports whether all of them were present. Missing
// ones are set to 0.
func (u *Unpacker) Ints(dst []int32) bool {
	b, p := u.b, u.pos
	for i := range dst {
		if p < len(b) {
			if c := b[p]; c < 0x80 {
				p++
				dst[i] = int32(c&0x3f) ^ -int32(c>>6)
				continue
			}
		}
		v, n := parseInt(b[p:])
		if n == 0 {
			clear(dst[i:])
			u.fail(ErrShort)
			return false
		}
		p += n
		dst[i] = v
	}
	u.pos = p
	return u.err == nil
}

// String reads a NUL terminated string, sanitises it in place and returns it without the NUL. The
// result is borrowed from the buffer. String sets ErrUnterminated if the NUL is missing, and
// ErrShort if no data is left.
func (u *Unpacker) String(mode SanitizeMode) []byte {
	rest := u.b[u.pos:]
	n := bytes.IndexByte(rest, 0)
	if n < 0 {
		if len(rest) == 0 {
			u.fail(ErrShort)
		} else {
			u.fail(ErrUnterminated)
		}
		return nil
	}
	u.pos += n + 1
	return mode.Sanitize(rest[:n:n])
}

// Raw reads n bytes unchanged, borrowed from the buffer. Reading zero bytes always succeeds. Raw
// sets ErrSize if n is negative, and ErrShort if fewer than n bytes are left.
func (u *Unpacker) Raw(n int) []byte {
	switch {
	case u.err != nil:
		return nil
	case n < 0:
		u.fail(ErrSize)
		return nil
	case n > len(u.b)-u.pos:
		u.fail(ErrShort)
		return nil
	}
	p := u.pos
	u.pos += n
	return u.b[p:u.pos:u.pos]
}

// Rest reads all remaining bytes, borrowed from the buffer. After an error it returns nil.
func (u *Unpacker) Rest() []byte {
	b := u.b[u.pos:]
	u.pos = len(u.b)
	return b
}

// Len returns the number of unread bytes, 0 after an error.
func (u *Unpacker) Len() int { return len(u.b) - u.pos }

// Err returns the first error since Reset: ErrShort, ErrUnterminated, ErrSize or nil.
func (u *Unpacker) Err() error { return u.err }

// fail keeps the first error and drops the buffer, so that all further reads fail.
func (u *Unpacker) fail(err error) {
	if u.err == nil {
		u.err = err
	}
	u.b, u.pos = nil, 0
}
