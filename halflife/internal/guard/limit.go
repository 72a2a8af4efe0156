package guard

import (
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"net/netip"
	"time"
)

// Key is a network as the key of a table.
type Key struct{ hi, lo uint64 }

// KeyOf is the network of an address: its first v4 or v6 bits, v4 of at least 8
// and v6 of at most 64.
func KeyOf(a netip.Addr, v4, v6 uint) Key {
	b := a.As16()
	k := Key{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
	if a.Is4() || a.Is4In6() {
		k.lo &= ^uint64(0) << (32 - v4)
		return k
	}
	return Key{k.hi & (^uint64(0) << (64 - v6)), 0}
}

// Address is what counts as one address: IPv6 customers get a /64.
func Address(a netip.Addr) Key { return KeyOf(a, 32, 64) }

// Network is what counts as one network.
func Network(a netip.Addr) Key { return KeyOf(a, 24, 64) }

// Wide is a network as Network, but for IPv6 what one customer may own.
func Wide(a netip.Addr) Key { return KeyOf(a, 24, 48) }

// hasher spreads keys over a table such that nobody can aim.
type hasher [2]uint64

func newHasher() hasher {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hasher{binary.NativeEndian.Uint64(b[:8]) | 1, binary.NativeEndian.Uint64(b[8:]) | 1}
}

func (h hasher) sum(k Key) uint64 {
	hi, lo := bits.Mul64(k.hi^h[0], k.lo^h[1])
	hi, lo = bits.Mul64(hi^lo^h[1], 0x9e3779b97f4a7c15)
	return hi ^ lo
}

const (
	ways = 4    // entries a key may be in
	sets = 1024 // of so many entries
)

// entry is a place in a table: for allowances, the time in ns at which all is
// there again, for sets, the time at which the key leaves.
type entry struct {
	key Key
	at  int64
}

// table has a fixed size.
type table struct {
	hash    hasher
	entries []entry
}

func newTable() table { return table{newHasher(), make([]entry, ways*sets)} }

// find returns the entry of a key, or else the one whose time is the earliest.
func (t *table) find(k Key) (e *entry, ok bool) {
	set := t.entries[ways*(t.hash.sum(k)%sets):][:ways]
	e = &set[0]
	for i := range set {
		if set[i].key == k {
			return &set[i], true
		}
		if set[i].at < e.at {
			e = &set[i]
		}
	}
	return e, false
}

// Limiter keeps an allowance for each of many networks in a table of fixed size.
// Who floods it with made-up networks gains nothing: a network that is new takes
// the place of the one with most left, and its debts.
type Limiter struct {
	table
	price float64 // ns for one unit
	burst int64   // ns
}

// NewLimiter makes a limiter that allows each network so many units per second,
// and so many at once.
func NewLimiter(perSecond, burst float64) *Limiter {
	price := float64(time.Second) / perSecond
	return &Limiter{table: newTable(), price: price, burst: int64(price * burst)}
}

func (l *Limiter) entry(k Key) *entry {
	e, ok := l.find(k)
	if !ok {
		e.key = k
	}
	return e
}

// Allow takes cost units off the allowance of a network if there are so many.
func (l *Limiter) Allow(now int64, k Key, cost int) bool {
	e := l.entry(k)
	at := max(e.at, now) + int64(l.price*float64(cost))
	if at-now > l.burst {
		return false
	}
	e.at = at
	return true
}

// Empty reports whether not one unit is left.
func (l *Limiter) Empty(now int64, k Key) bool {
	return max(l.entry(k).at, now)+int64(l.price)-now > l.burst
}

// Set is a set of addresses that are kept for a while, in a table of fixed size.
// Only addresses that are no fakes should get in.
type Set struct {
	table
	span int64
}

// NewSet makes a set whose members stay for a span.
func NewSet(span time.Duration) *Set { return &Set{newTable(), int64(span)} }

// Has reports whether a key is in the set.
func (s *Set) Has(now int64, k Key) bool {
	e, ok := s.find(k)
	return ok && now < e.at
}

// Add puts a key into the set, or keeps it there for longer. If need be, the one
// that would leave first makes room.
func (s *Set) Add(now int64, k Key) {
	e, _ := s.find(k)
	*e = entry{k, now + s.span}
}
