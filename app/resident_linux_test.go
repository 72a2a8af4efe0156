package app

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// residentFile returns the resident memory of the program's file, in kB.
func residentFile(t *testing.T) (sum int) {
	t.Helper()
	self := testenv.Must(os.Readlink("/proc/self/exe"))
	file := false
	for line := range strings.Lines(string(testenv.Must(os.ReadFile("/proc/self/smaps")))) {
		switch f := strings.Fields(line); {
		case strings.Contains(f[0], "-"):
			file = f[len(f)-1] == self
		case f[0] == "Rss:" && file:
			sum += testenv.Must(strconv.Atoi(f[1]))
		}
	}
	return sum
}

func TestUnmapStart(t *testing.T) {
	newParser(&program{name: "teeyard"})
	before := residentFile(t)
	unmapStart()
	after := residentFile(t)
	newParser(&program{name: "teeyard"}) // code whose pages were unmapped runs again
	if after > before*3/4 {
		t.Errorf("the program's file has %d kB in memory, and had %d", after, before)
	}
}
