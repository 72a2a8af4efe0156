package conn

// entry is a vital chunk that the peer has not acked.
type entry struct {
	seq, size  int
	sent, last Time // first and last sent
	off        int  // where its data begins in the ring, before masking
}

// resendBuffer holds the unacked chunks, oldest first, in two rings whose lengths
// are powers of two. They grow with use, the data one up to limit.
type resendBuffer struct {
	limit   int // of used
	used    int // cost of all entries: data and ResendOverhead each
	entries []entry
	head, n int
	ring    []byte
	tail    int // where the next data goes, before masking
}

// keepRing is how much storage for data a connection keeps when it ends, in bytes.
const keepRing = 8192

func (r *resendBuffer) reset() {
	r.used, r.head, r.n, r.tail = 0, 0, 0, 0
	if len(r.ring) > keepRing {
		r.ring = nil
	}
}

func (r *resendBuffer) empty() bool { return r.n == 0 }

func (r *resendBuffer) at(i int) *entry {
	return &r.entries[(r.head+i)&(len(r.entries)-1)]
}

func (r *resendBuffer) first() *entry { return r.at(0) }

// data returns the data of e; the second part is what lies beyond the ring's end.
func (r *resendBuffer) data(e *entry) (a, b []byte) {
	if e.size == 0 {
		return nil, nil
	}
	begin := e.off & (len(r.ring) - 1)
	a = r.ring[begin:]
	if e.size <= len(a) {
		return a[:e.size], nil
	}
	return a, r.ring[:e.size-len(a)]
}

func (r *resendBuffer) pop() {
	r.used -= r.first().size + ResendOverhead
	r.head = (r.head + 1) & (len(r.entries) - 1)
	r.n--
}

// push adds a chunk, or returns false if it does not fit.
func (r *resendBuffer) push(now Time, seq int, data []byte) bool {
	if r.n == MaxUnacked || r.used+len(data)+ResendOverhead > r.limit {
		return false
	}
	if r.n == len(r.entries) {
		next := make([]entry, max(8, 2*len(r.entries)))
		for i := range r.n {
			next[i] = *r.at(i)
		}
		r.entries, r.head = next, 0
	}
	if held := r.used - r.n*ResendOverhead; held+len(data) > len(r.ring) {
		r.grow(held + len(data))
	}
	*r.at(r.n) = entry{seq: seq, size: len(data), off: r.tail, sent: now, last: now}
	r.n++
	r.used += len(data) + ResendOverhead
	if len(data) > 0 {
		fit := copy(r.ring[r.tail&(len(r.ring)-1):], data)
		copy(r.ring, data[fit:])
		r.tail += len(data)
	}
	return true
}

func (r *resendBuffer) grow(need int) {
	size := max(512, 2*len(r.ring))
	for size < need {
		size *= 2
	}
	next := make([]byte, 0, size)
	for i := range r.n {
		e := r.at(i)
		a, b := r.data(e)
		e.off = len(next)
		next = append(append(next, a...), b...)
	}
	r.tail = len(next)
	r.ring = next[:size]
}
