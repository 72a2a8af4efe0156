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

// Memory is the memory of a process, in bytes.
type Memory struct {
	RSS     int // resident
	Private int // written by the process alone, so that nothing else can use it
	PSS     int // private, and an equal share of each page that several processes have
}

// RSS returns the program's resident memory in bytes.
func (p *Process) RSS(t testing.TB) int { return p.Memory(t).RSS }

// Memory returns the program's memory.
func (p *Process) Memory(t testing.TB) (m Memory) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]*int{"Rss:": &m.RSS, "Anonymous:": &m.Private, "Pss:": &m.PSS}
	for line := range bytes.Lines(b) {
		f := bytes.Fields(line)
		if len(f) == 0 || fields[string(f[0])] == nil {
			continue
		}
		kb, err := strconv.Atoi(string(f[1]))
		if err != nil {
			t.Fatal(err)
		}
		*fields[string(f[0])] = kb << 10
	}
	return m
}
