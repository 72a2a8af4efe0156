package play

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

// limits of what a browser loads, in bytes.
const (
	maxScript  = 120_000   // as gzip
	maxGzip    = 1_920_000 // for the few browsers without brotli
	maxBrotli  = 1_400_000
	maxStyles  = 16 << 10
	maxProgram = 8 << 20 // in memory
)

// serve answers a request for a file of the page.
func serve(url string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	served().ServeHTTP(w, r)
	return w
}

// served is the pages of the tests without a server.
var served = sync.OnceValue(func() http.Handler {
	return web.NewHandler(slices.Concat(viewer.Rooms("", nil), New(new(web.Settings)).Rooms(0))...)
})

// TestBundle checks that all modules of the page can be one script, and its size.
func TestBundle(t *testing.T) {
	testenv.NoError(t, newApp(files()).Make())
	page := serve("/play").Body.String()
	for _, c := range []struct {
		file, path string
		most       int
	}{{`src="play/bundle.js?v=`, "/play/bundle.js", maxScript}, {`href="play/bundle.css?v=`, "/play/bundle.css", maxStyles}} {
		_, rest, ok := strings.Cut(page, c.file)
		hash, _, _ := strings.Cut(rest, `"`)
		testenv.Check(t, ok && strings.Count(page, c.path[1:]) == 1, "the page does not load %s once:\n%s", c.file, page)
		w := serve(c.path+"?v="+hash, "Accept-Encoding", "gzip")
		t.Logf("%s: %d bytes compressed", c.path, w.Body.Len())
		testenv.Check(t, w.Code == 200 && w.Body.Len() <= c.most, "%s: %d, %d bytes, at most %d", c.path, w.Code, w.Body.Len(), c.most)
		testenv.Check(t, strings.Contains(w.Header().Get("Cache-Control"), "immutable"), "%s: %v", c.path, w.Header())
	}
	testenv.Check(t, strings.Count(page, "<script") == 1 && strings.Count(page, `rel="stylesheet"`) == 1, "the page loads more:\n%s", page)
	testenv.Check(t, strings.Contains(serve("/play?modules").Body.String(), `src="play/main.js"`), "the modules themselves")
	testenv.NoError(t, fs.WalkDir(files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			testenv.Check(t, serve("/play/"+name).Code == 200, "%s is not served", name)
		}
		return err
	}))
}

// TestProgram checks that the compiled program is what play.json says, and that a second visit does
// not load it.
func TestProgram(t *testing.T) {
	b := Program()
	testenv.Check(t, b.Commit != "" && strings.HasPrefix(b.Go, "go1.") && b.Size > 0 && b.Size < maxProgram, "%+v", b)
	plain := testenv.Must(io.ReadAll(testenv.Must(gzip.NewReader(bytes.NewReader(programGzip)))))
	testenv.Check(t, sum(plain) == b.SHA256 && len(plain) == b.Size, "play.wasm.gz has %d bytes and SHA-256 %s, not those of %+v", len(plain), sum(plain), b)
	t.Logf("gzip %d, brotli %d bytes", len(programGzip), len(programBrotli))
	testenv.Check(t, len(programGzip) <= maxGzip && len(programBrotli) <= maxBrotli, "gzip %d, brotli %d bytes", len(programGzip), len(programBrotli))

	address := "/play/play.wasm?v=" + program().Hash
	testenv.Check(t, strings.Contains(serve("/play").Body.String(), `"`+address[1:]+`"`), "the page does not preload %s", address)
	for _, c := range [][2]string{{"gzip, deflate", "gzip"}, {"gzip, deflate, br, zstd", "br"}} {
		w := serve(address, "Accept-Encoding", c[0])
		h := w.Header()
		testenv.Check(t, h.Get("Content-Encoding") == c[1] && h.Get("Content-Type") == "application/wasm", "%v: %v", c, h)
		testenv.Check(t, strings.Contains(h.Get("Cache-Control"), "immutable"), "%v: %v", c, h)
		testenv.Check(t, serve(address, "Accept-Encoding", c[0], "If-None-Match", h.Get("ETag")).Code == http.StatusNotModified, "%v: loaded again", c)
	}
}

// TestPolicy checks that only this page may compile WebAssembly.
func TestPolicy(t *testing.T) {
	for url, want := range map[string]bool{"/play": true, "/play?modules": true, "/": false, "/replays": false, "/viewer/bundle.js": false} {
		csp := serve(url).Header().Get("Content-Security-Policy")
		testenv.Check(t, strings.Contains(csp, "default-src 'none'") && strings.Contains(csp, "wasm-unsafe-eval") == want, "%s: %s", url, csp)
		testenv.Check(t, !strings.Contains(strings.ReplaceAll(csp, "'wasm-unsafe-eval'", ""), "unsafe"), "%s: %s", url, csp)
	}
}

// TestFreshPage lets a browser play with the compiled program and the scripts as a fresh clone has
// them. It loads one script and one stylesheet, and the program in the shortest encoding.
func TestFreshPage(t *testing.T) {
	b := sitDown(t)
	type resource struct {
		Name, Path string
		Status     int
		Size       int
	}
	list := browsertest.Eval[[]resource](b.Page, `performance.getEntriesByType('resource').map((e) => ({
		Name: e.name.replace(/.*\//, ''), Path: new URL(e.name).pathname, Status: e.responseStatus, Size: e.encodedBodySize }))`)
	sizes := map[string]int{}
	for _, r := range list {
		sizes[r.Path] = r.Size
		testenv.Check(t, !strings.HasSuffix(r.Path, ".js") || r.Path == "/play/bundle.js", "%+v is loaded", r)
		testenv.Check(t, !strings.HasSuffix(r.Path, ".css") || r.Path == "/play/bundle.css", "%+v is loaded", r)
	}
	n, want := sizes["/play/play.wasm"], len(programBrotli)
	testenv.Check(t, n == want, "the program has %d bytes on its way, not %d", n, want)
	b.Goto("/play")
	b.Wait(`globalThis.teeyard && !teeyard.card.play.disabled`)
	again := browsertest.Eval[int](b.Page, `performance.getEntriesByType('resource').filter((e) => /bundle|wasm/.test(e.name))
		.reduce((n, e) => n + e.transferSize, 0)`)
	testenv.Check(t, again == 0, "a second visit loads %d bytes", again)
}
