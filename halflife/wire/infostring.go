package wire

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/internal/safetext"
)

// infoString builds a text of the form \key\value\key\value.
type infoString []byte

func (p *infoString) addKey(key string) {
	*p = append(append(append(*p, '\\'), key...), '\\')
}

// addText appends a pair with at most limit bytes of text. It removes backslashes and quotes,
// because they would end the text.
func (p *infoString) addText(key, value string, limit int) {
	p.addKey(key)
	*p = safetext.AppendLine(*p, infoDelimiters.Replace(value), limit)
}

var infoDelimiters = strings.NewReplacer(`\`, "", `"`, "")

func (p *infoString) addNumber(key string, n int) {
	p.addKey(key)
	*p = strconv.AppendInt(*p, int64(n), 10)
}

func (p *infoString) addByte(key string, c byte) {
	p.addKey(key)
	*p = append(*p, c)
}

// addBool appends 1 or 0.
func (p *infoString) addBool(key string, v bool) {
	if v {
		p.addByte(key, '1')
	} else {
		p.addByte(key, '0')
	}
}

// forEachPair calls f for the pairs of \key\value\key\value. A last key without a value gets an
// empty one.
func forEachPair(b []byte, f func(key, value []byte)) {
	backslash := []byte{'\\'}
	b = bytes.TrimPrefix(b, backslash)
	for len(b) > 0 {
		var key, value []byte
		key, b, _ = bytes.Cut(b, backslash)
		value, b, _ = bytes.Cut(b, backslash)
		f(key, value)
	}
}

// parseCount reads the decimal digits at the beginning of b. The result is at most 2^31-1.
func parseCount(b []byte) int {
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
