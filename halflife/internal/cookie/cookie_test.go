package cookie

import (
	"net/netip"
	"testing"
	"time"
)

// TestJar checks that a challenge is valid only for its address, port, kind and time.
func TestJar(t *testing.T) {
	alice, bob := netip.MustParseAddr("198.51.100.7"), netip.MustParseAddr("203.0.113.9")
	c, other := NewJar(), NewJar()
	fit := func(raw uint64) uint32 { return uint32(raw) }
	k, k2 := Kind{'a', time.Minute, fit}, Kind{'b', time.Minute, fit}
	const now = 90e9
	given := c.Issue(&k, now, alice, 5)
	if !c.Valid(&k, now, alice, 5, given) || !c.Valid(&k, now+60e9, alice, 5, given) {
		t.Error("not valid")
	}
	if c.Valid(&k, now, bob, 5, given) || c.Valid(&k, now, alice, 6, given) || c.Valid(&k2, now, alice, 5, given) ||
		c.Valid(&k, now+120e9, alice, 5, given) || c.Valid(&k, now, alice, 5, given+1) || other.Valid(&k, now, alice, 5, given) {
		t.Error("valid for another")
	}
	if n := testing.AllocsPerRun(100, func() { c.Issue(&k, now, alice, 5) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
