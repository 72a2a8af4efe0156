package viewer

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// unreliable serves a file over connections that end or stall after a part of each answer.
type unreliable struct {
	file   []byte
	part   int  // bytes of each answer but the last
	still  bool // the connection stays open after them
	ranges bool // the server can send the rest of a file alone
	pause  time.Duration
	asked  atomic.Int32
}

func (u *unreliable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if u.asked.Add(1) == 1 && u.pause == 0 {
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	rest, from := u.file, 0
	if u.ranges {
		w.Header().Set("Accept-Ranges", "bytes")
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil {
			rest = rest[from:]
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(u.file)-1, len(u.file)))
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(rest)))
	if from > 0 {
		w.WriteHeader(http.StatusPartialContent)
	}
	n := min(len(rest), u.part)
	for sent := 0; sent < n; {
		step := n - sent
		if u.pause > 0 {
			step = min(step, (n+15)/16)
			time.Sleep(u.pause)
		}
		w.Write(rest[sent : sent+step])
		w.(http.Flusher).Flush()
		sent += step
	}
	if n == len(rest) {
		return
	}
	if u.still {
		<-r.Context().Done()
	}
	time.Sleep(100 * time.Millisecond) // a reset discards data that the browser has not read
	panic(http.ErrAbortHandler)
}

// TestDownloads checks that a download continues while bytes arrive, resumes where it stopped, and
// reports errors.
func TestDownloads(t *testing.T) {
	file := make([]byte, 300_000)
	sum := 0
	for i := range file {
		file[i] = byte(i * i >> 3)
		sum = (sum*31 + int(file[i])) % 65521
	}
	const idle = 400 // ms
	type result struct {
		Said      []string
		Progress  []int
		Size, Sum int
	}
	for name, c := range map[string]struct {
		server *unreliable
		said   []string
		asked  int32
	}{
		// 16 pauses together exceed the idle time.
		"slow": {&unreliable{file: file, part: len(file), pause: idle * time.Millisecond / 8}, nil, 1},
		"ends": {&unreliable{file: file, part: 120_000, ranges: true}, []string{"Interrupted: the server answered with status 503",
			"Interrupted: the server does not answer", "Interrupted: the server does not answer"}, 4},
		"stands": {&unreliable{file: file, part: 200_000, ranges: true, still: true}, []string{"Interrupted: the server answered with status 503",
			"Interrupted: no data for 0 s"}, 3},
	} {
		p := openHandlers(t, "", map[string]http.Handler{"/file": c.server}, "")
		p.Allow("503")
		p.Allow("ERR_")
		got := call[result](p, "download.js", fmt.Sprintf("tries('/file', %d)", idle))
		if !slices.Equal(got.Said, c.said) || got.Size != len(file) || got.Sum != sum || c.server.asked.Load() != c.asked {
			t.Errorf("%s: %d bytes with the sum %d, want %d, asked %d times, said %q", name, got.Size, got.Sum, sum, c.server.asked.Load(), got.Said)
		}
		if !slices.Equal(got.Progress, []int{len(file), len(file)}) {
			t.Errorf("%s: progress %v", name, got.Progress)
		}
	}
}

// TestMapComesLate checks that the viewer shows the progress of the map, tries again, and then
// shows the match.
func TestMapComesLate(t *testing.T) {
	m := mapFiles(t)["/maps/testbox"]
	u := &unreliable{file: m, part: len(m) / 3, ranges: true}
	file := record(t, 4, 300)
	p := openHandlers(t, "", map[string]http.Handler{
		"/late": u, "/a.demo": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(file) }),
	}, "")
	p.Allow("503")
	p.Allow("ERR_")
	said := call[[]string](p, "download.js", "openWithMap('/a.demo', '/late', 5000)")
	p.Wait("viewer.shown")
	text := strings.Join(said, "|")
	for _, want := range []string{"is not loaded yet: the server answered with status 503. Trying again.",
		"is not loaded yet: the server does not answer. Trying again.", "Loading the map ", " kB."} {
		testenv.Check(t, strings.Contains(text, want), "it said %q, not %q", said, want)
	}
	testenv.Check(t, browsertest.Eval[string](p, "viewer.message") == "", "a picture with words on it: %q", browsertest.Eval[string](p, "viewer.message"))
}

// TestNextMatchWaitsForItsMap checks that nothing moves while the next match's map loads, and that
// texts stay at the edge once there is a picture.
func TestNextMatchWaitsForItsMap(t *testing.T) {
	p := openServed(t, "", map[string][]byte{"/a.demo": record(t, 4, 300)})
	got := call[struct {
		Before, Drawn bool
		Frames        int
		Message       string
	}](p, "download.js", "openNext('/a.demo')")
	testenv.Check(t, got.Before && !got.Drawn && got.Frames == 0 && got.Message == "Loading the map.", "%+v", got)
	box := func() float64 {
		return browsertest.Eval[float64](p, "document.getElementById('status').getBoundingClientRect().top / innerHeight")
	}
	testenv.Check(t, box() > 0.4 && box() < 0.6, "without a picture the words are at %v of the height", box())
	p.Run("viewer.drawn(true)")
	testenv.Check(t, box() > 0.7, "with a picture the words are at %v of the height", box())
}

// TestTeesWithoutImages checks that a tee has the page's own look until all images of its skin are
// loaded.
func TestTeesWithoutImages(t *testing.T) {
	p := openServed(t, "", nil)
	got := call[[]string](p, "draw.js", "teesWithoutImages()")
	want := []string{"own tee, own hand", "own tee, own hand", "images"}
	testenv.Check(t, slices.Equal(got, want), "%q, want %q", got, want)
}
