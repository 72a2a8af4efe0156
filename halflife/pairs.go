package halflife

import (
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/internal/safetext"
)

// pairs is a text of the form \key\value\key\value to which pairs are appended.
type pairs []byte

func (p *pairs) key(key string) {
	*p = append(append(append(*p, '\\'), key...), '\\')
}

// text appends at most limit bytes of a text, without backslashes and quotes, which
// would end it.
func (p *pairs) text(key, value string, limit int) {
	p.key(key)
	*p = safetext.AppendLine(*p, pairDelimiters.Replace(value), limit)
}

var pairDelimiters = strings.NewReplacer(`\`, "", `"`, "")

func (p *pairs) number(key string, n int) {
	p.key(key)
	*p = strconv.AppendInt(*p, int64(n), 10)
}

func (p *pairs) letter(key string, c byte) {
	p.key(key)
	*p = append(*p, c)
}

// flag appends 1 or 0.
func (p *pairs) flag(key string, v bool) {
	if v {
		p.letter(key, '1')
	} else {
		p.letter(key, '0')
	}
}

// eachPair calls f for the pairs of \key\value\key\value. A last key without a
// value gets an empty one.
func eachPair(b []byte, f func(key, value []byte)) {
	if len(b) > 0 && b[0] == '\\' {
		b = b[1:]
	}
	for len(b) > 0 {
		var key, value []byte
		key, b = cutBackslash(b)
		value, b = cutBackslash(b)
		f(key, value)
	}
}

func cutBackslash(b []byte) (before, after []byte) {
	for i, c := range b {
		if c == '\\' {
			return b[:i], b[i+1:]
		}
	}
	return b, nil
}

// count reads a decimal number as far as there are digits, at most 2^31-1.
func count(b []byte) int {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			break
		}
		if n = n*10 + int(c-'0'); n > 1<<31-1 {
			return 1<<31 - 1
		}
	}
	return n
}
