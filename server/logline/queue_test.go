package logline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// pipe is a writer that waits while its reader has stopped, and fails if err is set. The
// first Write after fail is set writes so many bytes.
type pipe struct {
	bytes.Buffer
	stopped chan struct{} // Write waits until it is closed
	err     error
	fits    int // bytes that are written before err
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.stopped != nil {
		<-p.stopped
	}
	if p.err != nil {
		n, _ := p.Buffer.Write(b[:min(p.fits, len(b))])
		p.fits -= n
		return n, p.err
	}
	return p.Buffer.Write(b)
}

func newLineQueue(p *pipe) *Queue {
	return NewQueue(p, func(w io.Writer) slog.Handler { return New(w, nil) })
}

// missing is the line about missing lines.
var missing = regexp.MustCompile(`\]\[log\]: (\d+) lines? (?:is|are) missing here: (.*)\n`)

// TestQueueOfStoppedReader checks that Write never waits, and that every line is written or counted
// where it is missing.
func TestQueueOfStoppedReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipe{stopped: make(chan struct{})}
		q := newLineQueue(p)
		const lines = 100_000
		for i := range lines {
			fmt.Fprintf(q, "line %06d of the game's log\n", i)
		}
		synctest.Wait()
		if n := len(q.waiting); n > queueSize || n < queueSize-100 {
			t.Errorf("%d bytes wait, at most %d may", n, queueSize)
		}
		close(p.stopped)
		synctest.Wait()
		fmt.Fprintf(q, "line %06d of the game's log\n", lines)
		q.Close(time.Second)

		next, dropped := 0, 0
		for line := range strings.Lines(p.String()) {
			if m := missing.FindStringSubmatch(line); m != nil {
				n, _ := strconv.Atoi(m[1])
				dropped += n
				next += n
			} else if want := fmt.Sprintf("line %06d of the game's log\n", next); line != want {
				t.Fatalf("%q where %q belongs", line, want)
			} else {
				next++
			}
		}
		if next != lines+1 || dropped == 0 {
			t.Errorf("%d lines of %d, %d of them counted as missing", next, lines+1, dropped)
		}
	})
}

// TestQueueOnFullDisk checks that lines that could not be written are counted, and that a line that
// was written in part does not hide the next.
func TestQueueOnFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipe{err: errors.New("no space left on device"), fits: 10}
		q := newLineQueue(p)
		for i := range 5 {
			fmt.Fprintf(q, "line %d\n", i)
			synctest.Wait()
		}
		p.err = nil
		io.WriteString(q, "line 5\n")
		q.Close(time.Second)
		got := regexp.MustCompile(`\[\d.*?\]\[`).ReplaceAllString(p.String(), "[")
		want := "line 0\nlin\n[log]: 4 lines are missing here: no space left on device\nline 5\n"
		if got != want {
			t.Errorf("the disk has\n%s\nwant\n%s", got, want)
		}
	})
}

// fullFile is a file on a disk that takes only so many bytes.
type fullFile struct {
	*os.File
	room atomic.Int64
}

func (f *fullFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b[:min(int(f.room.Load()), len(b))])
	if f.room.Add(-int64(n)); err == nil && n < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}

// TestQueueOfAFullFile fills the disk at each byte. A line is in the file as a whole or not at all.
// When the disk has room again, the file says how much is missing, although no line follows.
func TestQueueOfAFullFile(t *testing.T) {
	for room := range 120 {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			file := testenv.Must(os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600))
			defer file.Close()
			f := &fullFile{File: file}
			f.room.Store(int64(room))
			whole := func() (lines int) {
				b := testenv.Must(os.ReadFile(path))
				for line := range strings.Lines(string(b)) {
					if lines++; !strings.HasSuffix(line, "}\n") || !json.Valid([]byte(line)) {
						t.Fatalf("with room for %d bytes: %q", room, line)
					}
				}
				return lines
			}
			q := NewQueue(f, func(w io.Writer) slog.Handler { return NewJSON(w, nil) })
			const line = `{"event":"command"}` + "\n"
			for range 5 {
				io.WriteString(q, line+line)
				synctest.Wait()
				whole()
			}
			time.Sleep(10 * retryInterval)
			if n := whole(); n != min(10, room/len(line)) {
				t.Errorf("with room for %d bytes: %d lines", room, n)
			}
			f.room.Store(1 << 20)
			time.Sleep(2 * retryInterval)
			synctest.Wait()
			if n, b := whole(), testenv.Must(os.ReadFile(path)); room < 10*len(line) &&
				(n != room/len(line)+1 || !strings.Contains(string(b), "lines are missing here: no space")) {
				t.Errorf("with room for %d bytes: %d lines\n%s", room, n, b)
			}
			q.Close(time.Second)
		})
	}
}

// TestQueueClose: a reader that is slow gets everything at the end, one that has stopped is
// not waited for.
func TestQueueClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipe{stopped: make(chan struct{})}
		q := newLineQueue(p)
		io.WriteString(q, "last words\n")
		time.AfterFunc(900*time.Millisecond, func() { close(p.stopped) })
		q.Close(time.Second)
		if p.String() != "last words\n" {
			t.Errorf("%q was written", p.String())
		}

		stuck := &pipe{stopped: make(chan struct{})}
		q = newLineQueue(stuck)
		io.WriteString(q, "nobody hears\n")
		begin := time.Now()
		q.Close(time.Second)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it waited for %v", took)
		}
		io.WriteString(q, "too late\n")
		close(stuck.stopped) // or synctest complains about the goroutine
	})
}
