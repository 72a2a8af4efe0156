package halflife

import (
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"net/netip"
	"time"
)

// Rate is an allowance: so much per second, and so much at once. The unit depends
// on what it limits. The zero value stands for the default.
type Rate struct {
	PerSecond float64
	Burst     float64
}

// netKey is a network as the key of a table.
type netKey struct{ hi, lo uint64 }

// keyOf is the network of an address: its first v4 or v6 bits, v4 of at least 8
// and v6 of at most 64.
func keyOf(a netip.Addr, v4, v6 uint) netKey {
	b := a.As16()
	k := netKey{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
	if a.Is4() || a.Is4In6() {
		k.lo &= ^uint64(0) << (32 - v4)
		return k
	}
	return netKey{k.hi & (^uint64(0) << (64 - v6)), 0}
}

// addressKey is what counts as one address: IPv6 customers get a /64.
func addressKey(a netip.Addr) netKey { return keyOf(a, 32, 64) }

// networkKey is what counts as one network.
func networkKey(a netip.Addr) netKey { return keyOf(a, 24, 64) }

// wideKey is a network as networkKey, but what one IPv6 customer may own.
func wideKey(a netip.Addr) netKey { return keyOf(a, 24, 48) }

// hasher spreads keys over a table such that nobody can aim.
type hasher [2]uint64

func newHasher() hasher {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hasher{binary.NativeEndian.Uint64(b[:8]) | 1, binary.NativeEndian.Uint64(b[8:]) | 1}
}

func (h hasher) sum(k netKey) uint64 {
	hi, lo := bits.Mul64(k.hi^h[0], k.lo^h[1])
	a := hi ^ lo
	hi, lo = bits.Mul64(a^h[1], 0x9e3779b97f4a7c15)
	return hi ^ lo
}

const (
	ways = 4    // entries a key may be in
	sets = 1024 // of so many entries; a power of two
)

// limiter keeps an allowance for each of many networks in a table of fixed size.
// Who floods it with made-up networks gains nothing: a network that is new takes
// the place of the one with most left, and its debts.
type limiter struct {
	hash  hasher
	price float64 // ns for one unit
	burst int64   // ns
	table []allowance
}

// allowance is an entry: the time in ns at which all of it will be there again.
type allowance struct {
	key  netKey
	full int64
}

func newLimiter(r, standard Rate) *limiter {
	r.PerSecond = orElse(r.PerSecond, standard.PerSecond)
	r.Burst = orElse(r.Burst, standard.Burst)
	price := float64(time.Second) / r.PerSecond
	return &limiter{hash: newHasher(), price: price, burst: int64(price * r.Burst), table: make([]allowance, ways*sets)}
}

// find returns the entry of a network.
func (l *limiter) find(now int64, k netKey) *allowance {
	set := l.table[ways*(l.hash.sum(k)%sets):][:ways]
	best := &set[0]
	for i := range set {
		if set[i].key == k {
			return &set[i]
		}
		if set[i].full < best.full {
			best = &set[i]
		}
	}
	best.key = k
	return best
}

// allow takes cost units off the allowance of a network if there are so many.
func (l *limiter) allow(now int64, k netKey, cost int) bool {
	return l.find(now, k).take(now, int64(l.price*float64(cost)), l.burst)
}

// empty reports whether not one unit is left.
func (l *limiter) empty(now int64, k netKey) bool {
	return max(l.find(now, k).full, now)+int64(l.price)-now > l.burst
}

func (a *allowance) take(now, ns, burst int64) bool {
	full := max(a.full, now) + ns
	if full-now > burst {
		return false
	}
	a.full = full
	return true
}

// addrSet is a set of addresses that are kept for a while, in a table of fixed
// size. Only addresses that are no fakes should get in.
type addrSet struct {
	hash  hasher
	span  int64
	table []allowance // full is when the entry ends
}

func newAddrSet(span time.Duration) *addrSet {
	return &addrSet{hash: newHasher(), span: int64(span), table: make([]allowance, ways*sets)}
}

func (s *addrSet) set(k netKey) []allowance { return s.table[ways*(s.hash.sum(k)%sets):][:ways] }

func (s *addrSet) has(now int64, k netKey) bool {
	set := s.set(k)
	for i := range set {
		if set[i].key == k {
			return now < set[i].full
		}
	}
	return false
}

func (s *addrSet) add(now int64, k netKey) {
	set := s.set(k)
	best := &set[0]
	for i := range set {
		if set[i].key == k {
			best = &set[i]
			break
		}
		if set[i].full < best.full {
			best = &set[i]
		}
	}
	*best = allowance{k, now + s.span}
}

// IsLAN reports whether an address is of a local network: private, link-local or
// loopback.
func IsLAN(a netip.Addr) bool {
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}

// contains reports whether one of the networks has an address.
func contains(nets []netip.Prefix, a netip.Addr) bool {
	for _, n := range nets {
		if n.Contains(a) {
			return true
		}
	}
	return false
}
