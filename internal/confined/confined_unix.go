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
// one of its own, and that of a process group is that of all its threads.
func lowerPriority(pid int) { syscall.Setpriority(syscall.PRIO_PGRP, pid, lowest) }

// systemEnv returns the variables that the system needs.
func systemEnv() []string { return nil }

// unused is how much memory Go has from the system without using it, in bytes: 100 MB for its tables and the stacks of
// threads, and some parts of the heap.
const unused = 192 << 20

// limit sets the limits of this process. The process ends by itself when it uses too much memory; that of the system is
// for one that takes it faster than it can look.
func limit(l Limits) {
	signal.Ignore(syscall.SIGXFSZ) // the write fails
	signal.Ignore(syscall.SIGHUP)  // which is for the server
	seconds := uint64((l.Time + grace).Seconds()) + 1
	for what, most := range map[int]uint64{
		syscall.RLIMIT_CORE: 0, syscall.RLIMIT_CPU: seconds, syscall.RLIMIT_FSIZE: uint64(l.Output), syscall.RLIMIT_NOFILE: 64,
		// The address space as a whole has no limit: Go reserves a thousand times what it uses.
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
