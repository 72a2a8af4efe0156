package packer

import (
	"bytes"
	"unicode/utf8"
)

// AppendString appends s up to its first NUL, if it has one, and a terminating
// NUL, and returns the extended slice. The bytes are copied as they are.
func AppendString(dst, s []byte) []byte {
	if i := bytes.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	return append(append(dst, s...), 0)
}

// AppendStringLimit appends at most limit bytes of s as AppendString does. A
// string that is longer is cut, never inside a UTF-8 sequence. A limit of zero or
// less writes the empty string.
func AppendStringLimit(dst, s []byte, limit int) []byte {
	return append(append(dst, cut(s, limit)...), 0)
}

// cut returns s up to its first NUL and no longer than limit bytes.
func cut(s []byte, limit int) []byte {
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
	// The cut may be inside a sequence. Only a valid one is kept together:
	// bytes that are not UTF-8 have no boundary.
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
