package mem

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/teeyard/teeyard/transport"
)

var (
	addrA = transport.MustParsePeer("10.0.0.1:8303")
	addrB = transport.MustParsePeer("10.0.0.2:1000")
)

func newPair(t *testing.T, cfg Config) (n *Network, a, b *Conn) {
	t.Helper()
	n = New(cfg)
	a, err := n.Listen(addrA)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = n.Listen(addrB); err != nil {
		t.Fatal(err)
	}
	return n, a, b
}

func TestDelivery(t *testing.T) {
	now := int64(5)
	_, a, b := newPair(t, Config{Clock: func() int64 { return now }})
	dst := make([]transport.Datagram, 2)

	for i := range 3 {
		a.Send(addrB, fmt.Appendf(nil, "m%d", i))
	}
	if n, err := b.ReadBatch(dst, 1<<60); n != 0 || err != nil {
		t.Fatalf("before the flush: %d, %v", n, err)
	}
	a.Flush()
	now = 9
	n, err := b.ReadBatch(dst, 0)
	if n != 2 || err != nil || string(dst[0].Data) != "m0" || string(dst[1].Data) != "m1" || dst[0].Peer != addrA || dst[0].ReceivedAt != 5 {
		t.Fatalf("got %d, %v, %v", n, err, dst)
	}
	if n, _ = b.ReadBatch(dst, 0); n != 1 || string(dst[0].Data) != "m2" {
		t.Fatalf("got %d, %v", n, dst)
	}
	if n, _ = b.ReadBatch(dst, 0); n != 0 {
		t.Fatalf("got %d more", n)
	}
	if s := a.Stats(); s.Sent != 3 || s.SentBytes != 6 {
		t.Errorf("sender: %+v", s)
	}
	if s := b.Stats(); s.Received != 3 || s.ReceivedBytes != 6 {
		t.Errorf("receiver: %+v", s)
	}
}

func TestLimits(t *testing.T) {
	n, a, b := newPair(t, Config{Queue: 100, Clock: func() int64 { return 0 }})
	for range 130 {
		a.Send(addrB, []byte{1})
	}
	a.Send(addrB, make([]byte, transport.MaxDatagram+1))
	a.Send(transport.Peer{}, []byte{1})
	a.Send(transport.MustParsePeer("10.0.0.9:1"), []byte("nobody"))
	a.Flush()
	if b.Pending() != 100 {
		t.Errorf("%d datagrams queued, want 100", b.Pending())
	}
	if d := b.Stats().Dropped[transport.DropOverflow]; d != 30 {
		t.Errorf("%d lost to overflow, want 30", d)
	}
	if d := a.Stats().Dropped; d[transport.DropSendTooLong] != 1 || d[transport.DropSendUnreachable] != 1 {
		t.Errorf("sender dropped %v", d)
	}
	if _, err := n.Listen(addrA); !errors.Is(err, ErrInUse) {
		t.Errorf("an address in use: %v", err)
	}
	for _, bad := range []string{"0.0.0.0:1", "[::]:1"} {
		if _, err := n.Listen(transport.MustParsePeer(bad)); !errors.Is(err, ErrAddress) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	c, err := n.Listen(transport.MustParsePeer("[::ffff:10.0.0.1]:0"))
	if err != nil || !c.LocalAddr().Addr().Is4() || c.LocalAddr().Port() == 0 {
		t.Errorf("free port: %v, %v", c.LocalAddr(), err)
	}
}

func TestClose(t *testing.T) {
	n, a, b := newPair(t, Config{})
	done := make(chan error)
	go func() {
		_, err := b.ReadBatch(make([]transport.Datagram, 1), b.Now()+int64(time.Hour))
		done <- err
	}()
	b.Close()
	if err := <-done; !errors.Is(err, transport.ErrClosed) {
		t.Errorf("read: %v", err)
	}
	b.Send(addrA, []byte("late"))
	if err := b.Flush(); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("flush: %v", err)
	}
	a.Send(addrB, []byte("gone"))
	if err := a.Flush(); err != nil {
		t.Errorf("flush to a closed endpoint: %v", err)
	}
	if a.Pending() != 0 {
		t.Error("a closed endpoint sent")
	}
	again, err := n.Listen(addrB)
	if err != nil {
		t.Fatal(err)
	}
	b.Close() // must not remove the new endpoint from the network
	if !n.Deliver(addrA, addrB, []byte("x")) || again.Pending() != 1 {
		t.Error("the new endpoint does not receive")
	}
}

// TestWaiting checks that, on the real clock, a read waits for a datagram, the deadline or a wake.
func TestWaiting(t *testing.T) {
	_, a, b := newPair(t, Config{})
	dst := make([]transport.Datagram, 4)
	until := b.Now() + int64(3*time.Millisecond)
	if n, err := b.ReadBatch(dst, until); n != 0 || err != nil || b.Now() < until {
		t.Fatalf("deadline: %d, %v", n, err)
	}
	got := make(chan int)
	read := func() {
		n, _ := b.ReadBatch(dst, b.Now()+int64(time.Hour))
		got <- n
	}
	go read()
	a.Send(addrB, []byte("x"))
	a.Flush()
	if n := <-got; n != 1 {
		t.Fatalf("read %d", n)
	}
	go read()
	b.Wake()
	if n := <-got; n != 0 {
		t.Fatalf("woken read %d", n)
	}
}

func TestLink(t *testing.T) {
	var n *Network
	calls := 0
	n, a, b := newPair(t, Config{Clock: func() int64 { return 7 }, Link: func(now int64, from, to transport.Peer, p []byte) {
		calls++
		if now != 7 || from != addrA || to != addrB {
			t.Errorf("link called with %d, %v, %v", now, from, to)
		}
		n.Deliver(from, to, p)
		n.Deliver(from, to, p)
	}})
	a.Send(addrB, []byte("x"))
	a.Flush()
	if calls != 1 || b.Pending() != 2 {
		t.Errorf("%d calls, %d datagrams", calls, b.Pending())
	}
}

func TestNoAllocations(t *testing.T) {
	_, a, b := newPair(t, Config{Clock: func() int64 { return 0 }})
	dst := make([]transport.Datagram, 8)
	msg := make([]byte, 500)
	round := func() {
		for range 8 {
			a.Send(addrB, msg)
		}
		a.Flush()
		b.ReadBatch(dst, 0)
	}
	round()
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
