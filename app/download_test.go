package app

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestPrintDownload checks the output for a pipe.
func TestPrintDownload(t *testing.T) {
	for _, live := range []bool{false, true} {
		var b strings.Builder
		for done := 0; done <= 200<<10; done += 1 << 10 {
			printDownload(&b, live, event.Download{Map: "a", Done: done, Size: 200 << 10})
		}
		lines, steps := strings.Count(b.String(), "\n"), strings.Count(b.String(), "\r")
		testenv.Check(
			t,
			(lines == 1) == live && (steps > 2) == live && strings.HasPrefix(b.String(), "downloading map a: 200 kB\n") != live &&
				strings.HasSuffix(strings.TrimRight(b.String(), " \n"), "map a: 200 kB"),
			"live %v: %q",
			live,
			b.String(),
		)
	}
}
