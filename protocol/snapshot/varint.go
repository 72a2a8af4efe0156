package snapshot

import (
	"encoding/binary"
	"math/bits"
)

// This file codes Teeworlds varints again, as package packer does. Deltas consist of little else,
// and these loops are the hottest of a server. Nine of ten integers take one byte.

const (
	// maxVarint is the length of the longest varint in bytes.
	maxVarint = 5
	// putSlack is the number of bytes that putInt may write after the last varint.
	putSlack = 8
)

// readInt reads one varint at b[p:] and returns the position after it, or -1 if the bytes end
// within it. readInt accepts encodings that are longer than necessary. Only the low four bits of a
// fifth byte count.
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

// addInts reads one varint from b[p:] for each element of out and adds it to the element. addInts
// returns the position after the last varint, or -1 if the bytes end too early, and the sum of the
// varints.
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

// putInt writes v at b[p:] and returns the position after it. The slice must have 8 bytes from p
// on.
func putInt(b []byte, p int, v int32) int {
	u := uint32(v ^ v>>31)
	c := byte(v>>31) & 0x40
	if u < 64 {
		b[p] = c | byte(u)
		return p + 1
	}
	return putLong(b, p, c, u)
}

// putLong writes a varint of more than one byte with sign bit c and magnitude u. putLong spreads
// the magnitude over a word and cuts the word to length. A loop would be mispredicted for every
// other integer.
func putLong(b []byte, p int, c byte, u uint32) int {
	w := uint64(u)
	w = w&0x3f | w<<2&(0x7f<<8) | w<<3&(0x7f<<16) | w<<4&(0x7f<<24) | w<<5&(0x0f<<32)
	n := (bits.Len32(u) + 7) / 7 // the first byte holds 6 bits, all others hold 7
	w |= 0x8080808080 & (1<<(8*uint(n)-8) - 1)
	binary.LittleEndian.PutUint64(b[p:], w|uint64(c))
	return p + n
}

// putDiffs writes the differences between now and was. Both have the same length.
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
