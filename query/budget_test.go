package query

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/testenv"
)

const second = 1_000_000_000

func TestBudget(t *testing.T) {
	ip := netip.MustParseAddr
	proven := ip("203.0.113.5")
	b := NewBudget(BudgetConfig{PerNetwork: 1000, Total: 3000, Proven: 400, IsProven: func(_ int64, a netip.Addr) bool { return a == proven }})
	for n, step := range []struct {
		now         int64
		ip          string
		full, short int
		want        Size
	}{
		{0, "192.0.2.1", 900, 100, SizeFull},
		{0, "192.0.2.200", 900, 100, SizeFull}, // the same network
		{0, "::ffff:192.0.2.7", 900, 100, SizeShort},
		{0, "192.0.2.1", 900, 101, SizeNone},
		{0, "192.0.2.1", 900, 100, SizeShort},
		{second / 2, "192.0.2.1", 900, 501, SizeNone},
		{second / 2, "192.0.2.1", 900, 500, SizeShort},
		{second / 2, "2001:db8::1", 2000, 100, SizeFull},
		{second / 2, "2001:db8:0:1::1", 1, 1, SizeNone},
		// Of 6000 bytes in total, 2000 were spent, 1500 regained and 2500 spent. 3000 are left.
		{second / 2, "2001:db8:1::1", 1000, 100, SizeFull},
		// Less than half is left. Proven addresses have 800 bytes of their own.
		{second / 2, "198.51.100.1", 500, 100, SizeShort},
		{second / 2, "203.0.113.5", 500, 100, SizeFull},
		{second / 2, "203.0.113.6", 500, 100, SizeShort},
		{second / 2, "203.0.113.5", 500, 100, SizeShort}, // from the shared total
		{second / 2, "198.51.101.1", 2000, 1700, SizeShort},
		{second / 2, "198.51.102.1", 2, 1, SizeNone},
		{second / 2, "203.0.113.5", 300, 100, SizeFull},
		{second / 2, "203.0.113.5", 300, 100, SizeNone},
		{second / 2, "127.0.0.1", 1 << 20, 1, SizeFull},
		{second / 2, "::1", 1 << 20, 1, SizeFull},
		{5 * second, "198.51.101.1", 1000, 10, SizeFull},
	} {
		if got := b.Spend(step.now, ip(step.ip), step.full, step.short); got != step.want {
			t.Errorf("step %d: %+v: %v", n, step, got)
		}
	}
}

// TestBudgetHolds sends requests from many networks with a small table. No network gets more than
// its limit while the table holds it, and the total limit always holds.
func TestBudgetHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		proven := netip.AddrFrom4([4]byte{10, 0, 2, 1})
		cfg := BudgetConfig{PerNetwork: rapid.IntRange(1, 5000).Draw(t, "network"), Total: rapid.IntRange(1, 20000).Draw(t, "total"),
			Proven:      rapid.IntRange(1, 20000).Draw(t, "proven"),
			MaxNetworks: 64, IsProven: func(_ int64, a netip.Addr) bool { return a == proven }}
		b := NewBudget(cfg)
		got := map[netip.Addr]int{}
		now, all := int64(0), 0
		for range rapid.IntRange(1, 300).Draw(t, "requests") {
			now += rapid.Int64Range(0, second/10).Draw(t, "pause")
			ip := netip.AddrFrom4([4]byte{10, 0, byte(rapid.IntRange(0, 2).Draw(t, "net")), 1})
			full := rapid.IntRange(1, 3000).Draw(t, "bytes")
			short := rapid.IntRange(1, full).Draw(t, "short")
			n := [...]int{SizeNone: 0, SizeShort: short, SizeFull: full}[b.Spend(now, ip, full, short)]
			got[ip] += n
			all += n
		}
		may := func(rate int) int { return 2*rate + int(now*int64(rate)/second) + 1 }
		for ip, n := range got {
			if n > may(cfg.PerNetwork) {
				t.Fatalf("%v got %d bytes, may have %d", ip, n, may(cfg.PerNetwork))
			}
		}
		if most := may(cfg.Total) + may(cfg.Proven); all > most {
			t.Fatalf("all got %d bytes, may have %d", all, most)
		}
		if n := all - got[proven]; n > may(cfg.Total) {
			t.Fatalf("those who are not proven got %d bytes, may have %d", n, may(cfg.Total))
		}
	})
}

func TestBudgetAllocations(t *testing.T) {
	b, ip := NewBudget(BudgetConfig{}), netip.MustParseAddr("192.0.2.1")
	if n := testing.AllocsPerRun(100, func() { b.Spend(1e6, ip, 1, 1) }); n != 0 && !testenv.Race {
		t.Errorf("%v allocations", n)
	}
}

// TestBudgetRotation floods one network while requests arrive from more networks than the table
// holds. The flooded network gets no more than its limit, and all networks together no more than
// the total.
func TestBudgetRotation(t *testing.T) {
	b := NewBudget(BudgetConfig{MaxNetworks: 256})
	victim := netip.MustParseAddr("192.0.2.1")
	got, all := 0, 0
	const size, short, span = 900, 90, 10
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
			bytes := [...]int{SizeNone: 0, SizeShort: short, SizeFull: size}[b.Spend(now, ip, size, short)]
			if all += bytes; ip == victim {
				got += bytes
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

// TestFloodStarvesNobody sends one request each from 20 proven and 20 other addresses to a server
// with 64 players. Meanwhile 10,000 requests a second arrive from forged addresses, and 1000 from
// all addresses of a proven IPv6 /48.
func TestFloodStarvesNobody(t *testing.T) {
	for _, f := range []Format{FormatPlain6, FormatExtended6, FormatLegacy64} {
		full, short := ReplyEncoder{}, ReplyEncoder{Short: true}
		full.SetInfo(crowdedInfo(64))
		short.SetInfo(crowdedInfo(64))
		b := NewBudget(BudgetConfig{IsProven: func(_ int64, a netip.Addr) bool { return a.Is6() || a.As4()[0] == 100 }})
		r := rand.New(rand.NewPCG(1, 2))
		sent := 0
		ask := func(now int64, ip netip.Addr) Size {
			size := b.Spend(now, ip, full.MaxSize(f), short.MaxSize(f))
			sent += [...]int{SizeShort: short.MaxSize(f), SizeFull: full.MaxSize(f)}[size]
			return size
		}
		const span = 20
		var proven, others [SizeFull + 1]int
		for ms := range int64(span * 1000) {
			now, when := ms*second/1000, r.IntN(10)
			for n := range 10 {
				if at := byte(ms / 1000); ms%1000 == 500 && n == when {
					proven[ask(now, netip.AddrFrom4([4]byte{100, 1, at, 1}))]++
					others[ask(now, netip.AddrFrom4([4]byte{101, 1, at, 1}))]++
				}
				var a [4]byte
				binary.BigEndian.PutUint32(a[:], 1<<24+r.Uint32N(90<<24))
				ask(now, netip.AddrFrom4(a))
			}
			hog := [16]byte{0x20, 1, 0xd, 0xb8}
			binary.BigEndian.PutUint16(hog[6:], uint16(r.Uint32()))
			ask(now, netip.AddrFrom16(hog))
		}
		t.Logf("%v: proven %d short %d full; others %d short %d full; %d bytes/s", f, proven[SizeShort],
			proven[SizeFull], others[SizeShort], others[SizeFull], sent/span)
		if proven[SizeFull] != span {
			t.Errorf("%v: %d of %d proven addresses got full answers", f, proven[SizeFull], span)
		}
		if least := map[Format]int{FormatPlain6: 6, FormatExtended6: span, FormatLegacy64: span}[f]; span-others[SizeNone] < least {
			t.Errorf("%v: %d of %d other addresses got answers, want %d", f, span-others[SizeNone], span, least)
		}
		if most := (span + 2) * 2 << 20; sent > most {
			t.Errorf("%v: %d bytes went out of %d", f, sent, most)
		}
	}
}
