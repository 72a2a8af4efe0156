package server

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// askingNet is a network in virtual time on which strangers ask for tokens at random times, each
// with an address of its own. To read and to answer takes no time.
type askingNet struct {
	*testServer
	rand               *rand.Rand
	perSecond          float64
	next, gatherUntil  int64 // the next request
	begin, end         int64 // of the test
	asked, late, reads int
	longest            time.Duration
}

func (a *askingNet) Gather(until int64) { a.gatherUntil = until }

func (a *askingNet) ReadBatch(dst []transport.Datagram, until int64) (n int, err error) {
	if a.Now() >= a.end {
		return 0, transport.ErrClosed
	}
	if a.begin != 0 && a.Now() >= a.begin {
		a.begin, a.asked, a.reads, a.sentPackets = 0, 0, 0, 0
	}
	a.now = max(a.now, conn.Time(min(until, max(a.gatherUntil, a.next))))
	a.gatherUntil = 0
	for ; n < len(dst) && a.next <= a.Now(); n++ {
		a.asked++
		var ip [4]byte
		binary.BigEndian.PutUint32(ip[:], 10<<24+uint32(a.asked))
		dst[n] = transport.Datagram{Peer: transport.UDPPeer(netip.AddrFrom4(ip), 1), Data: packet.AppendTokenRequest(nil, 1), ReceivedAt: a.next}
		if wait := time.Duration(a.Now() - a.next); wait > 0 {
			a.late++
			a.longest = max(a.longest, wait)
		}
		a.next += int64(a.rand.ExpFloat64() / a.perSecond * 1e9)
	}
	if n > 0 {
		a.reads++
	}
	return n, nil
}

// Strangers who come one by one are answered at once. Where there are many, several are read
// together, and none waits for longer than maxReadDelay.
func TestManyStrangersAreReadTogether(t *testing.T) {
	for _, c := range []struct {
		perSecond float64
		perRead   int // at least; 1 for none that waits
	}{{100, 1}, {300, 1}, {2_000, 7}, {10_000, 40}, {40_000, 40}, {400_000, 40}} {
		a := &askingNet{testServer: newTestServer(t, nil), rand: rand.New(rand.NewPCG(1, 1)), perSecond: c.perSecond}
		a.srv.transport, a.next = a, a.Now()
		a.begin = a.Now() + int64(2*paceWindow) // until then the server finds out
		a.end = a.begin + int64(300*time.Millisecond)
		err := a.srv.Run(t.Context())
		testenv.Check(t, errors.Is(err, transport.ErrClosed), "%v", err)
		testenv.Check(t, a.sentPackets == a.asked && a.asked > 0, "%v/s: %d of %d answered", c.perSecond, a.sentPackets, a.asked)
		testenv.Check(t, c.perRead > 1 || a.late == 0, "%v/s: %d waited, for up to %v", c.perSecond, a.late, a.longest)
		testenv.Check(t, a.reads*c.perRead <= a.asked, "%v/s: %d reads of %d, want %d in each", c.perSecond, a.reads, a.asked, c.perRead)
		testenv.Check(t, a.longest <= maxReadDelay, "%v/s: one waited for %v", c.perSecond, a.longest)
	}
}
