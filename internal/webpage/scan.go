package webpage

import (
	"fmt"
	"regexp"
	"strings"
)

// token is a word, number, text or sign of a script.
type token struct {
	kind tokenKind
	text string
	// spaced and lined report whether a space, or the end of a line, is before it.
	spaced, lined bool
}

type tokenKind uint8

const (
	sign   tokenKind = iota // one byte
	word                    // a name, keyword or number
	quoted                  // a string, template or regular expression
)

// scan splits a script into tokens, without comments.
func scan(script string) ([]token, error) {
	tokens, end := scanPart(script, false)
	if end < len(script) {
		return nil, fmt.Errorf("line %d: a comment, text or regular expression does not end", 1+strings.Count(script[:end], "\n"))
	}
	return tokens, nil
}

// scanPart returns the tokens of a script up to end. That is the end of the script, the beginning
// of a token that does not end, or for an expression in a template the brace after it.
func scanPart(script string, isExpression bool) (tokens []token, end int) {
	spaced, lined := false, false
	depth := 0
	for at := 0; at < len(script); {
		n := spaceLength(script[at:])
		if n < 0 {
			return tokens, at
		}
		if n > 0 {
			spaced, lined = true, lined || strings.Contains(script[at:at+n], "\n")
			at += n
			continue
		}
		c := script[at]
		t := token{spaced: spaced, lined: lined}
		switch {
		case isWordByte(c), c == '.' && at+1 < len(script) && isDigit(script[at+1]) && !lastIs(tokens, "."):
			t.kind, n = word, wordLength(script[at:])
		case c == '\'', c == '"', c == '`':
			t.kind, n = quoted, stringLength(script[at:])
		case c == '/' && beginsValue(tokens):
			t.kind, n = quoted, regexpLength(script[at:])
		case c == '{':
			depth++
			n = 1
		case c == '}':
			if depth--; isExpression && depth < 0 {
				return tokens, at
			}
			n = 1
		default:
			n = 1
		}
		if n == 0 {
			return tokens, at
		}
		t.text = script[at : at+n]
		tokens = append(tokens, t)
		spaced, lined = false, false
		at += n
	}
	return tokens, len(script)
}

// spaceLength returns the length of the space or comment at the beginning of s, 0 if there is none,
// and -1 if a comment does not end.
func spaceLength(s string) int {
	switch {
	case strings.IndexByte(" \t\r\n", s[0]) >= 0:
		return 1
	case strings.HasPrefix(s, "//"):
		if n := strings.IndexByte(s, '\n'); n >= 0 {
			return n
		}
		return len(s)
	case strings.HasPrefix(s, "/*"):
		n := strings.Index(s[2:], "*/")
		if n < 0 {
			return -1
		}
		return n + 4
	}
	return 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '#' || c >= 0x80
}

func lastIs(tokens []token, text string) bool {
	return len(tokens) > 0 && tokens[len(tokens)-1].text == text
}

// wordLength returns the length of the name or number at the beginning of s.
func wordLength(s string) (n int) {
	isNumber := isDigit(s[0]) || s[0] == '.'
	for n < len(s) {
		isSigned := isNumber && n > 0 && (s[n] == '-' || s[n] == '+') && (s[n-1] == 'e' || s[n-1] == 'E') && !strings.HasPrefix(s, "0x")
		if !isWordByte(s[n]) && !(isNumber && s[n] == '.') && !isSigned {
			break
		}
		n++
	}
	return n
}

// stringLength returns the length of the string or template at the beginning of s, 0 if it does not
// end.
func stringLength(s string) int {
	for n := 1; n < len(s); n++ {
		switch {
		case s[n] == '\\':
			n++
		case s[n] == s[0]:
			return n + 1
		case s[0] == '`' && strings.HasPrefix(s[n:], "${"):
			_, end := scanPart(s[n+2:], true)
			n += 2 + end // the closing brace
		case s[0] != '`' && s[n] == '\n':
			return 0
		}
	}
	return 0
}

// regexpLength returns the length of the regular expression at the beginning of s, 0 if it does not
// end. Its flags are a word.
func regexpLength(s string) int {
	inClass := false
	for n := 1; n < len(s) && s[n] != '\n'; n++ {
		switch s[n] {
		case '\\':
			n++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '/':
			if !inClass {
				return n + 1
			}
		}
	}
	return 0
}

// beforeValues are keywords after which a value begins.
var beforeValues = map[string]bool{
	"return": true, "typeof": true, "case": true, "in": true, "of": true, "void": true, "delete": true, "throw": true, "new": true, "else": true, "await": true,
	"yield": true,
}

// beginsValue reports whether a slash after the tokens begins a regular expression. Otherwise it
// divides.
func beginsValue(tokens []token) bool {
	if len(tokens) == 0 {
		return true
	}
	switch last := tokens[len(tokens)-1]; last.kind {
	case word:
		return beforeValues[last.text]
	case quoted:
		return false
	default:
		isStep := len(tokens) > 1 && (last.text == "+" || last.text == "-") && tokens[len(tokens)-2].text == last.text // ++ and --
		return !isStep && !strings.Contains(")]}", last.text)
	}
}

// appendTokens appends tokens to a script, with the spaces and line breaks that they need.
func appendTokens(script []byte, tokens []token) []byte {
	for i, t := range tokens {
		switch {
		case i == 0:
		case t.lined && needsLine(tokens[i-1], t):
			script = append(script, '\n')
		case t.spaced && needsSpace(tokens[i-1], t):
			script = append(script, ' ')
		}
		if t.kind == quoted && t.text[0] == '`' && shader.MatchString(t.text) {
			t.text = lineStart.ReplaceAllString(t.text, "\n")
		}
		script = append(script, t.text...)
	}
	return script
}

// shader matches templates with code for the graphics card, and lineStart the comments and spaces
// that it does not need.
var (
	shader    = regexp.MustCompile(`\b(void|vec[234]|gl_\w+)\b`)
	lineStart = regexp.MustCompile(`([ \t]*(//[^\n]*)?\n\s*)+`)
)

// needsLine reports whether a statement may end between two tokens at the end of a line.
func needsLine(a, b token) bool {
	return !(a.kind == sign && strings.Contains("({[;,=?:&|*<>", a.text)) && !(b.kind == sign && strings.Contains(")}];,=?:.&|*<>", b.text))
}

// needsSpace reports whether two tokens would mean something else without the space between them.
func needsSpace(a, b token) bool {
	switch {
	case a.kind == word && b.kind == word:
		return true
	case a.kind == word && isDigit(a.text[0]):
		return b.text == "."
	case a.kind == quoted && b.kind == word, a.kind == sign && a.text == "/" && b.text[0] == '/':
		return true
	}
	return a.text == b.text && (a.text == "+" || a.text == "-")
}
