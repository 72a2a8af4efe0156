package query

import (
	"cmp"
	"net/netip"

	"github.com/teeyard/teeyard/internal/limit"
)

// BudgetConfig limits the bytes sent to addresses that may be forged. The zero value suits a public
// server.
type BudgetConfig struct {
	// PerNetwork limits the bytes per second to one network, an IPv4 /24 or IPv6 /48; 0 means 32
	// KiB. A burst may be twice as large.
	PerNetwork int
	// Total limits the bytes per second to all networks together; 0 means 1 MiB.
	Total int
	// Proven is an additional limit in bytes per second, reserved for addresses for which IsProven
	// returns true. Forged requests cannot use it up. 0 means 1 MiB.
	Proven int
	// IsProven reports whether an address was recently proven at time now in ns. nil means that no
	// address is proven.
	IsProven func(now int64, ip netip.Addr) bool
	// MaxNetworks is the size of the table of networks, rounded up to a power of two; 0 means 4096
	// networks of 24 bytes each. When more networks send requests, new ones share the remaining
	// limits of others. Total still holds.
	MaxNetworks int
}

// Budget prevents a server from being used to flood others. Answers of 0.6 are longer than the
// requests, whose source addresses may be forged. A Budget limits the bytes per network and in
// total, with a table of fixed size. Loopback addresses have no limit.
//
// A Budget is not safe for concurrent use. It does not allocate after NewBudget.
type Budget struct {
	networks               *limit.Limiter
	total, proven          limit.Bucket
	networkHalf, totalHalf int
	totalRate, provenRate  limit.Rate
	isProven               func(now int64, ip netip.Addr) bool
}

// Size selects the length of an answer.
type Size uint8

// The sizes of an answer.
const (
	// SizeNone means no answer.
	SizeNone Size = iota
	// SizeShort means an answer of a ReplyEncoder with Short set.
	SizeShort
	// SizeFull means an answer with the list of clients.
	SizeFull
)

// NewBudget returns a budget with nothing spent.
func NewBudget(cfg BudgetConfig) *Budget {
	bytes := func(n, standard int) int { return cmp.Or(max(n, 0), standard) }
	rate := func(n int) limit.Rate { return limit.Rate{PerSecond: float64(n), Burst: 2 * float64(n)} }
	network, total := bytes(cfg.PerNetwork, 32<<10), bytes(cfg.Total, 1<<20)
	b := &Budget{
		networks:    limit.NewLimiter(bytes(cfg.MaxNetworks, 4096), rate(network)),
		networkHalf: network, totalHalf: total,
		totalRate: rate(total), provenRate: rate(bytes(cfg.Proven, 1<<20)),
		isProven: cfg.IsProven,
	}
	if b.isProven == nil {
		b.isProven = func(int64, netip.Addr) bool { return false }
	}
	return b
}

// Spend chooses the size of the answer to an address and subtracts its bytes, full or short, from
// the budget. now is in ns on a monotonic clock. Answers are full while at least half of the budget
// is left. Below that answers are short. During a flood, many clients then get a short answer,
// rather than a few clients a full one.
func (b *Budget) Spend(now int64, ip netip.Addr, full, short int) Size {
	if ip.IsLoopback() {
		return SizeFull
	}
	network := limit.Site(ip)
	size, n := SizeFull, full
	if !b.networks.Has(now, network, max(full, b.networkHalf)) {
		if size, n = SizeShort, short; !b.networks.Has(now, network, n) {
			return SizeNone
		}
	}
	switch {
	case b.total.Has(now, b.totalRate, max(n, b.totalHalf)):
		b.total.Take(now, b.totalRate, n)
	case b.isProven(now, ip) && b.proven.Take(now, b.provenRate, n):
	case b.total.Take(now, b.totalRate, short):
		size, n = SizeShort, short
	default:
		return SizeNone
	}
	b.networks.Take(now, network, n)
	return size
}
