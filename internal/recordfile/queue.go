package recordfile

import (
	"fmt"
	"sync"
	"time"
)

const (
	// RetryInterval is the time between two tries to write to a file.
	RetryInterval = 2 * time.Second
	// closeTimeout limits how long Close waits.
	closeTimeout = 2 * time.Second
)

// Queue hands jobs for a file to a goroutine, all that wait at once, so that a slow disk holds up
// nobody but those who wait for it. Who submits limits the number.
type Queue[J any] struct {
	// ErrNotStored is what Close returns if the disk does not answer.
	ErrNotStored error

	mu     sync.Mutex
	jobs   []J
	err    error
	closed bool

	wake, closing, done chan struct{}
}

// NewQueue returns a queue, for which [Queue.Run] is to be called in a goroutine.
func NewQueue[J any](notStored error) *Queue[J] {
	return &Queue[J]{ErrNotStored: notStored, wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{})}
}

// Submit queues a job. It reports whether there is still somebody to do it.
func (q *Queue[J]) Submit(j J) bool {
	q.mu.Lock()
	closed := q.closed
	if !closed {
		q.jobs = append(q.jobs, j)
	}
	q.mu.Unlock()
	if !closed {
		q.Wake()
	}
	return !closed
}

// Wake makes Run work, also if there are no jobs.
func (q *Queue[J]) Wake() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Err returns the error of the last work.
func (q *Queue[J]) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Close lets Run do what is in the queue and end, and waits for that for a while. Jobs after it are refused.
func (q *Queue[J]) Close() error {
	q.mu.Lock()
	first := !q.closed
	q.closed = true
	q.mu.Unlock()
	if first {
		close(q.closing)
	}
	select {
	case <-q.done:
		return q.Err()
	case <-time.After(closeTimeout):
		return fmt.Errorf("%w: the disk does not answer", q.ErrNotStored)
	}
}

// Done is closed when Run has ended.
func (q *Queue[J]) Done() <-chan struct{} { return q.done }

// Run calls work with the jobs that wait, and every two seconds with none while the last work failed or again says that something is to be
// tried again. After Close it works once more, calls end and ends.
func (q *Queue[J]) Run(work func([]J) error, again func() bool, end func()) {
	defer close(q.done)
	defer end()
	retry := time.NewTicker(RetryInterval)
	defer retry.Stop()
	for ended := false; !ended; {
		select {
		case <-q.wake:
		case <-retry.C:
			if q.Err() == nil && !again() {
				continue
			}
		case <-q.closing:
			ended = true
		}
		q.mu.Lock()
		jobs := q.jobs
		q.jobs = nil
		q.mu.Unlock()
		err := work(jobs)
		q.mu.Lock()
		q.err = err
		q.mu.Unlock()
	}
}
