package viewer

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
)

// ask requests a page, with pairs of header fields.
func ask(method, url string, header ...string) *http.Response {
	r := httptest.NewRequest(method, url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	served().ServeHTTP(w, r)
	return w.Result()
}

// served is the page of all tests.
var served = sync.OnceValue(func() http.Handler { return web.NewHandler(Rooms("", nil)...) })

func TestPages(t *testing.T) {
	for url, contentType := range map[string]string{
		"/": "text/html", "/replays": "text/html", "/viewer/main.js": "text/javascript", "/viewer/match/types.js": "text/javascript",
		"/?modules": "text/html", "/viewer/bundle.js": "text/javascript", "/viewer/bundle.css": "text/css",
	} {
		res := ask("GET", url)
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), contentType) || len(body) == 0 {
			t.Errorf("%s: %s with %d bytes of %s", url, res.Status, len(body), res.Header.Get("Content-Type"))
		}
		if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: Content-Security-Policy %q", url, csp)
		}
		if len(body) < 256 {
			continue // compression would make it larger
		}
		zipped := ask("GET", url, "Accept-Encoding", "br, gzip;q=0.8")
		z, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Errorf("%s: not compressed: %v", url, err)
			continue
		}
		if plain, err := io.ReadAll(z); err != nil || string(plain) != string(body) {
			t.Errorf("%s: differs when compressed (%v)", url, err)
		}
		if a, b := res.Header.Get("ETag"), zipped.Header.Get("ETag"); a == "" || a == b {
			t.Errorf("%s: ETags %s and %s, of plain and compressed", url, a, b)
		}
		if again := ask("GET", url, "Accept-Encoding", "gzip", "If-None-Match", zipped.Header.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("%s: %s for what a browser has", url, again.Status)
		}
		if other := ask("GET", url, "Accept-Encoding", "gzip;q=0", "If-None-Match", `"other"`); other.StatusCode != 200 ||
			other.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %s, coding %q, for what a browser has of another version and without gzip", url, other.Status, other.Header.Get("Content-Encoding"))
		}
	}
	for _, url := range []string{"/x", "/viewer/", "/viewer/x.js", "/viewer/match", "/viewer/..%2fviewer.go", "/viewer/%2e%2e/viewer.go"} {
		if res := ask("GET", url); res.StatusCode == 200 {
			t.Errorf("%s: %s", url, res.Status)
		}
	}
}

// fileTexts returns the contents of the page's files by name.
func fileTexts(t *testing.T) map[string]string {
	texts := map[string]string{}
	testenv.NoError(t, fs.WalkDir(Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			texts[name] = string(testenv.Must(fs.ReadFile(Files(), name)))
		}
		return err
	}))
	return texts
}

// TestNothingInlineOrForeign checks that the pages contain nothing that the policy forbids.
func TestNothingInlineOrForeign(t *testing.T) {
	for name, text := range fileTexts(t) {
		if strings.HasSuffix(name, ".html") {
			for _, bad := range []string{"<script>", "<style", " style=", " onclick=", "//", "javascript:"} {
				if strings.Contains(text, bad) {
					t.Errorf("%s has %q", name, bad)
				}
			}
		}
	}
}
