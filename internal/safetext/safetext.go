// Package safetext makes text from the network or from foreign files safe to show in terminals,
// logs and lists of servers.
//
// The result is valid UTF-8. Invalid bytes become question marks. Control characters and the line
// and paragraph separators U+2028 and U+2029 become spaces, so that text cannot break lines or
// control a terminal. Invisible characters are removed: those that change the direction of writing
// (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) and those without a width. The
// joiners U+200C and U+200D stay, because Persian and emoji need them.
//
// # Where text is made safe
//
// Names, chat, server infos and files come from others, who may want to imitate a log line, control
// a terminal or hide. Text is made safe as early as possible, and again where it leaves the
// program:
//
//   - The bridge, query and halflife make text safe when they read it from a server. All text in
//     commands, events and JSON is therefore safe. Commands treat errors and the output of consoles
//     again before they print them.
//   - The server makes names and clans safe when a player joins, because they reach web pages of
//     others. Names that look empty become (1), (2) and so on. Chat and the reasons of votes go to
//     other players as in the original, without control characters.
//   - The server makes every log line safe. Names and reasons in it are in quotation marks that
//     they cannot end (logline.Quote). Lines of chat have the form of the original.
//   - HTML is escaped in addition. The command dump escapes instead, to show the bytes sent.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as a single line that is safe to show.
func Line[T string | []byte](text T) string {
	if isPlain(text) {
		return string(text)
	}
	return string(AppendLine(make([]byte, 0, len(text)), text, len(text)))
}

// Lines returns text that may have several lines. Unlike [Line] it keeps line feeds and tabs, and
// it removes carriage returns.
func Lines[T string | []byte](text T) string {
	if isPlain(text) {
		return string(text)
	}
	return string(AppendLines(make([]byte, 0, len(text)), text, len(text)))
}

// AppendLine appends at most limit bytes of the result of [Line] to dst, without splitting a
// character.
func AppendLine[T string | []byte](dst []byte, text T, limit int) []byte {
	return appendSafe(dst, text, limit, false)
}

// AppendLines appends at most limit bytes of the result of [Lines] to dst, without splitting a
// character.
func AppendLines[T string | []byte](dst []byte, text T, limit int) []byte {
	return appendSafe(dst, text, limit, true)
}

// Truncate returns the first limit bytes of s, or up to three bytes less to avoid splitting a
// character.
func Truncate(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for i := limit; i >= max(limit-utf8.UTFMax+1, 0); i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i]
		}
	}
	return s[:limit]
}

// TrimBlank removes the characters at both ends of s that show nothing: white space, invisible
// characters, and characters that look like spaces, such as U+2800 and U+3164. A name that looks
// empty becomes "".
func TrimBlank(s string) string {
	s = strings.TrimLeftFunc(s, isBlank)
	// A variation selector belongs to the character before it.
	return strings.TrimRightFunc(s, func(r rune) bool { return isBlank(r) && !unicode.Is(unicode.Variation_Selector, r) })
}

// isBlank reports whether r is invisible or looks like a space.
func isBlank(r rune) bool {
	const (
		brailleBlank      = '\u2800'
		tifinaghJoiner    = '\u2d7f'
		objectReplacement = '\ufffc'
		brahmiJoiner      = '\U0001107f'
		egyptianBlank     = '\U00013441'
		egyptianHalfBlank = '\U00013442'
		khitanFiller      = '\U00016fe4'
		nullNotehead      = '\U0001d159'
	)
	switch r {
	case brailleBlank, tifinaghJoiner, objectReplacement, brahmiJoiner, egyptianBlank, egyptianHalfBlank, khitanFiller, nullNotehead:
		return true
	}
	return r <= ' ' || unicode.IsSpace(r) ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isPlain reports whether text consists of graphic ASCII and spaces only.
func isPlain[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

func appendSafe[T string | []byte](dst []byte, text T, limit int, lines bool) []byte {
	start := len(dst)
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			var b [utf8.UTFMax]byte
			r, size = utf8.DecodeRune(b[:copy(b[:], text[i:])])
		}
		i += size
		switch {
		case r == utf8.RuneError && size == 1:
			r = '?'
		case isHidden(r), lines && r == '\r':
			continue
		case lines && (r == '\n' || r == '\t'):
		case r < ' ', r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029':
			r = ' '
		}
		if len(dst)-start+utf8.RuneLen(r) > limit {
			break
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// isHidden reports whether r has no width, or changes the direction of the text around it.
func isHidden(r rune) bool {
	switch {
	case r < 0x061c:
		return false
	case r == 0x061c, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f,
		r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
