package app

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/transport/ws"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/admin"
)

// TestAdminLink checks that the log has a link to the admin page that this machine can open, and no
// link if sv_http_admin does not allow it.
func TestAdminLink(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ listen, rule, host string }{
		{"localhost:0", "all", "localhost"},
		{"0.0.0.0:0", "local", "localhost"},
		{"127.0.0.1:0", "127.0.0.0/8", "localhost"},
		{"127.0.0.5:0", "all", "127.0.0.5"},
		{"localhost:0", "192.0.2.0/24", ""},
		{"localhost:0", "off", ""},
	} {
		t.Run(test.listen+" "+test.rule, func(t *testing.T) {
			c := testenv.Must(console.New(console.Config{Output: func(console.Caller, int, string, string) {}}))
			var pages web.Settings
			var operators admin.Settings
			for _, name := range []string{"sv_rcon_password", "sv_rcon_mod_password", "sv_rcon_helper_password"} {
				testenv.NoError(t, c.RegisterString(console.StringVar{Name: name, Value: new(string), Size: 32}))
			}
			testenv.NoError(t, errors.Join(pages.Register(c), operators.Register(c)))
			c.Execute("sv_http "+test.listen, console.Operator)
			c.Execute("sv_http_admin "+test.rule, console.Operator)
			var log bytes.Buffer
			room := web.Room{Pattern: "GET /admin", Handler: http.NotFoundHandler()}
			end := serveWeb(t.Context(), &pages, &operators, t.TempDir(), ws.NewHub(), web.NewMonitor(&pages), []web.Room{room}, 0,
				slog.New(slog.NewTextHandler(&log, nil)))
			defer end()
			link := regexp.MustCompile(`http://\S*/admin\?key=[^ "]*`).FindString(log.String())
			if test.host == "" {
				testenv.Check(t, link == "" && strings.Contains(log.String(), "sv_http_admin does not allow this machine"), "%s", log.String())
				return
			}
			res, err := http.Get(link)
			testenv.Check(t, err == nil && res.StatusCode == http.StatusNotFound && res.Request.URL.Hostname() == test.host, "%v, %q "+
				"of\n%s", err, link, log.String())
		})
	}
}

// TestLocalRooms requests every room that is reserved for the machine's operator, on a server with
// default settings. The key lets a request in. A loopback address alone does not, nor does a proxy
// that adds no header. Package internal/peers tests the same with real proxies.
func TestLocalRooms(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := startService(t, "sv_rcon_password secret")
	key := strings.TrimSpace(string(testenv.Must(os.ReadFile(filepath.Join(s.dir, keyFile)))))
	origin := &url.URL{Scheme: "http", Host: s.http}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(origin) }})
	defer proxy.Close()
	ask := func(base, room, bearer string) (int, string) {
		method, path, _ := strings.Cut(room, " ")
		r := testenv.Must(http.NewRequest(method, base+path, strings.NewReader(map[string]string{
			"POST /convert": "TEEREPL" + strings.Repeat("\x00", 100), "POST /admin/api/login": `{"password":"secret"}`,
		}[room])))
		r.Header.Set("Content-Type", "application/json")
		if bearer != "" {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
		res := testenv.Must(http.DefaultClient.Do(r))
		defer res.Body.Close()
		return res.StatusCode, string(testenv.Must(io.ReadAll(res.Body)))
	}
	for _, room := range []string{
		"GET /metrics", "GET /recordings.json", "GET /recordings/demos/x.demo", "GET /admin", "GET /admin/static/main.js", "GET /admin/api/me",
		"GET /admin/api/players",
		"GET /admin/api/openapi.json", "GET /admin/api/nothing", "GET /admin/live/live.json", "POST /admin/api/login",
	} {
		for name, base := range map[string]string{"loopback": "http://" + s.http, "a proxy": proxy.URL} {
			for _, bearer := range []string{"", "aaaaaaaaaaaaaaaaaaaaaa"} {
				if code, body := ask(base, room, bearer); code != 403 {
					t.Errorf("%s, through %s: %d %s", room, name, code, body)
				}
			}
		}
		if code, body := ask("http://"+s.http, room, key); code == 403 {
			t.Errorf("%s, with the key: %d %s", room, code, body)
		}
	}
	if testenv.Race {
		return // the race detector takes more memory than a process for conversions may have
	}
	if code, body := ask(proxy.URL, "POST /convert", ""); code != 422 || !strings.Contains(body, "only for its own machine") {
		t.Errorf("a stranger's log: %d %s", code, body)
	}
	if code, body := ask("http://"+s.http, "POST /convert", key); code != 422 || strings.Contains(body, "only for its own machine") {
		t.Errorf("the operator's log: %d %s", code, body)
	}
}
