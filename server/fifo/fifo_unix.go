//go:build unix

package fifo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

func open(path string) (*os.File, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	// A pipe that is open for writing, too, has no end when a writer closes it.
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// lock makes this process the only reader.
func lock(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeNamedPipe {
		return errors.New("this is a file and not a named pipe; delete it, or name another pipe")
	}
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	if err := c.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) }); err != nil {
		return err
	}
	if locked != nil {
		return ErrInUse
	}
	return nil
}
