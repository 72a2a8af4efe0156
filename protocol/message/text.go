package message

// StrToInts packs s into integers, four bytes each, the form of texts in snapshot objects. The
// first byte is the highest, and 128 is added to each byte. StrToInts uses at most 4×len(dst)-1
// bytes of s, and the last byte is always a NUL.
func StrToInts(dst []int32, s []byte) {
	if len(dst) == 0 {
		return
	}
	for i := range dst {
		var v uint32
		for k := range 4 {
			c := byte(0)
			if at := 4*i + k; at < len(s) {
				c = s[at]
			}
			if c == 0 {
				// A NUL ends the text, even one within s.
				s = s[:min(len(s), 4*i+k)]
			}
			v = v<<8 | uint32(c+128)
		}
		dst[i] = int32(v)
	}
	// The original clears this byte without adding 128. When it reads the text, the byte becomes
	// 0x80 and is then overwritten.
	dst[len(dst)-1] &^= 0xff
}

// AppendIntsToStr appends the text that StrToInts packed into src, up to its NUL, and returns the
// extended slice.
func AppendIntsToStr(dst []byte, src []int32) []byte {
	for i, v := range src {
		for k := range 4 {
			c := byte(uint32(v)>>(24-8*k)) - 128
			if c == 0 || i == len(src)-1 && k == 3 {
				return dst
			}
			dst = append(dst, c)
		}
	}
	return dst
}
