//go:build unix && !linux

package confined

import (
	"os"
	"syscall"
)

func executable() (string, error) { return os.Executable() }

// attributes returns those of a new process: a process group, to which its priority is set.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
