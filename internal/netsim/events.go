package netsim

import (
	"time"

	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/mem"
)

// event is a datagram that arrives or, with run set, a timer.
type event struct {
	at, seq  int64
	run      func(now int64)
	path     *path
	nth      uint64 // number among the datagrams sent on path
	from, to transport.Peer
	b        []byte
}

// events is a heap, ordered by time and then by creation.
type events struct {
	heap []event
	seq  int64
}

func (q *events) less(i, j int) bool {
	a, b := &q.heap[i], &q.heap[j]
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

func (q *events) push(e event) {
	q.seq++
	e.seq = q.seq
	q.heap = append(q.heap, e)
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.less(i, up) {
			break
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

func (q *events) pop() event {
	e := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap[last] = event{}
	q.heap = q.heap[:last]
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < last && q.less(c, least) {
				least = c
			}
		}
		if least == i {
			return e
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}

// At runs f at the time at (ns), or as the next event if that time is past.
func (n *Net) At(at int64, f func(now int64)) {
	n.queue.push(event{at: max(at, n.now), run: f})
}

// Every runs f after each period from now on, until stop is called. It panics if period is not
// positive.
func (n *Net) Every(period time.Duration, f func(now int64)) (stop func()) {
	if period <= 0 {
		panic("netsim: period must be positive")
	}
	stopped := false
	var run func(now int64)
	run = func(now int64) {
		if stopped {
			return
		}
		n.At(now+int64(period), run)
		f(now)
	}
	n.At(n.now+int64(period), run)
	return func() { stopped = true }
}

// Step moves the clock to the next event and runs it. Without an event it returns false and leaves
// the clock unchanged.
func (n *Net) Step() bool {
	if len(n.queue.heap) == 0 {
		return false
	}
	e := n.queue.pop()
	n.now = e.at
	if e.run != nil {
		e.run(n.now)
	} else {
		n.deliver(&e)
	}
	return true
}

// Run runs all events up to and including the time until (ns), and leaves the clock at that time.
func (n *Net) Run(until int64) {
	for len(n.queue.heap) > 0 && n.queue.heap[0].at <= until {
		n.Step()
	}
	n.now = max(n.now, until)
}

// RunFor runs all events of the next span.
func (n *Net) RunFor(span time.Duration) { n.Run(n.now + int64(span)) }

// RunUntil runs events until ok returns true, but at most for limit. It calls ok every 10 ms, and
// returns the last result.
func (n *Net) RunUntil(limit time.Duration, ok func() bool) bool {
	for end := n.now + int64(limit); n.now < end; n.RunFor(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// Drive connects an endpoint to a server that reads no input by itself. feed gets each datagram
// when it arrives, and advance runs after each arrival and every 5 ms.
func (n *Net) Drive(endpoint *mem.Conn, feed func(d transport.Datagram), advance func(now int64)) {
	batch := make([]transport.Datagram, 16)
	n.OnArrival(endpoint.LocalAddr(), func(int64) {
		for {
			k, err := endpoint.ReadBatch(batch, 0)
			if err != nil || k == 0 {
				break
			}
			for _, d := range batch[:k] {
				feed(d)
			}
		}
		advance(n.now)
	})
	n.Every(5*time.Millisecond, advance)
}
