package broadcast

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
)

// ask sends a request with headers, given as "Name: value".
func (w *watchedServer) ask(method, path string, headers ...string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	r := httptest.NewRequest(method, "/", nil)
	r.URL.Path, r.Host = path, "localhost:8303"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w.rooms.ServeHTTP(answer, r)
	return answer
}

// TestRequests checks the answers to requests of caches and browsers, and that odd requests get an
// error.
func TestRequests(t *testing.T) {
	w := newWatchedServer(t, "sv_live_delay 0")
	for _, name := range []string{"anna", "bert", "cleo", "dora"} { // short segments are not compressed
		w.join(name)
	}
	w.run(15 * time.Second)
	match := "/b/" + w.info("/live.json").Match
	seg := w.get(match + "/0.seg")
	body, tag := seg.Body.Bytes(), seg.Header().Get("ETag")
	if seg.Header().Get("Cache-Control") != "max-age=31536000, immutable" || tag == "" || seg.Header().Get("Vary") != "Accept-Encoding" ||
		seg.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%v", seg.Header())
	}
	if a := w.ask("HEAD", match+"/0.seg"); a.Code != 200 || a.Body.Len() != 0 || a.Header().Get("Content-Length") != fmt.Sprint(len(body)) {
		t.Errorf("HEAD: %d, %v", a.Code, a.Header())
	}
	if a := w.ask("HEAD", match+".demo"); a.Code != 200 || a.Body.Len() != 0 ||
		a.Header().Get("Content-Length") != fmt.Sprint(len(w.demo(w.info("/live.json").Match))) {
		t.Errorf("HEAD of the demo: %d, %v", a.Code, a.Header())
	}
	if a := w.ask("GET", match+"/0.seg", "If-None-Match: "+tag); a.Code != 304 || a.Body.Len() != 0 {
		t.Errorf("with its ETag: %d", a.Code)
	}
	if a := w.ask("GET", match+"/0.seg", "Range: bytes=10-19"); a.Code != 206 || !bytes.Equal(a.Body.Bytes(), body[10:20]) {
		t.Errorf("a range: %d", a.Code)
	}
	for _, odd := range []string{"bytes=99999999-", "bytes=5-2", "lines=1-2", "bytes=" + strings.Repeat("0-0,", 5000) + "0-0"} {
		if a := w.ask("GET", match+"/0.seg", "Range: "+odd); a.Code != 416 && a.Code != 200 && a.Body.Len() > 2*len(body) {
			t.Errorf("%.20s: %d with %d bytes", odd, a.Code, a.Body.Len())
		}
	}
	zipped := w.ask("GET", match+"/0.seg", "Accept-Encoding: br, gzip")
	if zipped.Header().Get("Content-Encoding") != "gzip" || zipped.Header().Get("ETag") == tag {
		t.Errorf("gzip: %v", zipped.Header())
	} else if got := testenv.Must(io.ReadAll(testenv.Must(gzip.NewReader(zipped.Body)))); !bytes.Equal(got, body) {
		t.Error("gzip has other bytes")
	}
	if a := w.ask("GET", match+"/0.seg", "Accept-Encoding: gzip;q=0"); a.Header().Get("Content-Encoding") != "" {
		t.Errorf("who does not accept gzip gets %v", a.Header())
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
		if a := w.ask(method, match+"/0.seg"); a.Code != 405 {
			t.Errorf("%s: %d", method, a.Code)
		}
	}
	for _, path := range []string{
		match + "/-1.seg", match + "/+1.seg", match + "/00.seg", match + "/0.seg.gz", match + "/99999999999999999999.seg", match + "/2147483647.seg",
		match + "/ 0.seg",
		match + "/seg", match + "/head.json", match + "/..", "/b/..", "/b/../live.json", "/b/.json", "/b/.demo", "/b/../../etc/passwd.demo", `/b/..\..\x.demo`,
		"/b/%2e%2e/head", "/b/x\x00.demo", match + ".demo/", "/map/", "/map/..", "/map/" + strings.Repeat("0", 64), "/b/" + strings.Repeat("a", 10000) +
			"/head",
	} {
		if a := w.ask("GET", path); a.Code != 404 && a.Code != 301 && a.Code != 307 {
			t.Errorf("%.50q: %d", path, a.Code)
		}
	}
	if a := w.ask("GET", "/b/none.json"); a.Header().Get("Cache-Control") != "max-age=1" {
		t.Errorf("%v", a.Header())
	}
}

// TestSlowReaders checks that clients that request a large demo and do not read, or never finish
// their request, cost little memory each while the match continues.
func TestSlowReaders(t *testing.T) {
	w := newWatchedServer(t, "sv_live_delay 0")
	w.run(5 * time.Second)
	i := w.info("/live.json")
	const size, readers = 8 << 20, 200
	w.broadcast.shelf.mu.Lock()
	m := w.broadcast.shelf.find(i.Match, &viewer{private: true})
	m.mapFile = make([]byte, size)
	m.mapSize = size
	rand.Read(m.mapFile)
	w.broadcast.shelf.mu.Unlock()
	s := web.NewServer(w.rooms)
	l := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	used := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc + m.StackInuse)
	}
	before := used()
	for n := range readers {
		c := testenv.Must(net.Dial("tcp", l.Addr().String()))
		defer c.Close()
		c.(*net.TCPConn).SetReadBuffer(4096)
		if n%2 == 0 {
			fmt.Fprintf(c, "GET /b/%s.demo HTTP/1.1\r\nHost: localhost\r\n\r\n", i.Match)
			io.ReadFull(c, make([]byte, 100))
		} else {
			fmt.Fprintf(c, "GET /b/%s.demo HTTP/1.1\r\nHost", i.Match)
		}
	}
	if n := used() - before; n > readers*100<<10 {
		t.Errorf("%d bytes for %d readers", n, readers)
	}
	w.run(10 * time.Second)
	if j := w.info("/live.json"); j.Last < i.Last+4 {
		t.Errorf("the match stands at %d, after %d", j.Last, i.Last)
	}
	answer := testenv.Must(http.Get("http://" + l.Addr().String() + "/live.json"))
	answer.Body.Close()
	if answer.StatusCode != 200 {
		t.Errorf("somebody else gets %d", answer.StatusCode)
	}
}

// TestManyViewers checks that the requests of 500 viewers do not change the work of the server's
// goroutine.
func TestManyViewers(t *testing.T) {
	w := newWatchedServer(t, "sv_live_delay 0")
	w.join("anna")
	w.run(10 * time.Second)
	for range 5 {
		w.run(2 * time.Second)
		i := w.info("/live.json")
		for range 500 {
			w.info("/live.json")
			w.body(fmt.Sprintf("/b/%s/%d.seg", i.Match, i.Last))
		}
	}
	// One is being filled, and two wait to be encoded.
	if n := w.broadcast.made; n > 3 || len(w.broadcast.jobs) != 0 {
		t.Errorf("%d batches, of which %d wait", n, len(w.broadcast.jobs))
	}
}

// from returns the answer to a request from an address.
func (w *watchedServer) from(addr, path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(addr), 4000).String()
	w.rooms.ServeHTTP(answer, r)
	return answer
}

// TestDownloads checks the limits on downloads of a running match: one for all clients, and one for
// each address that does not affect other addresses.
func TestDownloads(t *testing.T) {
	w := newWatchedServer(t, "sv_live_delay 0")
	w.run(5 * time.Second)
	match := "/b/" + w.info("/live.json").Match
	refused := func(addr string, want bool) {
		t.Helper()
		a := w.from(addr, match+".demo")
		if got := a.Code == 503 && a.Header().Get("Retry-After") != "" && a.Header().Get("Cache-Control") == "no-store"; got != want || !want && a.Code != 200 {
			t.Errorf("%s: %d, %v", addr, a.Code, a.Header())
		}
	}
	slots := &w.broadcast.downloads
	for slots.Take(limit.Person(netip.MustParseAddr("2001:db8::1"))) {
	}
	refused("2001:db8::2", true)
	refused("2001:db8:0:1::1", false)
	for slots.Take(netip.Prefix{}) {
	}
	refused("2001:db8:0:1::1", true)
	w.body(match + "/0.seg")
	slots.Release(netip.Prefix{})
	refused("2001:db8:0:1::1", false)
	refused("2001:db8:0:1::1", false)
}
