//go:build !unix

package app

import "time"

// cpuTime is the processor time this process has taken, where it can be told.
func cpuTime() time.Duration { return 0 }
