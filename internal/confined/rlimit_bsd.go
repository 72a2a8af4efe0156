//go:build freebsd || dragonfly

package confined

import "syscall"

func setLimit(what int, most uint64) {
	syscall.Setrlimit(what, &syscall.Rlimit{Cur: int64(most), Max: int64(most)})
}
