// Package packer reads and writes the primitive values of the Teeworlds protocols: variable length
// integers, NUL terminated strings and raw bytes. Every message, snapshot delta and server info of
// 0.6 and 0.7 is a sequence of these values.
//
// The Append functions write values, and an [Unpacker] reads them from a borrowed buffer. Neither
// allocates.
//
// The released 0.7.5 and its later development version differ in some details. This package follows
// the later, stricter version. The package never reads past the end of the buffer, and a missing
// string is an error. The package uses only four bits of an integer's fifth byte.
package packer

// MaxIntLen is the largest size of a packed integer in bytes.
const MaxIntLen = 5

// AppendInt appends v as a variable length integer in its shortest form, 1 to 5 bytes, and returns
// the extended slice.
//
// The first byte consists of an extension bit, a sign bit and six bits of magnitude. Each further
// byte consists of an extension bit and seven bits of magnitude. A negative value is stored as the
// magnitude of ^v, so -1 is 40 and 64 is 80 01.
func AppendInt(dst []byte, v int32) []byte {
	if uint32(v) < 0x40 {
		return append(dst, byte(v))
	}
	return appendInt(dst, v)
}

// appendInt appends any value. appendInt is separate so that the compiler can inline AppendInt.
func appendInt(dst []byte, v int32) []byte {
	s := v >> 31
	u := uint32(v ^ s)
	b0 := byte(u&0x3f) | byte(s&0x40)
	switch {
	case u < 1<<6:
		return append(dst, b0)
	case u < 1<<13:
		return append(dst, b0|0x80, byte(u>>6))
	case u < 1<<20:
		return append(dst, b0|0x80, byte(u>>6)|0x80, byte(u>>13))
	case u < 1<<27:
		return append(dst, b0|0x80, byte(u>>6)|0x80, byte(u>>13)|0x80, byte(u>>20))
	}
	return append(dst, b0|0x80, byte(u>>6)|0x80, byte(u>>13)|0x80, byte(u>>20)|0x80, byte(u>>27))
}

// AppendInts appends every value of vs as AppendInt does. AppendInts is the fast way to write the
// body of a snapshot delta.
func AppendInts(dst []byte, vs []int32) []byte {
	for _, v := range vs {
		if uint32(v) < 0x40 {
			dst = append(dst, byte(v))
		} else {
			dst = appendInt(dst, v)
		}
	}
	return dst
}
