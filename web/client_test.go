package web

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

// newSettings returns settings after some console lines.
func newSettings(t *testing.T, lines ...string) *Settings {
	s, c := new(Settings), testenv.Must(console.New(console.Config{Output: func(_ console.Caller, level int, _, line string) {
		if level == console.Warning {
			t.Error(line)
		}
	}}))
	testenv.NoError(t, s.Register(c))
	c.Start()
	for _, line := range lines {
		c.Execute(line, console.Operator)
	}
	return s
}

// TestClient checks that only trusted proxies may name a client's address. In a header, only the
// addresses that trusted proxies wrote count. An unclear header yields no address.
func TestClient(t *testing.T) {
	for _, c := range []struct {
		name, proxies, from, host, forwardedFor, proto string
		want                                           string
		secure, local                                  bool
	}{
		{"same machine", "off", "127.0.0.1:9", "localhost:8303", "", "", "127.0.0.1:9", true, true},
		{"a page elsewhere", "off", "127.0.0.1:9", "attacker.example", "", "", "127.0.0.1:9", false, false},
		{"far away", "off", "198.51.100.1:9", "localhost:8303", "", "", "198.51.100.1:9", false, false},
		{"nobody trusts it", "off", "127.0.0.1:9", "localhost", "203.0.113.5", "https", "127.0.0.1:9", false, false},
		{"anybody", "all", "198.51.100.1:9", "localhost", "127.0.0.1", "https", "198.51.100.1:9", false, false},
		{"proxy", "local", "127.0.0.1:9", "yard.example", "203.0.113.5", "https", "203.0.113.5:0", true, false},
		{"proxy without TLS", "local", "127.0.0.1:9", "yard.example", "203.0.113.5", "http", "203.0.113.5:0", false, false},
		{"proxy that does not say", "local", "127.0.0.1:9", "yard.example", "203.0.113.5", "", "203.0.113.5:0", false, false},
		{"proxy that names nobody", "local", "127.0.0.1:9", "yard.example", "", "https", "invalid AddrPort", false, false},
		{"proxy that names nonsense", "local", "127.0.0.1:9", "yard.example", "203.0.113.5, unknown", "https", "invalid AddrPort", false, false},
		{"forged", "local", "127.0.0.1:9", "yard.example", "127.0.0.1, 203.0.113.5", "https", "203.0.113.5:0", true, false},
		{"two proxies", "local,10.0.0.0/8", "127.0.0.1:9", "yard.example", "1.2.3.4, 203.0.113.5, 10.0.0.7", "https", "203.0.113.5:0", true, false},
		{"forged proto", "local", "127.0.0.1:9", "yard.example", "203.0.113.5", "https, http", "203.0.113.5:0", false, false},
		{"IPv6", "local", "[::1]:9", "yard.example", "2001:db8::1", "HTTPS", "[2001:db8::1]:0", true, false},
		{"same machine, no key", "off", "127.0.0.1:9", "localhost:8303", "", "", "127.0.0.1:9", false, false},
		{"with the key, forwarded", "off", "127.0.0.1:9", "localhost:8303", "203.0.113.5", "https", "127.0.0.1:9", false, false},
		{"with the key, over a network", "off", "192.168.1.5:9", "192.168.1.1:8303", "", "", "192.168.1.5:9", false, true},
		{"with the key, in a container", "off", "172.17.0.1:9", "localhost:8303", "", "", "172.17.0.1:9", true, true},
		{"with the key, not through it", "local", "127.0.0.1:9", "localhost:8303", "", "", "127.0.0.1:9", true, true},
		{"proxy without a header", "local", "127.0.0.1:9", "localhost:8303", "", "", "invalid AddrPort", false, false},
		{"two proxies of the machine", "local", "127.0.0.1:9", "yard.example", "127.0.0.1", "https", "127.0.0.1:0", true, false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Host = c.from, c.host
		if c.forwardedFor != "" {
			r.Header.Set("X-Forwarded-For", c.forwardedFor)
		}
		if c.proto != "" {
			r.Header.Set("X-Forwarded-Proto", c.proto)
		}
		if c.local || strings.Contains(c.name, "key,") {
			r = Prove(r)
		}
		got := newSettings(t, "sv_http_proxy "+c.proxies).Client(r)
		if got.Addr.String() != c.want || got.Secure != c.secure || got.Local != c.local {
			t.Errorf("%s: %v, secure %v, local %v, want %+v", c.name, got.Addr, got.Secure, got.Local, c)
		}
	}
}

// TestPrefix checks that a trusted proxy can set the path below which it serves the server.
func TestPrefix(t *testing.T) {
	for header, want := range map[string]string{
		"": "", "/": "", "/yard": "/yard", "/yard/": "/yard", "/a/b-c_1": "/a/b-c_1", "/forged, /yard": "/yard",
		"yard": "", "//evil.example": "", "/a;b": "", "/../x": "", "/a b": "", "/" + strings.Repeat("a", maxPrefix): "", "/a/b/c/d/e": "",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = "127.0.0.1:9"
		r.Header.Set("X-Forwarded-For", "203.0.113.5")
		r.Header.Set("X-Forwarded-Prefix", header)
		if got := newSettings(t, "sv_http_proxy local").Client(r).Prefix; got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
		if got := newSettings(t).Client(r).Prefix; got != "" {
			t.Errorf("%q of a proxy that is not trusted: %q", header, got)
		}
	}
}

// TestAllowsClient checks that a room for secure requests admits other requests only from networks
// that the rule names.
func TestAllowsClient(t *testing.T) {
	for _, c := range []struct {
		rule, addr string
		secure     bool
		local      bool
		want       bool
	}{
		{"all", "127.0.0.1:1", true, false, true},
		{"all", "198.51.100.1:1", true, false, true},
		{"all", "198.51.100.1:1", false, false, false},
		{"all", "192.168.1.5:1", false, false, false},
		{"local", "198.51.100.1:1", true, false, false},
		{"local", "127.0.0.1:1", true, true, true},
		{"local", "127.0.0.1:1", false, false, false},
		{"192.168.0.0/16", "192.168.1.5:1", false, false, true},
		{"192.168.0.0/16", "192.168.1.5:1", true, false, true},
		{"192.168.0.0/16", "10.0.0.1:1", true, false, false},
		{"off", "127.0.0.1:1", true, true, false},
		{"local", "127.0.0.1:1", true, false, false},
		{"local", "192.168.1.5:1", true, true, true},
		{"127.0.0.1", "127.0.0.1:1", false, false, true},
	} {
		var rule AccessRule
		rule.Set(testenv.Must(ParseAccess(c.rule)))
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Host = c.addr, "10.0.0.1:8303"
		if got := rule.AllowsClient(r, Client{Addr: netip.MustParseAddrPort(c.addr), Secure: c.secure, Local: c.local}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if (new(AccessRule)).AllowsClient(httptest.NewRequest("GET", "/", nil), Client{}) {
		t.Error("nobody is let in without a rule")
	}
}
