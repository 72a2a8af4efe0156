package snapshot

// The integers of a delta are Teeworlds varints. The coder here repeats the one
// of the packer package because deltas consist of little else and the loops
// below are the hottest of a server; 9 of 10 integers take one byte.

// maxVarint is the length of the longest varint in bytes.
const maxVarint = 5

// readInt reads one varint at b[p:] and returns the position behind it, or -1 if
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
// position behind the last one, -1 if the bytes end too early, and the sum of
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

// putInt writes v at b[p:], which must have room for maxVarint bytes, and
// returns the position behind it.
func putInt(b []byte, p int, v int32) int {
	u := uint32(v ^ v>>31)
	c := byte(v>>31) & 0x40
	if u < 64 {
		b[p] = c | byte(u)
		return p + 1
	}
	return putLong(b, p, c, u)
}

// putLong writes a varint of more than one byte: sign bit c, magnitude u.
func putLong(b []byte, p int, c byte, u uint32) int {
	b[p] = 0x80 | c | byte(u&0x3f)
	p++
	u >>= 6
	for u >= 0x80 {
		b[p] = 0x80 | byte(u)
		p++
		u >>= 7
	}
	b[p] = byte(u)
	return p + 1
}
