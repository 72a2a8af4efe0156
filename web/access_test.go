package web

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// TestAccess checks which rule lets which requests in.
func TestAccess(t *testing.T) {
	request := func(from, host string, header ...string) *http.Request {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Host = from, host
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
	old := request("127.0.0.1:5000", "127.0.0.1:8303")
	old.ProtoMajor, old.ProtoMinor = 1, 0
	absolute, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET http://localhost/ HTTP/1.1\r\nHost: attacker.example\r\n\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	absolute.RemoteAddr = "127.0.0.1:5000"
	for name, c := range map[string]struct {
		r                   *http.Request
		local, network, all bool
	}{
		"same machine":            {request("127.0.0.1:5000", "localhost:8303"), true, false, true},
		"same machine, IPv6":      {request("[::1]:5000", "[::1]:8303"), true, false, true},
		"no port":                 {request("[::1]:5000", "[::1]"), true, false, true},
		"mapped":                  {request("[::ffff:127.0.0.1]:5000", "127.0.0.2"), true, false, true},
		"capitals and dot":        {request("127.0.0.1:5000", "LocalHost.:8303"), true, false, true},
		"a page elsewhere":        {request("127.0.0.1:5000", "attacker.example:8303"), false, false, true},
		"looks like it":           {request("127.0.0.1:5000", "localhost.attacker.example"), false, false, true},
		"no host":                 {request("127.0.0.1:5000", ""), false, false, true},
		"says that it is":         {request("198.51.100.1:5000", "localhost:8303"), false, false, true},
		"container":               {request("172.17.0.1:5000", "localhost:8303"), true, false, true},
		"private, a web page":     {request("172.17.0.1:5000", "attacker.example:8303"), false, false, true},
		"forwarded":               {request("127.0.0.1:5000", "localhost:8303", "X-Forwarded-For", "127.0.0.1"), false, false, true},
		"forwarded, empty":        {request("127.0.0.1:5000", "localhost:8303", "Forwarded", ""), false, false, true},
		"Via":                     {request("127.0.0.1:5000", "localhost:8303", "Via", "1.1 proxy"), false, false, true},
		"nginx":                   {old, false, false, true},
		"network":                 {request("10.1.2.3:5000", "teeyard:8303"), true, true, true},
		"network, mapped":         {request("[::ffff:10.1.2.3]:5000", "teeyard:8303"), true, true, true},
		"network, IPv6":           {request("[2001:db8::5%eth0]:5000", "teeyard"), false, true, true},
		"another one":             {request("[2001:db8::6]:5000", "teeyard"), false, false, true},
		"network, forwarded":      {request("10.1.2.3:5000", "teeyard:8303", "X-Real-IP", "203.0.113.5"), false, false, true},
		"network, a web page":     {request("10.1.2.3:5000", "attacker.example:8303"), false, false, true},
		"network, address":        {request("10.1.2.3:5000", "10.1.2.4:8303"), true, true, true},
		"network, IPv6 address":   {request("10.1.2.3:5000", "[2001:db8::1]:8303"), true, true, true},
		"network, no host":        {request("10.1.2.3:5000", ""), false, false, true},
		"a URL with a host":       {absolute, false, false, true},
		"an address that is none": {request("@", "localhost"), false, false, true},
	} {
		for _, rule := range []struct {
			text string
			want bool
		}{{"local", c.local}, {"10.0.0.0/8, 2001:db8::5", c.network}, {"::ffff:10.0.0.0/104,2001:db8::5", c.network}, {"::ffff:10.1.2.3, 2001:db8::5",
			c.network}, {"Local,10.1.2.3/8,2001:db8::5", c.local || c.network}, {"all", c.all}, {"off", false}, {"", false}} {
			a, err := ParseAccess(rule.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Allows(Prove(c.r)); got != rule.want {
				t.Errorf("%s, %q: %v", name, rule.text, got)
			}
			// Without the key no request is local.
			want := rule.want && (rule.text == "all" || c.network && strings.Contains(rule.text, "10."))
			if got := a.Allows(c.r); got != want {
				t.Errorf("%s, %q, not proven: %v", name, rule.text, got)
			}
		}
	}
	for _, text := range []string{"everybody", "10.0.0.0/33", "::ffff:10.0.0.0/95", "local;all", "127.0.0.1:8303", "localhost"} {
		if _, err := ParseAccess(text); !errors.Is(err, ErrAccess) || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestForwardedRequests checks that the header of any proxy keeps a request out.
func TestForwardedRequests(t *testing.T) {
	a := Access{Local: true, Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	for _, header := range []string{
		"", "User-Agent", "Cdn-Loop", "X-Forwarded-By", "X-Forwarded-Scheme", "X-Forwarded-Ssl", "X-Forwarded-Prefix", "X-Forwarded-Anything",
		"X-Original-Host",
		"Client-Ip", "Forwarded-For", "X-Envoy-External-Address", "X-Amzn-Trace-Id",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:5000", "localhost"
		if header != "" {
			r.Header.Set(header, "x")
		}
		if got, want := a.Allows(Prove(r)), header == "" || header == "User-Agent"; got != want {
			t.Errorf("%s: %v", header, got)
		}
	}
}

// TestOwnHost checks which hosts cannot belong to a web page.
func TestOwnHost(t *testing.T) {
	for host, want := range map[string]bool{
		"10.0.0.1": true, "::1": true, "fe80::1%eth0": true, "localhost": true, "teeyard": true, "play.example.org": true,
		"example.org": false, "evil.play.example.org": false, "10.0.0.1.example.org": false, "": false,
	} {
		if got := isOwnHost(host, "Play.example.org"); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
	if isOwnHost("", "") {
		t.Error("no host is the host of a machine without a name")
	}
}

// TestRooms checks that each room has its own rule, that the rule can change, and that the error
// names the setting.
func TestRooms(t *testing.T) {
	var rule AccessRule
	say := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.URL.Path)) })
	h := NewHandler(Room{Pattern: "GET /open", Handler: say}, Room{Pattern: "GET /private", Access: &rule, Setting: "sv_private", Handler: say})
	expect := func(method, path string, code int, text string) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != code || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%s %s: %d %q", method, path, w.Code, w.Body)
		}
	}
	expect("GET", "/open", 200, "/open")
	expect("HEAD", "/open", 200, "")
	expect("POST", "/open", 405, "")
	expect("GET", "/private", 403, "sv_private does not allow")
	expect("GET", "/", 404, "")
	rule.Set(Access{Local: true})
	expect("GET", "/private", 403, "(sv_private).\n\nIf you are the operator")
	rule.Set(Access{Everybody: true})
	expect("GET", "/private", 200, "/private")
}
