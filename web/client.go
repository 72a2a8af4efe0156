package web

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

// Client is who sent a request.
type Client struct {
	// Addr is the address that it came from. That of a client behind a trusted proxy is the one
	// that the proxy names, without a port.
	Addr netip.AddrPort
	// Local reports whether the request has proven that the operator of this machine sent it; see
	// [IsLocal].
	Local bool
	// Secure reports whether nobody on the way can have read or changed the request: it came over
	// TLS, also to a trusted proxy, or is local and asks for localhost.
	Secure bool
	// Prefix is the path below which a trusted proxy has the server, such as /yard, by its
	// X-Forwarded-Prefix; empty for none.
	Prefix string
}

// IsHidden reports whether the address says nothing about who sent the request: it is missing, or
// that of this machine, and so may be a proxy's that names nobody.
func (c Client) IsHidden() bool {
	return !c.Local && (!c.Addr.IsValid() || c.Addr.Addr().IsLoopback())
}

// Client returns who sent a request, as far as the key, trusted proxies and the connection say; see
// the setting sv_http_proxy. The address is not valid if a trusted proxy names none.
func (s *Settings) Client(r *http.Request) Client {
	peer, ok := peerOf(r)
	if !ok {
		return Client{}
	}
	if IsLocal(r) {
		return Client{Addr: peer, Local: true, Secure: r.TLS != nil || isLoopbackHost(hostOf(r))}
	}
	if !s.isProxy(peer.Addr()) {
		return Client{Addr: peer, Secure: r.TLS != nil}
	}
	c := Client{Secure: strings.EqualFold(lastValue(r.Header, "X-Forwarded-Proto"), "https")}
	if p := strings.TrimSuffix(lastValue(r.Header, "X-Forwarded-Prefix"), "/"); prefix.MatchString(p) {
		c.Prefix = p
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return Client{} // whatever is to the left anybody may have written
		}
		a = a.Unmap().WithZone("")
		c.Addr = netip.AddrPortFrom(a, 0)
		if !s.isProxy(a) {
			break
		}
	}
	return c
}

// peerOf returns the address that a request's connection comes from.
func peerOf(r *http.Request) (netip.AddrPort, bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return netip.AddrPortFrom(peer.Addr().Unmap().WithZone(""), peer.Port()), err == nil
}

// isProxy reports whether an address is that of a trusted proxy. The rule all names none, since then
// anybody could name any address.
func (s *Settings) isProxy(a netip.Addr) bool {
	p := s.proxy.Rule.p.Load()
	return p != nil && (p.Local && a.IsLoopback() || p.names(a))
}

// Person returns who sent a request, for limits; the zero Prefix for connections from local networks, where
// proxies may be that nobody has named.
func (s *Settings) Person(r *http.Request) netip.Prefix {
	a := s.Client(r).Addr
	if isForwardedFor := a.Port() == 0; !isForwardedFor && transport.IsLAN(a.Addr()) {
		return netip.Prefix{}
	}
	return limit.Person(a.Addr())
}

// prefix matches a path of letters, digits, - and _.
var prefix = regexp.MustCompile(`^(/[A-Za-z0-9_-]{1,64}){1,4}$`)

// lastValue returns the last value of a header that may be a list, which the nearest proxy has
// written.
func lastValue(h http.Header, name string) string {
	list := h.Values(name)
	if len(list) == 0 {
		return ""
	}
	last := list[len(list)-1]
	return strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
}
