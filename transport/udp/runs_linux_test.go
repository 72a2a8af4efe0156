//go:build !noudpbatch

package udp

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/transport"
)

// requireSegmentation is whether the system cuts runs; where it does not there are none.
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

// However datagrams are joined, each arrives as it was sent, in order, and is counted.
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

// Where the system cannot cut, here for want of checksums, nothing is lost.
func TestRunsThatCannotBeCut(t *testing.T) {
	a := listen(t, Config{})
	requireSegmentation(t, a)
	var err error
	a.sock.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_NO_CHECK, 1) })
	if err != nil {
		t.Fatal(err)
	}
	to := []*Conn{listen(t, Config{}), listen(t, Config{})}
	for range 40 {
		a.Send(to[0].LocalAddr(), []byte("one size"))
	}
	a.Flush()
	if a.out.canSegment {
		t.Error("the system cut runs without checksums: this test shows nothing")
	}
	collect(t, to[0], 40)
	if n := a.Stats().Sent; n != 40 {
		t.Errorf("counted %d of 40", n)
	}
	rapid.Check(t, func(t *rapid.T) { checkArrival(t, a, to) })
}

func checkArrival(t *rapid.T, a *Conn, to []*Conn) {
	before := a.Stats()
	want := make([][][]byte, len(to))
	sizes := rapid.SampledFrom([]int{1, 8, 8, 8, 8, 512, 513, 1400})
	size := 0
	for i := range rapid.IntRange(1, 150).Draw(t, "n") {
		k := rapid.IntRange(0, len(to)-1).Draw(t, "to")
		if rapid.IntRange(0, 3).Draw(t, "other") == 0 || size == 0 {
			size = sizes.Draw(t, "size")
		}
		b := bytes.Repeat([]byte{byte(i)}, size)
		want[k] = append(want[k], b)
		a.Send(to[k].LocalAddr(), b)
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
				if got == len(want[k]) || !bytes.Equal(d.Data, want[k][got]) {
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
