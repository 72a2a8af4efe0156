//go:build unix && !linux

package confined

import (
	"os"
	"syscall"
)

func executable() (string, error) { return os.Executable() }

// attributes returns the attributes of a new process: its own process group, for the priority.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
