package limit

import (
	"net/netip"
	"time"
)

// Guesses limits how many wrong passwords everybody together may give. Who floods with them
// must not keep out those who know the right one, so there are four shares, each of the
// whole rate: of loopback addresses, of persons who gave the right password lately, of sites that
// have given no password lately that was wrong or not checked, and of all. The third is also
// limited per block of addresses, since one organisation may own many sites. A loopback address
// does not have any number of tries: a proxy or tunnel may give it to strangers.
//
// When a share is used up, its passwords must not be checked, not even right ones.
type Guesses struct {
	rate             Rate
	right            *RecentSet // persons
	tried            *RecentSet // sites
	blocks           *Limiter
	own              Bucket
	known, new, rest Bucket
}

const (
	// triedTracked is in sites. Of more than an eighth as many, some would be forgotten early
	// and count as new again. The memory is used only as they come.
	triedTracked  = 32768
	triedTime     = 30 * time.Minute
	blocksTracked = 1024
	// blockShare is the part of the rate that new sites of a block have.
	blockShare = 10
)

// NewGuesses returns a limit of a rate that remembers a number of persons for a time after
// they gave the right password.
func NewGuesses(rate Rate, persons int, keep time.Duration) *Guesses {
	return &Guesses{
		rate: rate, right: NewRecentSet(persons, keep), tried: NewRecentSet(triedTracked, triedTime),
		blocks: NewLimiter(blocksTracked, Rate{rate.PerSecond / blockShare, rate.Burst / blockShare}),
	}
}

// Allow reports whether a password from an address may be checked now. If the address is
// not proven, its site is not blamed.
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

// isNew reports whether the share of new sites has a try for this one.
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

// Right notes that the right password came from an address.
func (g *Guesses) Right(now int64, a netip.Addr, proven bool) {
	if proven {
		g.right.Add(now, Person(a))
	}
}

// block returns the addresses that one provider may own: an IPv4 /16 or an IPv6 /32.
func block(a netip.Addr) netip.Prefix { return prefix(a, 16, 32) }
