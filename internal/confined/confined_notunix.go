//go:build !unix

package confined

import (
	"os"
	"time"
)

func executable() (string, error) { return os.Executable() }

// lowerPriority does nothing: on systems with priorities, the process starts with a low one.
func lowerPriority(int) {}

// limit does nothing: the process itself checks its memory and time.
func limit(Limits) {}

func wasOutOfTime(*os.ProcessState) bool { return false }

var begun = time.Now()

// usedTime returns the time since the start of this process, as an upper bound of its processor
// time.
func usedTime() time.Duration { return time.Since(begun) }
