package halflife

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
)

// ParseNet reads a network in the syntax of addip and removeip: an address with or without /length.
// Without a length, trailing zeros of an IPv4 address are wildcards, and trailing parts may be
// missing: "10.1.0.0" and "10.1" are 10.1.0.0/16. The whole of IPv4 is an error.
func ParseNet(s string) (netip.Prefix, error) {
	if strings.Contains(s, "/") {
		net, err := netip.ParsePrefix(s)
		if err != nil {
			return net, fmt.Errorf("%w: %q is not a network", bans.ErrCannotBan, s)
		}
		return bans.Normalize(net)
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Is6() {
		return bans.Normalize(netip.PrefixFrom(a, a.BitLen()))
	}
	parts := strings.Split(strings.TrimSuffix(s, "."), ".")
	var ip [4]byte
	bits := 0
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 8)
		if i >= len(ip) || err != nil {
			return netip.Prefix{}, fmt.Errorf("%w: %q is not an address", bans.ErrCannotBan, s)
		}
		if ip[i] = byte(n); n != 0 {
			bits = 8 * (i + 1)
		}
	}
	return bans.Normalize(netip.PrefixFrom(netip.AddrFrom4(ip), bits))
}

// AddIP runs the console command "addip MINUTES ADDRESS" and returns the new ban. The caller drops
// the players to whom it applies. 0 minutes means forever.
func AddIP(store bans.Store, minutes, address string) (bans.Ban, error) {
	m, err := strconv.ParseFloat(minutes, 64)
	if err != nil || !(m >= 0) || m > math.MaxInt64/float64(time.Minute) {
		return bans.Ban{}, fmt.Errorf("%w: usage: addip MINUTES ADDRESS[/LENGTH]; 0 minutes means forever", bans.ErrCannotBan)
	}
	net, err := ParseNet(address)
	if err != nil {
		return bans.Ban{}, err
	}
	b := bans.Ban{Net: net, Reason: "addip"}
	if m >= 0.01 {
		b.Duration = time.Duration(m * float64(time.Minute))
	}
	return b, store.Add(b)
}

// RemoveIP runs the console command "removeip ADDRESS [all]" and returns its output. With all, it
// also removes bans of networks within the given one.
func RemoveIP(store bans.Store, address string, all bool) string {
	net, err := ParseNet(address)
	if err != nil {
		return err.Error() + "\n"
	}
	found := store.Remove(bans.Ban{Net: net})
	if all {
		for _, b := range store.All() {
			within := net.Bits() <= b.Net.Bits() && net.Contains(b.Net.Addr())
			if b.Range.IsValid() {
				within = net.Contains(b.Range.First) && net.Contains(b.Range.Last)
			}
			if within {
				found = store.Remove(b) || found
			}
		}
	}
	if !found {
		return fmt.Sprintf("removeip: couldn't find %s.\n", bans.FormatNet(net))
	}
	return "IP filter removed.\n"
}

// ListIP runs the console command "listip [ADDRESS]" and returns its output: all bans, or the bans
// whose network begins with the text begin.
func ListIP(store bans.Store, begin string) string {
	var out strings.Builder
	for _, b := range store.All() {
		full := b.Net.String()
		if b.Range.IsValid() {
			full = b.Range.String()
		}
		if !strings.HasPrefix(full, begin) {
			continue
		}
		if begin != "" {
			fmt.Fprintf(&out, "%-18s : %g min", full, b.Duration.Minutes())
		} else if four, ok := wildcardForm(b.Net); ok {
			fmt.Fprintf(&out, "%3d.%3d.%3d.%3d : ", four[0], four[1], four[2], four[3])
		} else {
			fmt.Fprintf(&out, "%-15s : ", b.Target())
		}
		switch {
		case begin != "":
		case b.Duration == 0:
			out.WriteString("permanent")
		default:
			fmt.Fprintf(&out, "%.3f min", b.Duration.Minutes())
		}
		if b.RconOnly {
			out.WriteString(" (rcon only)")
		}
		out.WriteByte('\n')
	}
	if out.Len() == 0 {
		return "IP filter list: empty\n"
	}
	return "IP filter list:\n" + out.String()
}

// wildcardForm returns an IPv4 network as four numbers with trailing zeros for wildcards. ok is
// false if that form cannot express the network.
func wildcardForm(net netip.Prefix) (four [4]byte, ok bool) {
	if !net.IsValid() || !net.Addr().Is4() || net.Bits()%8 != 0 {
		return four, false
	}
	four = net.Addr().As4()
	bits := 0
	for i, n := range four {
		if n != 0 {
			bits = 8 * (i + 1)
		}
	}
	return four, bits == net.Bits()
}

// WriteIP returns the content of listip.cfg for the console command writeip: a line for each
// permanent ban from the game. A range takes a line for each of its networks.
func WriteIP(store bans.Store) []byte {
	var out []byte
	for _, b := range store.All() {
		if b.Duration != 0 || b.RconOnly {
			continue
		}
		for _, n := range b.Networks() {
			net := n.String()
			if four, ok := wildcardForm(n); ok {
				net = netip.AddrFrom4(four).String()
			}
			out = fmt.Appendf(out, "addip 0 %s\n", net)
		}
	}
	return out
}
