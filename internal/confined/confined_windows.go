package confined

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// attributes returns the attributes of a new process: a low priority and no window.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.IDLE_PRIORITY_CLASS | windows.CREATE_NO_WINDOW}
}

// systemEnv returns the variables that the system needs.
func systemEnv() []string { return []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")} }
