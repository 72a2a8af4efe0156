//go:build peers && unix

package clients

import (
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

// relay forwards datagrams between a client and a server, and counts the client's.
type relay struct {
	addr string
	sent atomic.Int64
}

func newRelay(t *testing.T, server transport.Peer) *relay {
	t.Helper()
	front, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { front.Close() })
	r := &relay{addr: front.LocalAddr().String()}
	var from atomic.Pointer[net.Addr]
	back := peers.DialUDP(t, 1, server, func(b []byte) {
		if to := from.Load(); to != nil {
			front.WriteTo(b, *to)
		}
	})
	go func() {
		b := make([]byte, transport.MaxDatagram)
		for {
			n, a, err := front.ReadFrom(b)
			if err != nil {
				return
			}
			from.Store(&a)
			r.sent.Add(1)
			back.Write(b[:n])
		}
	}()
	return r
}

// perSecond returns the number of datagrams that the client sends in a second.
func (r *relay) perSecond() int64 {
	before := r.sent.Load()
	time.Sleep(time.Second)
	return r.sent.Load() - before
}

// TestTeeworldsGoesOnAfterAStall pauses the server for some seconds, like a busy machine. At 30
// frames a second the 0.7.5 client sends some 16 inputs a second, and must soon do so again. With
// the original server the client may send nothing for as long as the pause was.
func TestTeeworldsGoesOnAfterAStall(t *testing.T) {
	testenv.OnlyFull(t)
	peers.RequirePrograms(t, "teeworlds")
	s := peers.StartTeeyard(t, "")
	r := newRelay(t, s.Addr)
	peers.NewDisplay(t).StartTeeworlds(r.addr, "tee")
	plays := func() bool { return r.perSecond() >= 10 }
	sum3 := func() int64 { return r.perSecond() + r.perSecond() + r.perSecond() }
	peers.Eventually(t, 30*time.Second, "the client plays", plays)
	for _, span := range []time.Duration{3 * time.Second, 8 * time.Second} {
		// On a busy machine the client itself is slow at times.
		for try := 1; ; try++ {
			before := sum3()
			if err := s.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			time.Sleep(span)
			s.Signal(syscall.SIGCONT)
			after := sum3()
			t.Logf("%v: %d datagrams in 3 s before, %d after", span, before, after)
			peers.Eventually(t, 30*time.Second, "the client plays", plays)
			if after >= before/2 {
				break
			}
			if try == 3 {
				t.Fatalf("after %v the client sends too little, three times", span)
			}
		}
	}
}
