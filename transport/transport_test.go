package transport

import (
	"testing"
)

func TestUnmap(t *testing.T) {
	for in, want := range map[string]string{
		"[::ffff:1.2.3.4]:5": "1.2.3.4:5",
		"1.2.3.4:5":          "1.2.3.4:5",
		"[2001:db8::1]:5":    "[2001:db8::1]:5",
		"[fe80::1%eth0]:5":   "[fe80::1%eth0]:5",
	} {
		if got := Unmap(MustParsePeer(in)); got != MustParsePeer(want) {
			t.Errorf("%s becomes %v, want %s", in, got, want)
		}
	}
}

func TestPeerCompare(t *testing.T) {
	low, high := MustParsePeer("10.0.0.1:5"), MustParsePeer("10.0.0.1:6")
	other := low
	other.Kind = UDP + 1
	for _, c := range []struct {
		p, q Peer
		want int
	}{{low, low, 0}, {low, high, -1}, {high, low, 1}, {low, other, -1}, {high, other, 1}} {
		if got := c.p.Compare(c.q); got != c.want {
			t.Errorf("%v, %v: %d, want %d", c.p, c.q, got, c.want)
		}
	}
}

func TestDropNames(t *testing.T) {
	seen := map[string]bool{}
	for d := range NumDropReasons {
		if s := d.String(); s == "" || s == "unknown" || seen[s] {
			t.Errorf("reason %d is called %q", d, s)
		} else {
			seen[s] = true
		}
	}
	if NumDropReasons.String() != "unknown" {
		t.Error("a reason that does not exist has a name")
	}
}
