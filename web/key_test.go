package web

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestKeyFile checks that only the owner can read the key file, that the key stays the same, and
// that all servers in a folder share it.
func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "http.key")
	var keys [8]Key
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() { keys[i] = testenv.Must(OpenKey(path)) })
	}
	all.Wait()
	for _, k := range keys {
		testenv.Check(t, k == keys[0] && keyText.MatchString(k.text), "%q and %q", k.text, keys[0].text)
	}
	if info := testenv.Must(os.Stat(path)); info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read the key: %v", info.Mode())
	}
	testenv.NoError(t, os.WriteFile(path, []byte("  one-of-the-operator\r\n"), 0o600))
	testenv.Check(t, testenv.Must(OpenKey(path)).text == "one-of-the-operator", "not that of the operator")
	testenv.NoError(t, os.WriteFile(path, nil, 0o600)) // as left by a full disk
	k := testenv.Must(OpenKey(path))
	testenv.Check(t, k != keys[0] && testenv.Must(OpenKey(path)) == k, "an empty file stays empty")
	for _, bad := range []string{"short", "not a key, but long enough"} {
		testenv.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		k, err := OpenKey(path)
		testenv.Check(t, err != nil && strings.Contains(err.Error(), "http.key") && len(k.text) >= 16, "%q: %q, %v", bad, k.text, err)
	}
	k, err := OpenKey(filepath.Join(filepath.Dir(path), "nowhere", "http.key"))
	testenv.Check(t, err != nil && len(k.text) >= 16, "%q, %v", k.text, err)
	if all := testenv.Must(os.ReadDir(filepath.Dir(path))); len(all) != 1 {
		t.Errorf("%d files are left", len(all))
	}
}

// TestKey checks that the key lets a request in by header, link and cookie, and that nothing else
// does, least of all an empty key.
func TestKey(t *testing.T) {
	var rule AccessRule
	rule.Set(Access{Local: true})
	key := NewKey()
	rooms := NewHandler(Room{Pattern: "/room", Access: &rule, Setting: "sv_room", Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})})
	h := key.Handler(rooms)
	ask := func(h http.Handler, path string, header ...string) *http.Response {
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr, r.Host = "127.0.0.1:5000", "localhost:8303"
		for i := 0; i < len(header); i += 2 {
			r.Header.Add(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	for _, c := range []struct {
		name   string
		path   string
		header []string
		want   int
	}{
		{"nothing", "/room", nil, 403},
		{"header", "/room", []string{"Authorization", "Bearer " + key.text}, 200},
		{"header, other case", "/room", []string{"Authorization", "bearer  " + key.text}, 200},
		{"another scheme", "/room", []string{"Authorization", "Basic " + key.text}, 403},
		{"another key", "/room", []string{"Authorization", "Bearer " + NewKey().text}, 403},
		{"no key", "/room", []string{"Authorization", "Bearer "}, 403},
		{"a program's link", key.Link("/room"), nil, 200},
		{"a link with more", key.Link("/room?a=b"), nil, 200},
		{"an old link", NewKey().Link("/room"), nil, 403},
		{"a browser's link", key.Link("/room"), []string{"Accept", "text/html,*/*"}, 303},
		{"a browser's link, forwarded", key.Link("/room"), []string{"Accept", "text/html,*/*", "X-Forwarded-For", "127.0.0.1"}, 403},
		{"cookie", "/room", []string{"Cookie", "teeyard-key-8303=" + key.text}, 200},
		{"cookie and an old link", NewKey().Link("/room"), []string{"Cookie", "teeyard-key-8303=" + key.text}, 200},
		{"cookie of another port", "/room", []string{"Cookie", "teeyard-key-8304=" + key.text}, 403},
		{"cookie without a key", "/room", []string{"Cookie", "teeyard-key-8303="}, 403},
	} {
		res := ask(h, c.path, c.header...)
		testenv.Check(t, res.StatusCode == c.want, "%s: %s, want %d", c.name, res.Status, c.want)
		if c.name == "nothing" || c.want == 200 {
			res := ask(Key{}.Handler(rooms), c.path, c.header...)
			testenv.Check(t, res.StatusCode == 403, "%s, no key is set: %s", c.name, res.Status)
		}
	}
	res := ask(h, key.Link("/room?a=b%20c"), "Accept", "text/html")
	cookies := res.Cookies()
	if to := res.Header.Get("Location"); to != "/room?a=b+c" || len(cookies) != 1 || res.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("it leads to %q, with %v", to, res.Header)
	}
	k := cookies[0]
	testenv.Check(t, k.HttpOnly && k.SameSite == http.SameSiteLaxMode && k.Path == "/" && k.Domain == "" && k.MaxAge > 0, "%v", k)
	testenv.Check(t, ask(h, "/room", "Cookie", k.Name+"="+k.Value).StatusCode == 200, "the cookie does not let in")
	if to := ask(h, key.Link("//attacker.example/room"), "Accept", "text/html").Header.Get("Location"); strings.HasPrefix(to, "//") {
		t.Errorf("it leads to %q", to)
	}
}
