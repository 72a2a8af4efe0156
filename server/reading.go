package server

import (
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
)

// maxReadDelay is how much later than it arrives a datagram is read, at most, if those before
// it say that others will come. A wake-up for several datagrams costs little more than for one.
const maxReadDelay = 5 * time.Millisecond

// pace is how fast datagrams come from those who have no session. A few ask for server
// information or join, each waiting for the answer; but where there are many who know nothing of
// each other, some of them ask at any time.
type pace struct {
	begin conn.Time // of the window in which datagrams are counted
	count int
	last  int // in the window before, as if it had lasted paceWindow
}

const (
	paceWindow = 10 * time.Millisecond
	// fastPace is the number of datagrams in a window from which on they are read together.
	fastPace = 10
	// gatherCount is how many datagrams are to be read at once: fewer than one read returns.
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

// delay returns how much later the next datagrams may be read.
func (p *pace) delay() time.Duration {
	if p.last < fastPace {
		return 0
	}
	return min(maxReadDelay, gatherCount*paceWindow/time.Duration(p.last))
}
