package ddrace

import (
	"errors"
	"strconv"
	"strings"
)

// This file has the part of the console language that settings of maps need. The server's console
// has more, but package game cannot use it.

const blanks = " \t\r\n"

// cutCommand splits a line at its first semicolon outside of quotes. Comments end the line.
func cutCommand(line string) (command, rest string) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(line) && line[i+1] == '"':
			i++
		case c == ';' && !quoted:
			return line[:i], line[i+1:]
		case c == '#' && !quoted:
			return line[:i], ""
		}
	}
	return line, ""
}

// cutWord returns the first word of a text, and the rest.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, blanks)
	if i := strings.IndexAny(text, blanks); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// argument returns the first argument of a text, without quotes, and the rest of the text.
func argument(text string) (arg, rest string, ok bool) {
	text = strings.TrimLeft(text, blanks)
	if text == "" {
		return "", "", false
	}
	if text[0] == '"' {
		return quotedArgument(text[1:])
	}
	arg, rest = cutWord(text)
	return arg, rest, true
}

// restArgument returns the rest of a line as an argument.
func restArgument(text string) (arg, rest string, ok bool) {
	text = strings.TrimLeft(text, blanks)
	if strings.HasPrefix(text, `"`) {
		return quotedArgument(text[1:])
	}
	return text, "", text != ""
}

// quotedArgument returns the text up to the closing quote, and the rest. A backslash escapes a
// quote or a backslash.
func quotedArgument(text string) (arg, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			return b.String(), text[i+1:], true
		case c == '\\' && i+1 < len(text) && (text[i+1] == '\\' || text[i+1] == '"'):
			i++
			c = text[i]
		}
		b.WriteByte(c)
	}
	return "", "", false
}

// integer returns the whole number at the beginning of a text, or 0 without one. Like C's atoi on
// Linux, it keeps the low 32 bits of larger numbers. exact reports whether the text is just that
// number.
func integer(text string) (v int32, exact bool) {
	text = strings.Trim(text, blanks)
	n := 0
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		n = 1
	}
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	all, err := strconv.ParseInt(text[:n], 10, 64) // out of range: the nearest
	return int32(all), err == nil && n == len(text) && all == int64(int32(all))
}

// number returns the number at the beginning of a text, like C's atof, or 0 without one. exact
// reports whether the text is just that number.
func number(text string) (v float32, exact bool) {
	const limit = 64 // bytes
	text = strings.Trim(text, blanks)
	n := strings.IndexFunc(text, func(c rune) bool { return !strings.ContainsRune("+-.0123456789eEinfatyINFATY", c) })
	if n < 0 {
		n = len(text)
	}
	for n = min(n, limit); n > 0; n-- {
		v, err := strconv.ParseFloat(text[:n], 64)
		if err == nil || errors.Is(err, strconv.ErrRange) { // out of range: infinity
			return float32(v), err == nil && n == len(text)
		}
	}
	return 0, false
}
