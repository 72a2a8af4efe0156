package admin

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/web/admin/internal/api"
)

// TestLogBuffer checks that the buffer has the last lines.
func TestLogBuffer(t *testing.T) {
	b := logBuffer{wake: func() {}}
	all := func(*api.LogLine) bool { return true }
	for n := range 2*maxLogLines + 3 {
		b.add(api.LogLine{Text: fmt.Sprint(n)})
		if n != 2 && n != maxLogLines-1 && n != maxLogLines && n != 2*maxLogLines+2 {
			continue
		}
		lines, next := b.since(nil, 0, all)
		first := max(0, n+1-maxLogLines)
		begin, end := lines[0].Text, lines[len(lines)-1].Text
		if len(lines) != n+1-first || begin != fmt.Sprint(first) || end != fmt.Sprint(n) || next != uint64(n+1) {
			t.Fatalf("after %d lines: %d lines from %s to %s, next %d", n+1, len(lines), begin, end, next)
		}
	}
}
