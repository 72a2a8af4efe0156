package packer

import (
	"bytes"
	"unicode/utf8"
)

// AppendString appends s up to its first NUL, followed by a terminating NUL, and returns the
// extended slice. AppendString copies the bytes unchanged.
func AppendString(dst, s []byte) []byte {
	if i := bytes.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	return append(append(dst, s...), 0)
}

// AppendStringLimit appends Truncate(s, limit) and a terminating NUL and returns the
// extended slice.
func AppendStringLimit(dst, s []byte, limit int) []byte {
	return append(append(dst, Truncate(s, limit)...), 0)
}

// Truncate returns s up to its first NUL, cut to at most limit bytes. Truncate does not cut inside
// a UTF-8 sequence. A negative limit counts as zero.
func Truncate(s []byte, limit int) []byte {
	limit = max(limit, 0)
	if i := bytes.IndexByte(s[:min(len(s), limit+1)], 0); i >= 0 {
		return s[:i]
	}
	if len(s) <= limit {
		return s
	}
	if utf8.RuneStart(s[limit]) {
		return s[:limit]
	}
	// The cut may be inside a sequence. Only valid sequences are kept whole; bytes that are not
	// UTF-8 can be cut anywhere.
	for n := limit - 1; n >= 0 && n > limit-utf8.UTFMax; n-- {
		if !utf8.RuneStart(s[n]) {
			continue
		}
		if _, size := utf8.DecodeRune(s[n:]); n+size > limit {
			return s[:n]
		}
		break
	}
	return s[:limit]
}
