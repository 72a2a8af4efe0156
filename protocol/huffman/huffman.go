// Package huffman implements the compression of Teeworlds packets in 0.6 and 0.7, a Huffman code
// with a fixed tree.
//
// Compressed data consists of the codes of the bytes and the code of an end symbol. Codes are
// packed from the lowest bit of each byte upwards. The original programs give the same result, to
// the byte.
package huffman

import (
	"encoding/binary"
	"errors"
	"slices"
)

var (
	// ErrTooLong means that the decompressed data exceeds the limit.
	ErrTooLong = errors.New("huffman: decompressed data exceeds the limit")
	// ErrTruncated means that the input ends before the end symbol.
	ErrTruncated = errors.New("huffman: input ends before the end symbol")
)

// AppendCompress appends the compressed form of src to dst and returns the extended slice.
// AppendCompress allocates only if dst has too little capacity, and may overwrite the bytes between
// the end of the result and the capacity of dst. src and dst must not overlap.
func AppendCompress(dst, src []byte) []byte {
	t := &fixed.encode
	var acc uint64 // bits not yet written, the first one lowest
	var have uint  // number of bits in acc, below 8 between steps

	for len(src) >= 4 {
		if cap(dst)-len(dst) < 16 {
			dst = slices.Grow(dst, len(src)+16)
		}
		out := dst[:cap(dst)]
		at := len(dst)
		for len(src) >= 4 && len(out)-at >= 16 {
			c0, c1, c2, c3 := t[src[0]], t[src[1]], t[src[2]], t[src[3]]
			lo, loLen := c0.bits()|c1.bits()<<(c0.len()&63), c0.len()+c1.len()
			hi, hiLen := c2.bits()|c3.bits()<<(c2.len()&63), c2.len()+c3.len()
			src = src[4:]
			if loLen+hiLen > 56 {
				// Too many bits for one step. Real packets never reach this.
				acc |= lo << (have & 63)
				have += loLen
				binary.LittleEndian.PutUint64(out[at:], acc)
				at += int(have >> 3)
				acc >>= have &^ 7 & 63
				have &= 7
				lo, loLen, hi, hiLen = hi, hiLen, 0, 0
			}
			acc |= (lo | hi<<(loLen&63)) << (have & 63)
			have += loLen + hiLen
			binary.LittleEndian.PutUint64(out[at:], acc)
			at += int(have >> 3)
			acc >>= have &^ 7 & 63
			have &= 7
		}
		dst = out[:at]
	}

	for _, b := range src {
		c := t[b]
		acc |= c.bits() << have
		have += c.len()
		for ; have >= 8; have -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	end := t[endSym]
	acc |= end.bits() << have
	have += end.len()
	for ; have >= 8; have -= 8 {
		dst = append(dst, byte(acc))
		acc >>= 8
	}
	// The original always writes a last byte, even if no bits are left.
	return append(dst, byte(acc))
}

// AppendDecompress appends the decompressed form of src to dst and returns the extended slice.
// AppendDecompress returns ErrTooLong if there are more than limit bytes to append, and
// ErrTruncated if src has no end symbol. After an error, dst is returned unchanged. Bytes after the
// end symbol are ignored, as in the original programs.
//
// AppendDecompress allocates only if dst has less capacity left than limit. AppendDecompress may
// overwrite the bytes up to limit even if the result is shorter. src and dst must not overlap.
func AppendDecompress(dst, src []byte, limit int) ([]byte, error) {
	limit = max(limit, 0)
	// One byte of input holds at most eight symbols. Growing by that much bounds the memory by the
	// length of the input, whatever the limit.
	limit8 := min(limit, 8*len(src))
	dst = slices.Grow(dst, limit8)
	out := dst[len(dst) : len(dst)+limit8]

	t := fixed
	root, long := &t.root, t.long
	var acc uint64
	var have uint
	at, in := 0, 0

	// The fast loop needs at least 56 bits of input and space for five entries.
	for len(src)-in >= 8 && len(out)-at >= 5*maxRun+1 {
		acc |= binary.LittleEndian.Uint64(src[in:]) << (have & 63)
		in += int((63 - have) >> 3)
		have |= 56

		e := root[acc&rootMask]
		if e>>60 == 0 {
			l := long[uint(e)|uint(acc>>rootBits)&longMask]
			if l&0xfff == endSym {
				return dst[:len(dst)+at], nil
			}
			out[at] = byte(l)
			at++
			acc >>= l >> 12 & 63
			have -= uint(l >> 12)
			e = root[acc&rootMask]
		}
		// An entry without symbols uses no bits. The next round handles it.
		binary.LittleEndian.PutUint64(out[at:], e)
		at += int(e >> 60)
		acc >>= e >> 56 & 15
		have -= uint(e >> 56 & 15)

		e = root[acc&rootMask]
		binary.LittleEndian.PutUint64(out[at:], e)
		at += int(e >> 60)
		acc >>= e >> 56 & 15
		have -= uint(e >> 56 & 15)

		e = root[acc&rootMask]
		binary.LittleEndian.PutUint64(out[at:], e)
		at += int(e >> 60)
		acc >>= e >> 56 & 15
		have -= uint(e >> 56 & 15)
	}

	// The careful loop handles the end of the input or the output.
	for {
		for have <= 56 && in < len(src) {
			acc |= uint64(src[in]) << have
			in++
			have += 8
		}
		e := root[acc&rootMask]
		number, used := int(e>>60), uint(e>>56&15)
		if number == 0 {
			l := long[uint(e)|uint(acc>>rootBits)&longMask]
			number, used = 1, uint(l>>12)
			if l&0xfff == endSym {
				if used > have {
					return dst, ErrTruncated
				}
				return dst[:len(dst)+at], nil
			}
			e = uint64(l & 0xff)
		}
		if used > have {
			// Part of the entry is past the end of the input. An entry with whole symbols never
			// contains the end symbol, so the input has none.
			return dst, ErrTruncated
		}
		for ; number > 0; number-- {
			if at == len(out) {
				if at < limit {
					return dst, ErrTruncated
				}
				return dst, ErrTooLong
			}
			out[at] = byte(e)
			at++
			e >>= 8
		}
		acc >>= used
		have -= used
	}
}
