package bridge

import (
	"strings"
	"unicode/utf8"
)

// Text makes one line that is safe to show of what a server sent: valid UTF-8 and
// nothing that steers a terminal or turns the direction of writing around. What is
// neither becomes U+FFFD, control characters a space.
func Text(b []byte) string { return printable(b, false) }

// Lines is Text for texts of several lines: line feeds and tabs stay.
func Lines(b []byte) string { return printable(b, true) }

func printable(b []byte, lines bool) string {
	clean := true
	for _, c := range b {
		if c < ' ' || c > '~' {
			clean = false
			break
		}
	}
	if clean {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		switch {
		case lines && (r == '\n' || r == '\t'):
			s.WriteRune(r)
		case lines && r == '\r':
		case r < ' ' || r >= 0x7f && r < 0xa0:
			s.WriteByte(' ')
		case turns(r):
			s.WriteRune(utf8.RuneError)
		default:
			s.WriteRune(r) // U+FFFD for what is no UTF-8
		}
	}
	return s.String()
}

// turns tells whether a character breaks lines or changes the direction of the
// text around it.
func turns(r rune) bool {
	switch {
	case r == 0x061c, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
