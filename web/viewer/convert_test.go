package viewer

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/web"
)

// convertDemo converts demos as programs do.
func convertDemo(w io.Writer, file io.Reader, _ bool) error {
	r, err := demo.NewReader(file)
	if err != nil {
		return err
	}
	return recorder.Convert(w, r)
}

// newConverter returns a converter for all clients, and its handler.
func newConverter(convert func(io.Writer, io.Reader, bool) error) (*Converter, http.Handler) {
	c := &Converter{turnTime: time.Millisecond, Convert: func(_ context.Context, c Conversion) error {
		testenv.Must(c.Recording.Seek(0, io.SeekStart))
		return convert(c.Demo, c.Recording, c.Trusted)
	}}
	c.LetIn(web.Access{Everybody: true})
	return c, web.NewHandler(c.Room())
}

func post(h http.Handler, body io.Reader, header ...string) *http.Response {
	return postFrom(h, "192.0.2.1:1234", body, header...)
}

// postFrom posts a file from an address.
func postFrom(h http.Handler, addr string, body io.Reader, header ...string) *http.Response {
	r := httptest.NewRequest("POST", "/convert", body)
	r.RemoteAddr = addr
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func ddnetDemo(t *testing.T) []byte {
	return testenv.Must(os.ReadFile(filepath.Join("..", "..", "format", "demo", "testdata", "ddnet-16.4.demo")))
}

func TestConvertRoom(t *testing.T) {
	_, h := newConverter(convertDemo)
	res := post(h, bytes.NewReader(ddnetDemo(t)))
	body := testenv.Must(io.ReadAll(res.Body))
	if res.StatusCode != 200 {
		t.Fatalf("%s: %s", res.Status, body)
	}
	if r, err := demo.NewReader(bytes.NewReader(body)); err != nil || r.Header().Protocol() != 7 {
		t.Errorf("%v", err)
	}
	for _, c := range []struct {
		what   string
		body   io.Reader
		header []string
		status int
	}{
		{"no demo", strings.NewReader("x"), nil, 422},
		{"nothing", strings.NewReader(""), nil, 422},
		{"a header and nothing else", bytes.NewReader(header()), nil, 422},
		{"a header and no chunks", bytes.NewReader(append(header(), bytes.Repeat([]byte("<rubbish>"), 1000)...)), nil, 422},
		{"a map that is not there", bytes.NewReader(ddnetDemo(t)[:2000]), nil, 422},
		{"what is compressed", bytes.NewReader(compressed(ddnetDemo(t))), []string{"Content-Encoding", "gzip"}, 422},
		{"a file that is too large", io.LimitReader(zeros{}, maxUpload+1), nil, 413},
		{"a file that does not arrive", io.MultiReader(strings.NewReader("TWDEMO"), failing{}), nil, 400},
		{"a page of another site", bytes.NewReader(ddnetDemo(t)), []string{"Sec-Fetch-Site", "cross-site"}, 403},
	} {
		if res := post(h, c.body, c.header...); res.StatusCode != c.status {
			t.Errorf("%s: %s, want %d", c.what, res.Status, c.status)
		}
	}
}

// compressed returns a gzipped file.
func compressed(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("gone") }

// TestConvertLimits checks that one file is converted at a time, that only local requests run
// scripts, and the errors for large results and trailing data.
func TestConvertLimits(t *testing.T) {
	var h http.Handler
	_, h = newConverter(func(io.Writer, io.Reader, bool) error {
		if res := post(h, strings.NewReader("x")); res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
			t.Errorf("a second file at once: %s", res.Status)
		}
		return nil
	})
	if res := postFrom(h, "198.51.100.7:1", strings.NewReader("x")); res.StatusCode != 200 {
		t.Error(res.Status)
	}
	if res := post(h, strings.NewReader("x")); res.StatusCode != 200 {
		t.Error("the converter stays busy:", res.Status)
	}

	_, h = newConverter(func(io.Writer, io.Reader, bool) error { return nil })
	var uploads sync.WaitGroup
	upload := func(from string) {
		slow, end := io.Pipe()
		uploads.Go(func() { postFrom(h, from, slow) })
		end.Write([]byte("x")) // returns when it is read
		t.Cleanup(func() { end.Close() })
	}
	t.Cleanup(uploads.Wait) // after all have been closed
	upload("[2001:db8::1]:1")
	upload("[2001:db8::2]:1")
	if res := postFrom(h, "[2001:db8::3]:1", strings.NewReader("x")); res.StatusCode != 503 {
		t.Error("a person has more than their share:", res.Status)
	}
	upload("198.51.100.7:1")
	if res := post(h, strings.NewReader("x")); res.StatusCode != 200 {
		t.Error("files that arrive slowly keep out another one:", res.Status)
	}
	for i := range maxRequests - 3 {
		upload(fmt.Sprintf("198.51.100.%d:1", 8+i))
	}
	if res := post(h, strings.NewReader("x")); res.StatusCode != 503 {
		t.Error("there are more than there may be:", res.Status)
	}

	_, h = newConverter(func(_ io.Writer, _ io.Reader, trusted bool) error {
		if trusted {
			t.Error("a request from elsewhere is trusted")
		}
		return nil
	})
	post(h, strings.NewReader("x"))
}

// TestConvertTurns checks that a file waits for earlier ones.
func TestConvertTurns(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	c, h := newConverter(func(w io.Writer, _ io.Reader, _ bool) error {
		begun <- struct{}{}
		<-end
		return nil
	})
	c.turnTime = time.Hour
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			if res := postFrom(h, fmt.Sprintf("198.51.100.%d:1", i), strings.NewReader("x")); res.StatusCode != 200 {
				t.Error(res.Status)
			}
		})
	}
	for range 3 {
		<-begun
		select {
		case <-begun:
			t.Error("two are converted at once")
		default:
		}
		end <- struct{}{}
	}
	all.Wait()

	// A client that disconnects does not wait any longer.
	testenv.NoError(t, c.turns.take(t.Context(), 0))
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	if err := c.turns.take(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := c.turns.take(t.Context(), 0); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	c.turns.pass()
}

// TestConvertHangUp checks that a conversion is cancelled when its client disconnects or does not
// read the demo.
func TestConvertHangUp(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan error)
	c := &Converter{Convert: func(ctx context.Context, c Conversion) error {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	}}
	c.LetIn(web.Access{Everybody: true})
	s := httptest.NewServer(web.NewHandler(c.Room()))
	defer s.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	go func() {
		<-begun
		hangUp()
	}()
	r := testenv.Must(http.NewRequestWithContext(ctx, "POST", s.URL+"/convert", strings.NewReader("x")))
	if _, err := http.DefaultClient.Do(r); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	testenv.Eventually(t, "its place is free", func() bool { return c.requests.Taken() == 0 && c.stored.Load() == 0 })

	// More than the system's buffers hold, to a client that reads nothing.
	c.pace = time.Second
	converted := make(chan struct{})
	c.Convert = func(_ context.Context, c Conversion) error {
		defer close(converted)
		return c.Demo.Truncate(maxResult)
	}
	conn := testenv.Must(net.Dial("tcp", s.Listener.Addr().String()))
	defer conn.Close()
	io.WriteString(conn, "POST /convert HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")
	<-converted
	testenv.Eventually(t, "its place is free", func() bool { return c.requests.Taken() == 0 && c.stored.Load() == 0 })
}

// TestConvertFullDisk checks the answer when the disk is full, and that no file stays.
func TestConvertFullDisk(t *testing.T) {
	c, h := newConverter(func(w io.Writer, _ io.Reader, _ bool) error {
		if _, err := w.Write([]byte("demo")); err != nil {
			return ErrStorage // as the child process reports it
		}
		return nil
	})
	c.Dir = filepath.Join(t.TempDir(), "new")
	made, full := 0, 1
	c.temp = func(dir string) (*os.File, error) {
		if made++; made == full {
			return openFull(dir)
		}
		return tempFile(dir)
	}
	for full = range 3 {
		made = 0
		want := http.StatusInsufficientStorage
		if full == 0 {
			want = http.StatusOK
		}
		if res := post(h, strings.NewReader("x")); res.StatusCode != want {
			t.Errorf("file %d is on a full disk: %s, want %d", full, res.Status, want)
		}
		if left, err := os.ReadDir(c.Dir); err != nil || len(left) != 0 || c.stored.Load() != 0 || c.requests.Taken() != 0 {
			t.Errorf("%v, %v, %d bytes are left", left, err, c.stored.Load())
		}
	}
	c.temp = nil
	c.Dir = filepath.Join(testenv.Must(os.Executable()), "no folder")
	if res := post(h, strings.NewReader("x")); res.StatusCode != http.StatusInsufficientStorage {
		t.Error("without a folder:", res.Status)
	}
}

// openFull opens a file that fails on writes, like a full disk.
func openFull(dir string) (*os.File, error) {
	f, err := tempFile(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return os.Open(f.Name())
}

// TestSlowUpload checks that each client behind a trusted proxy has its own share, also in the
// proxy's own network, and that a file that stops arriving gives its place back.
func TestSlowUpload(t *testing.T) {
	c, _ := newConverter(func(io.Writer, io.Reader, bool) error { return nil })
	c.pace = time.Millisecond
	commands := testenv.Must(console.New(console.Config{Output: func(console.Caller, int, string, string) {}}))
	c.Web = new(web.Settings)
	testenv.NoError(t, c.Web.Register(commands))
	commands.Execute("sv_http_proxy local", console.Operator)
	s := httptest.NewServer(web.NewHandler(c.Room()))
	defer s.Close()
	upload := func(person string, body io.Reader) *http.Response {
		r := testenv.Must(http.NewRequest("POST", s.URL+"/convert", body))
		r.Header.Set("X-Forwarded-For", person)
		r.Close = true // the server ends the connection of the slow file
		res := testenv.Must(http.DefaultClient.Do(r))
		res.Body.Close()
		return res
	}
	slow, end := io.Pipe()
	defer end.Close()
	go end.Write([]byte("TWDEMO"))
	if res := upload("198.51.100.1", slow); res.StatusCode != http.StatusRequestTimeout {
		t.Error("a file that stops arriving:", res.Status)
	}
	if res := upload("198.51.100.1", strings.NewReader("x")); res.StatusCode != http.StatusOK {
		t.Error("after it:", res.Status)
	}
	if n := c.requests.Taken(); n != 0 {
		t.Errorf("%d places are taken", n)
	}
	if n := c.stored.Load(); n != 0 {
		t.Errorf("%d bytes are taken", n)
	}

	request := func(person string) netip.Prefix {
		r := httptest.NewRequest("POST", "/convert", nil)
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("X-Forwarded-For", person)
		return c.Web.Person(r)
	}
	if a, b := request("10.0.0.1"), request("10.0.0.2"); !a.IsValid() || a == b {
		t.Errorf("behind a trusted proxy two are %v and %v", a, b)
	}
}

// TestConvertRoomOnDisk checks that a file is rejected while others fill the space.
func TestConvertRoomOnDisk(t *testing.T) {
	c, h := newConverter(func(w io.Writer, _ io.Reader, _ bool) error {
		_, err := w.Write([]byte("demo"))
		return err
	})
	for free, want := range map[int64]int{4: 503, 8: 503, 8 + maxResult: 200} {
		c.stored.Store(maxStored - free)
		if res := post(h, strings.NewReader("12345678")); res.StatusCode != want {
			t.Errorf("with %d bytes free: %s, want %d", free, res.Status, want)
		}
		if n := maxStored - c.stored.Load(); n != free {
			t.Errorf("%d bytes were free, %d are", free, n)
		}
	}
}

// TestWatchOthersDemo checks that the page lets the server convert demos that it cannot read.
func TestWatchOthersDemo(t *testing.T) {
	_, h := newConverter(convertDemo)
	p := openPage(t, map[string][]byte{"/ddnet.demo": ddnetDemo(t), "/no.demo": []byte("TWDEMO\x00\x09...")}, h)
	p.Allow("422") // the browser logs the rejection
	type state struct {
		First, Last int32
		Tees        int
		Problem     string
	}
	s := call[state](p, "match.js", "openOther('/ddnet.demo')")
	if s.Last-s.First < 100 || s.Tees == 0 || s.Problem != "" {
		t.Errorf("%+v", s)
	}
	if s := call[state](p, "match.js", "openOther('/no.demo')"); !strings.Contains(s.Problem, "cannot be converted") {
		t.Errorf("%+v", s)
	}
}

// TestWatchDemo opens the page on a demo of the server, as teeyard watch does, and on forbidden and
// missing ones.
func TestWatchDemo(t *testing.T) {
	file := record(t, 16, 1500)
	mux := http.NewServeMux()
	mux.Handle("/", described(Rooms("", nil)...))
	mux.HandleFunc("/recording.demo", func(w http.ResponseWriter, _ *http.Request) { w.Write(file) })
	p := browsertest.Open(t, mux, "/?demo=/recording.demo")
	p.Allow("404")
	p.Wait(`document.title.includes('testbox') && !document.getElementById('bar').hidden && document.getElementById('status').textContent === ''`)
	for query, want := range map[string]string{"/other.demo": "The server has no demo /other.demo",
		"http://192.0.2.1/x.demo": "This page loads only demos of this server"} {
		p.Goto("/?demo=" + query)
		p.Wait(fmt.Sprintf("document.getElementById('status').textContent.startsWith(%q)", want))
	}
}
