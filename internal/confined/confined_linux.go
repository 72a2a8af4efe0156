package confined

import "syscall"

// executable returns the file of this program, also after another one has taken its name.
func executable() (string, error) { return "/proc/self/exe", nil }

// attributes returns those of a new process: a process group, to which its priority is set, and an
// end with this process.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
