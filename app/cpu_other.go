//go:build !unix

package app

import "time"

// cpuTime would return the processor time of this process, but this system does not report it.
func cpuTime() time.Duration { return 0 }
