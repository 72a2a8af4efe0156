package query

import (
	"cmp"
	"net/netip"

	"github.com/teeyard/teeyard/internal/limit"
)

// BudgetConfig limits what is sent to addresses that may be forged. The zero value is for
// a public server.
type BudgetConfig struct {
	// PerNetwork is how many bytes go to one network per second, a /24 of IPv4 or a
	// /48 of IPv6; 0 means 32 KiB. Twice as much may go at once.
	PerNetwork int
	// Total is how many bytes go to all of them per second; 0 means 1 MiB.
	Total int
	// Proven is how many bytes more go per second to addresses for which IsProven
	// holds, so that forged requests cannot use up what is theirs; 0 means 1 MiB.
	Proven int
	// IsProven reports whether an address was proved recently, at the time now in ns;
	// nil means that none was.
	IsProven func(now int64, ip netip.Addr) bool
	// MaxNetworks is the size of the table, rounded up to a power of two; 0 means 4096
	// networks of 24 bytes each. When more ask, new ones share what is left of others,
	// and Total still holds.
	MaxNetworks int
}

// Budget keeps a server from being used to flood others: answers of 0.6 are longer than
// the requests, whose addresses may be forged. It limits the bytes per network and in
// all, with a table of fixed size. Loopback addresses are not limited.
//
// It is for one goroutine and does not allocate after NewBudget.
type Budget struct {
	networks               *limit.Limiter
	total, proven          limit.Bucket
	networkHalf, totalHalf int
	totalRate, provenRate  limit.Rate
	isProven               func(now int64, ip netip.Addr) bool
}

// Size is how long an answer may be.
type Size uint8

// The sizes.
const (
	// SizeNone is no answer.
	SizeNone Size = iota
	// SizeShort is an answer of a short ReplyEncoder.
	SizeShort
	// SizeFull is a whole answer.
	SizeFull
)

// NewBudget returns a full budget.
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

// Spend decides how long the answer to an address may be at the time now in ns, on a
// clock that does not go back, and takes that from the budget: full or short bytes, or
// none. Answers are full while half of the budget is left, so that under a flood many get
// short ones rather than few full ones.
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
