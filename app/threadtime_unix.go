//go:build unix && !linux

package app

import "time"

// threadTime is the processor time of the process, which is at least that of this thread.
func threadTime() time.Duration { return cpuTime() }
