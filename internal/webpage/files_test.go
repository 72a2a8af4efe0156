package webpage

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestEncodings checks which encoding of a file a browser gets, and what it may keep.
func TestEncodings(t *testing.T) {
	whole := NewFile("a.js", []byte(strings.Repeat("x", 1000)), "")
	whole.Brotli = []byte("br")
	program := &File{ContentType: "application/wasm", Hash: "0123", Gzip: []byte("gz"), Brotli: []byte("br")}
	for _, c := range []struct {
		file           *File
		accept, coding string
		status         int
	}{
		{whole, "", "", 200}, {whole, "gzip", "gzip", 200}, {whole, "gzip, deflate, br", "br", 200}, {whole, "br;q=0, gzip;q=0.5", "gzip", 200},
		{whole, "gzip;q=0", "", 200}, {whole, "deflate", "", 200}, {whole, "GZIP", "gzip", 200},
		{program, "gzip, deflate, br, zstd", "br", 200}, {program, "gzip", "gzip", 200}, {program, "", "gzip", 200}, {program, "identity", "", 406},
	} {
		ask := func(method, url string, header ...string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, url, nil)
			if c.accept != "" {
				r.Header.Set("Accept-Encoding", c.accept)
			}
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			w := httptest.NewRecorder()
			c.file.ServeHTTP(w, r)
			return w
		}
		w := ask("GET", "/x")
		h := w.Header()
		testenv.Check(t, w.Code == c.status && h.Get("Content-Encoding") == c.coding && h.Get("Vary") == "Accept-Encoding", "%+v: %d %v", c, w.Code, h)
		if c.status != 200 {
			continue
		}
		testenv.Check(t, h.Get("Content-Type") == c.file.ContentType && h.Get("Cache-Control") == "no-cache", "%+v: %v", c, h)
		head := ask("HEAD", "/x")
		testenv.Check(t, head.Body.Len() == 0 && head.Header().Get("Content-Length") == h.Get("Content-Length"), "%+v: HEAD %v", c, head.Header())
		for _, have := range []string{h.Get("ETag"), `"other", W/` + h.Get("ETag"), "*", `"` + c.file.Hash + `-gzip"`} {
			again := ask("GET", "/x", "If-None-Match", have)
			testenv.Check(t, again.Code == 304 && again.Body.Len() == 0 && again.Header().Get("Content-Encoding") == "", "%+v: %s: %d", c, have, again.Code)
		}
		testenv.Check(t, ask("GET", "/x", "If-None-Match", `"other"`).Code == 200, "%+v: another ETag", c)
		forEver := func(url string) bool {
			return strings.Contains(ask("GET", url).Header().Get("Cache-Control"), "immutable")
		}
		testenv.Check(t, forEver("/x?v="+c.file.Hash) && !forEver("/x?v=other") && !forEver("/x?v="), "%+v: caching", c)
	}
}

// TestOpenerPolicy checks that only origins get the header on which browsers do not ignore it.
func TestOpenerPolicy(t *testing.T) {
	for _, c := range []struct {
		url, proto string
		want       bool
	}{
		{"http://yard.example/", "", false}, {"http://192.0.2.1:8303/", "", false}, {"http://localhost.example/", "", false},
		{"https://yard.example/", "", true},
		{"http://yard.example/", "https", true}, {"http://localhost:8303/", "", true}, {"http://127.0.0.1:8303/", "", true}, {"http://[::1]/", "", true},
	} {
		r, w := httptest.NewRequest("GET", c.url, nil), httptest.NewRecorder()
		r.Header.Set("X-Forwarded-Proto", c.proto)
		NewFile("a.js", nil, "").ServeHTTP(w, r)
		testenv.Check(t, (w.Header().Get("Cross-Origin-Opener-Policy") != "") == c.want, "%+v: %v", c, w.Header())
	}
}

// TestFilesAreMadeLate checks that nothing is read before the first request, and once in all.
func TestFilesAreMadeLate(t *testing.T) {
	from := fstest.MapFS{"a.js": {Data: []byte("a")}, "dir/b.js": {Data: []byte("b")}}
	f := NewFiles(from, "")
	testenv.Check(t, len(f.made) == 0, "%d files are made", len(f.made))
	first := f.Handler("a.js")
	testenv.Check(t, first == f.Handler("a.js") && len(f.made) == 1, "%d files are made", len(f.made))
	for _, name := range []string{"", ".", "dir", "/a.js", "../webpage/a.js", "c.js"} {
		w := httptest.NewRecorder()
		f.Handler(name).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		testenv.Check(t, w.Code == 404, "%q: %d", name, w.Code)
	}
}
