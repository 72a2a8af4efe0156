package limit

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var (
	alice = netip.MustParsePrefix("198.51.100.7/32")
	bob   = netip.MustParsePrefix("203.0.113.9/32")
)

func TestPrefixes(t *testing.T) {
	for _, test := range []struct {
		got  func(netip.Addr) netip.Prefix
		a    string
		want string
	}{
		{Person, "1.2.3.4", "1.2.3.4/32"},
		{Person, "::ffff:1.2.3.4", "1.2.3.4/32"},
		{Person, "2001:db8:1:2:3::4", "2001:db8:1:2::/64"},
		{Person, "fe80::1%eth0", "fe80::1/128"},
		{Person, "fd00:1:2:3::4", "fd00:1:2:3::/64"},
		{Person, "169.254.1.2", "169.254.1.2/32"},
		{Person, "::ffff:169.254.1.2", "169.254.1.2/32"},
		{Network, "1.2.3.4", "1.2.3.0/24"},
		{Network, "2001:db8:1:2:3::4", "2001:db8:1:2::/64"},
		{Site, "1.2.3.4", "1.2.3.0/24"},
		{Site, "2001:db8:1:2:3::4", "2001:db8:1::/48"},
	} {
		if got := test.got(netip.MustParseAddr(test.a)); got.String() != test.want {
			t.Errorf("%s belongs to %v, want %s", test.a, got, test.want)
		}
	}
	if got := Person(netip.Addr{}); got.IsValid() {
		t.Errorf("no address belongs to %v", got)
	}
}

// TestLimiter checks that no bucket yields more than the burst and the rate allow, however the
// requests are spread over time.
func TestLimiter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := Rate{PerSecond: rapid.Float64Range(0.3, 5000).Draw(t, "rate"), Burst: rapid.Float64Range(1, 5000).Draw(t, "burst")}
		l := NewLimiter(4096, rate)
		now, got := int64(1e9), 0
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			now += rapid.Int64Range(0, 3e8).Draw(t, "gap")
			n := rapid.IntRange(1, 2+int(rate.Burst)).Draw(t, "tokens")
			has := l.Has(now, alice, n)
			if taken := l.Take(now, alice, n); taken != has {
				t.Fatalf("it has %d tokens: %v, and they can be taken: %v", n, has, taken)
			} else if taken {
				got += n
			}
			if most := rate.Burst + rate.PerSecond*float64(now-1e9)/1e9; float64(got) > most+1e-3 {
				t.Fatalf("%d tokens in %v, the most are %v", got, time.Duration(now-1e9), most)
			}
		}
		if !l.Take(now, bob, int(rate.Burst)) {
			t.Fatal("another prefix lost its tokens")
		}
		if now += l.Rate.duration(rate.Burst) + 1; !l.Take(now, alice, int(rate.Burst)) {
			t.Fatal("the bucket does not get full again")
		}
	})
}

func TestBucket(t *testing.T) {
	var b Bucket
	rate := Rate{PerSecond: 200, Burst: 128}
	for range 128 {
		if !b.Take(0, rate, 1) {
			t.Fatal("the zero bucket is not full")
		}
	}
	if b.Take(5e6-1, rate, 1) || !b.Take(5e6, rate, 1) || b.Take(5e6, rate, 1) {
		t.Error("the bucket does not gain one token in 5 ms")
	}
	if (&Bucket{}).Take(0, Rate{}, 1) || (&Bucket{}).Take(0, Rate{Burst: 5}, 0) {
		t.Error("a rate of 0 yields tokens")
	}
	if !(&Bucket{}).Take(0, Rate{1e-300, 1e300}, 1<<40) || (&Bucket{}).Take(0, Rate{1, 1}, 1<<40) {
		t.Error("extreme rates do not work")
	}
}

// flood calls f with many prefixes.
func flood(n int, f func(netip.Prefix)) {
	for i := range n {
		var a [4]byte
		binary.BigEndian.PutUint32(a[:], 10<<24+uint32(i))
		f(netip.PrefixFrom(netip.AddrFrom4(a), 32))
	}
}

// TestLimiterFlooded checks that forged prefixes do not get fresh buckets.
func TestLimiterFlooded(t *testing.T) {
	l := NewLimiter(1000, Rate{1, 10})
	got := 0
	flood(200_000, func(p netip.Prefix) {
		if l.Take(1e9, p, 1) {
			got++
		}
	})
	if most := 1024 * 10; got > most {
		t.Errorf("%d tokens, the table has %d", got, most)
	}
}

func TestRecentSet(t *testing.T) {
	s := NewRecentSet(64, time.Minute)
	if s.Has(1, alice) || s.Has(1, netip.Prefix{}) {
		t.Error("an empty set has a member")
	}
	s.Add(1, alice)
	if !s.Has(59e9, alice) || s.Has(59e9, bob) {
		t.Error("the wrong members")
	}
	if s.Has(60e9+1, alice) {
		t.Error("a member stays too long")
	}
	s.Add(60e9, alice)
	s.Add(100e9, alice)
	if !s.Has(159e9, alice) {
		t.Error("staying longer does not work")
	}
	s.Add(100e9, bob)
	s.Remove(alice)
	s.Remove(alice)
	if s.Has(101e9, alice) || !s.Has(101e9, bob) {
		t.Error("the wrong one was removed")
	}
	if s.Clear(); s.Has(101e9, bob) {
		t.Error("a cleared set has a member")
	}
}

func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		renew bool
		at    []int64 // in s
		want  []int
	}{
		"window":  {false, []int64{0, 5, 9, 10, 14, 15, 40}, []int{1, 2, 3, 3, 4, 4, 1}},
		"renewed": {true, []int64{0, 9, 18, 28, 30, 39, 49}, []int{1, 2, 3, 1, 2, 3, 1}},
	} {
		f := NewFailures(16, 10*time.Second)
		f.Renew = test.renew
		for i, at := range test.at {
			if n := f.Add(at*1e9, alice); n != test.want[i] {
				t.Errorf("%s: after %d s there are %d failures, want %d", name, at, n, test.want[i])
			}
		}
		if n := f.Add(49e9, bob); n != 1 {
			t.Errorf("%s: another prefix has %d failures", name, n)
		}
		f.Forget(alice)
		if n := f.Add(49e9, alice); n != 1 {
			t.Errorf("%s: %d failures after they were forgotten", name, n)
		}
	}
}

func TestFailuresBounded(t *testing.T) {
	f, now := NewFailures(100, time.Minute), int64(0)
	flood(1000, func(p netip.Prefix) {
		now++
		f.Add(now, alice)
		now++
		f.Add(now, p)
	})
	if n := f.Add(now, alice); n != maxCounted || len(f.prefixes) != 100 || len(f.prefixes[alice].times) != maxCounted {
		t.Errorf("%d failures of %d prefixes", n, len(f.prefixes))
	}
}

func TestReport(t *testing.T) {
	f := NewFailures(16, time.Minute)
	report := func(at int64, interval time.Duration, want int) {
		t.Helper()
		if n := f.Report(at, alice, interval); n != want {
			t.Errorf("%d failures are reported, want %d", n, want)
		}
	}
	report(0, time.Second, 0)
	f.Add(0, alice)
	report(0, time.Minute, 1)
	f.Add(1, alice)
	f.Add(2, alice)
	report(3, time.Minute, 0)
	report(60e9, time.Minute, 2)
	f.Add(60e9, alice)
	report(60e9, 0, 1)
}

func TestAllocations(t *testing.T) {
	l, s, a := NewLimiter(64, Rate{1, 1}), NewRecentSet(64, time.Second), alice.Addr()
	if n := testing.AllocsPerRun(100, func() {
		l.Take(1, Network(a), 1)
		s.Add(1, Person(a))
		s.Has(1, Site(a))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
