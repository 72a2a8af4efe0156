package mapsource

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/server/folder"
)

// webServer is a web server with maps.
type webServer struct {
	*httptest.Server
	content map[string][]byte // by path
	etag    string
	asked   []string // path and If-None-Match of each request
	handle  http.HandlerFunc
}

func newWebServer(t *testing.T) *webServer {
	s := &webServer{content: map[string][]byte{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("If-None-Match")))
		b, ok := s.content[r.URL.Path]
		switch {
		case s.handle != nil:
			s.handle(w, r)
		case !ok:
			http.NotFound(w, r)
		case s.etag != "" && r.Header.Get("If-None-Match") == s.etag:
			w.WriteHeader(http.StatusNotModified)
		default:
			if s.etag != "" {
				w.Header().Set("ETag", s.etag)
			}
			w.Write(b)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// take returns the requests since the last call.
func (s *webServer) take() string {
	asked := strings.Join(s.asked, ", ")
	s.asked = nil
	return asked
}

// newFiles returns files in a new folder with a clock.
func newFiles(t *testing.T, s *webServer) (f *Files, dir string, pass func(time.Duration), said *[]string) {
	dir, said = t.TempDir(), new([]string)
	f = New(folder.List{dir}, func(_ bool, text string) { *said = append(*said, text) })
	now := time.Unix(1e9, 0)
	f.now = func() time.Time { return now }
	testenv.NoError(t, f.SetSource(s.URL+"/all"))
	return f, dir, func(d time.Duration) { now = now.Add(d) }, said
}

// expect reads a map and compares it and the requests.
func expect(t *testing.T, f *Files, s *webServer, name string, want []byte, asked string) {
	t.Helper()
	got, err := fs.ReadFile(f, name)
	testenv.NoError(t, err)
	testenv.Check(t, string(got) == string(want), "%s has %d bytes, want %d", name, len(got), len(want))
	if got := s.take(); got != asked {
		t.Errorf("%s: asked %q, want %q", name, got, asked)
	}
}

func embedded(t *testing.T, name string) []byte {
	m, ok := maps.Find(name)
	testenv.Check(t, ok, "no map %s", name)
	return m.Data
}

func TestFetch(t *testing.T) {
	s := newWebServer(t)
	f, dir, pass, said := newFiles(t, s)
	one, two := embedded(t, "teeyard1"), embedded(t, "testbox")
	s.content["/all/new.map"], s.content["/all/sub/a map%2f.map"], s.etag = one, two, `"1"`

	expect(t, f, s, "maps/new.map", one, "/all/new.map")
	testenv.Check(t, len(*said) == 1 && strings.Contains((*said)[0], "fetched maps/new.map from "+s.URL), "said %q", *said)
	expect(t, f, s, "maps/sub/a map%2f.map", two, "/all/sub/a map%2f.map")
	expect(t, f, s, "maps/new.map", one, "") // a moment ago
	pass(pause)
	expect(t, f, s, "maps/new.map", one, `/all/new.map "1"`)
	pass(pause)
	s.content["/all/new.map"], s.etag = two, `"2"`
	expect(t, f, s, "maps/new.map", two, `/all/new.map "1"`)
	pass(pause)
	expect(t, f, s, "maps/new.map", two, `/all/new.map "2"`)

	// Another process with the same folder knows the record. An operator's change counts more.
	again := New(folder.List{dir}, func(bool, string) {})
	testenv.NoError(t, again.SetSource(s.URL+"/all"))
	expect(t, again, s, "maps/new.map", two, `/all/new.map "2"`)
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, "maps", "new.map"), one, 0o600))
	pass(pause)
	expect(t, f, s, "maps/new.map", one, "")
	// So does a map without a record. Maps of the program are not asked for.
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, "maps", "own.map"), one, 0o600))
	expect(t, f, s, "maps/own.map", one, "")
	for _, name := range []string{"maps/teeyard1.map", "maps/none.cfg", "autoexec.cfg", "maps/../x.map"} {
		_, err := f.Open(name)
		testenv.Check(t, err != nil && s.take() == "", "%s: %v", name, err)
	}
	testenv.NoError(t, f.SetSource(""))
	_, err := f.Open("maps/other.map")
	testenv.Check(t, errors.Is(err, fs.ErrNotExist) && s.take() == "", "%v", err)
}

// TestSlowSource checks that neither a map that is there nor a new setting waits for a fetch.
func TestSlowSource(t *testing.T) {
	s := newWebServer(t)
	f, _, pass, _ := newFiles(t, s)
	one := embedded(t, "teeyard1")
	s.content["/all/new.map"] = one
	expect(t, f, s, "maps/new.map", one, "/all/new.map")
	asked, answer, over := make(chan bool), make(chan bool), make(chan error)
	s.handle = func(w http.ResponseWriter, _ *http.Request) {
		asked <- true
		<-answer
		w.WriteHeader(http.StatusNotFound)
	}
	pass(pause)
	go func() { _, err := f.Open("maps/slow.map"); over <- err }()
	<-asked
	got, err := fs.ReadFile(f, "maps/new.map")
	testenv.Check(t, err == nil && string(got) == string(one), "%d bytes, %v", len(got), err)
	testenv.NoError(t, f.SetSource(""))
	close(answer)
	err = <-over
	testenv.Check(t, errors.Is(err, fs.ErrNotExist), "%v", err)
}

// TestTrouble checks that a source that is away or sends nonsense is left alone for some time, and
// that maps in the folder stay.
func TestTrouble(t *testing.T) {
	s := newWebServer(t)
	f, dir, pass, said := newFiles(t, s)
	one := embedded(t, "teeyard1")
	s.content["/all/new.map"] = one
	expect(t, f, s, "maps/new.map", one, "/all/new.map")
	_, err := f.Open("maps/missing.map")
	testenv.Check(t, errors.Is(err, fs.ErrNotExist) && len(*said) == 1, "%v, said %q", err, *said)
	s.take()

	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	elsewhere := newWebServer(t)
	for want, handle := range map[string]http.HandlerFunc{
		"500 Internal Server Error": status(500),
		"304 Not Modified":          status(304),
		"is not a map":              func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) },
		"unexpected EOF": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			w.Write([]byte("DATA"))
		},
		"67108865 bytes, more": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "67108865") },
		"an address in a local network": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		},
	} {
		s.handle = handle
		pass(pause)
		_, err := f.Open("maps/other.map")
		first := s.take()
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(first, "/all/other.map") {
			t.Errorf("%q: %v, asked %q", want, err, first)
		}
		if want != "is not a map" {
			_, err = f.Open("maps/third.map")
			testenv.Check(t, err != nil && s.take() == "", "%q: it is asked again at once: %v", want, err)
			pass(pause - time.Second)
			expect(t, f, s, "maps/new.map", one, "")
		}
	}
	testenv.Check(t, elsewhere.take() == "", "a redirect was followed")

	// The folder cannot keep the map.
	s.handle, s.content["/all/other.map"] = nil, one
	pass(pause)
	testenv.NoError(t, os.RemoveAll(filepath.Join(dir, "maps")))
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, "maps"), nil, 0o600))
	f.Folder = readOnly{f.Folder}
	expect(t, f, s, "maps/other.map", one, "/all/other.map")
	testenv.Check(t, strings.Contains((*said)[len(*said)-1], "is used and not kept: "), "said %q", *said)
	for _, text := range []string{"maps.example", "ftp://maps.example/", "http://", "https://maps.example/?map="} {
		if err := f.SetSource(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// readOnly is a folder without maps on a full disk.
type readOnly struct{ Folder }

func (readOnly) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
func (readOnly) WriteFile(string, []byte) error { return errors.New("no space left on device") }
