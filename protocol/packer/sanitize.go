package packer

import "unicode/utf8"

// SanitizeMode selects how a received string is sanitised.
type SanitizeMode uint8

const (
	// SanitizeNone leaves the bytes unchanged.
	SanitizeNone SanitizeMode = iota
	// SanitizeLax replaces bytes below 32 by spaces, except CR, LF and TAB. SanitizeLax is used for
	// texts of several lines, such as the message of the day.
	SanitizeLax
	// SanitizeCC replaces all bytes below 32 by spaces.
	SanitizeCC
	// SanitizeStrict is SanitizeCC, and also removes leading white space. That includes invisible
	// code points that players use to appear nameless.
	SanitizeStrict
)

// String returns the name of the mode in the message schema.
func (m SanitizeMode) String() string {
	switch m {
	case SanitizeNone:
		return "none"
	case SanitizeLax:
		return "lax"
	case SanitizeCC:
		return "cc"
	case SanitizeStrict:
		return "strict"
	}
	return "invalid"
}

// Sanitize sanitises s in place and returns the result. The result can be shorter than s.
func (m SanitizeMode) Sanitize(s []byte) []byte {
	switch m {
	case SanitizeLax:
		for i, c := range s {
			if c < 0x20 && c != '\r' && c != '\n' && c != '\t' {
				s[i] = ' '
			}
		}
	case SanitizeCC:
		replaceControls(s)
	case SanitizeStrict:
		replaceControls(s)
		return skipSpace(s)
	}
	return s
}

func replaceControls(s []byte) {
	for i, c := range s {
		if c < 0x20 {
			s[i] = ' '
		}
	}
}

// skipSpace removes leading white space. Bytes that are not UTF-8 count as white space, as in the
// original, whose decoder returns -1 for them. That decoder accepts surrogates, so skipSpace keeps
// them.
func skipSpace(s []byte) []byte {
	for len(s) > 0 {
		if c := s[0]; c > 0x20 && c < utf8.RuneSelf {
			return s
		}
		r, size := utf8.DecodeRune(s)
		if r == utf8.RuneError && size == 1 {
			if isSurrogate(s) {
				return s
			}
		} else if !isSpace(r) {
			return s
		}
		s = s[size:]
	}
	return s
}

func isSurrogate(s []byte) bool {
	return len(s) >= 3 && s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80
}

func isSpace(r rune) bool {
	switch {
	case r <= 0x20, r == 0xa0, r == 0x034f, r == 0x3000, r == 0xfeff,
		r >= 0x2000 && r <= 0x200f,
		r >= 0x2028 && r <= 0x202f,
		r >= 0x205f && r <= 0x2064,
		r >= 0x206a && r <= 0x206f,
		r >= 0xfe00 && r <= 0xfe0f,
		r >= 0xfff9 && r <= 0xfffc:
		return true
	}
	return false
}
