package guard

import (
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var (
	alice = netip.MustParseAddr("198.51.100.7")
	bob   = netip.MustParseAddr("203.0.113.9")
)

// TestLimiter: nobody gets more than the burst and the rate, however the requests
// are spread over time.
func TestLimiter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rate, burst = 10, 20
		l := NewLimiter(rate, burst)
		now, got, start := int64(1e9), 0, int64(1e9)
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			now += rapid.Int64Range(0, 3e8).Draw(t, "gap")
			cost := rapid.IntRange(1, 25).Draw(t, "cost")
			empty := l.Empty(now, Address(alice))
			if l.Allow(now, Address(alice), cost) {
				if empty {
					t.Fatal("empty, and yet allowed")
				}
				got += cost
			} else if cost == 1 && !empty {
				t.Fatal("not empty, and yet not allowed")
			}
			if most := burst + rate*float64(now-start)/1e9; float64(got) > most+1e-6 {
				t.Fatalf("%d units in %v, the most are %v", got, time.Duration(now-start), most)
			}
		}
		if !l.Allow(now, Address(bob), burst) {
			t.Fatal("another network has to do without")
		}
		if now += 2e9; !l.Allow(now, Address(alice), burst) {
			t.Fatal("the allowance is not whole after two seconds")
		}
	})
}

// TestLimiterFlooded: made-up networks do not give anybody a fresh allowance.
func TestLimiterFlooded(t *testing.T) {
	l := NewLimiter(1, 10)
	const now = 1e9
	got := 0
	for i := range 200_000 {
		if l.Allow(now, Address(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})), 1) {
			got++
		}
	}
	if most := ways * sets * 10; got > most {
		t.Errorf("%d units, the table has %d", got, most)
	}
}

// TestKeys: what counts as one.
func TestKeys(t *testing.T) {
	at := netip.MustParseAddr
	for _, test := range []struct {
		key  func(netip.Addr) Key
		a, b string
		same bool
	}{
		{Address, "1.2.3.4", "1.2.3.4", true},
		{Address, "1.2.3.4", "::ffff:1.2.3.4", true},
		{Address, "1.2.3.4", "1.2.3.5", false},
		{Network, "1.2.3.4", "1.2.3.5", true},
		{Network, "1.2.3.4", "1.2.4.4", false},
		{Address, "2001:db8:1:2::1", "2001:db8:1:2:3::", true},
		{Address, "2001:db8:1:2::1", "2001:db8:1:3::1", false},
		{Network, "2001:db8:1:2::1", "2001:db8:1:3::1", false},
		{Wide, "2001:db8:1:2::1", "2001:db8:1:3::1", true},
		{Wide, "2001:db8:1:2::1", "2001:db8:2:2::1", false},
		{Wide, "1.2.3.4", "1.2.4.4", false},
	} {
		if same := test.key(at(test.a)) == test.key(at(test.b)); same != test.same {
			t.Errorf("%s and %s: the same is %v", test.a, test.b, same)
		}
	}
}

// TestSet: members stay for their time.
func TestSet(t *testing.T) {
	s := NewSet(time.Minute)
	if s.Has(1, Address(alice)) || s.Has(1, Key{}) {
		t.Error("an empty set has a member")
	}
	s.Add(1, Address(alice))
	if !s.Has(59e9, Address(alice)) || s.Has(59e9, Address(bob)) {
		t.Error("the wrong members")
	}
	if s.Has(60e9+1, Address(alice)) {
		t.Error("a member stays too long")
	}
	s.Add(60e9, Address(alice))
	s.Add(100e9, Address(alice))
	if !s.Has(159e9, Address(alice)) {
		t.Error("staying longer does not work")
	}
}

// TestCookies: a challenge is good for its address, port, kind and time.
func TestCookies(t *testing.T) {
	c, other := NewCookies(), NewCookies()
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
