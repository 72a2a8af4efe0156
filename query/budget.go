package query

import (
	"cmp"
	"net/netip"

	"github.com/teeyard/teeyard/internal/limit"
)

// BudgetConfig limits what is sent to addresses that are not proved. The zero value is
// for a public server.
type BudgetConfig struct {
	// PerNetwork is how many bytes go to one network per second, a /24 of IPv4 or a
	// /64 of IPv6; 0 means 32 KiB. Twice as much may go at once.
	PerNetwork int
	// Total is how many bytes go to all of them per second; 0 means 1 MiB.
	Total int
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
	networks  *limit.Limiter
	total     limit.Bucket
	totalRate limit.Rate
}

// NewBudget returns a full budget.
func NewBudget(cfg BudgetConfig) *Budget {
	rate := func(bytes, standard int) limit.Rate {
		if bytes <= 0 {
			bytes = standard
		}
		return limit.Rate{PerSecond: float64(bytes), Burst: 2 * float64(bytes)}
	}
	return &Budget{
		networks:  limit.NewLimiter(cmp.Or(max(cfg.MaxNetworks, 0), 4096), rate(cfg.PerNetwork, 32<<10)),
		totalRate: rate(cfg.Total, 1<<20),
	}
}

// Spend takes bytes from the budget of an address's network at the time now in ns, on a
// clock that does not go back. It reports false, and takes nothing, if they are not
// left: then the server should not answer.
func (b *Budget) Spend(now int64, ip netip.Addr, bytes int) bool {
	if ip.IsLoopback() {
		return true
	}
	network := limit.Network(ip)
	return b.networks.Has(now, network, bytes) && b.total.Take(now, b.totalRate, bytes) && b.networks.Take(now, network, bytes)
}
