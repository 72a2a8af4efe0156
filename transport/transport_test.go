package transport_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/mem"
)

func TestUnmap(t *testing.T) {
	for in, want := range map[string]string{
		"[::ffff:1.2.3.4]:5": "1.2.3.4:5",
		"1.2.3.4:5":          "1.2.3.4:5",
		"[2001:db8::1]:5":    "[2001:db8::1]:5",
		"[fe80::1%eth0]:5":   "[fe80::1%eth0]:5",
	} {
		if got := transport.Unmap(transport.MustParsePeer(in)); got != transport.MustParsePeer(want) {
			t.Errorf("%s becomes %v, want %s", in, got, want)
		}
	}
}

func TestPeerCompare(t *testing.T) {
	low, high := transport.MustParsePeer("10.0.0.1:5"), transport.MustParsePeer("10.0.0.1:6")
	other := low
	other.Kind = transport.UDP + 1
	for _, c := range []struct {
		p, q transport.Peer
		want int
	}{{low, low, 0}, {low, high, -1}, {high, low, 1}, {low, other, -1}, {high, other, 1}} {
		if got := c.p.Compare(c.q); got != c.want {
			t.Errorf("%v, %v: %d, want %d", c.p, c.q, got, c.want)
		}
	}
}

func TestDropNames(t *testing.T) {
	seen := map[string]bool{}
	for d := range transport.NumDropReasons {
		if s := d.String(); s == "" || s == "unknown" || seen[s] {
			t.Errorf("reason %d has the name %q", d, s)
		} else {
			seen[s] = true
		}
	}
	if transport.NumDropReasons.String() != "unknown" {
		t.Error("a reason that does not exist has a name")
	}
}

// TestRun checks that a state machine gets the received datagrams, and checks each way in which Run
// ends.
func TestRun(t *testing.T) {
	net := mem.New(mem.Config{})
	a, err := net.Listen(transport.MustParsePeer("10.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	peer := transport.MustParsePeer("10.0.0.2:2")
	var got []string
	feed := func(d transport.Datagram) { got = append(got, string(d.Data)) }
	err = transport.Run(t.Context(), a, func(now int64) (int64, bool) {
		net.Deliver(peer, a.LocalAddr(), []byte{byte('a' + len(got))})
		return now + 1e9, len(got) < 3
	}, feed)
	if err != nil || !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	forever := func(now int64) (int64, bool) { cancel(); return now + 1e12, true }
	if err := transport.Run(ctx, a, forever, feed); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	a.Close()
	if err := transport.Run(t.Context(), a, forever, feed); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
