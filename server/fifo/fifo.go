// Package fifo reads console lines from a named pipe, as DDNet-Server does with sv_input_fifo. Any
// process that may write to the pipe is an operator with full access.
package fifo

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// MaxLine is the longest line that is read, in bytes without its end.
const MaxLine = 8191

// Pipe is an open named pipe.
type Pipe struct {
	file *os.File
	// TooLong is called with the beginning of each line that is longer than MaxLine. Such a line is
	// left out.
	TooLong func(beginning []byte)
}

// ErrInUse is returned by Open if another server reads the pipe.
var ErrInUse = errors.New("another server reads this pipe")

// Open opens the named pipe with a path. If there is no file, Open creates a pipe that only its
// owner may read and write.
func Open(path string) (*Pipe, error) {
	f, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("fifo: %w", err)
	}
	return &Pipe{file: f}, nil
}

// Close ends Lines. The pipe stays, so that a writer waits for the next server that reads it.
func (p *Pipe) Close() error { return p.file.Close() }

// Lines calls do with each line that processes write, without its end and never empty, until Close.
// Until do returns, nothing more is read. The bytes are valid until then. A writer that ends in the
// middle of a line leaves it to the next writer to go on with it.
func (p *Pipe) Lines(do func(line []byte)) error {
	r := bufio.NewReaderSize(p.file, MaxLine+1)
	for skips := false; ; {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if !skips && p.TooLong != nil {
				p.TooLong(line)
			}
			skips = true
		case errors.Is(err, os.ErrClosed), errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("fifo: %w", err)
		default:
			if line = bytes.TrimSpace(line); !skips && len(line) > 0 {
				do(line)
			}
			skips = false
		}
	}
}
