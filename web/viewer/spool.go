package viewer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// errFull is the error when visitors' files and demos leave no space for another one.
var errFull = errors.New("other files are being converted; try again in a moment")

// spool is an unnamed file on disk whose size counts towards a shared limit.
type spool struct {
	file    *os.File // nil before it is open
	isNamed bool     // the file still has a name
	temp    func() (*os.File, error)
	stored  *atomic.Int64 // total bytes of all files
	size    int64         // this file's share
}

// newSpool returns a file that is not created yet.
func (c *Converter) newSpool() *spool {
	return &spool{stored: &c.stored, temp: func() (*os.File, error) {
		if c.temp != nil {
			return c.temp(c.Dir)
		}
		return tempFile(c.Dir)
	}}
}

// tempFile creates a file in a folder.
func tempFile(dir string) (*os.File, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	return os.CreateTemp(dir, "*.new")
}

// open creates the file and at once removes its name where the system allows that. So a killed
// server leaves no file behind.
func (s *spool) open() (err error) {
	if s.file == nil {
		if s.file, err = s.temp(); err != nil {
			return fmt.Errorf("%w: %w", ErrStorage, err)
		}
		s.isNamed = os.Remove(s.file.Name()) != nil
	}
	return nil
}

// reserve adds n bytes to the file's share.
func (s *spool) reserve(n int64) error {
	if s.stored.Add(n) > maxStored {
		s.stored.Add(-n)
		return errFull
	}
	s.size += n
	return nil
}

// Write implements io.Writer.
func (s *spool) Write(b []byte) (int, error) {
	if err := errors.Join(s.open(), s.reserve(int64(len(b)))); err != nil {
		return 0, err
	}
	n, err := s.file.Write(b)
	if err != nil {
		return n, fmt.Errorf("%w: %w", ErrStorage, err)
	}
	return n, nil
}

// rewind seeks to the beginning of a file that another process has written. It sets the file's
// share to its size and returns the size.
func (s *spool) rewind() (size int64, err error) {
	if size, err = s.file.Seek(0, io.SeekEnd); err == nil {
		s.stored.Add(size - s.size)
		s.size = size
		_, err = s.file.Seek(0, io.SeekStart)
	}
	return size, err
}

// release closes the file and makes room for others.
func (s *spool) release() {
	s.stored.Add(-s.size)
	s.size = 0
	if s.file != nil {
		s.file.Close()
		if s.isNamed {
			os.Remove(s.file.Name())
		}
		s.file = nil
	}
}
