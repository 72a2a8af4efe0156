package logline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
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
var missing = regexp.MustCompile(`\]\[log\]: (\d+) lines are missing here: (.*)\n`)

// TestQueueOfStoppedReader: who writes never waits, and every line is there or counted,
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

// TestQueueOnFullDisk: what could not be written is counted, and the rest of a line that
// fitted in part does not hide the next.
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
