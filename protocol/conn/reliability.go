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

	ackTimeout  = 10 * time.Second // a chunk that is unacked for longer ends the connection
	resendAfter = time.Second      // unacked chunks are resent without a request

	// After everything was resent, further requests are delayed for this time,
	// or for the shorter one if something was acked since.
	resendPause      = 100 * time.Millisecond
	shortResendPause = 20 * time.Millisecond
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

	sentSeq int // of the last vital chunk sent
	recvSeq int // of the last vital chunk received in order; sent as ack
	peerAck int // last ack received

	// The packet under construction.
	flags      packet.Flags
	numChunks  int
	payload    []byte // a slice of buffer
	maxPayload int
	buffer     [packet.MaxPayload + packet.TokenTrailerSize]byte

	peerSeqUnknown bool // the next vital chunk received is taken for the next one

	unacked  resendBuffer
	lastSend Time

	resendDelayed    bool // a request to resend waits for the pause to end
	ackedSinceResend bool
	hasResent        bool // lastResend is set
	lastResend       Time
}

func (r *reliability) init(writer packetWriter, resendBufferSize int) {
	r.writer = writer
	r.unacked.maxUsed = resendBufferSize
}

func (r *reliability) reset() {
	r.sentSeq, r.recvSeq, r.peerAck = 0, 0, 0
	r.flags, r.numChunks, r.payload = 0, 0, r.buffer[:0]
	r.peerSeqUnknown = false
	r.unacked.reset()
	r.resendDelayed, r.ackedSinceResend, r.hasResent = false, false, false
	r.lastSend = 0
}

// isBehind reports whether seq is ack or one of the 512 numbers before it.
func isBehind(seq, ack int) bool {
	return (ack-seq)&packet.SeqMask <= seqWindow
}

// isPossibleAck reports whether the peer can send this ack: one from its last ack to
// the last sequence number sent.
func (r *reliability) isPossibleAck(ack int) bool {
	return (ack-r.peerAck)&packet.SeqMask <= (r.sentSeq-r.peerAck)&packet.SeqMask
}

// handleAck drops the unacked chunks that a possible ack covers.
func (r *reliability) handleAck(ack int) {
	r.peerAck = ack
	for !r.unacked.isEmpty() && isBehind(r.unacked.first().seq, ack) {
		r.unacked.removeFirst()
		r.ackedSinceResend = true
		r.resendDelayed = false
	}
}

// acceptSeq reports whether a received vital chunk is the next one, and then counts
// it as received. If chunks before it are missing it asks the peer for a resend.
func (r *reliability) acceptSeq(seq int) bool {
	if seq == (r.recvSeq+1)&packet.SeqMask || r.peerSeqUnknown {
		r.recvSeq, r.peerSeqUnknown = seq, false
		return true
	}
	if !isBehind(seq, r.recvSeq) {
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
	seq := (r.sentSeq + 1) & packet.SeqMask
	if !r.unacked.add(now, seq, data) {
		return false
	}
	r.sentSeq = seq
	r.appendChunk(now, packet.ChunkVital, seq, data, nil)
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
	flags, numChunks, payload := r.flags, r.numChunks, r.payload
	r.flags, r.numChunks, r.payload = 0, 0, r.buffer[:0]
	r.writer.sendPacket(flags, r.recvSeq, numChunks, payload)
}

// handleResendRequest resends all unacked chunks, now or when the pause is over.
func (r *reliability) handleResendRequest(now Time) {
	pause := resendPause
	if r.ackedSinceResend {
		pause = shortResendPause
	}
	if r.hasResent && now.Sub(r.lastResend) < pause {
		r.resendDelayed = true
		return
	}
	r.hasResent, r.lastResend = true, now
	r.resendDelayed, r.ackedSinceResend = false, false
	for i := range r.unacked.len {
		r.resendChunk(now, i)
	}
}

func (r *reliability) resendChunk(now Time, i int) {
	c := r.unacked.at(i)
	c.lastSent = now
	data, moreData := r.unacked.data(c)
	r.appendChunk(now, packet.ChunkVital|packet.ChunkResent, c.seq, data, moreData)
}

// update resends what is due. It returns false if the peer has not acked a chunk for
// too long.
func (r *reliability) update(now Time) bool {
	if r.unacked.isEmpty() {
		return true
	}
	switch {
	case now.Sub(r.unacked.first().firstSent) > ackTimeout:
		return false
	case r.resendDelayed:
		r.handleResendRequest(now)
	default:
		r.resendOld(now)
	}
	return true
}

// resendOld resends chunks that were last sent more than resendAfter ago, up to a
// packet full of them. The original resends only the oldest one each second, so a
// peer that misses the last twelve chunks, and cannot notice it, times out.
func (r *reliability) resendOld(now Time) {
	size := 0
	for i := range r.unacked.len {
		c := r.unacked.at(i)
		if now.Sub(c.lastSent) <= resendAfter {
			continue
		}
		size += c.size + packet.MaxChunkHeader
		if size > r.maxPayload {
			return
		}
		r.resendChunk(now, i)
	}
}
