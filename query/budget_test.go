package query

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/testenv"
)

const second = 1_000_000_000

func TestBudget(t *testing.T) {
	b := NewBudget(BudgetConfig{PerNetwork: 1000, Total: 3500})
	ip := netip.MustParseAddr
	for n, step := range []struct {
		now   int64
		ip    string
		bytes int
		want  bool
	}{
		{0, "192.0.2.1", 1500, true},
		{0, "192.0.2.200", 500, true}, // the same network
		{0, "192.0.2.1", 1, false},
		{0, "::ffff:192.0.2.7", 1, false},
		{second / 2, "192.0.2.1", 501, false},
		{second / 2, "192.0.2.1", 500, true},
		{second / 2, "192.0.3.1", 2001, false},
		{second / 2, "192.0.3.1", 2000, true},
		{second / 2, "2001:db8::1", 2000, true},
		{second / 2, "2001:db8::ffff:1", 1, false},
		{second / 2, "2001:db8:0:1::1", 2000, true},
		// Of all 7000 bytes 2000 were spent, 1750 regained, and then 6500 spent.
		{second / 2, "198.51.100.1", 252, false},
		{second / 2, "198.51.100.1", 249, true},
		{second / 2, "198.51.101.1", 2, false},
		{second / 2, "127.0.0.1", 1 << 20, true},
		{second / 2, "::1", 1 << 20, true},
		{5 * second, "198.51.101.1", 1000, true},
	} {
		if got := b.Spend(step.now, ip(step.ip), step.bytes); got != step.want {
			t.Errorf("step %d: %+v: %v", n, step, got)
		}
	}
}

// TestBudgetHolds lets many networks ask in a small table: whatever they do, none
// gets more than its share while it is remembered, and all together never.
func TestBudgetHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := BudgetConfig{PerNetwork: rapid.IntRange(1, 5000).Draw(t, "network"), Total: rapid.IntRange(1, 20000).Draw(t, "total"), MaxNetworks: 64}
		b := NewBudget(cfg)
		got := map[netip.Addr]int{}
		now, all := int64(0), 0
		for range rapid.IntRange(1, 300).Draw(t, "requests") {
			now += rapid.Int64Range(0, second/10).Draw(t, "pause")
			ip := netip.AddrFrom4([4]byte{10, 0, byte(rapid.IntRange(0, 2).Draw(t, "net")), 1})
			n := rapid.IntRange(1, 3000).Draw(t, "bytes")
			if b.Spend(now, ip, n) {
				got[ip] += n
				all += n
			}
		}
		may := func(rate int) int { return 2*rate + int(now*int64(rate)/second) + 1 }
		for ip, n := range got {
			if n > may(cfg.PerNetwork) {
				t.Fatalf("%v got %d bytes, may have %d", ip, n, may(cfg.PerNetwork))
			}
		}
		if all > may(cfg.Total) {
			t.Fatalf("all got %d bytes, may have %d", all, may(cfg.Total))
		}
	})
}

func TestBudgetAllocations(t *testing.T) {
	b, ip := NewBudget(BudgetConfig{}), netip.MustParseAddr("192.0.2.1")
	if n := testing.AllocsPerRun(100, func() { b.Spend(1e6, ip, 1) }); n != 0 && !testenv.Race {
		t.Errorf("%v allocations", n)
	}
}

// TestBudgetRotation floods one network while requests come in the names of more
// networks than are told apart: that network does not get more for it, and all
// together get no more than the total.
func TestBudgetRotation(t *testing.T) {
	b := NewBudget(BudgetConfig{MaxNetworks: 256})
	victim := netip.MustParseAddr("192.0.2.1")
	got, all := 0, 0
	const size, span = 900, 10
	n := uint32(0)
	for now := int64(0); now < span*second; now += second / 1000 {
		for i := range 20 {
			ip := victim
			if i%4 != 0 {
				n++
				var a [4]byte
				binary.BigEndian.PutUint32(a[:], 10<<24|n%60000<<8)
				ip = netip.AddrFrom4(a)
			}
			if b.Spend(now, ip, size) {
				if all += size; ip == victim {
					got += size
				}
			}
		}
	}
	if most := (span + 2) * (32 << 10); got > most || got == 0 {
		t.Errorf("%d bytes went to one network, which may have %d", got, most)
	}
	if most := (span + 2) * (1 << 20); all > most {
		t.Errorf("%d bytes went out of %d", all, most)
	}
}
