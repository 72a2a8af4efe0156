package confined

import (
	"os"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestProcess checks that the process has one processor, the lowest priority in all its threads,
// and no variables of this process.
func TestProcess(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector takes more memory than such a process may have")
	}
	testenv.NoError(t, os.Setenv("TEEYARD_TEST_SECRET", "secret"))
	defer os.Unsetenv("TEEYARD_TEST_SECRET")
	out, err := do(t, "look", generous, "")
	testenv.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if !strings.HasPrefix(lines[0], "1 [") || strings.Contains(out, "secret") || len(lines) < 3 {
		t.Errorf("%q", lines)
	}
	for _, l := range lines[1:] {
		if l != "nice 19" {
			t.Errorf("a thread has %s: %q", l, lines)
		}
	}
}
