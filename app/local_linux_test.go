package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestLocalRooms requests every room that is reserved for the machine's operator, on a server with
// default settings. The key lets a request in. A loopback address alone does not, nor does a proxy
// that adds no header. Package internal/peers tests the same with real proxies.
func TestLocalRooms(t *testing.T) {
	s := startService(t, "sv_rcon_password secret")
	key := strings.TrimSpace(string(testenv.Must(os.ReadFile(filepath.Join(s.dir, keyFile)))))
	origin := &url.URL{Scheme: "http", Host: s.http}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(origin) }})
	defer proxy.Close()
	ask := func(base, room, bearer string) (int, string) {
		method, path, _ := strings.Cut(room, " ")
		r := testenv.Must(http.NewRequest(method, base+path, strings.NewReader(map[string]string{
			"POST /convert": replayMagic + strings.Repeat("\x00", 100), "POST /admin/api/login": `{"password":"secret"}`,
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
	if code, body := ask(proxy.URL, "POST /convert", ""); code != 422 || !strings.Contains(body, "only for its own machine") {
		t.Errorf("a stranger's log: %d %s", code, body)
	}
	if code, body := ask("http://"+s.http, "POST /convert", key); code != 422 || strings.Contains(body, "only for its own machine") {
		t.Errorf("the operator's log: %d %s", code, body)
	}
}
