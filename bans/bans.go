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

// Ban is the ban of a network or a range of addresses.
type Ban struct {
	// Net is the network; a single address is a /32 or /128.
	Net netip.Prefix `json:"net,omitzero"`
	// Range, if it is set, is what is banned instead of Net.
	Range Range `json:"range,omitzero"`
	// Duration is how long the ban lasts from when it was made, 0 for a permanent one.
	Duration time.Duration `json:"span,omitempty"`
	// Until is when the ban ends. A store sets it from Duration if it is zero.
	Until time.Time `json:"until,omitzero"`
	// Reason is a text of at most 127 bytes.
	Reason string `json:"reason,omitempty"`
	// RconOnly bans the network from remote consoles, but not from the game.
	RconOnly bool `json:"rconOnly,omitempty"`
	// Temporary is for automatic bans. They are kept in memory only, apart from the
	// others, and must have a Duration.
	Temporary bool `json:"-"`
}

// ended reports whether the ban is over.
func (b *Ban) ended(now time.Time) bool { return !b.Until.IsZero() && !now.Before(b.Until) }

// String returns the ban as a sentence for a console.
func (b Ban) String() string {
	s := "banned " + b.Target()
	if b.RconOnly {
		s += " from rcon"
	}
	if b.Duration > 0 {
		return fmt.Sprintf("%s for %g minutes", s, b.Duration.Minutes())
	}
	return s + " for ever"
}

// Target returns what is banned as people write it: an address, a network or a range.
func (b Ban) Target() string {
	if b.Range.IsValid() {
		return b.Range.String()
	}
	return FormatNet(b.Net)
}

// Contains reports whether an address is banned, without its zone.
func (b Ban) Contains(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if b.Range.IsValid() {
		return b.Range.Contains(a)
	}
	return b.Net.Contains(a)
}

// Ends returns the first and the last address that is banned.
func (b Ban) Ends() (first, last netip.Addr) {
	if b.Range.IsValid() {
		return b.Range.First, b.Range.Last
	}
	return b.Net.Addr(), lastOf(b.Net)
}

// Networks returns the networks that together are exactly what is banned.
func (b Ban) Networks() []netip.Prefix {
	if b.Range.IsValid() {
		nets, _ := b.Range.networks()
		return nets
	}
	return []netip.Prefix{b.Net}
}

// SameTarget reports whether two bans are of the same network or range.
func (b Ban) SameTarget(o Ban) bool { return b.target() == o.target() }

// target identifies what is banned: net, or rng if that is not a network.
type target struct {
	net netip.Prefix
	rng Range
}

func (b *Ban) target() target {
	if !b.Range.IsValid() {
		return target{net: b.Net}
	}
	if net, ok := b.Range.network(); ok {
		return target{net: net}
	}
	return target{rng: b.Range}
}

// normalize brings what is banned to the one form that it has in a store.
func (b *Ban) normalize() (err error) {
	if b.Range == (Range{}) {
		b.Net, err = Normalize(b.Net)
		return err
	}
	b.Net = netip.Prefix{}
	_, err = b.Range.networks()
	return err
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
	// Remove removes the bans of exactly the network or range of a ban and reports whether
	// there were any.
	Remove(Ban) bool
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
	net = canonical(net)
	if text := whyNot(net); text != "" {
		return net, fmt.Errorf("%w %v: %s", ErrCannotBan, net, text)
	}
	return net, nil
}

// whyNot returns why a network cannot be banned, "" if it can.
func whyNot(net netip.Prefix) string {
	shortest := shortestNet4
	if net.Addr().Is6() {
		shortest = shortestNet6
	}
	switch {
	case net.Bits() < shortest:
		return "that is too much of the world"
	case net.Contains(localhost4), net.Contains(netip.IPv6Loopback()):
		return "this machine cannot be banned"
	}
	return ""
}

// canonical returns the one form of a network.
func canonical(net netip.Prefix) netip.Prefix {
	if a := net.Addr(); a.Is4In6() && net.Bits() >= 96 {
		net = netip.PrefixFrom(a.Unmap(), net.Bits()-96)
	} else if a.Zone() != "" {
		net = netip.PrefixFrom(a.WithZone(""), net.Bits())
	}
	return net.Masked()
}

// Parse returns the ban of an address, a network like 10.1.0.0/16, or a range of addresses like
// 10.0.0.5-10.0.0.20. Addresses of IPv6 may be in brackets. It does not check what may be banned.
func Parse(s string) (b Ban, err error) {
	if from, to, ok := strings.Cut(s, "-"); ok {
		b.Range, err = newRange(strings.TrimSpace(from), strings.TrimSpace(to))
		return b, err
	}
	if strings.Contains(s, "/") {
		if b.Net, err = netip.ParsePrefix(s); err != nil {
			return b, fmt.Errorf("%w: %q is no network", ErrCannotBan, s)
		}
		b.Net = canonical(b.Net)
		return b, nil
	}
	a, err := parseAddr(s)
	if err != nil {
		return b, err
	}
	b.Net = netip.PrefixFrom(a, a.BitLen())
	return b, nil
}

func parseAddr(s string) (netip.Addr, error) {
	inner, ok := strings.CutPrefix(s, "[")
	if ok {
		inner, ok = strings.CutSuffix(inner, "]")
	}
	if !ok {
		inner = s
	}
	a, err := netip.ParseAddr(inner)
	if err != nil {
		return a, fmt.Errorf("%w: %q is no address", ErrCannotBan, s)
	}
	return a.Unmap().WithZone(""), nil
}
