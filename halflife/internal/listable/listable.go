// Package listable has the rule for addresses on the lists of master servers.
package listable

import "github.com/teeyard/teeyard/transport"

// Is reports whether a master may list the address: a public IPv4 address or, with private, one of
// a local network.
func Is(p transport.Peer, private bool) bool {
	a := p.Addr()
	switch {
	case !a.Is4(), p.Port() == 0, a.IsUnspecified(), a.IsMulticast(), a.As4()[0] == 0, a.As4()[0] >= 240:
		return false
	}
	return private || !transport.IsLAN(a)
}
