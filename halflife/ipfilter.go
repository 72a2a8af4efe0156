package halflife

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// ParseNet reads a network as the commands addip and removeip take it: an address
// with or without /length. Without one, zeros at the end of an IPv4 address are
// wildcards, and parts may be missing: "10.1.0.0" and "10.1" are 10.1.0.0/16. The
// whole of IPv4 is refused.
func ParseNet(s string) (netip.Prefix, error) {
	if strings.Contains(s, "/") {
		net, err := netip.ParsePrefix(s)
		if err != nil {
			return net, fmt.Errorf("%w: %q is no network", ErrBan, s)
		}
		return checkNet(net)
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Is6() {
		return checkNet(netip.PrefixFrom(a, a.BitLen()))
	}
	parts := strings.Split(strings.TrimSuffix(s, "."), ".")
	var ip [4]byte
	bits := 0
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 8)
		if i >= len(ip) || err != nil {
			return netip.Prefix{}, fmt.Errorf("%w: %q is no address", ErrBan, s)
		}
		if ip[i] = byte(n); n != 0 {
			bits = 8 * (i + 1)
		}
	}
	return checkNet(netip.PrefixFrom(netip.AddrFrom4(ip), bits))
}

// showNet words a network as people give it.
func showNet(net netip.Prefix) string {
	if net.IsSingleIP() {
		return net.Addr().String()
	}
	return net.String()
}

// AddIP does what the console command "addip MINUTES ADDRESS" does and returns
// the ban it made, for the game to drop those whom it hits. 0 minutes are for
// ever.
func AddIP(bans Bans, minutes, address string) (Ban, error) {
	m, err := strconv.ParseFloat(minutes, 64)
	if err != nil || !(m >= 0) || m > math.MaxInt64/float64(time.Minute) {
		return Ban{}, fmt.Errorf("%w: usage: addip MINUTES ADDRESS[/LENGTH], with 0 minutes for ever", ErrBan)
	}
	net, err := ParseNet(address)
	if err != nil {
		return Ban{}, err
	}
	b := Ban{Net: net, Reason: "addip"}
	if m >= 0.01 {
		b.Span = time.Duration(m * float64(time.Minute))
	}
	return b, bans.Add(b)
}

// String returns the ban as a sentence for a console.
func (b Ban) String() string {
	what, span := "banned "+showNet(b.Net), " for ever"
	if b.RconOnly {
		what += " from rcon"
	}
	if b.Span > 0 {
		span = fmt.Sprintf(" for %g minutes", b.Span.Minutes())
	}
	return what + span
}

// RemoveIP does what the console command "removeip ADDRESS [all]" does and
// returns what it prints. With all, networks within the given one are removed
// too.
func RemoveIP(bans Bans, address string, all bool) string {
	net, err := ParseNet(address)
	if err != nil {
		return err.Error() + "\n"
	}
	found := bans.Remove(net)
	if all {
		for _, b := range bans.All() {
			if net.Bits() <= b.Net.Bits() && net.Contains(b.Net.Addr()) {
				found = bans.Remove(b.Net) || found
			}
		}
	}
	if !found {
		return fmt.Sprintf("removeip: couldn't find %s.\n", showNet(net))
	}
	return "IP filter removed.\n"
}

// ListIP does what the console command "listip [ADDRESS]" does: it returns the
// bans, or those that begin with a text.
func ListIP(bans Bans, begin string) string {
	var out strings.Builder
	for _, b := range bans.All() {
		if !strings.HasPrefix(b.Net.String(), begin) {
			continue
		}
		if begin != "" {
			fmt.Fprintf(&out, "%-18s : %g min", b.Net, b.Span.Minutes())
		} else if four, ok := oldForm(b.Net); ok {
			fmt.Fprintf(&out, "%3d.%3d.%3d.%3d : ", four[0], four[1], four[2], four[3])
		} else {
			fmt.Fprintf(&out, "%-15s : ", showNet(b.Net))
		}
		switch {
		case begin != "":
		case b.Span == 0:
			out.WriteString("permanent")
		default:
			fmt.Fprintf(&out, "%.3f min", b.Span.Minutes())
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

// oldForm is the network as four numbers with zeros for wildcards, if that says
// it exactly.
func oldForm(net netip.Prefix) (four [4]byte, ok bool) {
	if !net.Addr().Is4() || net.Bits()%8 != 0 {
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

// WriteIP returns what the console command writeip writes into listip.cfg: a line
// for each ban from the game that is for ever.
func WriteIP(bans Bans) []byte {
	var out []byte
	for _, b := range bans.All() {
		if b.Span != 0 || b.RconOnly {
			continue
		}
		net := b.Net.String()
		if four, ok := oldForm(b.Net); ok {
			net = netip.AddrFrom4(four).String()
		}
		out = fmt.Appendf(out, "addip 0 %s\n", net)
	}
	return out
}
