package conn

import (
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

const (
	// DefaultResendBuffer is the original's size in bytes.
	DefaultResendBuffer = 32768
	// ResendOverhead is what a vital chunk takes of the resend buffer beyond its
	// size, in bytes.
	ResendOverhead = 64
	// MaxUnacked is how many vital chunks can wait for an ack. With more of
	// them the peer could take a new sequence number for an old one.
	MaxUnacked = backRoom - 1

	// backRoom is half of the sequence space: numbers up to this far behind
	// the last one received are old, the others are ahead.
	backRoom = packet.SeqSpace / 2

	notAcked    = 10 * time.Second // unacked for longer: give up
	resendAfter = time.Second      // unacked chunks are sent again

	// A request to resend everything is not obeyed again within the first
	// span, or the second while acks progress, but put off.
	resendPause        = 100 * time.Millisecond
	resendPauseOnAcked = 20 * time.Millisecond
)

// framer is what a protocol version adds to the core.
type framer interface {
	appendChunkHeader(dst []byte, flags packet.ChunkFlags, seq, size int) []byte
	sendPacket(flags packet.Flags, ack, chunks int, payload []byte)
}

// core is what makes a stream of datagrams reliable, whatever their headers look
// like: sequence numbers, acks, resends, and the packet under construction.
type core struct {
	framer framer

	seq     int // of the last vital chunk sent
	ack     int // of the last vital chunk received in order
	peerAck int // last ack received

	flags   packet.Flags // of the packet under construction
	chunks  int
	payload []byte // up to limit bytes of build
	limit   int    // of the version
	build   [packet.MaxPayload + packet.TokenTrailerSize]byte

	unknown bool // the peer's sequence is unknown until the next vital chunk

	unacked  resendBuffer
	lastSend Time

	wantsResend bool // a request waits for the pause to end
	progressed  bool // something was acked since lastResend
	resentAll   bool // lastResend is set
	lastResend  Time
}

func (k *core) init(f framer, limit int) {
	k.framer = f
	k.unacked.limit = limit
}

func (k *core) reset() {
	k.seq, k.ack, k.peerAck = 0, 0, 0
	k.flags, k.chunks, k.payload = 0, 0, k.build[:0]
	k.unknown = false
	k.unacked.reset()
	k.wantsResend, k.progressed, k.resentAll = false, false, false
	k.lastSend = 0
}

// behind reports whether seq is ack or one of the 512 numbers before it.
func behind(seq, ack int) bool {
	return (ack-seq)&packet.SeqMask <= backRoom
}

// possibleAck reports whether a peer can send this ack: one from the last it sent
// to the last sequence number used.
func (k *core) possibleAck(ack int) bool {
	return (ack-k.peerAck)&packet.SeqMask <= (k.seq-k.peerAck)&packet.SeqMask
}

// acked forgets the chunks that a possible ack covers.
func (k *core) acked(ack int) {
	k.peerAck = ack
	for !k.unacked.empty() && behind(k.unacked.first().seq, ack) {
		k.unacked.pop()
		k.progressed = true
		k.wantsResend = false
	}
}

// inOrder reports whether a received vital chunk is the next one, and if so takes
// its number. It asks the peer for a resend when chunks before it are missing.
func (k *core) inOrder(seq int) bool {
	if seq == (k.ack+1)&packet.SeqMask || k.unknown {
		k.ack, k.unknown = seq, false
		return true
	}
	if !behind(seq, k.ack) {
		k.flags |= packet.FlagResend
	}
	return false
}

// queue adds a chunk to the packet under construction. It returns false, and
// changes nothing, if a vital chunk finds no room in the resend buffer.
func (k *core) queue(now Time, data []byte, vital bool) bool {
	if !vital {
		k.put(now, 0, 0, data, nil)
		return true
	}
	seq := (k.seq + 1) & packet.SeqMask
	if !k.unacked.push(now, seq, data) {
		return false
	}
	k.seq = seq
	k.put(now, packet.ChunkVital, seq, data, nil)
	return true
}

// put writes a chunk, in two parts, after sending the packet if it does not fit it.
func (k *core) put(now Time, flags packet.ChunkFlags, seq int, a, b []byte) {
	size := len(a) + len(b)
	if len(k.payload)+size+packet.MaxChunkHeader > k.limit || k.chunks == packet.MaxChunks {
		k.flush(now)
	}
	k.payload = k.framer.appendChunkHeader(k.payload, flags, seq, size)
	k.payload = append(append(k.payload, a...), b...)
	k.chunks++
}

// flush sends the packet under construction unless it is empty.
func (k *core) flush(now Time) {
	if k.chunks == 0 && k.flags == 0 {
		return
	}
	k.lastSend = now
	flags, chunks, payload := k.flags, k.chunks, k.payload
	k.flags, k.chunks, k.payload = 0, 0, k.build[:0]
	k.framer.sendPacket(flags, k.ack, chunks, payload)
}

// resendRequested queues all unacked chunks again, now or when the pause is over.
func (k *core) resendRequested(now Time) {
	pause := resendPause
	if k.progressed {
		pause = resendPauseOnAcked
	}
	if k.resentAll && now.Sub(k.lastResend) < pause {
		k.wantsResend = true
		return
	}
	k.resentAll, k.lastResend = true, now
	k.wantsResend, k.progressed = false, false
	for i := range k.unacked.n {
		k.resend(now, i)
	}
}

func (k *core) resend(now Time, i int) {
	e := k.unacked.at(i)
	e.last = now
	a, b := k.unacked.data(e)
	k.put(now, packet.ChunkVital|packet.ChunkResent, e.seq, a, b)
}

// update resends what is due. It returns false if the peer has not acked a chunk
// for too long.
func (k *core) update(now Time) bool {
	if k.unacked.empty() {
		return true
	}
	switch {
	case now.Sub(k.unacked.first().sent) > notAcked:
		return false
	case k.wantsResend:
		k.resendRequested(now)
	default:
		k.resendOld(now)
	}
	return true
}

// resendOld queues the chunks again that were last sent too long ago, up to a
// packet full of them. The original takes only the oldest, one a second: a peer that
// misses the last twelve chunks, and so cannot notice, is lost.
func (k *core) resendOld(now Time) {
	size := 0
	for i := range k.unacked.n {
		e := k.unacked.at(i)
		if now.Sub(e.last) <= resendAfter {
			continue
		}
		size += e.size + packet.MaxChunkHeader
		if size > k.limit {
			return
		}
		k.resend(now, i)
	}
}
