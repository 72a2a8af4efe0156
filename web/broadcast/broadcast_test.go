package broadcast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/mem"
	"github.com/teeyard/teeyard/web"
)

// watchedServer is a server that broadcasts, in virtual time.
type watchedServer struct {
	*server.Server
	tb        testing.TB
	broadcast *Broadcast
	settings  Settings
	network   *mem.Network
	now       time.Duration
	rooms     http.Handler
}

func newWatchedServer(tb testing.TB, commands ...string) *watchedServer {
	w := &watchedServer{tb: tb, now: time.Hour}
	w.broadcast = New(Config{Settings: &w.settings, Now: func() time.Time { return time.Unix(1e9, 0).Add(w.now) }})
	w.network = mem.New(mem.Config{Clock: func() int64 { return int64(w.now) }})
	w.Server = testenv.Must(server.New(server.Config{
		Transport: testenv.Must(w.network.Listen(transport.MustParsePeer("10.0.0.1:8303"))), Commands: commands,
		Broadcast: w.broadcast, AddToConsole: w.settings.Register, Background: func(f func()) { f() },
	}))
	w.rooms = web.NewHandler(w.broadcast.Rooms()...)
	tb.Cleanup(func() { w.broadcast.Close(10 * time.Second) })
	return w
}

// run lets a time pass, and what was recorded is encoded.
func (w *watchedServer) run(span time.Duration) {
	for end := w.now + span; w.now < end; w.now += 20 * time.Millisecond {
		w.Advance(conn.Time(w.now))
		if len(w.broadcast.jobs) > 1 {
			w.encoded()
		}
	}
	w.encoded()
}

// encoded waits until all that was handed over is encoded.
func (w *watchedServer) encoded() {
	testenv.Eventually(w.tb, "the records are encoded", func() bool {
		filling := 0
		if w.broadcast.batch != nil {
			filling = 1
		}
		return len(w.broadcast.blank) == w.broadcast.made-filling
	})
}

// get asks for a page.
func (w *watchedServer) get(path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	w.rooms.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
	return answer
}

// body asks for a page that is there.
func (w *watchedServer) body(path string) []byte {
	w.tb.Helper()
	a := w.get(path)
	if a.Code != http.StatusOK {
		w.tb.Fatalf("%s: %d %s", path, a.Code, a.Body)
	}
	return a.Body.Bytes()
}

func (w *watchedServer) info(path string) (i Info) {
	w.tb.Helper()
	testenv.NoError(w.tb, json.Unmarshal(w.body(path), &i))
	return i
}

// segments returns head and segments of a match, as a demo.
func (w *watchedServer) segments(match string, from, to int) []byte {
	w.tb.Helper()
	b := bytes.Clone(w.body("/b/" + match + "/head"))
	for n := from; n <= to; n++ {
		b = append(b, w.body(fmt.Sprintf("/b/%s/%d.seg", match, n))...)
	}
	return b
}

// ticks returns the ticks of a demo, of which the first has a keyframe.
func ticks(tb testing.TB, file []byte) (all []int32) {
	tb.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	for c := new(demo.Chunk); ; {
		err := r.Next(c)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			tb.Fatal(err)
		case c.Kind == demo.KindTick:
			if len(all) == 0 && !c.Keyframe {
				tb.Error("it does not begin with a keyframe")
			}
			all = append(all, c.Tick)
		case c.Kind != demo.KindMessage && c.Snapshot == nil:
			tb.Fatalf("tick %d cannot be read", c.Tick)
		}
	}
}

// TestSegments: head and any segments are a demo, and segment N has the ticks that live.json says.
func TestSegments(t *testing.T) {
	w := newWatchedServer(t, "sv_bots 3")
	w.run(30 * time.Second)
	i := w.info("/live.json")
	if !i.Live || i.First != 0 || i.Last != 9 || i.Delay != 10 || i.SegmentTicks != 100 || i.LastTick != i.FirstTick+998 || i.Map.Name == "" || i.Map.Size == 0 {
		t.Errorf("%+v, %+v", i, i.Map)
	}
	for n := range i.Last + 1 {
		got := ticks(t, w.segments(i.Match, n, n))
		if first := i.FirstTick + int32(n)*i.SegmentTicks; len(got) != recordsPerSegment || got[0] != first || got[len(got)-1] != first+98 {
			t.Errorf("segment %d has %d ticks, %d to %d", n, len(got), got[0], got[len(got)-1])
		}
	}
	if got := ticks(t, w.segments(i.Match, 0, i.Last)); len(got) != 10*recordsPerSegment {
		t.Errorf("all have %d snapshots", len(got))
	}
	if a := w.get(fmt.Sprintf("/b/%s/%d.seg", i.Match, i.Last+1)); a.Code != 404 || a.Header().Get("Cache-Control") != "max-age=1" {
		t.Errorf("the next one: %d, %v", a.Code, a.Header())
	}
	if got := w.body("/map/" + i.Map.SHA256); len(got) != i.Map.Size {
		t.Errorf("the map has %d bytes, not %d", len(got), i.Map.Size)
	}
}
