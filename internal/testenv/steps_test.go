package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestFailures checks that CI shows the messages of failed tests, however much output the programs
// of the tests print.
func TestFailures(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts/steps needs bash")
	}
	log := filepath.Join(t.TempDir(), "log")
	NoError(t, os.WriteFile(log, []byte(`=== RUN   TestParallel
=== PAUSE TestParallel
=== RUN   TestPasses
    a_test.go:1: nothing to see
--- PASS: TestPasses (0.00s)
=== CONT  TestParallel
=== RUN   TestParallel/part
    a_test.go:2: the cause
    a_test.go:3: output of a program:
`+strings.Repeat("        a line\n", 1000)+`=== NAME  TestParallel
    a_test.go:4: the whole
--- FAIL: TestParallel (1.00s)
    --- FAIL: TestParallel/part (0.50s)
FAIL
FAIL	example.org/a	1.100s
=== RUN   TestPasses
    b_test.go:1: nothing to see
--- PASS: TestPasses (0.00s)
ok  	example.org/b	0.100s
# example.org/c
c.go:1:1: broken
FAIL	example.org/c [build failed]
=== RUN   TestPanics
    d_test.go:1: before
panic: oh
FAIL	example.org/d	0.100s
FAIL
`), 0o644))
	out, err := exec.Command("bash", "-c", `. ../../scripts/steps; failures "$0"`, log).CombinedOutput()
	NoError(t, err)
	got := strings.ReplaceAll(string(out), "        a line\n", "")
	want := `--- FAIL: TestParallel/part example.org/a
    a_test.go:2: the cause
    a_test.go:3: output of a program:
--- FAIL: TestParallel example.org/a
    a_test.go:4: the whole
FAIL	example.org/a	1.100s
# example.org/c
c.go:1:1: broken
FAIL	example.org/c [build failed]
TestPanics:
    d_test.go:1: before
panic: oh
FAIL	example.org/d	0.100s
`
	Check(t, got == want, "printed\n%s\nwant\n%s", got, want)
	Check(t, strings.Count(string(out), "a line\n") < 100, "printed %d bytes", len(out))
}

// TestSkipped checks that CI finds the skipped tests that are not left to scripts/full.
func TestSkipped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts/steps needs bash")
	}
	log := filepath.Join(t.TempDir(), "log")
	NoError(t, os.WriteFile(log, []byte(`=== RUN   TestLeft
=== PAUSE TestLeft
=== RUN   TestMissing
    a_test.go:1: a program is missing
--- SKIP: TestMissing (0.00s)
=== RUN   TestPart
=== RUN   TestPart/left
    a_test.go:2: only scripts/full runs it
=== RUN   TestPart/missing
    a_test.go:3: a program is missing
--- PASS: TestPart (0.00s)
    --- SKIP: TestPart/left (0.00s)
    --- SKIP: TestPart/missing (0.00s)
=== CONT  TestLeft
    a_test.go:4: only scripts/full runs it
--- SKIP: TestLeft (0.00s)
ok  	example.org/a	1.100s
=== RUN   TestLeft
    b_test.go:1: a program is missing
--- SKIP: TestLeft (0.00s)
ok  	example.org/b	1.100s
`), 0o644))
	out, err := exec.Command("bash", "-c", `. ../../scripts/steps; skipped "$0"`, log).CombinedOutput()
	NoError(t, err)
	want := `--- SKIP: TestMissing (0.00s)
    --- SKIP: TestPart/missing (0.00s)
--- SKIP: TestLeft (0.00s)
`
	if string(out) != want {
		t.Errorf("printed\n%s\nwant\n%s", out, want)
	}
}
