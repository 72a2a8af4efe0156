package query

import (
	"encoding/binary"
	"hash/maphash"
	"net/netip"
)

// BudgetConfig limits what is sent to askers that have proved nothing. The zero
// value is for a public server.
type BudgetConfig struct {
	// Network is how many bytes go to one network per second, a /24 of IPv4 or a
	// /64 of IPv6; 0 means 32 KiB. Twice as much may go at once.
	Network int
	// Total is how many bytes go to all of them per second; 0 means 1 MiB.
	Total int
	// Networks is how many are told apart, rounded up to a power of two; 0 means
	// 4096. Each takes 16 bytes. When more ask, those that asked least recently are
	// forgotten, and Total still holds.
	Networks int
}

// Budget keeps a server from being made to flood somebody: answers to 0.6 are
// longer than the requests, and anyone can ask in the name of another. It bounds
// the bytes, per network and in all, by token buckets in a table of fixed size.
// Loopback addresses are free.
//
// It is for one goroutine and does not allocate after NewBudget.
type Budget struct {
	seed    maphash.Seed
	network int64 // bytes per s
	total   bucket
	limit   int64
	table   []bucket
}

// bucket is what a network may have. It holds the time until which its share is
// used up; a share of burst is there at most.
type bucket struct {
	key uint64
	at  int64 // ns
}

// burst is how much may go at once, as the time in ns that it takes to regain it.
const burst = 2 * second

// never is the at of a bucket that nobody used.
const never = -1 << 62

// ways is how many places of the table a network may be in.
const ways = 4

// second is a second in ns.
const second = 1_000_000_000

// NewBudget returns a full budget.
func NewBudget(cfg BudgetConfig) *Budget {
	or := func(v, otherwise int) int {
		if v <= 0 {
			return otherwise
		}
		return v
	}
	size := ways
	for n := min(or(cfg.Networks, 4096), 1<<24); size < n; {
		size *= 2
	}
	table := make([]bucket, size)
	for i := range table {
		table[i].at = never
	}
	return &Budget{
		seed: maphash.MakeSeed(), total: bucket{at: never}, network: int64(or(cfg.Network, 32<<10)), limit: int64(or(cfg.Total, 1<<20)),
		table: table,
	}
}

// Spend takes bytes out of the budget of an address's network at the time now
// (ns, of a clock that does not go back). It reports false, and takes nothing, if
// they are not there: then the server keeps silent.
func (b *Budget) Spend(now int64, ip netip.Addr, bytes int) bool {
	if ip.IsLoopback() {
		return true
	}
	total, ok := b.total.take(now, bytes, b.limit)
	if !ok {
		return false
	}
	e := b.find(now, networkOf(ip))
	at, ok := e.take(now, bytes, b.network)
	if !ok {
		return false
	}
	b.total.at, e.at = total, at
	return true
}

// take returns until when the share is used up if bytes are taken of it at rate
// bytes per s, and whether they are there.
func (e *bucket) take(now int64, bytes int, rate int64) (at int64, ok bool) {
	at = max(e.at, now-burst) + (int64(bytes)*second+rate-1)/rate
	return at, at <= now
}

// find returns the bucket of a network; if it has none, that of the one that
// asked least recently, emptied.
func (b *Budget) find(now int64, key uint64) *bucket {
	var text [8]byte
	binary.LittleEndian.PutUint64(text[:], key)
	at := maphash.Bytes(b.seed, text[:]) % uint64(len(b.table)/ways) * ways
	places := b.table[at : at+ways]
	oldest := &places[0]
	for i := range places {
		if places[i].key == key {
			return &places[i]
		}
		if places[i].at < oldest.at {
			oldest = &places[i]
		}
	}
	*oldest = bucket{key: key, at: now - burst}
	return oldest
}

// networkOf returns a number for the network of an address, never 0: in IPv6 the
// first half, in IPv4 the first three bytes below a prefix that is not routed.
func networkOf(ip netip.Addr) uint64 {
	ip = ip.Unmap()
	if ip.Is4() {
		a := ip.As4()
		return 1<<24 | uint64(a[0])<<16 | uint64(a[1])<<8 | uint64(a[2])
	}
	a := ip.As16()
	return binary.BigEndian.Uint64(a[:]) | 1<<63
}
