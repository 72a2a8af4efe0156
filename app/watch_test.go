package app

import (
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
)

func TestServerPage(t *testing.T) {
	for host, want := range map[string]string{
		"localhost": "http://localhost:8303/", "example.org:8304": "http://example.org:8304/", "::1": "http://[::1]:8303/", "[::1]": "http://[::1]:8303/",
		"[::1]:80": "http://[::1]:80/", "https://example.org/x/": "https://example.org/x/",
		"ws://example.org:8303": "http://example.org:8303", "wss://example.org/tee/": "https://example.org/tee/",
		"ws://example.org": "http://example.org:8303", " TW-0.7+udp://example.org:8304/ ": "http://example.org:8304/", "ddnet://[::1]": "http://[::1]:8303/",
	} {
		if got, err := serverPage(host); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", host, got, err, want)
		}
	}
	for _, host := range []string{"", "a b", "dir/file", `\\x\y`, "ftp://example.org", "tw-0.7+udp://example.org/x"} {
		if got, err := serverPage(host); err == nil {
			t.Errorf("%q: %q", host, got)
		}
	}
}

// TestOpenRecording opens recordings of all kinds. Each becomes a 0.7 demo.
func TestOpenRecording(t *testing.T) {
	p := testenv.Must(newProgram(Config{}))
	dir := filepath.Join("..", "format", "demo", "testdata")
	log := filepath.Join(t.TempDir(), "x.twreplay")
	testenv.NoError(t, writeReplay(log, "test"))
	for _, name := range []string{filepath.Join(dir, "teeworlds-0.7.5.demo"), filepath.Join(dir, "ddnet-16.4.demo"), log} {
		rec, err := p.openRecording(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r, err := demo.NewReader(io.NewSectionReader(rec, 0, rec.Size()))
		if err != nil || r.Header().Protocol() != 7 || len(r.Map()) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		key := web.NewKey()
		h := key.Handler(web.NewHandler(p.watchRooms(rec)...))
		for remote, want := range map[string]int{"127.0.0.1:1": 200, "127.0.0.1:2": 403, "192.0.2.1:1": 403} {
			req := httptest.NewRequest("GET", "/recording.demo", nil)
			if remote != "127.0.0.1:2" {
				req = httptest.NewRequest("GET", key.Link("/recording.demo"), nil)
			}
			req.Host, req.RemoteAddr = "127.0.0.1:8000", remote
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			if w.Code != want || want == 200 && int64(w.Body.Len()) != rec.Size() {
				t.Errorf("%s from %s: %d with %d bytes", name, remote, w.Code, w.Body.Len())
			}
		}
		testenv.NoError(t, rec.Close())
	}
	// Strangers' logs are not run.
	b := testenv.Must(os.ReadFile(log))
	if err := p.convertRecording(new(memoryFile), bytes.NewReader(b), false); err == nil {
		t.Error("a server runs the match of a stranger's log")
	}
	if _, err := p.openRecording("watch_test.go"); err == nil {
		t.Error("a text is a recording")
	}
}
