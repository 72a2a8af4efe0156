package udp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/transport"
)

// ErrAddress is returned by Resolve for an address that is malformed or unknown.
var ErrAddress = errors.New("udp: bad address")

// Resolve returns the peer for "host", "host:port", "1.2.3.4:port", "[::1]:port" or "[::1]";
// port is the default. Of a host's addresses it prefers IPv4, which most game servers have.
func Resolve(ctx context.Context, address string, port uint16) (transport.Peer, error) {
	if ip, err := netip.ParseAddr(address); err == nil {
		return transport.UDPPeer(ip.Unmap(), port), nil
	}
	host := unbracket(address)
	if h, p, err := net.SplitHostPort(address); err == nil {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return transport.Peer{}, fmt.Errorf("%w: %q has no port of 1 to 65535", ErrAddress, address)
		}
		host, port = h, uint16(n)
	}
	if host == "" {
		return transport.Peer{}, fmt.Errorf("%w: %q has no host", ErrAddress, address)
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return transport.UDPPeer(ip.Unmap(), port), nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(ips) == 0 {
		return transport.Peer{}, fmt.Errorf("%w: %q: %w", ErrAddress, address, err)
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

// unbracket returns an IPv6 address that is in brackets without them, and anything else as
// it is.
func unbracket(s string) string {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok && strings.Contains(inner, ":") {
			return inner
		}
	}
	return s
}
