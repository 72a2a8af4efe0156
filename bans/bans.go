// Package bans stores bans of addresses and networks, permanent or with an expiry. It is
// independent of protocols: a game server and its remote consoles may share one store.
package bans

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// ErrCannotBan is returned for bans that are not possible.
var ErrCannotBan = errors.New("bans: cannot ban")

// ErrFile is returned for files that hold no bans.
var ErrFile = errors.New("bans: bad file")

// Ban is the ban of a network.
type Ban struct {
	// Net is the network; a single address is a /32 or /128.
	Net netip.Prefix `json:"net"`
	// Duration is how long the ban lasts from when it was made, 0 for a permanent one.
	Duration time.Duration `json:"span,omitempty"`
	// Until is when the ban ends. A store sets it from Duration if it is zero.
	Until time.Time `json:"until,omitzero"`
	// Reason is a text of at most 127 bytes.
	Reason string `json:"reason,omitempty"`
	// RconOnly bans the network from remote consoles, but not from the game.
	RconOnly bool `json:"rconOnly,omitempty"`
	// Temporary is for automatic bans. They are kept in memory only, apart from the
	// others, and must have a Duration. A store may ban more of the same site instead
	// when there are many.
	Temporary bool `json:"-"`
}

// ended reports whether the ban is over.
func (b *Ban) ended(now time.Time) bool { return !b.Until.IsZero() && !now.Before(b.Until) }

// String returns the ban as a sentence for a console.
func (b Ban) String() string {
	s := "banned " + FormatNet(b.Net)
	if b.RconOnly {
		s += " from rcon"
	}
	if b.Duration > 0 {
		return fmt.Sprintf("%s for %g minutes", s, b.Duration.Minutes())
	}
	return s + " for ever"
}

// FormatNet returns the network as people write it: a single address without its
// length.
func FormatNet(net netip.Prefix) string {
	if net.IsSingleIP() {
		return net.Addr().String()
	}
	return net.String()
}

// Store is a store of bans. [List] implements it.
type Store interface {
	// Add bans a network, or replaces its ban. A ban from the game is not replaced by
	// one from rcon. The error wraps ErrCannotBan.
	Add(Ban) error
	// Remove removes the bans of exactly this network and reports whether there were
	// any.
	Remove(netip.Prefix) bool
	// Find returns the ban of an address that is in force: one from the game rather
	// than one from rcon.
	Find(netip.Addr) (Ban, bool)
	// All returns the bans in force, in the order they were made.
	All() []Ban
	// Stored waits, at most for limit, until all changes so far are stored, and returns
	// why they are not. With a limit of 0 it does not wait.
	Stored(limit time.Duration) error
}

const (
	shortestNet4 = 8
	shortestNet6 = 16
)

// localhost4 is the IPv4 address of the operator's programs. Other addresses of
// 127.0.0.0/8, as tests and bots use, can be banned.
var localhost4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// Normalize returns the one form that a network has in a store, or an error if it
// cannot be banned: localhost, and networks larger than an IPv4 /8 or an IPv6 /16.
func Normalize(net netip.Prefix) (netip.Prefix, error) {
	if !net.IsValid() {
		return net, fmt.Errorf("%w: no network", ErrCannotBan)
	}
	if a := net.Addr(); a.Is4In6() && net.Bits() >= 96 {
		net = netip.PrefixFrom(a.Unmap(), net.Bits()-96)
	} else if a.Zone() != "" {
		net = netip.PrefixFrom(a.WithZone(""), net.Bits())
	}
	net = net.Masked()
	shortest := shortestNet4
	if net.Addr().Is6() {
		shortest = shortestNet6
	}
	switch {
	case net.Bits() < shortest:
		return net, fmt.Errorf("%w %v: that is too much of the world", ErrCannotBan, net)
	case net.Contains(localhost4), net.Contains(netip.IPv6Loopback()):
		return net, fmt.Errorf("%w %v: this machine cannot be banned", ErrCannotBan, net)
	}
	return net, nil
}

// ParseRange reads an address, a network like 10.1.0.0/16, or a range of addresses
// like 10.0.0.5-10.0.0.20, and returns the networks that together are exactly that.
func ParseRange(s string) ([]netip.Prefix, error) {
	if strings.Contains(s, "/") {
		net, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("%w: %q is no network", ErrCannotBan, s)
		}
		return normalizeAll(net)
	}
	from, to, isRange := strings.Cut(s, "-")
	first, err := netip.ParseAddr(strings.TrimSpace(from))
	last := first
	if isRange && err == nil {
		last, err = netip.ParseAddr(strings.TrimSpace(to))
	}
	first, last = first.Unmap().WithZone(""), last.Unmap().WithZone("")
	if err != nil || first.BitLen() != last.BitLen() || last.Less(first) {
		return nil, fmt.Errorf("%w: %q is no address or range of addresses", ErrCannotBan, s)
	}
	var nets []netip.Prefix
	for {
		net := netip.PrefixFrom(first, first.BitLen())
		for net.Bits() > 0 {
			wider := netip.PrefixFrom(first, net.Bits()-1)
			if wider.Masked().Addr() != first || last.Less(lastOf(wider)) {
				break
			}
			net = wider
		}
		nets = append(nets, net)
		end := lastOf(net)
		if !end.Less(last) {
			return normalizeAll(nets...)
		}
		first = end.Next()
	}
}

// lastOf returns the last address of a network.
func lastOf(net netip.Prefix) netip.Addr {
	b := net.Addr().AsSlice()
	for i := net.Bits(); i < 8*len(b); i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

func normalizeAll(nets ...netip.Prefix) ([]netip.Prefix, error) {
	for i := range nets {
		var err error
		if nets[i], err = Normalize(nets[i]); err != nil {
			return nil, err
		}
	}
	return nets, nil
}
