package app

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of this thread. Other programs do not count.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
