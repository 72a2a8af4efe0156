//go:build !unix && !windows

package confined

import "syscall"

func attributes() *syscall.SysProcAttr { return nil }

func systemEnv() []string { return nil }
