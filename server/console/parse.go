package console

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/teeyard/teeyard/internal/safetext"
)

type param struct {
	kind     byte // i f s r
	optional bool
}

var (
	errParams = errors.New("malformed parameters")
	errArgs   = errors.New("arguments do not fit")
	errNumber = errors.New("not a number")
)

// parseParams parses parameters such as "i[id] ?r[reason]".
func parseParams(s string) ([]param, error) {
	var list []param
	optional := false
	for i := 0; i < len(s); {
		switch s[i] {
		case ' ':
			i++
			continue
		case '?':
			optional = true
			if i++; i == len(s) || strings.IndexByte("ifsr", s[i]) < 0 {
				return nil, fmt.Errorf("%w: %q", errParams, s)
			}
			continue
		case 'i', 'f', 's', 'r':
			if n := len(list); n > 0 && list[n-1].kind == 'r' {
				return nil, fmt.Errorf("%w: %q: r must be the last parameter", errParams, s)
			}
			list = append(list, param{s[i], optional})
			i++
		default:
			return nil, fmt.Errorf("%w: %q", errParams, s)
		}
		if i < len(s) && s[i] == '[' {
			end := strings.IndexByte(s[i:], ']')
			if end < 0 {
				return nil, fmt.Errorf("%w: %q", errParams, s)
			}
			i += end + 1
		}
	}
	return list, nil
}

// nextCommand returns the first command of a line and the rest after its semicolon; more
// reports whether there is a rest. A quote after a backslash does not open or close a
// string, whatever is before the backslash.
func nextCommand(line string) (part, rest string, more bool) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			quoted = !quoted
		case '\\':
			if i+1 < len(line) && line[i+1] == '"' {
				i++
			}
		case ';':
			if !quoted {
				return line[:i], line[i+1:], i+1 < len(line)
			}
		case '#':
			if !quoted {
				return line[:i], "", false
			}
		}
	}
	return line, "", false
}

const whitespace = " \t\r\n"

// splitName returns the name of the command and its unparsed arguments.
func splitName(part string) (name, args string) {
	return splitWord(strings.TrimLeft(part, whitespace))
}

// parseArgs parses arguments for parameters. Commands ignore the rest, as in the original.
// Unlike there, a word is not a number: "kick bob" would kick the player with the id 0.
func parseArgs(s string, params []param) (args []string, rest string, err error) {
	for _, p := range params {
		s = strings.TrimLeft(s, whitespace)
		if s == "" {
			if !p.optional {
				return nil, "", errArgs
			}
			break
		}
		var arg string
		switch {
		case s[0] == '"':
			var ok bool
			if arg, s, ok = unquote(s[1:]); !ok {
				return nil, "", errArgs
			}
		case p.kind == 'r':
			arg, s = trimRight(s), ""
		default:
			arg, s = splitWord(s)
		}
		if p.kind == 'i' && !isNumber(arg, "") || p.kind == 'f' && !isNumber(arg, ".eE") {
			return nil, "", fmt.Errorf("'%s' is %w", arg, errNumber)
		}
		args = append(args, arg)
	}
	return args, strings.Trim(s, whitespace), nil
}

// isNumber reports whether s is a decimal number: digits, the characters in and, and a sign.
func isNumber(s, and string) bool {
	s = strings.TrimSpace(s)
	_, err := strconv.ParseFloat(s, 64)
	return !errors.Is(err, strconv.ErrSyntax) && strings.Trim(s, "+-0123456789"+and) == ""
}

func splitWord(s string) (word, rest string) {
	if i := strings.IndexAny(s, " \t\n"); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// unquote parses a string up to its closing quote. \" and \\ stand for the second
// character, any other backslash for itself.
func unquote(s string) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '"'):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

// Quote returns text as an argument in quotation marks.
func Quote(s string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s) + `"`
}

// trimRight removes everything invisible from the end.
func trimRight(s string) string {
	return strings.TrimRightFunc(s, isInvisible)
}

// isInvisible reports whether the original treats r as white space: characters without
// ink, including control characters.
func isInvisible(r rune) bool {
	switch {
	case r <= 0x20, r == 0xA0, r == 0x034F, r == 0x3000, r == 0xFEFF:
		return true
	case r >= 0x2000 && r <= 0x200F, r >= 0x2028 && r <= 0x202F, r >= 0x205F && r <= 0x2064,
		r >= 0x206A && r <= 0x206F, r >= 0xFE00 && r <= 0xFE0F:
		return true
	}
	// U+FFFD, the last of the original's range FFF9..FFFC is just before it, also
	// stands for bytes that are not UTF-8: those are kept.
	return r >= 0xFFF9 && r <= 0xFFFC
}

// parseInt parses the integer at the beginning of s.
func parseInt(s string) int {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	end := 0
	if end < len(s) && (s[end] == '-' || s[end] == '+') {
		end++
	}
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	// On overflow ParseInt returns the nearest value.
	v, _ := strconv.ParseInt(s[:end], 10, 32)
	return int(v)
}

// parseFloat parses the decimal number at the beginning of s.
func parseFloat(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	i := 0
	digits := func() (n int) {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
			n++
		}
		return n
	}
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	n := digits()
	if i < len(s) && s[i] == '.' {
		i++
		n += digits()
	}
	if n == 0 {
		return 0
	}
	end := i
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if digits() > 0 {
			end = i
		}
	}
	v, _ := strconv.ParseFloat(s[:end], 64)
	return max(-math.MaxFloat32, min(v, math.MaxFloat32))
}

// toUTF8 returns s, or, if it is not UTF-8, its bytes decoded as Latin-1, the encoding of old
// configuration files. The result is cut to fewer than size bytes.
func toUTF8(s string, size int) string {
	if utf8.ValidString(s) {
		return safetext.Truncate(s, size-1)
	}
	var b strings.Builder
	for i := range len(s) {
		r := rune(s[i])
		if b.Len()+utf8.RuneLen(r) >= size {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
