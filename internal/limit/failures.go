package limit

import (
	"container/list"
	"net/netip"
	"time"
)

// Failures counts failures, such as wrong passwords, for many prefixes. The number of prefixes is
// limited: a new prefix replaces the one whose last failure is the oldest.
type Failures struct {
	// Window is how long a failure counts.
	Window time.Duration
	// Renew makes every failure of a prefix count until a Window has passed without a failure.
	Renew bool

	size     int
	prefixes map[netip.Prefix]*failures
	order    list.List // prefixes, beginning with the one whose last failure is the oldest
}

// failures holds the failures of a prefix.
type failures struct {
	place      *list.Element // in order
	times      []int64       // failures that count, at most maxCounted
	unreported int
	reported   int64 // time of the last report
}

// maxCounted is how many failures of a prefix count at most.
const maxCounted = 100

// NewFailures returns a counter for at most size prefixes.
func NewFailures(size int, window time.Duration) *Failures {
	return &Failures{Window: window, size: size, prefixes: make(map[netip.Prefix]*failures)}
}

// Add counts a failure and returns how many count now, at most 100.
func (f *Failures) Add(now int64, p netip.Prefix) int {
	e := f.prefixes[p]
	if e == nil {
		if len(f.prefixes) >= f.size {
			f.Forget(f.order.Front().Value.(netip.Prefix))
		}
		e = &failures{reported: never, place: f.order.PushBack(p)}
		f.prefixes[p] = e
	}
	f.order.MoveToBack(e.place)
	if !f.Renew || now-e.last() >= int64(f.Window) {
		old := 0
		for old < len(e.times) && now-e.times[old] >= int64(f.Window) {
			old++
		}
		e.times = append(e.times[:0], e.times[old:]...)
	}
	if len(e.times) == maxCounted {
		e.times = append(e.times[:0], e.times[1:]...)
	}
	e.times = append(e.times, now)
	e.unreported++
	return len(e.times)
}

// never is earlier than all times.
const never = -1 << 62

// last returns the time of the last failure.
func (e *failures) last() int64 {
	if len(e.times) == 0 {
		return never
	}
	return e.times[len(e.times)-1]
}

// Report returns how many failures a prefix had since the last report, or 0 if that report was less
// than interval ago. It keeps failures from filling a log.
func (f *Failures) Report(now int64, p netip.Prefix, interval time.Duration) int {
	e := f.prefixes[p]
	if e == nil || now-e.reported < int64(interval) {
		return 0
	}
	n := e.unreported
	e.unreported, e.reported = 0, now
	return n
}

// Forget removes the failures of a prefix.
func (f *Failures) Forget(p netip.Prefix) {
	if e := f.prefixes[p]; e != nil {
		f.order.Remove(e.place)
		delete(f.prefixes, p)
	}
}
