// Package later runs functions beside a loop that must not wait for them, and keeps their results
// until the loop takes them between two ticks.
//
// A Job is such a function with its result, a Limit bounds how many run at once, and a Trouble says
// which failures are news. Only the loop's goroutine may call their methods, unless a method says
// otherwise.
package later

import (
	"math"
	"sync/atomic"
	"time"
)

// Go runs f in a goroutine.
func Go(f func()) { go f() }

// Now runs f at once, as in virtual time.
func Now(f func()) { f() }

// Forever is a limit for Wait that does not end.
const Forever time.Duration = math.MaxInt64

// Job is a function that runs beside the loop. Its result waits for the loop. The zero value is an
// idle job. A job may be moved, but do not use two copies of it.
type Job[T any] struct {
	result chan T // nil if idle
}

// Start runs f with background, such as Go. With Now, the result is ready when Start returns. If
// another function still runs, its result is lost.
func (j *Job[T]) Start(background func(f func()), f func() T) {
	done := j.Begin()
	background(func() { done(f()) })
}

// Begin is Start for a result that comes another way: any goroutine calls done with it, once.
func (j *Job[T]) Begin() (done func(T)) {
	result := make(chan T, 1)
	j.result = result
	return func(v T) { result <- v }
}

// Running reports whether there is a function whose result the loop has not taken.
func (j *Job[T]) Running() bool { return j.result != nil }

// Ready reports whether Take would return a result.
func (j *Job[T]) Ready() bool { return len(j.result) > 0 }

// Take returns the result if it is there. The job is idle after that.
func (j *Job[T]) Take() (v T, ok bool) {
	select {
	case v = <-j.result:
		j.result = nil
		return v, true
	default:
		return v, false
	}
}

// Wait is Take that waits for the result up to a time. An idle job has no result to wait for.
func (j *Job[T]) Wait(limit time.Duration) (v T, ok bool) {
	if v, ok = j.Take(); ok || !j.Running() || limit <= 0 {
		return v, ok
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case v = <-j.result:
		j.result = nil
		return v, true
	case <-timer.C:
		return v, false
	}
}

// Then calls f with the result in another goroutine, however long that takes. The job is idle from
// now on. For an idle job, Then does nothing.
func (j *Job[T]) Then(f func(T)) {
	if result := j.result; result != nil {
		j.result = nil
		go func() { f(<-result) }()
	}
}

// Limit bounds how many functions run at once. Any goroutine may call its methods.
type Limit struct {
	Max   int32
	count atomic.Int32
}

// Enter counts a function that is about to run. It returns false if Max of them run already.
func (l *Limit) Enter() bool {
	if l.count.Add(1) > l.Max {
		l.count.Add(-1)
		return false
	}
	return true
}

// Leave is called when a function that Enter has counted has ended.
func (l *Limit) Leave() { l.count.Add(-1) }

// Running returns how many functions run.
func (l *Limit) Running() int { return int(l.count.Load()) }

// Trouble is why something fails that is tried again and again. It keeps a failure from being
// reported with each try.
type Trouble struct {
	last string
}

// Note notes what a try led to: why it failed, or "" if it did not. It reports whether that is
// news: the first failure, one for another reason, or the end of all.
func (t *Trouble) Note(why string) (news bool) {
	news = why != t.last
	t.last = why
	return news
}

// NoteError is Note for an error, nil if the try did not fail.
func (t *Trouble) NoteError(err error) (news bool) {
	if err == nil {
		return t.Note("")
	}
	return t.Note(err.Error())
}

// Why returns why the last try failed, "" if it did not.
func (t *Trouble) Why() string { return t.last }
