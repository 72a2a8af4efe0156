package econ

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// tooLong stands for a line that is too long.
const tooLong = "(too long)"

// parse gives a parser bytes in parts and returns the lines with their ends.
func parse(b []byte, part int) (lines []string, ends []lineEnd) {
	p := lineParser{ending: defaultEnd}
	for len(b) > 0 {
		n := copy(p.buf[p.n:min(len(p.buf), p.n+part)], b)
		p.n, b = p.n+n, b[n:]
		for {
			e, ok := p.next()
			if !ok {
				break
			}
			line := cleanLine(e.line)
			if e.tooLong {
				line = tooLong
			}
			lines, ends = append(lines, line), append(ends, e.before)
		}
	}
	return lines, ends
}

// FuzzLines checks that lines are the same in whatever parts they arrive, and that none has
// a line break, a control character or too many bytes.
func FuzzLines(f *testing.F) {
	f.Add([]byte("hello\r\nstatus\r\n\r\nx\x00y\x01z\n"), byte(3))
	f.Add([]byte("\n\r\n\rhello\n\rstatus\n"), byte(1))
	f.Add(append(bytes.Repeat([]byte("x"), 1399), "\nstatus\n"...), byte(200))
	f.Add(append(bytes.Repeat([]byte("x"), 1400), "\nstatus\n"...), byte(200))
	f.Add(bytes.Repeat([]byte("x"), 5000), byte(0))
	f.Fuzz(func(t *testing.T, b []byte, part byte) {
		whole, ends := parse(b, maxReceived)
		if parts, _ := parse(b, int(part)+1); !slices.Equal(whole, parts) {
			t.Errorf("%q at once, %q in parts", whole, parts)
		}
		for i, l := range whole {
			if len(l) >= maxReceived || slices.ContainsFunc([]byte(l), func(c byte) bool { return c < ' ' }) {
				t.Errorf("line %q", l)
			}
			if e := ends[i]; e[0] != '\r' && e[0] != '\n' || e[1] == e[0] || e[2] != 0 {
				t.Errorf("line end %q", e)
			}
		}
	})
}

// TestLongLines checks that a line that is too long leaves the ones around it alone.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 5000)
	got, _ := parse([]byte("a\n"+long[:1399]+"\n"+long[:1400]+"\n"+long+"\r\n\nb\n"+long), 700)
	if want := []string{"a", long[:1399], tooLong, tooLong, "b", tooLong}; !slices.Equal(got, want) {
		t.Errorf("%.50q", got)
	}
}
