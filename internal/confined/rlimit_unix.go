//go:build unix && !freebsd && !dragonfly

package confined

import "syscall"

func setLimit(what int, most uint64) {
	syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most})
}
