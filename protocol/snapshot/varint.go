package snapshot

import (
	"encoding/binary"
	"math/bits"
)

// The integers of a delta are Teeworlds varints. They are coded here again, as in package
// packer, because deltas consist of little else and these loops are the hottest of a
// server; 9 of 10 integers take one byte.

const (
	// maxVarint is the length of the longest varint in bytes.
	maxVarint = 5
	// putSlack is how many bytes putInt may write after the last varint.
	putSlack = 8
)

// readInt reads one varint at b[p:] and returns the position after it, or -1 if
// the bytes end within it. Over-long forms are accepted; of a fifth byte only
// the low four bits count.
func readInt(b []byte, p int) (int32, int) {
	if uint(p) >= uint(len(b)) {
		return 0, -1
	}
	c := b[p]
	if c < 0x80 {
		return int32(c&0x3f) ^ -int32(c>>6), p + 1
	}
	return readLong(b, p)
}

// readLong is readInt for varints of more than one byte.
func readLong(b []byte, p int) (int32, int) {
	c := b[p]
	neg := -int32(c >> 6 & 1)
	v := uint32(c & 0x3f)
	p++
	for shift := uint(6); ; shift += 7 {
		if uint(p) >= uint(len(b)) {
			return 0, -1
		}
		c = b[p]
		p++
		if shift == 27 {
			v |= uint32(c&0x0f) << 27
			break
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			break
		}
	}
	return int32(v) ^ neg, p
}

// addInts adds one varint of b[p:] to each element of out. It returns the
// position after the last one, -1 if the bytes end too early, and the sum of
// what was added.
func addInts(out []int32, b []byte, p int) (next int, sum int32) {
	for i := range out {
		if uint(p) >= uint(len(b)) {
			return -1, 0
		}
		c := b[p]
		if c < 0x80 {
			p++
			v := int32(c&0x3f) ^ -int32(c>>6)
			out[i] += v
			sum += v
			continue
		}
		var v int32
		if v, p = readLong(b, p); p < 0 {
			return -1, 0
		}
		out[i] += v
		sum += v
	}
	return p, sum
}

// putInt writes v at b[p:], which must have room for 8 bytes, and returns the
// position after it.
func putInt(b []byte, p int, v int32) int {
	u := uint32(v ^ v>>31)
	c := byte(v>>31) & 0x40
	if u < 64 {
		b[p] = c | byte(u)
		return p + 1
	}
	return putLong(b, p, c, u)
}

// putLong writes a varint of more than one byte: sign bit c, magnitude u. It
// spreads the magnitude over a word and cuts that to length; a loop would be
// mispredicted for every other integer.
func putLong(b []byte, p int, c byte, u uint32) int {
	w := uint64(u)
	w = w&0x3f | w<<2&(0x7f<<8) | w<<3&(0x7f<<16) | w<<4&(0x7f<<24) | w<<5&(0x0f<<32)
	n := (bits.Len32(u) + 7) / 7 // bytes but the first hold 7 bits, that holds 6
	w |= 0x8080808080 & (1<<(8*uint(n)-8) - 1)
	binary.LittleEndian.PutUint64(b[p:], w|uint64(c))
	return p + n
}

// putDiffs writes the differences between now and was, which are equally long.
func putDiffs(b []byte, p int, now, was []int32) int {
	was = was[:len(now)]
	for i, v := range now {
		v -= was[i]
		u := uint32(v ^ v>>31)
		if u < 64 {
			b[p] = byte(v>>31)&0x40 | byte(u)
			p++
			continue
		}
		p = putLong(b, p, byte(v>>31)&0x40, u)
	}
	return p
}
