package logline

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/words"
)

// retryInterval is the time between two tries to write that lines are missing.
const retryInterval = time.Second

// queueSize is the most bytes that wait in a [Queue]. It holds some ten thousand lines, so
// that only a reader that has stopped loses any.
const queueSize = 1 << 20

// Queue is a writer of log lines that never blocks: a goroutine writes them. While the underlying
// writer is stuck, the queue drops and counts lines. When the writer accepts lines again, for
// example after a full disk, the queue writes a line with the number of missing lines and the
// reason. A file contains each line as a whole or not at all: the queue removes a partial line that
// a full disk left. A server needs a queue if its log goes to a pipe, a terminal or a disk, since
// the game would wait for a slow log.
type Queue struct {
	w io.Writer

	mu      sync.Mutex
	waiting []byte // whole lines
	dropped int    // lines since waiting was full
	closed  bool

	wake chan struct{} // holds one
	done chan struct{}

	// The goroutine's.
	batch    []byte // spare
	missing  int    // lines that were not written and not reported yet
	reason   error  // of the last of them, nil if the queue was full
	tornLine bool   // w has only the beginning of its last line
	report   bytes.Buffer
	reporter slog.Handler // writes to report
}

// NewQueue returns a queue in front of w. newHandler makes the handler for the line about missing
// lines. It should be of the same kind as the log's own handler, the one that writes to the queue.
func NewQueue(w io.Writer, newHandler func(io.Writer) slog.Handler) *Queue {
	q := &Queue{w: w, wake: make(chan struct{}, 1), done: make(chan struct{})}
	q.reporter = newHandler(&q.report)
	go q.run()
	return q
}

// Write queues whole lines. It always succeeds.
func (q *Queue) Write(lines []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return len(lines), nil
	}
	// After a drop nothing is queued until the goroutine has taken what waits: the line
	// about missing lines is where they are missing.
	if q.dropped > 0 || len(q.waiting)+len(lines) > queueSize {
		q.dropped += countLines(lines)
	} else {
		q.waiting = append(q.waiting, lines...)
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return len(lines), nil
}

// Close waits until all lines are written, but at most for timeout. The queue drops later lines.
func (q *Queue) Close(timeout time.Duration) {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.wake)
	}
	q.mu.Unlock()
	select {
	case <-q.done:
	case <-time.After(timeout):
	}
}

// run writes queued lines until Close.
func (q *Queue) run() {
	defer close(q.done)
	for open := true; open; {
		var retry <-chan time.Time
		if q.missing > 0 {
			retry = time.After(retryInterval)
		}
		select {
		case _, open = <-q.wake:
			q.writeWaiting()
		case <-retry:
			q.writeReport()
		}
	}
	q.writeWaiting()
}

// writeWaiting writes what waits, until nothing does.
func (q *Queue) writeWaiting() {
	const maxSpare = 64 << 10 // bytes
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 && q.dropped == 0 {
			q.mu.Unlock()
			return
		}
		batch, dropped := q.waiting, q.dropped
		q.waiting, q.dropped = q.batch, 0
		q.mu.Unlock()

		if q.writeReport() {
			q.reason = nil
			q.missing = q.write(batch)
		} else {
			q.missing += countLines(batch)
		}
		q.missing += dropped
		q.writeReport()
		if q.batch = batch[:0]; cap(batch) > maxSpare {
			q.batch = nil
		}
	}
}

// write writes lines and returns the number of those that it could not write as a whole.
func (q *Queue) write(lines []byte) (failed int) {
	n, err := 0, error(nil)
	if len(lines) > 0 {
		n, err = q.w.Write(lines)
	}
	if err == nil {
		return 0
	}
	q.reason = err
	if n = min(max(n, 0), len(lines)); n > 0 {
		torn := n - 1 - bytes.LastIndexByte(lines[:n], '\n')
		q.tornLine = torn > 0 && !cutOff(q.w, int64(torn))
	}
	return countLines(lines[n:])
}

// file is what of an [os.File] it takes to cut something off.
type file interface {
	io.Seeker
	Stat() (os.FileInfo, error)
	Truncate(size int64) error
}

// cutOff takes the last n bytes that were written off the end of a file. It reports whether they
// are gone: w may be no file, or another program may have written behind them.
func cutOff(w io.Writer, n int64) bool {
	f, ok := w.(file)
	if !ok {
		return false
	}
	end, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() != end || f.Truncate(end-n) != nil {
		return false
	}
	_, err = f.Seek(end-n, io.SeekStart)
	return err == nil
}

// writeReport writes how many lines are missing, if any are, and reports whether that is
// known now.
func (q *Queue) writeReport() bool {
	if q.missing == 0 {
		return true
	}
	text := "the reader was too slow"
	if q.reason != nil {
		text = q.reason.Error()
	}
	r := slog.NewRecord(time.Now(), slog.LevelWarn, fmt.Sprintf("%s missing here: %s", words.Clause(q.missing, "line", "is", "are"), text), 0)
	r.AddAttrs(slog.String(SystemKey, "log"))
	q.report.Reset()
	if q.tornLine {
		q.report.WriteByte('\n')
	}
	q.reporter.Handle(context.Background(), r) // a Buffer does not fail
	if q.write(q.report.Bytes()) > 0 {
		return false
	}
	q.missing, q.reason, q.tornLine = 0, nil, false
	return true
}

func countLines(b []byte) int { return bytes.Count(b, []byte("\n")) }
