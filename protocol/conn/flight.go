package conn

import (
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// flight describes the vital chunks on their way to the peer, and limits them. A receiver drops all
// chunks after a gap. If one datagram is lost or overtaken, everything in flight has to be resent.
//
// The window keeps the resent data below a share of the delivered data. The window is spread over
// the round trip, because datagrams sent with pauses are rarely overtaken. Before the first loss,
// there is no limit.
type flight struct {
	chunks int // number of chunks in flight; they are the oldest unacked ones
	size   int // their total cost
	window int // maximum of size, see minWindow

	burst      int // cost of the chunks sent since burstAt
	burstAt    Time
	burstLimit int // maximum cost per BurstInterval; 0 before the first loss

	rate     int  // maximum bytes per second, 0 for no limit
	rateFrom Time // time at which the rate allows the next chunk

	retries uint // number of resends of everything since the last ack
	lostAt  Time // time of the last resend

	promptAcks   bool // see Conn.ExpectAcks
	hasRTT       bool
	rtt, rttVary time.Duration // smoothed round trip time, and its mean deviation
	leastRTT     time.Duration
}

// Limits, in the unit of unackedChunk.cost. A loss takes the wasted data from the window, and an
// ack adds a share of the delivered data. With these values, the download of a map takes less than
// one and a half times its size. That holds on networks that lose 5 % of the datagrams or deliver
// 20 % of them late. See TestDownloadOverBadNetworks in package server.
const (
	minWindow  = 5 * packet.MaxPayload
	lossWindow = 16 * packet.MaxPayload // window left after a single loss
	maxWindow  = MaxUnacked * packet.MaxPayload
	ackShare   = 6

	// Cost allowed per BurstInterval after a loss, unless pace allows more. A peer that requests a
	// resend has received later chunks and may still receive the missing one, so resent packets
	// should keep a distance.
	burstAfterRequest = packet.MaxPayload
	burstAfterTimeout = 2 * packet.MaxPayload
)

const (
	// lossMemory is the time for which losses limit a connection that has nothing to send.
	lossMemory = 10 * time.Second

	// ackDelay is the time that a peer with prompt acks may take in addition to the round trip. A
	// client handles datagrams once per frame.
	ackDelay         = 50 * time.Millisecond
	resendTimeout    = time.Second // for other peers, as in the original
	maxResendTimeout = 2 * time.Second
	unknownRTT       = 100 * time.Millisecond
	minRTT           = 20 * time.Millisecond
)

// rateSlack is the time for which unused rate accumulates, because callers' timers are that coarse.
// rateOverhead is the number of bytes that a chunk takes besides its data: the headers of the chunk
// and of a packet.
const (
	rateSlack    = 20 * time.Millisecond
	rateOverhead = 16
)

// BurstInterval is the interval at which a connection with losses sends a packet or a few.
const BurstInterval = 5 * time.Millisecond

// pace returns the cost per BurstInterval that spreads a window evenly over the round trip.
func (f *flight) pace(window int) int {
	rtt := unknownRTT
	if f.hasRTT {
		rtt = max(f.rtt, BurstInterval)
	}
	return int(int64(window) * int64(BurstInterval) / int64(rtt))
}

// cost returns the share of the window that a chunk takes, in bytes. A chunk over half a packet
// counts as a whole packet.
func (c *unackedChunk) cost() int {
	if size := c.size + packet.MaxChunkHeader; size <= packet.MaxPayload/2 {
		return size
	}
	return packet.MaxPayload
}

// add adds the next chunk if it may be sent now, and reports whether it did.
func (f *flight) add(now Time, c *unackedChunk) bool {
	if now.Sub(f.burstAt) >= BurstInterval {
		f.burstAt, f.burst = now, 0
	}
	cost := c.cost()
	window := max(f.window, minWindow)
	if f.retries > 1 {
		window = packet.MaxPayload
	}
	switch {
	case f.rate > 0 && now < f.rateFrom:
		return false
	case f.chunks > 0 && f.size+cost > window:
		return false
	case f.burst > 0 && f.burstLimit > 0 && f.burst+cost > max(f.burstLimit, f.pace(window)):
		return false
	}
	f.chunks++
	f.size += cost
	f.burst += cost
	if f.rate > 0 {
		took := time.Duration(c.size+rateOverhead) * time.Second / time.Duration(f.rate)
		f.rateFrom = max(f.rateFrom, now.Add(-rateSlack)).Add(took)
	}
	return true
}

// remove removes the oldest unacked chunk. A chunk that waits to be resent is not in flight.
func (f *flight) remove(c *unackedChunk) {
	if f.chunks > 0 {
		f.chunks--
		f.size -= c.cost()
	}
}

// acked handles the ack of chunks with a total cost. rtt is the time since the newest of them was
// last sent, and once means that it was sent only once. Otherwise the ack may belong to an earlier
// sending, so the round trip can be longer than rtt.
func (f *flight) acked(cost int, rtt time.Duration, once bool) {
	f.retries = 0
	f.window = min(f.window+cost/ackShare, maxWindow)
	switch {
	case !f.hasRTT:
		f.hasRTT, f.rtt, f.rttVary, f.leastRTT = true, rtt, rtt/2, rtt
	case once || rtt > f.rtt:
		f.rttVary += ((rtt - f.rtt).Abs() - f.rttVary) / 4
		f.rtt += (rtt - f.rtt) / 8
		f.leastRTT = min(f.leastRTT, rtt)
	}
}

// idle handles the state in which all chunks are acked.
func (f *flight) idle(now Time) {
	f.promptAcks = false
	if f.burstLimit > 0 && now.Sub(f.lostAt) > lossMemory {
		f.window, f.burstLimit = maxWindow, 0
	}
}

// lost ends the flight: all of it has to be resent, with at most burstLimit per BurstInterval.
func (f *flight) lost(now Time, burstLimit int) {
	f.window = max(0, min(f.window-f.size, max(f.size/2, lossWindow)))
	if f.retries > 0 { // the last resend did not arrive at all
		f.window = 0
	}
	f.chunks, f.size = 0, 0
	f.burst, f.burstAt, f.burstLimit = 0, now, burstLimit
	if burstLimit == burstAfterTimeout { // the timeout was perhaps too short
		f.rttVary = min(f.rttVary+f.rtt/8, resendTimeout)
	}
	f.retries++
	f.lostAt = now
}

// minResendAge returns how long ago c must have been sent last. A resend request that arrives
// sooner refers to an earlier sending.
func (f *flight) minResendAge(c *unackedChunk) time.Duration {
	age := unknownRTT
	switch {
	case f.hasRTT:
		age = max(f.leastRTT, minRTT)
	case c.sends == 1:
		return 0
	}
	return min(age<<min(f.retries, 8), resendTimeout)
}

// timeout returns the time after which a chunk without an ack is resent.
func (f *flight) timeout() time.Duration {
	if !f.promptAcks || !f.hasRTT {
		return resendTimeout
	}
	t := f.rtt + 4*f.rttVary + ackDelay
	return min(t<<min(f.retries, 8), max(t, resendTimeout), maxResendTimeout)
}
