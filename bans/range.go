package bans

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// ErrRange is returned, together with ErrCannotBan, for a range whose ends are of different
// families or not in ascending order.
var ErrRange = errors.New("a range needs two ascending addresses of one family")

// Range is a range of addresses of one family, including both ends. The zero value is not a range.
type Range struct{ First, Last netip.Addr }

// newRange parses both ends of a range.
func newRange(from, to string) (r Range, err error) {
	if r.First, err = parseAddr(from); err != nil {
		return Range{}, err
	}
	if r.Last, err = parseAddr(to); err != nil {
		return Range{}, err
	}
	if !r.IsValid() {
		return Range{}, fmt.Errorf("%w: %s-%s: %w", ErrCannotBan, from, to, ErrRange)
	}
	return r, nil
}

// IsValid reports whether the range contains at least two addresses.
func (r Range) IsValid() bool {
	return r.First.IsValid() && r.First.BitLen() == r.Last.BitLen() && r.First.Less(r.Last)
}

// Contains reports whether the range contains the address.
func (r Range) Contains(a netip.Addr) bool {
	return r.IsValid() && a.BitLen() == r.First.BitLen() && !a.Less(r.First) && !r.Last.Less(a)
}

// String returns the range as FIRST-LAST.
func (r Range) String() string { return r.First.String() + "-" + r.Last.String() }

// MarshalText implements [encoding.TextMarshaler].
func (r Range) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Range) UnmarshalText(b []byte) (err error) {
	from, to, ok := strings.Cut(string(b), "-")
	if !ok {
		return fmt.Errorf("%w: %q: %w", ErrCannotBan, b, ErrRange)
	}
	*r, err = newRange(from, to)
	return err
}

// network returns the network that equals the range. ok is false if there is none.
func (r Range) network() (net netip.Prefix, ok bool) {
	for bits := r.First.BitLen() - 1; bits >= 0; bits-- {
		if net = netip.PrefixFrom(r.First, bits).Masked(); net.Contains(r.Last) {
			return net, net.Addr() == r.First && lastOf(net) == r.Last
		}
	}
	return net, false
}

// networks returns the networks that together equal the range, or an error if one of them cannot be
// banned.
func (r Range) networks() (nets []netip.Prefix, err error) {
	if !r.IsValid() {
		return nil, fmt.Errorf("%w: %w", ErrCannotBan, ErrRange)
	}
	for first := r.First; ; {
		net := netip.PrefixFrom(first, first.BitLen())
		for net.Bits() > 0 {
			wider := netip.PrefixFrom(first, net.Bits()-1)
			if wider.Masked().Addr() != first || r.Last.Less(lastOf(wider)) {
				break
			}
			net = wider
		}
		if net = canonical(net); whyNot(net) != "" {
			return nil, fmt.Errorf("%w %v: %s", ErrCannotBan, r, whyNot(net))
		}
		nets = append(nets, net)
		end := lastOf(net)
		if !end.Less(r.Last) {
			return nets, nil
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
