package server

import (
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
)

// maxReadDelay is the longest time that a datagram waits to be read, if the datagrams before it
// suggest that more will come. A wake-up for several datagrams costs little more than for a single
// datagram.
const maxReadDelay = 5 * time.Millisecond

// pace is the rate of datagrams from addresses without a session. A few of them ask for server
// information or join, and each waits for the answer. Of many, some ask at any time.
type pace struct {
	begin conn.Time // of the window in which datagrams are counted
	count int
	last  int // in the window before, as if it had lasted paceWindow
}

const (
	paceWindow = 10 * time.Millisecond
	// fastPace is the number of datagrams in a window at which the server begins to read them
	// together.
	fastPace = 10
	// gatherCount is the number of datagrams to read at once, below the most that a read returns.
	gatherCount = 48
)

// add counts n datagrams.
func (p *pace) add(now conn.Time, n int) {
	if d := now.Sub(p.begin); d >= paceWindow {
		p.last = int(int64(p.count) * int64(paceWindow) / int64(d))
		p.count, p.begin = 0, now
	}
	p.count += n
}

// delay returns the time for which the next datagrams may wait.
func (p *pace) delay() time.Duration {
	if p.last < fastPace {
		return 0
	}
	return min(maxReadDelay, gatherCount*paceWindow/time.Duration(p.last))
}
