package web

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

// Client describes the sender of a request.
type Client struct {
	// Addr is the client's address. Behind a trusted proxy it is the address that the proxy names,
	// without a port.
	Addr netip.AddrPort
	// Local reports whether the machine's operator provably sent the request; see [IsLocal].
	Local bool
	// Secure reports whether the request could not be read or changed on its way. Such a request
	// came over TLS, to this server or a trusted proxy, or it is local and addressed to localhost.
	Secure bool
	// Prefix is the path below which a trusted proxy serves this server, such as /yard, from
	// X-Forwarded-Prefix. It is empty without one.
	Prefix string
}

// IsHidden reports whether the address does not identify the client. It is missing, or it is a
// loopback address and so may belong to a proxy that does not name its clients.
func (c Client) IsHidden() bool {
	return !c.Local && (!c.Addr.IsValid() || c.Addr.Addr().IsLoopback())
}

// Client returns the sender of a request according to the key, trusted proxies (sv_http_proxy) and
// the connection. The address is invalid if a trusted proxy names none.
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
	if p := strings.TrimSuffix(lastValue(r.Header, "X-Forwarded-Prefix"), "/"); len(p) <= maxPrefix && prefix.MatchString(p) {
		c.Prefix = p
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return Client{} // the client may have forged everything to the left
		}
		a = a.Unmap().WithZone("")
		c.Addr = netip.AddrPortFrom(a, 0)
		if !s.isProxy(a) {
			break
		}
	}
	return c
}

// peerOf returns the peer address of a request's connection.
func peerOf(r *http.Request) (netip.AddrPort, bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return netip.AddrPortFrom(peer.Addr().Unmap().WithZone(""), peer.Port()), err == nil
}

// isProxy reports whether an address belongs to a trusted proxy. The rule "all" trusts no proxy,
// since any client could then name any address.
func (s *Settings) isProxy(a netip.Addr) bool {
	p := s.proxy.Rule.p.Load()
	return p != nil && (p.Local && a.IsLoopback() || p.names(a))
}

// Person returns the prefix under which limits count the sender of a request. It is zero for
// connections from local networks, which may be proxies that the operator has not named.
func (s *Settings) Person(r *http.Request) netip.Prefix {
	a := s.Client(r).Addr
	if isForwardedFor := a.Port() == 0; !isForwardedFor && transport.IsLAN(a.Addr()) {
		return netip.Prefix{}
	}
	return limit.Person(a.Addr())
}

// prefix matches a path of letters, digits, - and _, of at most maxPrefix bytes.
var prefix = regexp.MustCompile(`^(/[A-Za-z0-9_-]+){1,4}$`)

const maxPrefix = 256

// lastValue returns the last value of a header that may be a list. The nearest proxy has written
// it.
func lastValue(h http.Header, name string) string {
	list := h.Values(name)
	if len(list) == 0 {
		return ""
	}
	last := list[len(list)-1]
	return strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
}
