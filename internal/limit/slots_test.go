package limit

import (
	"net/netip"
	"testing"
)

func TestSlots(t *testing.T) {
	s := Slots{Most: 5, MostPerPerson: 2}
	anna, bert := Person(netip.MustParseAddr("198.51.100.7")), Person(netip.MustParseAddr("2001:db8::5"))
	take := func(p netip.Prefix, want bool) {
		t.Helper()
		if s.Take(p) != want {
			t.Errorf("%v: %v", p, !want)
		}
	}
	take(anna, true)
	take(anna, true)
	take(anna, false)
	take(bert, true)
	take(netip.Prefix{}, true)
	take(netip.Prefix{}, true)
	take(bert, false) // all slots are taken
	s.Release(anna)
	take(Person(netip.MustParseAddr("2001:db8::6")), true) // the same person as bert
	take(bert, false)
	s.Release(anna)
	take(bert, false)
	for range 2 {
		s.Release(bert)
		s.Release(netip.Prefix{})
	}
	if s.taken != 0 || len(s.perPerson) != 0 {
		t.Errorf("%d taken, by %v", s.taken, s.perPerson)
	}
}
