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

// ErrAccess means that the text of an access rule is invalid.
var ErrAccess = errors.New("web: bad access rule")

// Access defines which clients may enter a room. The zero Access lets no client in.
type Access struct {
	// Everybody lets every client in.
	Everybody bool
	// Local lets in local requests: those that [IsLocal] reports, which carry the server's key.
	Local bool
	// Networks lets in clients at these addresses, including loopback. By naming a network, the
	// operator states that strangers reach no proxy in it, since a proxy that adds no header cannot
	// be detected. Requests with a forwarding header stay out. The request's host must be an
	// address, a name without a dot such as localhost, or the machine's own name. Web sites have
	// none of these names.
	Networks []netip.Prefix
}

// ParseAccess parses a rule: "all", "off" (or nothing), or a list of "local", addresses and
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
			if err == nil && p.Addr().Is4In6() { // addresses of peers are unmapped too
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
	// A URL with a host overrides a different Host header.
	peer, ok := peerOf(r)
	if !ok || isForwarded(r) || r.URL.Host != "" {
		return false
	}
	return a.names(peer.Addr()) && isOwnHost(hostOf(r), hostname())
}

// forwardingHeaders are the headers that proxies add, beside those that begin with X-Forwarded.
var forwardingHeaders = []string{
	"Cdn-Loop", "Cf-Connecting-Ip", "Client-Ip", "Fastly-Client-Ip", "Fly-Client-Ip", "Forwarded", "Forwarded-For", "True-Client-Ip", "Via", "X-Amzn-Trace-Id",
	"X-Client-Ip", "X-Cluster-Client-Ip", "X-Envoy-External-Address", "X-Original-Forwarded-For", "X-Original-Host", "X-Real-Ip",
}

// isForwarded reports whether a request shows signs of a proxy: a header, or HTTP 1.0, which old
// releases of nginx use. Such a sign keeps a request out. Its absence proves nothing and never lets
// a request in.
func isForwarded(r *http.Request) bool {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded") || slices.Contains(forwardingHeaders, name) {
			return true
		}
	}
	return !r.ProtoAtLeast(1, 1)
}

// hostOf returns the host of a request in lower case, without a port.
func hostOf(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// isLoopbackHost reports whether a host means this machine.
func isLoopbackHost(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// isOwnHost reports whether a host cannot be the name of a web site, which may resolve to any
// address. It is then an address, a name in the local network, or the machine's name.
func isOwnHost(host, machine string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || host != "" && (!strings.Contains(host, ".") || host == strings.ToLower(machine))
}

// hostname returns the name of the machine, or "" if it has none.
var hostname = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})

// AccessRule is an Access that may change while requests are served. The zero AccessRule lets no
// client in.
type AccessRule struct{ p atomic.Pointer[Access] }

// Set changes the rule.
func (r *AccessRule) Set(a Access) { r.p.Store(&a) }

// Allows reports whether a request may enter.
func (r *AccessRule) Allows(req *http.Request) bool {
	a := r.p.Load()
	return a != nil && a.Allows(req)
}

// keepsOutOperator reports whether the key lets no request in.
func (r *AccessRule) keepsOutOperator() bool {
	a := r.p.Load()
	return a == nil || !a.Everybody && !a.Local
}

// IsOpen reports whether every client may enter.
func (r *AccessRule) IsOpen() bool {
	a := r.p.Load()
	return a != nil && a.Everybody
}

// AllowsClient reports whether a request may enter a room for secure requests. The rule must allow
// a secure client, whose request is not read. An insecure client must be in a network that the rule
// names.
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

// Room is a set of URLs of a listener with its own access rule.
type Room struct {
	// Pattern is an http.ServeMux pattern, such as "GET /metrics" or "GET /debug/pprof/".
	Pattern string
	// Access defines which clients may enter; nil lets every client in.
	Access *AccessRule
	// Setting names the setting that lets clients in. Rejected clients are shown it.
	Setting string
	// Handler serves the room.
	Handler http.Handler
}

// Redirect returns a handler that redirects to a path relative to the request's, such as
// "../admin". Unlike http.Redirect it leaves the resolution to the browser, since only the browser
// knows the path below which a proxy may serve this server.
func Redirect(to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusMovedPermanently)
	})
}

// howToProve tells operators how to get in. The verb is the port.
const howToProve = `
If you are the operator, open the link with "key=" from the server's log, or send the key from the
file http.key in the server's folder:

  curl -H "Authorization: Bearer $(cat http.key)" http://localhost:%s/...
`

// listenerPort returns the port on which a request arrived.
func listenerPort(r *http.Request) string {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if _, port, err := net.SplitHostPort(a.String()); err == nil {
			return port
		}
	}
	return "8303"
}

// NewHandler returns a handler that serves rooms. Wrap it in a [Key.Handler], or no request counts
// as local.
func NewHandler(rooms ...Room) http.Handler {
	mux := http.NewServeMux()
	for _, room := range rooms {
		mux.HandleFunc(room.Pattern, func(w http.ResponseWriter, r *http.Request) {
			if room.Access != nil && !room.Access.Allows(r) {
				reason := "the server's operator sets who may see this page (" + room.Setting + ").\n" + fmt.Sprintf(howToProve, listenerPort(r))
				if room.Access.keepsOutOperator() {
					reason = room.Setting + " does not allow the server's machine or its key; it is off or lists only networks.\n"
				}
				Deny(w, r, http.StatusForbidden, reason)
				return
			}
			room.Handler.ServeHTTP(w, r)
		})
	}
	return withLost(mux)
}
