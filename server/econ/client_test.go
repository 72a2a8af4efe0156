package econ

import (
	"bytes"
	"slices"
	"testing"
)

// parse gives a parser bytes in parts and returns the lines with their ends, and whether
// the buffer got full.
func parse(b []byte, part int) (lines []string, ends []lineEnd, full bool) {
	p := lineParser{ending: defaultEnd}
	for len(b) > 0 {
		if p.n == len(p.buf) {
			return lines, ends, true
		}
		n := copy(p.buf[p.n:min(len(p.buf), p.n+part)], b)
		p.n, b = p.n+n, b[n:]
		for {
			e, ok := p.next()
			if !ok {
				break
			}
			lines, ends = append(lines, cleanLine(e.line)), append(ends, e.before)
		}
	}
	return lines, ends, p.n == len(p.buf)
}

// FuzzLines checks that lines are the same in whatever parts they arrive, and that none has
// a line break, a control character or too many bytes.
func FuzzLines(f *testing.F) {
	f.Add([]byte("hello\r\nstatus\r\n\r\nx\x00y\x01z\n"), byte(3))
	f.Add([]byte("\n\r\n\rhello\n\rstatus\n"), byte(1))
	f.Add(append(bytes.Repeat([]byte("x"), 1399), "\nstatus\n"...), byte(200))
	f.Add(bytes.Repeat([]byte("x"), 5000), byte(0))
	f.Fuzz(func(t *testing.T, b []byte, part byte) {
		whole, ends, full := parse(b, maxReceived)
		parts, _, _ := parse(b, int(part)+1)
		if n := min(len(whole), len(parts)); full && n == 0 {
			return
		} else if !slices.Equal(whole[:n], parts[:n]) || !full && len(whole) != len(parts) {
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
