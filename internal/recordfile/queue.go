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

// Queue hands jobs for a file to a goroutine, always all jobs that wait. A slow disk then delays
// only callers that wait for its result. Callers of Submit must limit the number of jobs.
type Queue[J any] struct {
	// ErrNotStored is returned by Close if the disk does not answer.
	ErrNotStored error

	mu     sync.Mutex
	jobs   []J
	err    error
	closed bool

	wake, closing, done chan struct{}
}

// NewQueue returns a queue. A goroutine must call [Queue.Run].
func NewQueue[J any](notStored error) *Queue[J] {
	return &Queue[J]{ErrNotStored: notStored, wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{})}
}

// Submit queues a job. It returns false after Close.
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

// Wake makes Run call work, even without jobs.
func (q *Queue[J]) Wake() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Err returns the error of the last call of work.
func (q *Queue[J]) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Close rejects further jobs and waits until Run has done the queued ones and ended. After two
// seconds it returns ErrNotStored.
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

// Run calls work with all jobs that wait. While the last call failed, or while again returns true,
// it also calls work every two seconds without jobs. After Close it calls work once more, then end,
// and returns.
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
