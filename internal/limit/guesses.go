package limit

import (
	"net/netip"
	"time"
)

// Guesses limits how many wrong passwords all clients together may send. A flood of wrong passwords
// must not lock out clients that know the right one. So there are four shares, each as large as the
// whole rate:
//
//   - loopback addresses
//   - persons that sent the right password lately
//   - sites without a wrong or unchecked password lately
//   - all other clients
//
// In the share of sites, each block of addresses has a smaller limit, since one organisation may
// own many sites.
//
// Loopback addresses are limited because a proxy or tunnel may give them to strangers. When a share
// is used up, its passwords must not be checked, not even right ones.
type Guesses struct {
	rate             Rate
	right            *RecentSet // persons
	tried            *RecentSet // sites
	blocks           *Limiter
	own              Bucket
	known, new, rest Bucket
}

const (
	// triedTracked is the number of sites remembered. With more than an eighth of it in use, some
	// sites are forgotten early and count as new again. The memory is allocated but not touched
	// before it is needed.
	triedTracked  = 32768
	triedTime     = 30 * time.Minute
	blocksTracked = 1024
	// blockShare is the divisor of the rate that limits the new sites of a block.
	blockShare = 10
)

// NewGuesses returns a limit with a rate. It remembers the given number of persons for some time
// after they sent the right password.
func NewGuesses(rate Rate, persons int, keep time.Duration) *Guesses {
	return &Guesses{
		rate: rate, right: NewRecentSet(persons, keep), tried: NewRecentSet(triedTracked, triedTime),
		blocks: NewLimiter(blocksTracked, Rate{rate.PerSecond / blockShare, rate.Burst / blockShare}),
	}
}

// Allow reports whether a password from an address may be checked now. If the address is not
// proven, the try does not count against its site.
func (g *Guesses) Allow(now int64, a netip.Addr, proven bool) bool {
	switch {
	case a.IsLoopback():
		return g.own.Has(now, g.rate, 1)
	case proven && g.right.Has(now, Person(a)):
		return g.known.Has(now, g.rate, 1)
	case g.isNew(now, a, proven), g.rest.Has(now, g.rate, 1):
		return true
	}
	g.addTry(now, a, proven)
	return false
}

// isNew reports whether the share of new sites allows a try from this address.
func (g *Guesses) isNew(now int64, a netip.Addr, proven bool) bool {
	return proven && !g.tried.Has(now, Site(a)) && g.new.Has(now, g.rate, 1) && g.blocks.Has(now, block(a), 1)
}

func (g *Guesses) addTry(now int64, a netip.Addr, proven bool) {
	if proven {
		g.tried.Add(now, Site(a))
	}
}

// Wrong counts a wrong password from an address.
func (g *Guesses) Wrong(now int64, a netip.Addr, proven bool) {
	switch {
	case a.IsLoopback():
		g.own.Take(now, g.rate, 1)
		return
	case proven && g.right.Has(now, Person(a)):
		g.known.Take(now, g.rate, 1)
		return
	case g.isNew(now, a, proven):
		g.new.Take(now, g.rate, 1)
		g.blocks.Take(now, block(a), 1)
	default:
		g.rest.Take(now, g.rate, 1)
	}
	g.addTry(now, a, proven)
}

// Right records that the right password came from an address.
func (g *Guesses) Right(now int64, a netip.Addr, proven bool) {
	if proven {
		g.right.Add(now, Person(a))
	}
}

// block returns the addresses that one provider may own: an IPv4 /16 or an IPv6 /32.
func block(a netip.Addr) netip.Prefix { return prefix(a, 16, 32) }
