package transport

import (
	"net/netip"
	"testing"
)

func TestUnmap(t *testing.T) {
	for in, want := range map[string]string{
		"[::ffff:1.2.3.4]:5": "1.2.3.4:5",
		"1.2.3.4:5":          "1.2.3.4:5",
		"[2001:db8::1]:5":    "[2001:db8::1]:5",
		"[fe80::1%eth0]:5":   "[fe80::1%eth0]:5",
	} {
		if got := Unmap(netip.MustParseAddrPort(in)); got != netip.MustParseAddrPort(want) {
			t.Errorf("%s becomes %v, want %s", in, got, want)
		}
	}
}

func TestDropNames(t *testing.T) {
	seen := map[string]bool{}
	for d := range NumDrops {
		if s := d.String(); s == "" || s == "unknown" || seen[s] {
			t.Errorf("reason %d is called %q", d, s)
		} else {
			seen[s] = true
		}
	}
	if NumDrops.String() != "unknown" {
		t.Error("a reason that does not exist has a name")
	}
}
