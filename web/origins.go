package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/teeyard/teeyard/server/console"
)

// ErrOrigins means that the text of an origin rule is invalid.
var ErrOrigins = errors.New("web: bad origin")

// ddnetOrigin is the origin of DDNet's client for browsers.
const ddnetOrigin = "https://client.ddnet.org"

// Origins defines the web sites whose pages may connect players. A browser connects for any page
// that its user has open. Without a limit, a page could make its visitors join a server that they
// never heard of. Programs name no origin and are not limited.
type Origins struct {
	// All allows every origin.
	All bool
	// Own allows origins with the host and port of the request.
	Own bool
	// List contains further origins, such as https://client.ddnet.org.
	List []string
}

// ParseOrigins parses "all", "off" (or nothing), or a list of "own" and origins, separated by
// commas.
func ParseOrigins(s string) (Origins, error) {
	var o Origins
	for word := range strings.SplitSeq(s, ",") {
		switch word = strings.ToLower(strings.TrimSpace(word)); word {
		case "", "off":
		case "all":
			o.All = true
		case "own":
			o.Own = true
		default:
			origin := parseOrigin(strings.TrimSuffix(word, "/"))
			if origin == "" {
				return Origins{}, fmt.Errorf("%w: %q is not all, own, off or an origin such as %s", ErrOrigins, word, ddnetOrigin)
			}
			o.List = append(o.List, origin)
		}
	}
	return o, nil
}

// parseOrigin returns an origin without the default port, or "" if it is invalid.
func parseOrigin(s string) string {
	u, err := url.Parse(strings.ToLower(s))
	if err != nil || u.Scheme == "" || u.Hostname() == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return ""
	}
	return u.Scheme + "://" + withoutPort(u.Host, u.Scheme)
}

// withoutPort returns a host without the default port of a scheme.
func withoutPort(host, scheme string) string {
	switch scheme {
	case "http", "ws":
		host = strings.TrimSuffix(host, ":80")
	case "https", "wss":
		host = strings.TrimSuffix(host, ":443")
	}
	return host
}

// Allow reports whether a request may connect a player. hosts are the hosts under which the server
// was requested.
func (o *Origins) Allow(r *http.Request, hosts ...string) bool {
	values := r.Header.Values("Origin")
	if o.All || len(values) == 0 {
		return true
	}
	origin := parseOrigin(values[0])
	if len(values) > 1 || origin == "" {
		return false
	}
	if slices.Contains(o.List, origin) {
		return true
	}
	scheme, own, _ := strings.Cut(origin, "://")
	return o.Own && slices.ContainsFunc(hosts, func(h string) bool { return h != "" && withoutPort(strings.ToLower(h), scheme) == own })
}

// originsSetting is the variable sv_websocket_origins.
type originsSetting struct {
	text  string
	rules atomic.Pointer[Origins]
}

func (v *originsSetting) register(c *console.Console) error {
	const name = "sv_websocket_origins"
	err := c.RegisterString(console.StringVar{
		Name: name, Help: "Sites whose pages may let their visitors play here over WebSocket (all, off, or a list such as own,https://yard.example; " +
			"own is this server); programs that are not browsers always may",
		Flags: console.Server | console.Save, Value: &v.text, Default: "own," + ddnetOrigin, Size: 512,
	})
	if err != nil {
		return err
	}
	apply := func() error {
		o, err := ParseOrigins(v.text)
		if err == nil {
			v.rules.Store(&o)
		}
		return err
	}
	if err := apply(); err != nil {
		return err
	}
	return c.After(name, func(call *console.Call) {
		if err := apply(); err != nil {
			call.Refuse("http", "%s: %v", name, err)
		}
	})
}

// allowsOrigin reports whether the page behind a request may connect players. A trusted proxy may
// request another host than the browser did, and then names the browser's.
func (s *Settings) allowsOrigin(r *http.Request) bool {
	o := s.websocket.origins.rules.Load()
	if o == nil {
		return len(r.Header.Values("Origin")) == 0
	}
	hosts := []string{r.Host}
	if peer, ok := peerOf(r); ok && s.isProxy(peer.Addr()) {
		hosts = append(hosts, lastValue(r.Header, "X-Forwarded-Host"))
	}
	return o.Allow(r, hosts...)
}
