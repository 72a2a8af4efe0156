package admin

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestOnlySecure checks that the page, its files and the API are open only to clients over TLS,
// behind a trusted proxy with TLS, on this machine, or in a network that the operator named.
func TestOnlySecure(t *testing.T) {
	w := newWorld(t)
	local, far, lan := w.visitor("127.0.0.1"), w.visitor("198.51.100.1"), w.visitor("192.168.1.5")
	plain, plainLAN := *far, *lan
	plain.tls, plainLAN.tls, plainLAN.host = false, false, "192.168.1.1:8303"
	// Requests through a proxy that adds no header: one over HTTP, and one over TLS.
	unproven, wrongKey, hidden := *local, *local, *local
	unproven.key, wrongKey.key, hidden.key, hidden.tls = false, false, false, true
	wrongKey.header = http.Header{"Authorization": {"Bearer " + strings.Repeat("a", 22)}}
	stolen := *far
	stolen.tls, stolen.key, stolen.host = false, true, "localhost:8303"
	rebound := *local
	rebound.host = "attacker.example"
	proxied := *local
	proxied.host, proxied.header = "yard.example", http.Header{"X-Forwarded-For": {"198.51.100.1"}, "X-Forwarded-Proto": {"https"}}
	proxiedPlain := proxied
	proxiedPlain.header = http.Header{"X-Forwarded-For": {"198.51.100.1"}, "X-Forwarded-Proto": {"http"}}
	check := func(rule string, want map[string]bool) {
		t.Helper()
		for name, v := range map[string]*visitor{
			"local": local, "unproven": &unproven, "wrong key": &wrongKey, "TLS, hidden": &hidden, "a stolen key": &stolen, "TLS": far, "plain": &plain,
			"LAN": &plainLAN, "LAN, TLS": lan, "rebound": &rebound, "proxy": &proxied, "proxy, plain": &proxiedPlain,
		} {
			for _, path := range []string{"/admin", "/admin/static/main.js", "/admin/api/me", "/admin/api/nothing", "/admin/api/openapi.json",
				"/admin/api/events"} {
				w.run(time.Second)
				if res := v.send("GET", path, ""); (res.StatusCode != http.StatusForbidden) != want[name] {
					t.Errorf("%s: %s, %s: %s, want in: %v", rule, name, path, res.Status, want[name])
				}
			}
			w.run(5 * time.Second)
			if code, _ := v.ask("POST", "/login", `{"password":"adminpw"}`); (code == 200) != want[name] || code != 200 && code != 403 {
				t.Errorf("%s: %s signs in: %d", rule, name, code)
			}
			v.cookie = nil
		}
	}
	check("default", map[string]bool{"local": true, "TLS": true, "TLS, hidden": true, "LAN, TLS": true})
	w.Execute("sv_http_admin local,192.168.0.0/16; sv_http_proxy local")
	check("local and a network", map[string]bool{"local": true, "LAN": true, "LAN, TLS": true})
	w.Execute("sv_http_admin all; sv_http_proxy local")
	check("a proxy", map[string]bool{"local": true, "TLS": true, "LAN, TLS": true, "proxy": true})
	w.Execute("sv_http_admin off")
	check("off", map[string]bool{})
}

// TestSignIn checks that the rcon password yields a cookie that scripts cannot read and other sites
// cannot send, and that requests without the cookie fail.
func TestSignIn(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		v      *visitor
		secure bool
		proxy  bool
	}{{w.visitor("127.0.0.1"), false, false}, {w.visitor("198.51.100.1"), true, false}, {w.visitor("127.0.0.1"), true, true}} {
		if c.proxy {
			w.Execute("sv_http_proxy local")
			c.v.host, c.v.header = "yard.example", http.Header{"X-Forwarded-For": {"198.51.100.7"}, "X-Forwarded-Proto": {"https"}}
		}
		c.v.expect("GET", "/players", "", 401, "sign in first")
		c.v.expect("GET", "/me", "", 200, `{"level":"","server":"","version":"","live":false}`)
		c.v.expect("POST", "/login", `{"password":"wrong"}`, 401, "wrong password")
		res := c.v.send("POST", "/admin/api/login", `{"password":"adminpw"}`)
		cookies := res.Cookies()
		if res.StatusCode != 200 || len(cookies) != 1 {
			t.Fatal(res.Status, cookies)
		}
		k := cookies[0]
		if !k.HttpOnly || k.SameSite != http.SameSiteStrictMode || k.Secure != c.secure || k.Path != "/admin" || k.Domain != "" || len(k.Value) < 40 {
			t.Errorf("%s: the cookie is %v", c.v.addr, k)
		}
		c.v.expect("GET", "/me", "", 200, `{"level":"admin","server":"the \u003cb\u003eyard\u003c/b\u003e"`)
		stolen := *k
		c.v.expect("POST", "/logout", "", 200, "{}")
		c.v.expect("GET", "/players", "", 401, "sign in first")
		c.v.cookie = &stolen
		c.v.expect("GET", "/players", "", 401, "sign in first")
	}
	for _, want := range []string{
		`"event":"login","via":"http","level":"admin","addr":"198.51.100.1:4000"}`, `"event":"logout","via":"http","level":"admin","addr":"198.51.100.1:4000"}`,
		`"event":"login","via":"http","level":"admin","addr":"198.51.100.7:0"}`,
	} {
		w.expectAudit(want)
	}
	if all := w.audit.String() + w.log.String(); strings.Contains(all, "adminpw") || strings.Contains(all, "wrong\"") {
		t.Error("a password is in a log")
	}
	mod := w.signedIn("198.51.100.2", "modpw")
	mod.expect("GET", "/me", "", 200, `{"level":"moderator"`)
	for v, want := range map[*visitor]string{mod: "live /b/m/3.seg", w.visitor("198.51.100.3"): `{"error":"sign in first`} {
		res := v.send("GET", "/admin/live/b/m/3.seg", "")
		if body := string(testenv.Must(io.ReadAll(res.Body))); !strings.HasPrefix(body, want) {
			t.Errorf("the match without delay: %s %q, want %q", res.Status, body, want)
		}
	}
}

// TestCrossSite checks that pages of other sites cannot act through an operator's browser.
func TestCrossSite(t *testing.T) {
	w := newWorld(t)
	v := w.signedIn("198.51.100.1", "adminpw")
	for name, header := range map[string]http.Header{
		"another site":       {"Sec-Fetch-Site": {"cross-site"}},
		"another subdomain":  {"Sec-Fetch-Site": {"same-site"}},
		"an old browser":     {"Origin": {"https://attacker.example"}},
		"a sandboxed frame":  {"Origin": {"null"}},
		"another port":       {"Origin": {"https://yard.example:1"}},
		"a form":             {"Content-Type": {"application/x-www-form-urlencoded"}},
		"a form of text":     {"Content-Type": {"text/plain"}},
		"nothing that it is": {"Content-Type": {""}},
	} {
		v.header = header
		for path, body := range map[string]string{"/command": `{"line":"sv_name hacked"}`, "/login": `{"password":"adminpw"}`} {
			if code, answer := v.ask("POST", path, body); code != 403 && code != 415 {
				t.Errorf("%s: POST %s: %d %s", name, path, code, answer)
			}
		}
		if header.Get("Content-Type") == "" && name != "nothing that it is" {
			v.expect("DELETE", "/bans?target=1.2.3.4", "", 403, "another web site")
			v.expect("PUT", "/settings/sv_name", `{"value":"hacked"}`, 403, "another web site")
		}
	}
	if strings.Contains(w.log.String(), "hacked") {
		t.Error("another site ran a command")
	}
	v.header = http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {"https://yard.example"}}
	v.expect("POST", "/command", `{"line":"sv_name mine"}`, 200, `{"output":[]}`)
	res := v.send("GET", "/admin/api/me", "")
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": ""} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if csp := v.send("GET", "/admin", "").Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
		!strings.Contains(csp, "frame-ancestors 'none'") ||
		strings.Contains(csp, "unsafe") {
		t.Errorf("the page's policy is %q", csp)
	}
}

// TestGuesses checks that a client that tries many passwords or tokens is rejected, and banned as
// by the remote console.
func TestGuesses(t *testing.T) {
	w := newWorld(t)
	v := w.visitor("198.51.100.1")
	for range 3 {
		v.expect("POST", "/login", `{"password":"guess"}`, 401, "wrong password")
	}
	v.expect("POST", "/login", `{"password":"adminpw"}`, 403, "banned for 5 minutes (Too many remote console authentication tries)")
	w.Execute("sv_rcon_max_tries 0")
	v = w.visitor("198.51.100.2")
	codes := map[int]int{}
	for range 100 {
		code, _ := v.ask("POST", "/login", `{"password":"guess"}`)
		codes[code]++
	}
	if codes[401] != int(loginRate.Burst) || codes[401]+codes[429] != 100 {
		t.Errorf("100 passwords at once: %v", codes)
	}
	w.signedIn("198.51.100.3", "adminpw")
	v = w.visitor("198.51.100.4")
	clear(codes)
	for range 100 {
		v.header.Set("Authorization", "Bearer teeyard_guess")
		code, _ := v.ask("GET", "/players", "")
		codes[code]++
	}
	if codes[401] != int(guessRate.Burst) || codes[401]+codes[429] != 100 {
		t.Errorf("100 tokens at once: %v", codes)
	}
	w.run(10 * time.Second)
	v.header = http.Header{}
	clear(codes)
	for range 1000 {
		code, _ := v.ask("GET", "/players", "")
		codes[code]++
	}
	if codes[401] < 100 || codes[401] > int(requestRate.Burst) || codes[401]+codes[429] != 1000 {
		t.Errorf("1000 requests at once: %v", codes)
	}
}

// TestHiddenGuesses checks passwords through a proxy that hides addresses. They share one small
// limit, ban no address, and do not lock out the machine's operator, who has no limit.
func TestHiddenGuesses(t *testing.T) {
	w := newWorld(t)
	hidden := w.visitor("127.0.0.1")
	hidden.key, hidden.tls, hidden.host = false, true, "yard.example"
	codes := map[int]int{}
	for range 60 {
		w.run(400 * time.Millisecond)
		code, _ := hidden.ask("POST", "/login", `{"password":"guess"}`)
		codes[code]++
	}
	if codes[401] < 5 || codes[401] > 8 || codes[401]+codes[429] != 60 {
		t.Errorf("60 passwords in 24 s: %v", codes)
	}
	if n := len(w.Bans()); n != 0 {
		t.Errorf("%d bans", n)
	}
	local := w.visitor("127.0.0.1")
	for range 60 {
		w.run(time.Second)
		local.expect("POST", "/login", `{"password":"guess"}`, 401, "wrong password")
	}
	local.expect("POST", "/login", `{"password":"adminpw"}`, 200, "admin")
	w.run(time.Minute)
	hidden.expect("POST", "/login", `{"password":"adminpw"}`, 200, "admin")
}

// TestTokenOnTheMachine checks that a token lets a local program in like the key does, and that a
// program without either stays out.
func TestTokenOnTheMachine(t *testing.T) {
	w := newWorld(t)
	token := testenv.Must(w.console.tokens.add("site", "admin", w.time(), time.Time{}))
	v := w.visitor("127.0.0.1")
	v.key = false
	v.expect("GET", "/players", "", 403, "Access denied")
	v.header.Set("Authorization", "Bearer "+token)
	v.expect("GET", "/players", "", 200, "players")
	v.header.Set("X-Forwarded-For", "198.51.100.1")
	v.expect("GET", "/players", "", 403, "Access denied")
	v.header.Del("X-Forwarded-For")
	v.host = "attacker.example"
	v.expect("GET", "/players", "", 403, "Access denied")
}

// TestRefusals checks that the answer to a client that may not enter names the setting that keeps
// it out.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	local := w.visitor("127.0.0.1")
	w.Execute("sv_http_admin 192.0.2.0/24")
	local.expect("GET", "/players", "", 403, "sv_http_admin does not allow this client")
	local.key = false
	local.expect("GET", "/players", "", 403, "from a network of sv_http_admin")
	w.Execute("sv_http_admin local,127.0.0.0/8")
	local.expect("GET", "/players", "", 401, "sign in first")
	w.Execute("sv_http_proxy local")
	local.expect("GET", "/players", "", 403, "sv_http_proxy trusts")
	local.key = true
	local.expect("GET", "/players", "", 401, "sign in first")
}

// TestBadBodies checks that an invalid request body changes nothing, however large or strange it
// is.
func TestBadBodies(t *testing.T) {
	w := newWorld(t)
	v := w.signedIn("198.51.100.1", "adminpw")
	for body, code := range map[string]int{
		" ":                          400,
		"{":                          400,
		"null":                       400,
		"[]":                         400,
		`{"line":5}`:                 400,
		`{"line":"status","more":1}`: 400,
		`{"line":"status"}{}`:        400,
		`{"line":"a\nsv_name b"}`:    400,
		`{"line":"a\u0000b"}`:        400,
		`{"line":"  "}`:              400,
		strings.Repeat("[", 10_000):  400,
		`{"line":` + strings.Repeat(`{"line":`, 2_000):   400,
		`{"line":"` + strings.Repeat("a", 3_000) + `"}`:  400,
		`{"line":"` + strings.Repeat("a", 20_000) + `"}`: 413,
	} {
		w.run(time.Second)
		if got, answer := v.ask("POST", "/command", body); got != code {
			t.Errorf("%.40s: %d %s, want %d", body, got, answer, code)
		}
	}
	if strings.Contains(w.audit.String(), "command") {
		t.Errorf("something ran:\n%s", w.audit.String())
	}
	for _, path := range []string{
		"/players/-1/kick", "/players/128/kick", "/players/x/kick", "/players/99999999999999999999/kick",
	} {
		v.expect("POST", path, `{"reason":""}`, 400, "the id must be a number from 0 to 127")
	}
	w.run(time.Minute)
	for _, path := range []string{"/log?limit=0", "/log?limit=x", "/log?from=-1", "/log?level=loud", "/samples?step=2", "/events?topics=secrets"} {
		v.expect("GET", path, "", 400, "error")
	}
	v.expect("PUT", "/settings/status", `{"value":"x"}`, 404, "no such setting")
	v.expect("PUT", "/settings/sv_name%22%3Bshutdown", `{"value":"x"}`, 403, "")
	v.expect("PUT", "/settings/sv_name", `{"value":"a\nb"}`, 400, "single line")
	v.expect("DELETE", "/bans?target=0", "", 400, "an address")
	v.expect("GET", "/nothing", "", 404, "")
}

// TestSessionsEnd checks that sessions end after a while, and when the password changes.
func TestSessionsEnd(t *testing.T) {
	w := newWorld(t)
	v, mod := w.signedIn("198.51.100.1", "adminpw"), w.signedIn("198.51.100.2", "modpw")
	for range 11 {
		w.pass(idleTime - time.Minute)
		v.expect("GET", "/me", "", 200, "admin")
	}
	mod.expect("GET", "/players", "", 401, "sign in")
	w.pass(idleTime)
	v.expect("GET", "/players", "", 401, "sign in")
	v = w.signedIn("198.51.100.1", "adminpw")
	for range 13 {
		w.pass(idleTime - time.Minute)
		v.ask("GET", "/me", "")
	}
	v.expect("GET", "/players", "", 401, "sign in")
	v, mod = w.signedIn("198.51.100.1", "adminpw"), w.signedIn("198.51.100.2", "modpw")
	w.Execute("sv_rcon_password adminpw") // the same password
	v.expect("GET", "/me", "", 200, "admin")
	w.Execute("sv_rcon_password other")
	v.expect("GET", "/players", "", 401, "sign in")
	mod.expect("GET", "/me", "", 200, "moderator")
	first := w.signedIn("10.9.0.1", "other")
	for i := range maxSessions {
		w.pass(time.Second)
		w.signedIn("10.8.0."+string(rune('1'+i%9)), "other")
	}
	first.expect("GET", "/players", "", 401, "sign in")
	if n := len(w.console.access.sessions); n != maxSessions {
		t.Errorf("%d sessions", n)
	}
	w.Execute("sv_rcon_mod_password modpw")
	for i := range maxSessions + 1 { // the maximum number of sessions, which must not sign out an administrator
		w.pass(time.Second)
		mod = w.signedIn("10.7.0."+string(rune('1'+i%9)), "modpw")
	}
	w.pass(time.Second)
	first = w.signedIn("10.9.0.1", "other")
	for i := range maxSessions + 1 {
		w.pass(time.Second)
		mod = w.signedIn("10.7.1."+string(rune('1'+i%9)), "modpw")
	}
	first.expect("GET", "/me", "", 200, "admin")
	mod.expect("GET", "/me", "", 200, "moderator")
}

// TestPage checks that exactly the page's files are served, with their types and a policy.
func TestPage(t *testing.T) {
	w := newWorld(t)
	v := w.visitor("127.0.0.1")
	for path, contentType := range map[string]string{"/admin": "text/html", "/admin/static/main.js": "text/javascript", "/admin/static/style.css": "text/css",
		"/admin/static/bundle.js": "text/javascript", "/admin/static/bundle.css": "text/css"} {
		res := v.send("GET", path, "")
		if got := res.Header.Get("Content-Type"); res.StatusCode != 200 || !strings.HasPrefix(got, contentType) {
			t.Errorf("%s: %s %s", path, res.Status, got)
		}
		if strings.HasSuffix(path, "admin") {
			html := string(testenv.Must(io.ReadAll(res.Body)))
			for _, bad := range []string{"<script>", "<style", " style=", " onclick=", "http://", "https://", "javascript:"} {
				if strings.Contains(html, bad) {
					t.Errorf("the page has %q", bad)
				}
			}
		}
	}
	for _, path := range []string{"/admin/static/nothing", "/admin/static/..%2fadmin.go", "/admin/static/"} {
		if res := v.send("GET", path, ""); res.StatusCode != 404 {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
}
