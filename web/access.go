package web

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrAccess is returned for an access rule that cannot be read.
var ErrAccess = errors.New("web: bad access rule")

// Access says who may enter a room. The zero Access lets nobody in.
type Access struct {
	// Everybody may enter.
	Everybody bool
	// Local requests may: those that [IsLocal] reports, which have the key of the server.
	Local bool
	// Networks are those whose addresses may, loopback ones too. The operator says with them that
	// no proxy is there which strangers reach: one that adds no header cannot be seen. Requests
	// with a forwarding header stay out. The host that they ask for is an address, a name without
	// a dot, such as localhost, or the machine's own name: web pages have none of those.
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
			if one, addrErr := netip.ParseAddr(word); addrErr == nil {
				p, err = netip.PrefixFrom(one.WithZone(""), one.BitLen()), nil
			}
			if err == nil && p.Addr().Is4In6() { // peers' addresses are unmapped
				p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
			}
			if err != nil || !p.IsValid() {
				return Access{}, fmt.Errorf("%w: %q is not all, local, off, an address or a network", ErrAccess, word)
			}
			a.Networks = append(a.Networks, p.Masked())
		}
	}
	return a, nil
}

// names reports whether an address is in one of the networks.
func (a *Access) names(addr netip.Addr) bool {
	return slices.ContainsFunc(a.Networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// Allows reports whether a request may enter.
func (a *Access) Allows(r *http.Request) bool {
	if a.Everybody || a.Local && IsLocal(r) {
		return true
	}
	// A URL with a host takes the place of the Host header, which may name another.
	peer, ok := peerOf(r)
	if !ok || isForwarded(r) || r.URL.Host != "" {
		return false
	}
	return a.names(peer.Addr()) && isOwnHost(hostOf(r), hostname())
}

// forwardingHeaders are those that proxies add, beside those that begin with X-Forwarded.
var forwardingHeaders = []string{
	"Cdn-Loop", "Cf-Connecting-Ip", "Client-Ip", "Fastly-Client-Ip", "Fly-Client-Ip", "Forwarded", "Forwarded-For", "True-Client-Ip", "Via", "X-Amzn-Trace-Id",
	"X-Client-Ip", "X-Cluster-Client-Ip", "X-Envoy-External-Address", "X-Original-Forwarded-For", "X-Original-Host", "X-Real-Ip",
}

// isForwarded reports whether something says that a proxy sent a request: a header, or HTTP 1.0,
// in which old releases of nginx ask. That keeps requests out. The absence of a sign proves
// nothing, and never lets one in.
func isForwarded(r *http.Request) bool {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded") || slices.Contains(forwardingHeaders, name) {
			return true
		}
	}
	return !r.ProtoAtLeast(1, 1)
}

// hostOf returns the host that a request asks for, in lower case and without a port.
func hostOf(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// isLoopbackHost reports whether a host is this machine itself.
func isLoopbackHost(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// isOwnHost reports whether a host cannot be the name of a web site, which may point anywhere:
// it is an address, a name of the local network, or that of the machine.
func isOwnHost(host, machine string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || host != "" && (!strings.Contains(host, ".") || host == strings.ToLower(machine))
}

// hostname returns the name of the machine, "" if it has none.
var hostname = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})

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

// IsOpen reports whether everybody is allowed.
func (r *AccessRule) IsOpen() bool {
	a := r.p.Load()
	return a != nil && a.Everybody
}

// AllowsClient reports whether a request may enter a room that is only for secure requests: the
// client of a secure one must be allowed, and others must come from networks that the rule names.
func (r *AccessRule) AllowsClient(req *http.Request, c Client) bool {
	a := r.p.Load()
	if a == nil || !c.Addr.IsValid() {
		return false
	}
	if c.Secure {
		return a.Everybody || a.Local && c.Local || a.names(c.Addr.Addr())
	}
	named := Access{Networks: a.Networks}
	return named.Allows(req)
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

// Redirect returns a handler that redirects to where another path leads from that of the request, such as
// "../admin". Unlike with http.Redirect, the browser finds the way, which knows the path below which a proxy
// may have the server.
func Redirect(to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusMovedPermanently)
	})
}

// howToProve tells operators how to get in. The verb is the port.
const howToProve = `
Are you the operator? Open the link with "key=" that is in the server's log, or send the key that is in
http.key in the server's folder:

  curl -H "Authorization: Bearer $(cat http.key)" http://localhost:%s/...
`

// listenerPort returns the port at which a request arrived.
func listenerPort(r *http.Request) string {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if _, port, err := net.SplitHostPort(a.String()); err == nil {
			return port
		}
	}
	return "8303"
}

// NewHandler returns a handler that serves rooms. Requests are local if a [Key.Handler] is around
// it.
func NewHandler(rooms ...Room) http.Handler {
	mux := http.NewServeMux()
	for _, room := range rooms {
		mux.HandleFunc(room.Pattern, func(w http.ResponseWriter, r *http.Request) {
			if room.Access != nil && !room.Access.Allows(r) {
				http.Error(w, "Not for you: the server's operator says who may see this ("+room.Setting+")."+fmt.Sprintf(howToProve, listenerPort(r)), http.StatusForbidden)
				return
			}
			room.Handler.ServeHTTP(w, r)
		})
	}
	return mux
}
