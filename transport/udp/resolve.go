package udp

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/teeyard/teeyard/transport"
)

// ErrAddress is returned by Resolve for an address that is malformed or has an unknown scheme.
var ErrAddress = transport.ErrAddress

// Resolve returns the peer at a game server's address in any form that [transport.ParseAddress]
// accepts; port is the default. If a host has several addresses, it prefers IPv4, because most game
// servers have it.
func Resolve(ctx context.Context, address string, port uint16) (transport.Peer, error) {
	a, err := transport.ParseAddress(address)
	if err == nil {
		err = a.CheckGame()
	}
	if err != nil {
		return transport.Peer{}, fmt.Errorf("udp: %w", err)
	}
	port = cmp.Or(a.Port, port)
	if ip, err := netip.ParseAddr(a.Host); err == nil {
		return transport.UDPPeer(ip.Unmap(), port), nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", a.Host)
	if err != nil || len(ips) == 0 {
		return transport.Peer{}, fmt.Errorf("udp: %w: %q: %w", ErrAddress, address, err)
	}
	best := ips[0].Unmap()
	for _, ip := range ips {
		if ip.Unmap().Is4() {
			best = ip.Unmap()
			break
		}
	}
	return transport.UDPPeer(best, port), nil
}

// unbracket removes the brackets around an IPv6 address and returns other texts unchanged.
func unbracket(s string) string {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok && strings.Contains(inner, ":") {
			return inner
		}
	}
	return s
}
