package master

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// Protocols is a set of protocols with which a server registers with an HTTP master. The list has
// an address for each of them.
type Protocols uint8

// The protocols, with their names in sv_register.
const (
	V6IPv4 Protocols = 1 << iota // tw0.6/ipv4
	V6IPv6                       // tw0.6/ipv6
	V7IPv4                       // tw0.7/ipv4
	V7IPv6                       // tw0.7/ipv6

	// AllProtocols contains all protocols.
	AllProtocols Protocols = 1<<iota - 1
)

// protocols describes the protocols, in the order of their bits.
var protocols = [...]struct {
	name, scheme, network, system string
	seven                         bool
}{
	{"tw0.6/ipv4", "tw-0.6+udp://", "tcp4", "register/6/ipv4", false},
	{"tw0.6/ipv6", "tw-0.6+udp://", "tcp6", "register/6/ipv6", false},
	{"tw0.7/ipv4", "tw-0.7+udp://", "tcp4", "register/7/ipv4", true},
	{"tw0.7/ipv6", "tw-0.7+udp://", "tcp6", "register/7/ipv6", true},
}

// ParseProtocols reads a value of sv_register: 0, 1, or a comma-separated list of ipv4, ipv6,
// tw0.6, tw0.7 and combinations such as tw0.6/ipv4. The error wraps ErrConfig.
func ParseProtocols(s string) (Protocols, error) {
	switch s {
	case "", "0":
		return 0, nil
	case "1":
		return AllProtocols, nil
	}
	var all Protocols
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		var some Protocols
		for n, p := range protocols {
			version, family, _ := strings.Cut(p.name, "/")
			if word == p.name || word == version || word == family {
				some |= 1 << n
			}
		}
		if some == 0 {
			return 0, fmt.Errorf("%w: protocol %q", ErrConfig, word)
		}
		all |= some
	}
	return all, nil
}

// String returns the set in the syntax of ParseProtocols.
func (p Protocols) String() string {
	var names []string
	for n := range protocols {
		if p&(1<<n) != 0 {
			names = append(names, protocols[n].name)
		}
	}
	if len(names) == 0 {
		return "0"
	}
	return strings.Join(names, ",")
}

// reachableProtocols returns the protocols that can reach a socket bound to the local address.
func reachableProtocols(local netip.Addr) Protocols {
	switch local = local.Unmap(); {
	case local.Is4():
		return V6IPv4 | V7IPv4
	case local.IsValid() && !local.IsUnspecified():
		return V6IPv6 | V7IPv6
	}
	return AllProtocols
}

// AddMasters adds UDP masters from a comma-separated list, for the versions in c.Protocols. An
// element is host or host:port for both versions, or tw-0.6+udp://host or tw-0.7+udp://host:port
// for one. The error wraps ErrConfig.
func (c *Config) AddMasters(list string) error {
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		a, err := transport.ParseAddress(word)
		if err == nil {
			err = a.CheckGame()
		}
		var only query.Versions
		if err == nil {
			only, err = query.AddressVersions(a)
		}
		if err != nil {
			return fmt.Errorf("%w: %q is not the address of a UDP master: %w", ErrConfig, word, err)
		}
		if c.Protocols&(V6IPv4|V6IPv6) != 0 && only != query.Version7 {
			c.Masters6 = append(c.Masters6, a.HostPort())
		}
		if c.Protocols&(V7IPv4|V7IPv6) != 0 && only != query.Version6 {
			c.Masters7 = append(c.Masters7, a.HostPort())
		}
	}
	return nil
}
