//go:build peers

package tools

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// proxy is a program in front of a server's HTTP listener.
type proxy struct {
	name string
	// start starts the proxy and returns its address.
	start func(t *testing.T, origin string) (addr string)
	// only is set if the proxy forwards only some paths, and answers 404 to others.
	only bool
	// passes is set if the proxy forwards some forged X-Forwarded headers unchanged.
	passes bool
}

// nginxProxy returns nginx with the directives of a location.
func nginxProxy(name, location string, passes bool) proxy {
	return proxy{name: "nginx, " + name, passes: passes, start: func(t *testing.T, origin string) string {
		addr := peers.FreeAddr(t).AddrPort.String()
		site := fmt.Sprintf("server { listen %s; location / { %s } }", addr, location)
		startNginx(t, addr, strings.ReplaceAll(site, "ORIGIN", origin))
		return addr
	}}
}

// startNginx starts nginx with site definitions, one of which listens at addr.
func startNginx(t *testing.T, addr, http string) {
	program := peers.RequirePrograms(t, "nginx")[0]
	dir := t.TempDir()
	main := filepath.Join(dir, "nginx.conf")
	peers.WriteFile(t, main, fmt.Appendf(nil, `daemon off; master_process off; pid %s/pid; error_log stderr;
events { }
http { access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi; client_max_body_size 32m;
map $http_upgrade $connection_upgrade { default upgrade; "" close; }
%s
}
`, dir, http))
	peers.Start(t, dir, nil, program, "-p", dir, "-c", main, "-e", "stderr")
	awaitHTTP(t, addr)
}

func awaitHTTP(t *testing.T, addr string) {
	peers.Eventually(t, 20*time.Second, addr+" answers", func() bool {
		res, err := http.Get("http://" + addr + "/live.json")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == 200
	})
}

// varnishProxy returns Varnish with a backend and further VCL.
func varnishProxy(name, vcl string, only bool) proxy {
	return proxy{name: "varnish, " + name, only: only, passes: true, start: func(t *testing.T, origin string) string {
		program := peers.RequirePrograms(t, "varnishd")[0]
		addr, dir := peers.FreeAddr(t).AddrPort.String(), t.TempDir()
		host, port, _ := net.SplitHostPort(origin)
		var text string
		if strings.HasSuffix(vcl, ".vcl") {
			text = strings.ReplaceAll(string(testenv.Must(os.ReadFile(vcl))), `"8303"`, fmt.Sprintf("%q", port))
		} else {
			text = fmt.Sprintf("vcl 4.1;\nbackend default { .host = %q; .port = %q; }\n%s", host, port, vcl)
		}
		file := filepath.Join(dir, "site.vcl")
		peers.WriteFile(t, file, []byte(text))
		peers.Start(t, dir, nil, program, "-F", "-j", "none", "-n", dir, "-a", addr, "-f", file, "-s", "malloc,16m")
		awaitHTTP(t, addr)
		return addr
	}}
}

// goProxy returns the reverse proxy of Go's library.
func goProxy(name string, make func(*url.URL) *httputil.ReverseProxy, passes bool) proxy {
	return proxy{name: "Go, " + name, passes: passes, start: func(t *testing.T, origin string) string {
		s := httptest.NewServer(make(&url.URL{Scheme: "http", Host: origin}))
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}}
}

// caddyProxy returns Caddy with a site, if Caddy is installed.
func caddyProxy(name, site string, passes bool) proxy {
	return proxy{name: "caddy, " + name, passes: passes, start: func(t *testing.T, origin string) string {
		program, err := exec.LookPath("caddy")
		if err != nil {
			t.Fatal("caddy is not installed: scripts/peers does it")
		}
		addr, dir := peers.FreeAddr(t).AddrPort.String(), t.TempDir()
		file := filepath.Join(dir, "Caddyfile")
		peers.WriteFile(t, file, fmt.Appendf(nil, "{\n\tadmin off\n\tauto_https off\n}\n:%s {\n\tbind 127.0.0.1\n\t%s\n}\n",
			addr[strings.LastIndexByte(addr, ':')+1:], strings.ReplaceAll(site, "ORIGIN", origin)))
		peers.Start(t, dir, []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}, program, "run", "--config", file)
		awaitHTTP(t, addr)
		return addr
	}}
}

// tunnel forwards TCP connections like ssh -R, socat and TCP load balancers.
func tunnel(t *testing.T, origin string) string {
	l := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer from.Close()
				to, err := net.Dial("tcp", origin)
				if err != nil {
					return
				}
				defer to.Close()
				go io.Copy(to, from)
				io.Copy(from, to)
			}()
		}
	}()
	return l.Addr().String()
}

const keepalive = `proxy_pass http://ORIGIN; proxy_http_version 1.1; proxy_set_header Connection "";`

// proxies are the configurations in the proxies' own documentation, and the ones that add few or no
// headers.
var proxies = []proxy{
	nginxProxy("one line", `proxy_pass http://ORIGIN;`, true),
	nginxProxy("one line, with a slash", `proxy_pass http://ORIGIN/;`, true),
	nginxProxy("one line of 1.30", keepalive, true),
	nginxProxy("WebSocket",
		`proxy_pass http://ORIGIN; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";`, true),
	nginxProxy("WebSocket with a map",
		`proxy_pass http://ORIGIN; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;`, true),
	nginxProxy("with the host", keepalive+` proxy_set_header Host $host;`, true),
	nginxProxy("with the host as it came", keepalive+` proxy_set_header Host $http_host;`, true),
	nginxProxy("with the address", `proxy_pass http://ORIGIN; proxy_set_header Host $host; proxy_set_header X-Real-IP $remote_addr;`, true),
	nginxProxy("with X-Forwarded-For",
		keepalive+` proxy_set_header Host $host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;`,
		false),
	nginxProxy("without buffers and the body", keepalive+` proxy_buffering off; proxy_request_buffering off;`, true),
	{name: "nginx, upstream with keepalive", passes: true, start: func(t *testing.T, origin string) string {
		addr := peers.FreeAddr(t).AddrPort.String()
		startNginx(t, addr, fmt.Sprintf(`upstream game { server %s; keepalive 8; } server { listen %s;
location / { proxy_pass http://game; proxy_http_version 1.1; proxy_set_header Connection ""; } }`, origin, addr))
		return addr
	}},
	varnishProxy("a backend", "", false),
	varnishProxy("WebSocket", `sub vcl_recv { if (req.http.upgrade ~ "(?i)websocket") { return (pipe); } }
sub vcl_pipe { if (req.http.upgrade) { set bereq.http.upgrade = req.http.upgrade; set bereq.http.connection = req.http.connection; } }`, false),
	varnishProxy("without headers", `sub vcl_recv { unset req.http.X-Forwarded-For; unset req.http.Via; return (pass); }
sub vcl_backend_fetch { unset bereq.http.X-Forwarded-For; unset bereq.http.Via; unset bereq.http.X-Varnish; }`, false),
	varnishProxy("deploy/broadcast.vcl", "../../../deploy/broadcast.vcl", true),
	goProxy("NewSingleHostReverseProxy", httputil.NewSingleHostReverseProxy, true),
	goProxy("Rewrite", func(to *url.URL) *httputil.ReverseProxy {
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	}, false),
	goProxy("Rewrite with the host", func(to *url.URL) *httputil.ReverseProxy {
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host }}
	}, false),
	goProxy("SetXForwarded", func(to *url.URL) *httputil.ReverseProxy {
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetXForwarded(); r.SetURL(to) }}
	}, false),
	caddyProxy("one line", "reverse_proxy ORIGIN", false),
	caddyProxy("without headers", "reverse_proxy ORIGIN {\n\t\theader_up -X-Forwarded-*\n\t\theader_up -Via\n\t}", false),
	caddyProxy("with the upstream's host", "reverse_proxy ORIGIN {\n\t\theader_up Host {upstream_hostport}\n\t}", false),
	{name: "tunnel", start: tunnel, passes: true},
}

// stranger is a way to send requests that pretend to be the operator's.
type stranger struct {
	name      string
	query     string
	header    []string
	forwarded bool
}

var strangers = []stranger{
	{name: "plain"},
	{name: "localhost", header: []string{"Host", "localhost"}},
	{name: "the server's host", header: []string{"Host", "SERVER"}},
	{name: "an origin", header: []string{"Host", "SERVER", "Origin", "http://SERVER", "Sec-Fetch-Site", "same-origin"}},
	{name: "forged", forwarded: true, header: []string{"X-Forwarded-For", "127.0.0.1", "X-Forwarded-Proto", "https", "X-Real-Ip", "127.0.0.1", "Forwarded",
		"for=127.0.0.1;proto=https"}},
	{name: "a wrong key", header: []string{"Host", "SERVER", "Authorization", "Bearer aaaaaaaaaaaaaaaaaaaaaa", "Cookie",
		"teeyard-key-PORT=aaaaaaaaaaaaaaaaaaaaaa; teeyard-key=aaaaaaaaaaaaaaaaaaaaaa"}},
	{name: "a wrong link", query: "?key=aaaaaaaaaaaaaaaaaaaaaa", header: []string{"Host", "SERVER"}},
	{name: "no key", query: "?key=", header: []string{"Host", "SERVER", "Authorization", "Bearer ", "Cookie", "teeyard-key-PORT="}},
}

// localRooms are the requests that, with the default settings, only the operator may make, and only
// from the server's own machine.
var localRooms = []string{
	"GET /metrics", "GET /recordings.json", "GET /recordings/demos/x.demo", "GET /admin", "GET /admin/static/main.js", "GET /admin/api/me",
	"GET /admin/api/openapi.json",
	"POST /admin/api/login", "GET /admin/api/players", "GET /admin/api/events", "GET /admin/live/live.json", "GET /debug/pprof/heap",
}

// TestProxies has strangers send every kind of request through each proxy. One server has its
// default settings, the other trusts proxies on its own machine. Strangers must not get the
// operator's pages, try passwords or play under the proxy's address, and the server must not rerun
// their logs.
func TestProxies(t *testing.T) {
	peers.RequirePrograms(t, "nginx", "varnishd")
	for _, setting := range []string{"", "sv_http_proxy local"} {
		t.Run(setting, func(t *testing.T) {
			origin, key := startServed(t, setting)
			for _, p := range proxies {
				t.Run(p.name, func(t *testing.T) { testProxy(t, p, origin, key, setting == "") })
			}
		})
	}
}

// startServed starts the program with settings as close to its defaults as a test allows.
func startServed(t *testing.T, setting string) (origin, key string) {
	addr := peers.FreeAddr(t).AddrPort
	line := fmt.Sprintf("sv_port %d", addr.Port())
	srv := peers.Start(t, t.TempDir(), nil, peers.Program(t), "serve", "sv_bots 0", "bindaddr 127.0.0.1", line, "sv_rcon_password secret", setting)
	link := regexp.MustCompile(`http://localhost:\d+/admin\?key=(\S+)`)
	peers.Eventually(t, 20*time.Second, "the server prints a link", func() bool {
		if m := link.FindStringSubmatch(srv.Output()); m != nil {
			key = m[1]
		}
		return key != ""
	})
	return addr.String(), key
}

func testProxy(t *testing.T, p proxy, origin, key string, isDefault bool) {
	addr := p.start(t, origin)
	for path, want := range map[string]int{"/live.json": 200, "/replays.json": 200, "/": 200} {
		if code, body := askAs(t, addr, origin, "GET "+path, stranger{}); code != want {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	for _, s := range strangers {
		if s.forwarded && p.passes && !isDefault {
			continue // the operator must not trust such a proxy
		}
		for _, room := range localRooms {
			code, body := askAs(t, addr, origin, room, s)
			if code != 403 && !(p.only && (code == 404 || code == 405)) {
				t.Errorf("%s asks for %s: %d %.200s", s.name, room, code, body)
			}
		}
		if code, body := askAs(t, addr, origin, "POST /convert", s); code < 400 || strings.Contains(body, "ok") || code == 422 &&
			!strings.Contains(body, "only for its own machine") {
			t.Errorf("%s has a log run again: %d %.200s", s.name, code, body)
		}
		if code, body := askAs(t, addr, origin, "WEBSOCKET /", s); code == http.StatusSwitchingProtocols {
			// A trusted proxy or tunnel that names the stranger may let the stranger play.
			if isDefault || !strings.Contains(strings.Join(s.header, " "), "X-Forwarded-For") && !names(p) {
				t.Errorf("%s plays: %d %.200s", s.name, code, body)
			}
		}
	}
	if code, _ := askAs(t, origin, origin, "GET /metrics", stranger{header: []string{"Authorization", "Bearer " + key}}); code != 200 {
		t.Errorf("the operator gets %d", code)
	}
}

// names reports whether a proxy names the client that it forwards for.
func names(p proxy) bool {
	for _, known := range []string{"X-Forwarded-For", "varnish, a backend", "varnish, WebSocket", "broadcast.vcl", "NewSingle", "SetXForwarded",
		"caddy, one line", "upstream's host"} {
		if strings.Contains(p.name, known) {
			return true
		}
	}
	return false
}

// askAs sends a stranger's request and returns the answer.
func askAs(t *testing.T, addr, origin, room string, s stranger) (code int, body string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	method, path, _ := strings.Cut(room, " ")
	_, port, _ := net.SplitHostPort(origin)
	lines, host, content := "", addr, ""
	for i := 0; i < len(s.header); i += 2 {
		value := strings.NewReplacer("SERVER", origin, "PORT", port).Replace(s.header[i+1])
		if s.header[i] == "Host" {
			host = value
			continue
		}
		lines += s.header[i] + ": " + value + "\r\n"
	}
	switch {
	case method == "WEBSOCKET":
		method = "GET"
		lines += "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
			"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: binary\r\n"
	case path == "/convert":
		content = "TEEREPL" + strings.Repeat("\x00", 100)
	case method == "POST":
		content = `{"password":"secret"}`
		lines += "Content-Type: application/json\r\n"
	}
	if content != "" {
		lines += fmt.Sprintf("Content-Length: %d\r\n", len(content))
	}
	fmt.Fprintf(c, "%s %s%s HTTP/1.1\r\nHost: %s\r\n%s\r\n%s", method, path, s.query, host, lines, content)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%s: %v", room, err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusSwitchingProtocols {
		return res.StatusCode, ""
	}
	b, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
	return res.StatusCode, string(b)
}
