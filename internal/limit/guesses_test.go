package limit

import (
	"net/netip"
	"testing"
	"time"
)

// TestGuessesShares checks that a flood of wrong passwords, from many sites of many blocks, leaves
// room for persons that were right lately, and for sites that have not been wrong.
func TestGuessesShares(t *testing.T) {
	g := NewGuesses(Rate{PerSecond: 10, Burst: 50}, 64, 24*time.Hour)
	friend, newcomer := netip.MustParseAddr("198.51.100.7"), netip.MustParseAddr("2001:db8::5")
	now := int64(time.Hour)
	g.Right(now, friend, true)
	checked := 0
	const seconds, perSecond, sites = 60, 1000, 4000
	for i := range seconds * perSecond {
		now += int64(time.Second / perSecond)
		a := netip.AddrFrom4([4]byte{20, byte(i % 16), byte(i % sites >> 4), byte(i)}) // 16 blocks
		if g.Allow(now, a, true) {
			g.Wrong(now, a, true)
			checked++
		}
		// Every site has tried after four seconds.
		if i > 2*sites && i%perSecond == 0 && (!g.Allow(now, friend, true) || !g.Allow(now, newcomer, true)) {
			t.Fatalf("second %d: allowed with the right password lately: %v; allowed without a wrong one: %v", i/perSecond, g.Allow(now, friend, true),
				g.Allow(now, newcomer, true))
		}
	}
	if most := 2 * (50 + 10*seconds); checked > most || checked < most/2-20 {
		t.Errorf("%d wrong passwords were checked in %d s, of at most %d", checked, seconds, most)
	}

	// A person that keeps being wrong uses up its share, even if it was right before.
	for range 100 {
		g.Wrong(now, friend, true)
	}
	if g.Allow(now, friend, true) {
		t.Error("after the right password, guesses have no limit")
	}
}

// TestGuessesOfABlock checks that a block with very many sites does not use up the share of new
// sites.
func TestGuessesOfABlock(t *testing.T) {
	g := NewGuesses(Rate{PerSecond: 10, Burst: 50}, 64, 24*time.Hour)
	now := int64(time.Hour)
	for i := range 60_000 {
		now += int64(time.Millisecond)
		a := netip.AddrFrom16([16]byte{0x20, 0x01, 0xd, 0xb8, byte(i >> 8), byte(i), 15: 1})
		if g.Allow(now, a, true) {
			g.Wrong(now, a, true)
		}
	}
	if !g.Allow(now, netip.MustParseAddr("2001:db9::1"), true) {
		t.Error("a new site of another block must wait")
	}
	if g.Allow(now, netip.MustParseAddr("2001:db8:ffff::1"), true) {
		t.Error("the block has more than its share")
	}
}

// TestGuessesOfForgedAddresses checks that wrong passwords with a forged address do not count
// against the address.
func TestGuessesOfForgedAddresses(t *testing.T) {
	g := NewGuesses(Rate{PerSecond: 10, Burst: 50}, 64, 24*time.Hour)
	a, now := netip.MustParseAddr("198.51.100.7"), int64(time.Hour)
	for range 100 {
		g.Wrong(now, a, false)
	}
	if g.Allow(now, a, false) || !g.Allow(now, a, true) {
		t.Errorf("forged: %v, from there: %v", g.Allow(now, a, false), g.Allow(now, a, true))
	}
}

// TestGuessesOfLoopback checks that loopback addresses have a share of their own. It is limited
// like the others because a proxy may give such addresses to strangers.
func TestGuessesOfLoopback(t *testing.T) {
	g := NewGuesses(Rate{PerSecond: 10, Burst: 50}, 64, 24*time.Hour)
	now, checked := int64(time.Hour), 0
	for i := range 10_000 {
		now += int64(time.Millisecond)
		a := netip.AddrFrom4([4]byte{127, 0, 0, byte(i)})
		if g.Allow(now, a, true) {
			g.Wrong(now, a, true)
			checked++
		}
	}
	if checked < 100 || checked > 50+100 {
		t.Errorf("%d passwords were checked in 10 s", checked)
	}
	if !g.Allow(now, netip.MustParseAddr("198.51.100.7"), true) {
		t.Error("addresses on other networks must wait")
	}
	for range 100 {
		g.Wrong(now, netip.MustParseAddr("198.51.100.7"), false)
	}
	if now += int64(time.Second); !g.Allow(now, netip.IPv6Loopback(), true) {
		t.Error("loopback must wait for addresses on other networks")
	}
}
