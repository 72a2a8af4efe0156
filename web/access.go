package web

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
)

// ErrAccess is returned for an access rule that cannot be read.
var ErrAccess = errors.New("web: bad access rule")

// Access says who may enter a room. The zero Access lets nobody in.
type Access struct {
	// Everybody may enter.
	Everybody bool
	// Local requests may: their address and the host that they ask for are loopback, and
	// nothing says that a proxy forwarded them. That keeps out web pages that make a
	// browser ask (DNS rebinding), and whoever a proxy lets through.
	Local bool
	// Networks are those whose addresses may, unless a proxy forwarded the request.
	Networks []netip.Prefix
}

// ParseAccess reads a rule: "all", "off" (or nothing), or a list of "local", addresses and
// networks, separated by commas.
func ParseAccess(s string) (Access, error) {
	var a Access
	for word := range strings.SplitSeq(s, ",") {
		switch word = strings.ToLower(strings.TrimSpace(word)); word {
		case "", "off":
		case "all":
			a.Everybody = true
		case "local":
			a.Local = true
		default:
			p, err := netip.ParsePrefix(word)
			if err != nil {
				one, addrErr := netip.ParseAddr(word)
				if addrErr != nil {
					return Access{}, fmt.Errorf("%w: %q is not all, local, off, an address or a network", ErrAccess, word)
				}
				p = netip.PrefixFrom(one.WithZone(""), one.BitLen())
			}
			a.Networks = append(a.Networks, p.Masked())
		}
	}
	return a, nil
}

// Allows reports whether a request may enter.
func (a *Access) Allows(r *http.Request) bool {
	if a.Everybody {
		return true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || isForwarded(r) {
		return false
	}
	from := peer.Addr().Unmap().WithZone("")
	return a.Local && from.IsLoopback() && isLoopbackHost(r.Host) ||
		slices.ContainsFunc(a.Networks, func(p netip.Prefix) bool { return p.Contains(from) })
}

// forwardingHeaders are those that proxies add.
var forwardingHeaders = []string{
	"Forwarded", "Via", "X-Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Forwarded-Server",
	"X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For", "True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip", "Fly-Client-Ip",
}

// isForwarded reports whether a proxy seems to have sent a request. nginx adds no header by
// itself, but asks in HTTP 1.0, which no program does that asks for itself.
func isForwarded(r *http.Request) bool {
	return !r.ProtoAtLeast(1, 1) || slices.ContainsFunc(forwardingHeaders, func(h string) bool { return len(r.Header[h]) > 0 })
}

// isLoopbackHost reports whether the Host of a request is this machine itself.
func isLoopbackHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLoopback()
}

// AccessRule is an Access that may be changed while requests are being served. The zero
// AccessRule lets nobody in.
type AccessRule struct{ p atomic.Pointer[Access] }

// Set changes the rule.
func (r *AccessRule) Set(a Access) { r.p.Store(&a) }

// Allows reports whether a request may enter.
func (r *AccessRule) Allows(req *http.Request) bool {
	a := r.p.Load()
	return a != nil && a.Allows(req)
}

// Room is a part of what a listener serves, with an access rule of its own.
type Room struct {
	// Pattern is one of http.ServeMux: "GET /metrics", "GET /debug/pprof/".
	Pattern string
	// Access says who may enter; nil lets everybody in.
	Access *AccessRule
	// Setting is what an operator sets to let others in, for those who may not enter.
	Setting string
	// Handler serves the room.
	Handler http.Handler
}

// NewHandler returns a handler that serves rooms.
func NewHandler(rooms ...Room) http.Handler {
	mux := http.NewServeMux()
	for _, room := range rooms {
		mux.HandleFunc(room.Pattern, func(w http.ResponseWriter, r *http.Request) {
			if room.Access != nil && !room.Access.Allows(r) {
				http.Error(w, "Not for you: the server's operator says who may see this ("+room.Setting+").", http.StatusForbidden)
				return
			}
			room.Handler.ServeHTTP(w, r)
		})
	}
	return mux
}
