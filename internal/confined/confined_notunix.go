//go:build !unix

package confined

import (
	"os"
	"time"
)

func executable() (string, error) { return os.Executable() }

// lowerPriority does nothing: where there are priorities, the process begins with a low one.
func lowerPriority(int) {}

// limit does nothing: the process ends by itself when it has used its memory or time.
func limit(Limits) {}

func wasOutOfTime(*os.ProcessState) bool { return false }

var begun = time.Now()

// usedTime returns the time of this process, as if it worked all the time.
func usedTime() time.Duration { return time.Since(begun) }
