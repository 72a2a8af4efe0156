//go:build !noudpbatch

package udp

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/transport"
)

// requireSegmentation skips the test if the system does not support runs.
func requireSegmentation(t testing.TB, c *Conn) {
	t.Helper()
	if !c.out.canSegment {
		t.Skip("this system has no UDP_SEGMENT")
	}
}

func TestRunsAreOneCall(t *testing.T) {
	a, b := listen(t, Config{}), listen(t, Config{})
	requireSegmentation(t, a)
	other := listen(t, Config{})
	for i, c := range []struct {
		to   *Conn
		size int
		runs int
	}{
		{b, 100, 1}, {b, 100, 1}, {b, 100, 1}, {b, 99, 2}, {b, 99, 2}, {other, 99, 3}, {b, 99, 4},
		{b, 512, 5}, {b, 512, 5}, {b, 513, 6}, {b, 513, 7}, {b, 0, 8}, {b, 0, 9},
	} {
		a.Send(c.to.LocalAddr(), make([]byte, c.size))
		if a.out.runs != c.runs {
			t.Fatalf("datagram %d: %d runs, want %d", i, a.out.runs, c.runs)
		}
	}
	a.Flush()
	collect(t, b, 12)
	collect(t, other, 1)
}

// TestPaddedRuns checks that paddable datagrams of nearly one size form runs, whose last datagram
// may be shorter.
func TestPaddedRuns(t *testing.T) {
	a, b := listen(t, Config{}), listen(t, Config{})
	requireSegmentation(t, a)
	sent := []struct {
		size     int
		paddable bool
		runs     int
		arrives  int // bytes of the received datagram
	}{
		{600, true, 1, 640}, {640, true, 1, 640}, {610, true, 1, 640}, {300, true, 1, 300},
		{301, true, 2, 320}, {320, true, 2, 320},
		{600, true, 3, 600},                                                 // both datagrams before it would need padding
		{600, false, 4, 600},                                                // not paddable
		{1200, true, 5, 1200}, {1201, true, 6, 1201}, {1201, true, 7, 1201}, // too long
	}
	for i, c := range sent {
		send := a.Send
		if c.paddable {
			send = a.SendPaddable
		}
		send(b.LocalAddr(), bytes.Repeat([]byte{byte(i + 1)}, c.size))
		if a.out.runs != c.runs {
			t.Fatalf("datagram %d: %d runs, want %d", i, a.out.runs, c.runs)
		}
	}
	a.Flush()
	got, _ := collect(t, b, len(sent))
	for i, d := range got {
		c := sent[i]
		want := append(bytes.Repeat([]byte{byte(i + 1)}, c.size), make([]byte, c.arrives-c.size)...)
		if !bytes.Equal(d, want) {
			t.Errorf("datagram %d: %d bytes, want %d, or others", i, len(d), len(want))
		}
	}
	if s := a.Stats(); s.Sent != uint64(len(sent)) || !a.out.canSegment {
		t.Errorf("counted %d of %d; can segment: %v", s.Sent, len(sent), a.out.canSegment)
	}
}

// TestRunsArriveAsDatagrams checks that every datagram arrives unchanged, in order, and is counted,
// however the datagrams are joined to runs.
func TestRunsArriveAsDatagrams(t *testing.T) {
	for _, c := range []struct{ name, from, to string }{
		{"IPv4", "127.0.0.1", "127.0.0.1"}, {"IPv6", "::1", "::1"}, {"IPv4 from a socket for both", "", "127.0.0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := Listen(Config{Addr: c.from})
			if err != nil {
				t.Skipf("no such socket here: %v", err)
			}
			defer a.Close()
			requireSegmentation(t, a)
			to := []*Conn{listen(t, Config{Addr: c.to}), listen(t, Config{Addr: c.to})}
			rapid.Check(t, func(t *rapid.T) { checkArrival(t, a, to) })
			if !a.out.canSegment {
				t.Error("runs could not be sent")
			}
		})
	}
}

// refuseRuns makes the system refuse runs by disabling checksums (refuse 1), or accept them again
// (refuse 0).
func refuseRuns(t *testing.T, c *Conn, refuse int) {
	t.Helper()
	c.sock.Control(func(fd uintptr) {
		if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_NO_CHECK, refuse); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRunsThatCannotBeCut checks a system that cannot split runs. No datagram is lost, and soon no
// more runs are sent.
func TestRunsThatCannotBeCut(t *testing.T) {
	a := listen(t, Config{})
	requireSegmentation(t, a)
	refuseRuns(t, a, 1)
	to := []*Conn{listen(t, Config{Addr: "127.0.0.1"}), listen(t, Config{Addr: "127.0.0.2"})}
	for i := range maxRefused {
		for range 2 {
			a.Send(to[i%2].LocalAddr(), []byte("one size"))
		}
	}
	a.Flush()
	if a.out.canSegment {
		t.Error("the system split runs without checksums: the test cannot work")
	}
	for _, c := range to {
		collect(t, c, maxRefused)
	}
	if n := a.Stats().Sent; n != 2*maxRefused {
		t.Errorf("counted %d of %d", n, 2*maxRefused)
	}
	rapid.Check(t, func(t *rapid.T) { checkArrival(t, a, to) })
}

// TestRunsRefusedForOnePeer checks that runs to other peers continue if those to one peer are
// refused. A peer can cause that with ICMP messages about its path.
func TestRunsRefusedForOnePeer(t *testing.T) {
	a := listen(t, Config{})
	requireSegmentation(t, a)
	to := []*Conn{listen(t, Config{Addr: "127.0.0.1"}), listen(t, Config{Addr: "127.0.0.2"})}
	run := func(c *Conn) {
		for range 2 {
			a.Send(c.LocalAddr(), []byte("one size"))
		}
		a.Flush()
		collect(t, c, 2)
	}
	refuseRuns(t, a, 1)
	for range 2 * maxRefused {
		run(to[0])
	}
	for range 2 * maxRefused { // the refused address alternates with others, whose runs are sent
		refuseRuns(t, a, 1)
		run(to[0])
		run(to[1])
		if a.out.refused == 0 {
			t.Fatal("no run is refused")
		}
		refuseRuns(t, a, 0)
		run(to[1])
	}
	if !a.out.canSegment {
		t.Error("runs are no longer sent")
	}
}

// TestLongRuns checks that a run is not longer than the longest datagram.
func TestLongRuns(t *testing.T) {
	a, b := listen(t, Config{}), listen(t, Config{})
	requireSegmentation(t, a)
	for range 63 {
		a.SendPaddable(b.LocalAddr(), make([]byte, maxPaddableSegment))
	}
	if a.out.runs != 2 {
		t.Errorf("%d runs, want 2", a.out.runs)
	}
	a.Flush()
	if n := a.Stats().Sent; n != 63 || a.out.refused != 0 {
		t.Errorf("%d were sent, and %d runs refused", n, a.out.refused)
	}
}

func checkArrival(t *rapid.T, a *Conn, to []*Conn) {
	before := a.Stats()
	want := make([][][]byte, len(to))
	sizes := rapid.SampledFrom([]int{1, 8, 8, 8, 8, 20, 500, 512, 513, 530, 1200, 1201, 1400})
	size := 0
	for i := range rapid.IntRange(1, 150).Draw(t, "n") {
		k := rapid.IntRange(0, len(to)-1).Draw(t, "to")
		if rapid.IntRange(0, 3).Draw(t, "other") == 0 || size == 0 {
			size = sizes.Draw(t, "size")
		}
		b := bytes.Repeat([]byte{byte(i + 1)}, size)
		want[k] = append(want[k], b)
		if rapid.Bool().Draw(t, "paddable") {
			a.SendPaddable(to[k].LocalAddr(), b)
		} else {
			a.Send(to[k].LocalAddr(), b)
		}
	}
	a.Flush()
	n, total := 0, 0
	for k, c := range to {
		n += len(want[k])
		dst := make([]transport.Datagram, 16)
		for got := 0; got < len(want[k]); {
			m, err := c.ReadBatch(dst, c.Now()+2e9)
			if err != nil || m == 0 {
				t.Fatalf("%d of %d datagrams, %v", got, len(want[k]), err)
			}
			for _, d := range dst[:m] {
				padding, sent := bytes.CutPrefix(d.Data, want[k][min(got, len(want[k])-1)])
				if got == len(want[k]) || !sent || len(bytes.Trim(padding, "\x00")) > 0 || len(d.Data) > transport.MaxDatagram {
					t.Fatalf("datagram %d: %d bytes %x", got, len(d.Data), d.Data[:1])
				}
				got++
				total += len(d.Data)
			}
		}
	}
	if s := a.Stats(); s.Sent-before.Sent != uint64(n) || s.SentBytes-before.SentBytes != uint64(total) {
		t.Fatalf("counted %d of %d, %d of %d bytes", s.Sent-before.Sent, n, s.SentBytes-before.SentBytes, total)
	}
}
