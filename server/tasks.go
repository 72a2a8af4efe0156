package server

import (
	"context"
	"errors"
)

// tasks are the functions that other goroutines give to Do.
type tasks struct {
	queue  chan func()
	closed chan struct{}
}

func newTasks() tasks { return tasks{make(chan func(), 16), make(chan struct{})} }

// ErrClosed is returned by Do after the server has shut down.
var ErrClosed = errors.New("server: closed")

// do waits until run has run a function. wake ends the wait of the goroutine that calls run.
func (t *tasks) do(ctx context.Context, wake func(), f func()) error {
	done := make(chan struct{})
	task := func() { defer close(done); f() }
	select {
	case t.queue <- task:
	case <-t.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	wake()
	select {
	case <-done:
		return nil
	case <-t.closed:
		select {
		case <-done:
			return nil
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run runs the functions that wait.
func (t *tasks) run() {
	for {
		select {
		case f := <-t.queue:
			f()
		default:
			return
		}
	}
}

// isClosed reports whether close was called.
func (t *tasks) isClosed() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}

// close makes do return.
func (t *tasks) close() {
	if !t.isClosed() {
		close(t.closed)
	}
}
