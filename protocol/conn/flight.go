package conn

import (
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// flight is the vital chunks that are on their way to the peer, and how many may be. A
// receiver drops what comes after a gap, so everything in flight has to be sent again for one
// datagram that is lost, or overtaken by the next. The window keeps what is sent again below
// a share of what arrives, and is spread over the round trip: what is sent apart is seldom
// overtaken. Before the first loss nothing is limited.
type flight struct {
	chunks int // the oldest unacked ones
	size   int // their cost
	window int // the cost that they may have; see minWindow

	burst      int // the cost of those sent since burstAt
	burstAt    Time
	burstLimit int // the cost that may be sent per BurstInterval; 0 before the first loss

	rate     int  // bytes per second that may be sent, 0 for any number
	rateFrom Time // when the rate allows the next chunk

	retries uint // how often all was sent again since the last ack
	lostAt  Time // when it was sent again last

	promptAcks   bool // see Conn.ExpectAcks
	hasRTT       bool
	rtt, rttVary time.Duration // smoothed round trip time, and its mean deviation
	leastRTT     time.Duration
}

// The limits, in the unit of unackedChunk.cost. A loss takes from the window what it wasted,
// and an ack adds a share of what arrived. With these values a map over a network that loses
// 5 % of the datagrams, or delivers 20 % late, is sent less than one and a half times; see
// TestDownloadOverBadNetworks in package server.
const (
	minWindow  = 5 * packet.MaxPayload
	lossWindow = 16 * packet.MaxPayload // what a single loss leaves
	maxWindow  = MaxUnacked * packet.MaxPayload
	ackShare   = 6

	// What may be sent per BurstInterval after a loss, if that is more than pace. A peer
	// that asks for a resend got later chunks, and perhaps the missing one as well: they
	// should keep apart.
	burstAfterRequest = packet.MaxPayload
	burstAfterTimeout = 2 * packet.MaxPayload
)

const (
	// lossMemory is how long losses limit a connection that has nothing to send.
	lossMemory = 10 * time.Second

	// ackDelay is how long a peer with prompt acks may take, besides the round trip: it
	// handles datagrams once per frame.
	ackDelay         = 50 * time.Millisecond
	resendTimeout    = time.Second // of others, as in the original
	maxResendTimeout = 2 * time.Second
	unknownRTT       = 100 * time.Millisecond
	minRTT           = 20 * time.Millisecond
)

// What a rate allows and was not sent may be sent later, as much as in rateSlack: callers have
// timers that are as coarse. rateOverhead is what a chunk takes besides its size, in bytes: the
// headers of the chunk and of a packet.
const (
	rateSlack    = 20 * time.Millisecond
	rateOverhead = 16
)

// BurstInterval is how often a connection that has lost something sends a packet, or a few.
const BurstInterval = 5 * time.Millisecond

// pace returns what spreads a window evenly over the round trip, per BurstInterval.
func (f *flight) pace(window int) int {
	rtt := unknownRTT
	if f.hasRTT {
		rtt = max(f.rtt, BurstInterval)
	}
	return int(int64(window) * int64(BurstInterval) / int64(rtt))
}

// cost is what a chunk takes of the window, in bytes: a packet, if no second one like it
// fits there.
func (c *unackedChunk) cost() int {
	if size := c.size + packet.MaxChunkHeader; size <= packet.MaxPayload/2 {
		return size
	}
	return packet.MaxPayload
}

// add adds the next chunk, if it may be sent now.
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

// remove removes the oldest unacked chunk, which may wait to be sent again.
func (f *flight) remove(c *unackedChunk) {
	if f.chunks > 0 {
		f.chunks--
		f.size -= c.cost()
	}
}

// acked handles the ack of chunks of a cost. rtt is the time since the newest was sent. The
// round trip may be longer if that was sent more than once.
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

// idle handles that everything is acked.
func (f *flight) idle(now Time) {
	f.promptAcks = false
	if f.burstLimit > 0 && now.Sub(f.lostAt) > lossMemory {
		f.window, f.burstLimit = maxWindow, 0
	}
}

// lost ends the flight: all of it has to be sent again, burstLimit per BurstInterval.
func (f *flight) lost(now Time, burstLimit int) {
	f.window = max(0, min(f.window-f.size, max(f.size/2, lossWindow)))
	if f.retries > 0 { // nothing of what was sent again arrived
		f.window = 0
	}
	f.chunks, f.size = 0, 0
	f.burst, f.burstAt, f.burstLimit = 0, now, burstLimit
	if burstLimit == burstAfterTimeout { // which was too soon, perhaps
		f.rttVary = min(f.rttVary+f.rtt/8, resendTimeout)
	}
	f.retries++
	f.lostAt = now
}

// minResendAge returns how long ago a chunk must have been sent for a request to be about
// that, and not about the time before.
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

// timeout returns how long after it was sent a chunk without ack is sent again.
func (f *flight) timeout() time.Duration {
	if !f.promptAcks || !f.hasRTT {
		return resendTimeout
	}
	t := f.rtt + 4*f.rttVary + ackDelay
	return min(t<<min(f.retries, 8), max(t, resendTimeout), maxResendTimeout)
}
