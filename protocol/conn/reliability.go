package conn

import (
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

const (
	// DefaultResendBuffer is the original's size in bytes.
	DefaultResendBuffer = 32768
	// ResendOverhead is what a vital chunk takes of the resend buffer in addition
	// to its size, in bytes.
	ResendOverhead = 64
	// MaxUnacked is how many vital chunks can wait for an ack. With more of them
	// the peer could mistake a new sequence number for an old one.
	MaxUnacked = seqWindow - 1

	// seqWindow is half of the sequence space: numbers up to this far behind the
	// last one received are old, the others are ahead.
	seqWindow = packet.SeqSpace / 2

	// A resend is requested again for the same gap after the first of these times, or
	// after the second if what comes was resent before.
	askInterval       = 100 * time.Millisecond
	askIntervalResent = 20 * time.Millisecond
)

// packetWriter writes chunk headers and packets in the format of a protocol version.
type packetWriter interface {
	appendChunkHeader(dst []byte, flags packet.ChunkFlags, seq, size int) []byte
	sendPacket(flags packet.Flags, ack, numChunks int, payload []byte)
}

// reliability makes a stream of datagrams reliable: it numbers vital chunks, handles
// acks and resends, and collects chunks into packets. All protocol versions use it.
type reliability struct {
	writer packetWriter

	queuedSeq int // of the last vital chunk queued
	packedSeq int // of the last vital chunk that is in a packet
	sentSeq   int // of the last vital chunk sent
	recvSeq   int // of the last vital chunk received in order; sent as ack
	peerAck   int // last ack received

	// The packet under construction.
	flags      packet.Flags
	numChunks  int
	payload    []byte // a slice of buffer
	maxPayload int
	buffer     [packet.MaxPayload + packet.TokenTrailerSize]byte

	peerSeqUnknown bool // the next vital chunk received is taken for the next one

	unacked  resendBuffer
	flight   flight
	lastSend Time
	lastAck  Time // when chunks were acked last

	// The last request to resend.
	asked   bool
	askedAt Time
	askedAs int // recvSeq then
}

func (r *reliability) init(writer packetWriter, resendBufferSize int) {
	r.writer = writer
	r.unacked.maxUsed = resendBufferSize
}

func (r *reliability) reset() {
	r.startAt(0)
	r.recvSeq, r.peerAck = 0, 0
	r.flags, r.numChunks, r.payload = 0, 0, r.buffer[:0]
	r.peerSeqUnknown = false
	r.unacked.reset()
	r.flight = flight{window: maxWindow}
	r.lastSend, r.lastAck = 0, 0
	r.asked = false
}

// startAt makes seq the number of the last vital chunk sent.
func (r *reliability) startAt(seq int) { r.queuedSeq, r.packedSeq, r.sentSeq = seq, seq, seq }

// isBehind reports whether seq is ack or one of the 512 numbers before it.
func isBehind(seq, ack int) bool {
	return (ack-seq)&packet.SeqMask <= seqWindow
}

// isPossibleAck reports whether the peer can send this ack: one from its last ack to
// the last sequence number sent.
func (r *reliability) isPossibleAck(ack int) bool {
	return (ack-r.peerAck)&packet.SeqMask <= (r.sentSeq-r.peerAck)&packet.SeqMask
}

// handleAck drops the unacked chunks that a possible ack covers, and sends those that
// waited for that. It reports whether this is the first progress since chunks were sent
// again.
func (r *reliability) handleAck(now Time, ack int) (first bool) {
	r.peerAck = ack
	acked, once, rtt := 0, false, time.Duration(0)
	for !r.unacked.isEmpty() && isBehind(r.unacked.first().seq, ack) {
		c := r.unacked.first()
		acked += c.cost()
		once, rtt = c.sends == 1, now.Sub(c.lastSent)
		r.flight.remove(c)
		r.unacked.removeFirst()
	}
	if acked == 0 {
		return false
	}
	r.lastAck = now
	first = r.flight.retries > 0
	r.flight.acked(acked, rtt, once)
	if r.unacked.isEmpty() {
		r.flight.idle(now)
	}
	if r.hasBacklog() {
		r.sendBacklog(now)
		r.flush(now)
	}
	return first
}

// acceptSeq reports whether a received vital chunk is the next one, and then counts
// it as received. If chunks before it are missing it asks the peer for a resend: once,
// and again if the request or what was resent seems to be lost. The original asks with
// each packet that it sends meanwhile, and gets everything as often as that.
func (r *reliability) acceptSeq(now Time, seq int, resent bool) bool {
	if seq == (r.recvSeq+1)&packet.SeqMask || r.peerSeqUnknown {
		r.recvSeq, r.peerSeqUnknown = seq, false
		return true
	}
	if isBehind(seq, r.recvSeq) {
		return false
	}
	pause := askInterval
	if resent {
		pause = askIntervalResent
	}
	if !r.asked || r.askedAs != r.recvSeq || now.Sub(r.askedAt) >= pause {
		r.asked, r.askedAs, r.askedAt = true, r.recvSeq, now
		r.flags |= packet.FlagResend
	}
	return false
}

// queueChunk adds a chunk to the packet under construction. It returns false, and
// changes nothing, if a vital chunk does not fit the resend buffer.
func (r *reliability) queueChunk(now Time, data []byte, vital bool) bool {
	if !vital {
		r.appendChunk(now, 0, 0, data, nil)
		return true
	}
	seq := (r.queuedSeq + 1) & packet.SeqMask
	if !r.unacked.add(now, seq, data) {
		return false
	}
	r.queuedSeq = seq
	r.sendBacklog(now)
	return true
}

// appendChunk adds a chunk, whose data is in two parts, to the packet under
// construction. If the chunk does not fit, it sends the packet first.
func (r *reliability) appendChunk(now Time, flags packet.ChunkFlags, seq int, data, moreData []byte) {
	size := len(data) + len(moreData)
	if len(r.payload)+size+packet.MaxChunkHeader > r.maxPayload || r.numChunks == packet.MaxChunks {
		r.flush(now)
	}
	r.payload = r.writer.appendChunkHeader(r.payload, flags, seq, size)
	r.payload = append(append(r.payload, data...), moreData...)
	r.numChunks++
}

// flush sends the packet under construction unless it is empty.
func (r *reliability) flush(now Time) {
	if r.numChunks == 0 && r.flags == 0 {
		return
	}
	r.lastSend = now
	r.sentSeq = r.packedSeq
	flags, numChunks, payload := r.flags, r.numChunks, r.payload
	r.flags, r.numChunks, r.payload = 0, 0, r.buffer[:0]
	r.writer.sendPacket(flags, r.recvSeq, numChunks, payload)
}

// hasBacklog reports whether chunks wait for acks before they are sent, or sent again.
func (r *reliability) hasBacklog() bool { return r.flight.chunks < r.unacked.len }

// sendBacklog sends the chunks that wait, as far as the window allows.
func (r *reliability) sendBacklog(now Time) {
	for r.hasBacklog() {
		c := r.unacked.at(r.flight.chunks)
		if !r.flight.add(now, c) {
			return
		}
		flags := packet.ChunkVital
		if c.sends > 0 {
			flags |= packet.ChunkResent
		}
		data, moreData := r.unacked.data(c)
		r.appendChunk(now, flags, c.seq, data, moreData)
		if c.sends == 0 {
			r.packedSeq = c.seq
		}
		c.sends++
		c.lastSent = now
	}
}

// handleResendRequest sends the unacked chunks again, unless the request may be older
// than the last time they were sent.
func (r *reliability) handleResendRequest(now Time) {
	if r.flight.chunks == 0 {
		return
	}
	if c := r.unacked.first(); now.Sub(c.lastSent) >= r.flight.minResendAge(c) {
		r.goBack(now, burstAfterRequest)
	}
}

// goBack sends the unacked chunks again, oldest first: a peer that misses one has
// dropped those after it.
func (r *reliability) goBack(now Time, burstLimit int) {
	r.flight.lost(now, burstLimit)
	r.sendBacklog(now)
	r.flush(now)
}

// update sends what waits, and resends what the peer should have acked by now. The peer
// cannot ask for the last chunks, and its request can be lost. update returns false if the
// peer has not acked anything for longer than a timeout.
func (r *reliability) update(now Time, timeout time.Duration) bool {
	if r.unacked.isEmpty() {
		return true
	}
	c := r.unacked.first()
	switch {
	case now.Sub(max(c.queuedAt, r.lastAck)) > timeout:
		return false
	case r.flight.chunks > 0 && now.Sub(c.lastSent) > r.flight.timeout():
		r.goBack(now, burstAfterTimeout)
	case r.hasBacklog():
		r.sendBacklog(now)
		r.flush(now)
	}
	return true
}
