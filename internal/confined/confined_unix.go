//go:build unix

package confined

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// lowest is the lowest priority.
const lowest = 19

// lowerPriority gives a process and all its threads the lowest priority. On Linux each thread has
// its own priority, and setting a process group's priority sets all of them.
func lowerPriority(pid int) { syscall.Setpriority(syscall.PRIO_PGRP, pid, lowest) }

// systemEnv returns the variables that the system needs.
func systemEnv() []string { return nil }

// unused is how many bytes Go may have got from the system without using them: 100 MB for its
// tables and the stacks of threads, and some parts of the heap.
const unused = 192 << 20

// limit sets the system's limits for this process. The process also checks its memory itself; the
// system's limit stops a process that grows faster than these checks.
func limit(l Limits) {
	signal.Ignore(syscall.SIGXFSZ) // writes return an error instead
	signal.Ignore(syscall.SIGHUP)  // the signal is meant for the server
	seconds := uint64((l.Time + grace).Seconds()) + 1
	for what, most := range map[int]uint64{
		syscall.RLIMIT_CORE: 0, syscall.RLIMIT_CPU: seconds, syscall.RLIMIT_FSIZE: uint64(l.Output), syscall.RLIMIT_NOFILE: 64,
		// The whole address space has no limit: Go reserves a thousand times of its use.
		syscall.RLIMIT_DATA: uint64(l.Memory) + unused,
	} {
		setLimit(what, most)
	}
}

// wasOutOfTime reports whether the system ended a process because of its processor time.
func wasOutOfTime(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGXCPU
}

// usedTime returns the processor time of this process.
func usedTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
