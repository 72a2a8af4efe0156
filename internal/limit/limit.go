// Package limit bounds what one client, one network or all clients together may do. It has token
// buckets, sets of addresses that expire, and counts of failures. All of them have a fixed or
// bounded size.
//
// A "person" is the smallest group of addresses that this package tells apart, see [Person].
//
// Times are in ns on any clock that is not negative and does not go back. Only [Slots] is safe for
// several goroutines. Only Slots and [Failures] allocate after they were made.
package limit

import (
	"hash/maphash"
	"net/netip"
	"time"
)

// Person returns the addresses that count as one person: an IPv4 address or an IPv6 /64. Providers
// give a customer at least a /64. Each link-local address counts as a person, because all machines
// of a local network share the /64.
func Person(a netip.Addr) netip.Prefix {
	if a.Is6() && a.IsLinkLocalUnicast() {
		return prefix(a, 32, 128)
	}
	return prefix(a, 32, 64)
}

// Network returns the addresses that count as a single network: an IPv4 /24 or an IPv6 /64.
func Network(a netip.Addr) netip.Prefix { return prefix(a, 24, 64) }

// Site returns the addresses that one organisation may own: an IPv4 /24 or an IPv6 /48.
func Site(a netip.Addr) netip.Prefix { return prefix(a, 24, 48) }

func prefix(a netip.Addr, bits4, bits6 int) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := bits6
	if a.Is4() {
		bits = bits4
	}
	p, _ := a.Prefix(bits) // the zero Prefix for the zero Addr
	return p
}

// Rate is how fast a bucket fills and how much it holds. The caller decides the meaning of a token,
// such as a request or a byte.
type Rate struct {
	// PerSecond is how many tokens a bucket gains in a second. With a rate of 0, a bucket is always
	// empty.
	PerSecond float64
	// Burst is how many tokens a full bucket has.
	Burst float64
}

// duration returns how many ns it takes to gain a number of tokens.
func (r Rate) duration(tokens float64) int64 {
	const forever = 1 << 60
	if !(r.PerSecond > 0) {
		return forever
	}
	return int64(min(tokens*float64(time.Second)/r.PerSecond, forever))
}

// Bucket is a token bucket. The zero Bucket is full. All calls should pass the same rate.
type Bucket struct {
	full int64 // time in which it is full again
}

// Has reports whether there are n tokens in the bucket.
func (b *Bucket) Has(now int64, r Rate, n int) bool {
	_, ok := b.take(now, r, n)
	return ok
}

// Take takes n tokens out of the bucket and returns true, if it has that many.
func (b *Bucket) Take(now int64, r Rate, n int) bool {
	full, ok := b.take(now, r, n)
	if ok {
		b.full = full
	}
	return ok
}

func (b *Bucket) take(now int64, r Rate, n int) (full int64, ok bool) {
	full = max(b.full, now) + r.duration(float64(n))
	return full, r.PerSecond > 0 && full-now <= r.duration(r.Burst)
}

// Limiter has a token bucket for each of many prefixes, in a table of fixed size. A new prefix
// without room takes over the bucket of another one, the fullest of four. So a flood of forged
// prefixes does not get fresh buckets.
type Limiter struct {
	// Rate is the rate of every bucket.
	Rate  Rate
	table table
}

// NewLimiter returns a limiter with full buckets. The size is rounded up to a power of two.
func NewLimiter(size int, rate Rate) *Limiter { return &Limiter{rate, newTable(size)} }

// Has reports whether the bucket of a prefix has n tokens.
func (l *Limiter) Has(now int64, p netip.Prefix, n int) bool { return l.bucket(p).Has(now, l.Rate, n) }

// Take takes n tokens out of the bucket of a prefix and returns true, if it has that many.
func (l *Limiter) Take(now int64, p netip.Prefix, n int) bool {
	return l.bucket(p).Take(now, l.Rate, n)
}

func (l *Limiter) bucket(p netip.Prefix) *Bucket {
	k := p.Addr().As16()
	e, _ := l.table.find(k)
	e.key = k
	return &e.Bucket
}

// RecentSet is a set of fixed size whose members expire. A new member without room replaces one
// that expires soon, so only proven addresses should be added.
type RecentSet struct {
	keep  time.Duration
	table table
}

// NewRecentSet returns a set that keeps members for some time. The size is rounded up to a power of
// two.
func NewRecentSet(size int, keep time.Duration) *RecentSet {
	return &RecentSet{keep, newTable(size)}
}

// Has reports whether a prefix is in the set.
func (s *RecentSet) Has(now int64, p netip.Prefix) bool {
	e, ok := s.table.find(p.Addr().As16())
	return ok && now < e.full
}

// Since returns the time at which a prefix was added last, if it is in the set.
func (s *RecentSet) Since(now int64, p netip.Prefix) (at int64, ok bool) {
	e, ok := s.table.find(p.Addr().As16())
	return e.full - int64(s.keep), ok && now < e.full
}

// Add adds a prefix to the set, or restarts its time.
func (s *RecentSet) Add(now int64, p netip.Prefix) {
	k := p.Addr().As16()
	e, _ := s.table.find(k)
	*e = entry{k, Bucket{now + int64(s.keep)}}
}

// Remove removes a prefix from the set.
func (s *RecentSet) Remove(p netip.Prefix) {
	if e, ok := s.table.find(p.Addr().As16()); ok {
		*e = entry{}
	}
}

// Clear empties the set.
func (s *RecentSet) Clear() { clear(s.table.entries) }

// table is a hash table of fixed size. It takes its memory at the first use, because many limits of
// a quiet server are never asked.
type table struct {
	seed    maphash.Seed
	size    int // number of entries, a power of two
	entries []entry
}

// entry is a slot of a table. In a set, the bucket's time is the time at which the key expires.
type entry struct {
	key [16]byte
	Bucket
}

// ways is the number of slots in which a key may be.
const ways = 4

func newTable(size int) table {
	n := ways
	for n < min(size, 1<<24) {
		n *= 2
	}
	return table{seed: maphash.MakeSeed(), size: n}
}

// find returns the entry of a key. If the key is missing, it returns the entry with the earliest
// time among the key's slots.
func (t *table) find(key [16]byte) (e *entry, ok bool) {
	if t.entries == nil {
		t.entries = make([]entry, t.size)
	}
	first := maphash.Bytes(t.seed, key[:]) % uint64(t.size/ways) * ways
	places := t.entries[first:][:ways]
	e = &places[0]
	for i := range places {
		if places[i].key == key {
			return &places[i], true
		}
		if places[i].full < e.full {
			e = &places[i]
		}
	}
	return e, false
}
