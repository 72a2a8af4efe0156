package confined

import "syscall"

// executable returns the path of this program, which works even after another file has replaced it.
func executable() (string, error) { return "/proc/self/exe", nil }

// attributes returns the attributes of a new process. It gets its own process group, for the
// priority, and ends with this process.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
