package conn

import (
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

const (
	// DefaultResendBuffer is the size of the original's resend buffer in bytes.
	DefaultResendBuffer = 32768
	// ResendOverhead is the space that a vital chunk takes in the resend buffer besides its data,
	// in bytes.
	ResendOverhead = 64
	// MaxUnacked is the maximum number of vital chunks that wait for an ack. With more, the peer
	// could mistake a new sequence number for an old one.
	MaxUnacked = seqWindow - 1

	// seqWindow is half of the sequence space. Numbers up to this far behind the last one received
	// are old; all others are new.
	seqWindow = packet.SeqSpace / 2

	// A resend is requested again for the same gap after askInterval. If the received chunks are
	// already resent ones, askIntervalResent applies.
	askInterval       = 100 * time.Millisecond
	askIntervalResent = 20 * time.Millisecond
)

// packetWriter writes chunk headers and packets in the format of a protocol version.
type packetWriter interface {
	appendChunkHeader(dst []byte, flags packet.ChunkFlags, seq, size int) []byte
	sendPacket(flags packet.Flags, ack, numChunks int, payload []byte)
}

// reliability makes a stream of datagrams reliable. reliability numbers vital chunks, handles acks
// and resends, and collects chunks into packets. Both protocol versions use it.
type reliability struct {
	writer packetWriter

	queuedSeq int // number of the last vital chunk queued
	packedSeq int // number of the last vital chunk put into a packet
	sentSeq   int // number of the last vital chunk sent
	recvSeq   int // number of the last vital chunk received in order; sent as ack
	peerAck   int // last ack received

	// The packet under construction.
	flags      packet.Flags
	numChunks  int
	payload    []byte // a slice of buffer
	maxPayload int
	buffer     [packet.MaxPayload + packet.TokenTrailerSize]byte

	peerSeqUnknown bool // accept the next vital chunk whatever its number

	unacked  resendBuffer
	flight   flight
	lastSend Time
	lastAck  Time // time of the last ack of a chunk

	// The last resend request.
	asked   bool
	askedAt Time
	askedAs int // value of recvSeq at that time
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

// startAt sets the number of the last vital chunk sent.
func (r *reliability) startAt(seq int) { r.queuedSeq, r.packedSeq, r.sentSeq = seq, seq, seq }

// isBehind reports whether seq is ack or one of the 512 numbers before it.
func isBehind(seq, ack int) bool {
	return (ack-seq)&packet.SeqMask <= seqWindow
}

// isPossibleAck reports whether the peer can send this ack. Possible acks range from its last ack
// to the last sequence number sent.
func (r *reliability) isPossibleAck(ack int) bool {
	return (ack-r.peerAck)&packet.SeqMask <= (r.sentSeq-r.peerAck)&packet.SeqMask
}

// handleAck drops the unacked chunks that a possible ack covers, and sends chunks that waited for
// it. handleAck reports whether this is the first progress since chunks were resent.
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

// acceptSeq reports whether a received vital chunk is the next one, and then counts it as received.
// If chunks before it are missing, acceptSeq requests a resend: once, and again only if the request
// or the resent chunks seem to be lost. The original repeats the request in every packet, and
// therefore receives all chunks that many times.
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

// queueChunk adds a chunk to the packet under construction. If a vital chunk does not fit the
// resend buffer, queueChunk changes nothing and returns false.
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

// appendChunk adds a chunk, whose data is in two parts, to the packet under construction. If the
// chunk does not fit, appendChunk first sends the packet.
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

// hasBacklog reports whether chunks wait for acks before they are sent or resent.
func (r *reliability) hasBacklog() bool { return r.flight.chunks < r.unacked.len }

// sendBacklog sends waiting chunks, as many as the window allows.
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

// handleResendRequest resends the unacked chunks, unless the peer may have sent the request before
// it could receive the last resend.
func (r *reliability) handleResendRequest(now Time) {
	if r.flight.chunks == 0 {
		return
	}
	if c := r.unacked.first(); now.Sub(c.lastSent) >= r.flight.minResendAge(c) {
		r.goBack(now, burstAfterRequest)
	}
}

// goBack resends all unacked chunks, oldest first: after a missing chunk, the peer has dropped all
// later ones.
func (r *reliability) goBack(now Time, burstLimit int) {
	r.flight.lost(now, burstLimit)
	r.sendBacklog(now)
	r.flush(now)
}

// update sends waiting chunks, and resends chunks whose ack is overdue. A peer does not notice that
// the last chunks are missing, and its resend request can be lost. update returns false if the peer
// has not acked any chunk for longer than timeout.
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
