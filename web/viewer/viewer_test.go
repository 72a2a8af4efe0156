package viewer

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/web"
)

// ask requests a page, with pairs of header fields.
func ask(method, url string, header ...string) *http.Response {
	r := httptest.NewRequest(method, url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	web.NewHandler(Rooms("")...).ServeHTTP(w, r)
	return w.Result()
}

func TestPages(t *testing.T) {
	for url, contentType := range map[string]string{
		"/": "text/html", "/replays": "text/html", "/viewer/main.js": "text/javascript", "/viewer/match/types.js": "text/javascript",
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

// TestPreloads checks that the page announces all modules at once.
func TestPreloads(t *testing.T) {
	html := string(pages().Plain("index.html"))
	for name := range pages() {
		if strings.HasSuffix(name, ".js") && strings.Count(html, `="viewer/`+name+`"`) != 1 {
			t.Errorf("index.html does not name %s once", name)
		}
	}
}

// TestNothingInlineOrForeign checks that the pages contain nothing that the policy forbids.
func TestNothingInlineOrForeign(t *testing.T) {
	for name := range pages() {
		if text := string(pages().Plain(name)); strings.HasSuffix(name, ".html") {
			for _, bad := range []string{"<script>", "<style", " style=", " onclick=", "//", "javascript:"} {
				if strings.Contains(text, bad) {
					t.Errorf("%s has %q", name, bad)
				}
			}
		}
	}
}
