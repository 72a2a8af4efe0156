package peers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// CPUTime returns the processor time of the program's threads. It reads the scheduler's own clock,
// which is finer than the 10 ms of /proc/PID/stat. Threads that have ended do not count; servers
// end no threads.
func (p *Process) CPUTime(t testing.TB) time.Duration {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.PID()))
	if len(files) == 0 {
		t.Fatalf("%s has no threads any more:\n%s", p.name, Tail(p.Output(), 2000))
	}
	var sum time.Duration
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		first, _, _ := bytes.Cut(b, []byte(" "))
		ns, err := strconv.ParseInt(string(first), 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		sum += time.Duration(ns)
	}
	return sum
}

// RSS returns the program's resident memory in bytes.
func (p *Process) RSS(t testing.TB) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "VmRSS:" {
			kb, err := strconv.Atoi(string(f[1]))
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatalf("%s: no VmRSS", p.name)
	return 0
}
