// Package bans stores bans of addresses and networks, permanent or with an expiry. The package does
// not depend on a protocol. A game server and its remote consoles can share one store.
package bans

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// ErrCannotBan is returned for bans that are not allowed.
var ErrCannotBan = errors.New("bans: cannot ban")

// ErrFile is returned for files that do not contain bans.
var ErrFile = errors.New("bans: bad file")

// Ban is a ban of a network or of a range of addresses.
type Ban struct {
	// Net is the banned network. A single address is a /32 or /128.
	Net netip.Prefix `json:"net,omitzero"`
	// Range, if set, is banned instead of Net.
	Range Range `json:"range,omitzero"`
	// Duration is how long the ban lasts from its creation. 0 means forever.
	Duration time.Duration `json:"span,omitempty"`
	// Until is when the ban ends. If it is zero, the store computes it from Duration.
	Until time.Time `json:"until,omitzero"`
	// Reason is a text of at most 127 bytes.
	Reason string `json:"reason,omitempty"`
	// RconOnly bans from remote consoles only, not from the game.
	RconOnly bool `json:"rconOnly,omitempty"`
	// Temporary marks automatic bans. Temporary bans are kept in memory only, separate from the
	// others. A temporary ban must have a Duration or Until.
	Temporary bool `json:"-"`
	// Origin names the server or operator of a fleet who made the ban, and Made is when, in ms
	// since 1970. They are empty outside of fleets. Of two bans of the same target that have both,
	// the one that was made later is in force.
	Origin string `json:"origin,omitempty"`
	Made   int64  `json:"made,omitempty"`
}

// laterThan reports whether the ban was made after another one of a fleet.
func (b *Ban) laterThan(o *Ban) bool {
	return b.Made != 0 && o.Made != 0 && (b.Made > o.Made || b.Made == o.Made && b.Origin > o.Origin)
}

// isAgain reports whether a ban of a fleet is the same as an earlier one.
func (b *Ban) isAgain(old *Ban) bool {
	return b.Made != 0 && b.Made == old.Made && b.Origin == old.Origin
}

// ended reports whether the ban has expired.
func (b *Ban) ended(now time.Time) bool { return !b.Until.IsZero() && !now.Before(b.Until) }

// String returns the ban as a text for a console.
func (b Ban) String() string {
	s := "banned " + b.Target()
	if b.RconOnly {
		s += " from rcon"
	}
	if b.Duration > 0 {
		return fmt.Sprintf("%s for %g minutes", s, b.Duration.Minutes())
	}
	return s + " forever"
}

// Target returns the banned address, network or range as text.
func (b Ban) Target() string {
	if b.Range.IsValid() {
		return b.Range.String()
	}
	return FormatNet(b.Net)
}

// Contains reports whether the ban covers the address, ignoring its zone.
func (b Ban) Contains(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if b.Range.IsValid() {
		return b.Range.Contains(a)
	}
	return b.Net.Contains(a)
}

// Ends returns the first and the last banned address.
func (b Ban) Ends() (first, last netip.Addr) {
	if b.Range.IsValid() {
		return b.Range.First, b.Range.Last
	}
	return b.Net.Addr(), lastOf(b.Net)
}

// Networks returns the networks that together cover exactly the banned addresses.
func (b Ban) Networks() []netip.Prefix {
	if b.Range.IsValid() {
		nets, _ := b.Range.networks()
		return nets
	}
	return []netip.Prefix{b.Net}
}

// SameTarget reports whether two bans cover the same network or range.
func (b Ban) SameTarget(o Ban) bool { return b.Key() == o.Key() }

// Key identifies the addresses that a ban covers. Bans of the same addresses have equal keys. Keys
// are comparable.
type Key struct {
	net netip.Prefix // if the addresses form one network
	rng Range        // otherwise
}

// Key returns the key of the ban.
func (b *Ban) Key() Key {
	if !b.Range.IsValid() {
		return Key{net: b.Net}
	}
	if net, ok := b.Range.network(); ok {
		return Key{net: net}
	}
	return Key{rng: b.Range}
}

// Ban returns a permanent ban of the addresses.
func (k Key) Ban() Ban { return Ban{Net: k.net, Range: k.rng} }

// String returns the address, network or range as text.
func (k Key) String() string { return k.Ban().Target() }

// Compare orders keys: networks by address and then by length, and after them ranges.
func (k Key) Compare(o Key) int {
	if k.rng.IsValid() != o.rng.IsValid() {
		if o.rng.IsValid() {
			return -1
		}
		return 1
	}
	return cmp.Or(k.net.Addr().Compare(o.net.Addr()), cmp.Compare(k.net.Bits(), o.net.Bits()),
		k.rng.First.Compare(o.rng.First), k.rng.Last.Compare(o.rng.Last))
}

// normalize converts Net and Range to the form in which a store keeps them. The error wraps
// ErrCannotBan.
func (b *Ban) normalize() (err error) {
	if b.Range == (Range{}) {
		b.Net, err = Normalize(b.Net)
		return err
	}
	b.Net = netip.Prefix{}
	_, err = b.Range.networks()
	return err
}

// FormatNet returns the network as text. A single address has no length.
func FormatNet(net netip.Prefix) string {
	if net.IsSingleIP() {
		return net.Addr().String()
	}
	return net.String()
}

// Store is a store of bans, such as [List].
type Store interface {
	// Add adds a ban or replaces the ban of the same network. A ban from rcon does not replace a
	// ban from the game. The error wraps ErrCannotBan.
	Add(Ban) error
	// Remove removes the bans of exactly the same network or range. It reports whether there was
	// one.
	Remove(Ban) bool
	// Find returns the ban in force for an address. A ban from the game takes precedence over one
	// from rcon.
	Find(netip.Addr) (Ban, bool)
	// All returns the bans in force in order of creation.
	All() []Ban
	// Stored waits up to limit until all changes so far are stored. Stored returns an error if some
	// are not stored. With a limit of 0 it does not wait.
	Stored(limit time.Duration) error
}

const (
	shortestNet4 = 8
	shortestNet6 = 16
)

// localhost4 is the IPv4 address of the operator's own programs. Other addresses of 127.0.0.0/8 can
// be banned, since tests and bots use them.
var localhost4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// Normalize returns the form in which a store keeps a network. It returns an error that wraps
// ErrCannotBan for localhost, and for networks larger than an IPv4 /8 or an IPv6 /16.
func Normalize(net netip.Prefix) (netip.Prefix, error) {
	if !net.IsValid() {
		return net, fmt.Errorf("%w: invalid network", ErrCannotBan)
	}
	net = canonical(net)
	if text := whyNot(net); text != "" {
		return net, fmt.Errorf("%w %v: %s", ErrCannotBan, net, text)
	}
	return net, nil
}

// whyNot returns the reason why a network cannot be banned, or "" if it can.
func whyNot(net netip.Prefix) string {
	shortest := shortestNet4
	if net.Addr().Is6() {
		shortest = shortestNet6
	}
	switch {
	case net.Bits() < shortest:
		return "too large; the limit is /8 for IPv4 and /16 for IPv6"
	case net.Contains(localhost4), net.Contains(netip.IPv6Loopback()):
		return "it contains localhost"
	}
	return ""
}

// canonical returns the network with IPv4 unmapped, without zone and host bits.
func canonical(net netip.Prefix) netip.Prefix {
	if a := net.Addr(); a.Is4In6() && net.Bits() >= 96 {
		net = netip.PrefixFrom(a.Unmap(), net.Bits()-96)
	} else if a.Zone() != "" {
		net = netip.PrefixFrom(a.WithZone(""), net.Bits())
	}
	return net.Masked()
}

// Parse reads an address, a network such as 10.1.0.0/16, or a range such as 10.0.0.5-10.0.0.20, and
// returns a ban of it. IPv6 addresses may be in brackets. Parse does not check whether the ban is
// allowed.
func Parse(s string) (b Ban, err error) {
	if from, to, ok := strings.Cut(s, "-"); ok {
		b.Range, err = newRange(strings.TrimSpace(from), strings.TrimSpace(to))
		return b, err
	}
	if strings.Contains(s, "/") {
		if b.Net, err = netip.ParsePrefix(s); err != nil {
			return b, fmt.Errorf("%w: %q is not a network", ErrCannotBan, s)
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
		return a, fmt.Errorf("%w: %q is not an address", ErrCannotBan, s)
	}
	return a.Unmap().WithZone(""), nil
}
