package conn

// unackedChunk is a vital chunk that the peer has not acked.
type unackedChunk struct {
	seq, size          int
	queuedAt, lastSent Time
	sends              int // number of times it was sent
	offset             int // offset of the data in the ring, before masking
}

// resendBuffer holds the unacked chunks, oldest first. resendBuffer consists of two rings whose
// lengths are powers of two. The rings grow on demand, the one for data up to maxUsed.
type resendBuffer struct {
	maxUsed int
	used    int // size and ResendOverhead of all chunks, in bytes
	chunks  []unackedChunk
	head    int // index of the oldest chunk
	len     int // number of chunks
	ring    []byte
	tail    int // offset of the next data, before masking
}

// maxIdleRing is the largest data ring, in bytes, that a connection keeps when it ends.
const maxIdleRing = 8192

func (b *resendBuffer) reset() {
	b.used, b.head, b.len, b.tail = 0, 0, 0, 0
	if len(b.ring) > maxIdleRing {
		b.ring = nil
	}
}

func (b *resendBuffer) isEmpty() bool { return b.len == 0 }

// at returns the i-th oldest chunk.
func (b *resendBuffer) at(i int) *unackedChunk {
	return &b.chunks[(b.head+i)&(len(b.chunks)-1)]
}

func (b *resendBuffer) first() *unackedChunk { return b.at(0) }

// data returns the data of a chunk. The second part is the data after the wrap at the ring's end.
func (b *resendBuffer) data(c *unackedChunk) (data, moreData []byte) {
	if c.size == 0 {
		return nil, nil
	}
	data = b.ring[c.offset&(len(b.ring)-1):]
	if c.size <= len(data) {
		return data[:c.size], nil
	}
	return data, b.ring[:c.size-len(data)]
}

func (b *resendBuffer) removeFirst() {
	b.used -= b.first().size + ResendOverhead
	b.head = (b.head + 1) & (len(b.chunks) - 1)
	b.len--
}

// add adds a chunk, or returns false if the chunk does not fit.
func (b *resendBuffer) add(now Time, seq int, data []byte) bool {
	if b.len == MaxUnacked || b.used+len(data)+ResendOverhead > b.maxUsed {
		return false
	}
	if b.len == len(b.chunks) {
		chunks := make([]unackedChunk, max(8, 2*len(b.chunks)))
		for i := range b.len {
			chunks[i] = *b.at(i)
		}
		b.chunks, b.head = chunks, 0
	}
	if size := b.used - b.len*ResendOverhead + len(data); size > len(b.ring) {
		b.growRing(size)
	}
	*b.at(b.len) = unackedChunk{seq: seq, size: len(data), offset: b.tail, queuedAt: now}
	b.len++
	b.used += len(data) + ResendOverhead
	if len(data) > 0 {
		n := copy(b.ring[b.tail&(len(b.ring)-1):], data)
		copy(b.ring, data[n:])
		b.tail += len(data)
	}
	return true
}

func (b *resendBuffer) growRing(minSize int) {
	size := max(512, 2*len(b.ring))
	for size < minSize {
		size *= 2
	}
	ring := make([]byte, 0, size)
	for i := range b.len {
		c := b.at(i)
		data, moreData := b.data(c)
		c.offset = len(ring)
		ring = append(append(ring, data...), moreData...)
	}
	b.tail = len(ring)
	b.ring = ring[:size]
}
