package broadcast

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/web"
)

// watchedServer is a server that broadcasts, in virtual time. Its players are test clients.
type watchedServer struct {
	*servertest.Server
	tb        testing.TB
	broadcast *Broadcast
	settings  Settings
	rooms     http.Handler
	players   int
	inGame    int // players and bots
	tick      int32
	played    sync.Mutex // held while a tick runs in another goroutine
	log       testenv.Buffer
	clock     atomic.Int64 // the current time while requests run in other goroutines, otherwise 0
}

func newWatchedServer(tb testing.TB, commands ...string) *watchedServer {
	return newWatchedServerIn(tb, "", commands...)
}

// newWatchedServerIn returns a watchedServer that stores matches in a folder.
func newWatchedServerIn(tb testing.TB, dir string, commands ...string) *watchedServer {
	return (&watchedServer{tb: tb}).start(New, dir, commands...)
}

func (w *watchedServer) start(newBroadcast func(Config) *Broadcast, dir string, commands ...string) *watchedServer {
	w.broadcast = newBroadcast(Config{Settings: &w.settings, Dir: dir, Now: w.time, Log: slog.New(slog.NewTextHandler(&w.log, nil))})
	w.Server = servertest.New(w.tb, server.Config{
		Commands: []string{"sv_max_clients 8; sv_player_slots 8; sv_max_clients_per_ip 4; sv_inactivekick_time 0"},
		Observers: []server.Observer{server.ObserverFunc(func(t *server.Tick) {
			w.inGame, w.tick = len(t.World.Frame().Players), t.World.Tick()
		})},
		Broadcast: w.broadcast, AddToConsole: w.settings.Register,
		Modes: append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New}), Files: fstest.MapFS{"maps/race.map": {Data: raceMap()}},
	}, commands...)
	w.rooms = web.NewHandler(w.broadcast.Rooms()...)
	w.tb.Cleanup(w.close)
	return w
}

// raceMap returns a DDRace map with tiles of all kinds, or the map that TEEYARD_MAP names.
var raceMap = sync.OnceValue(func() []byte {
	return testenv.Must(os.ReadFile(cmp.Or(os.Getenv("TEEYARD_MAP"), "../../internal/teeverify/testdata/mixed.map")))
})

// epoch is the time at 0 of a server's clock.
var epoch = time.Now().Add(-time.Hour)

func (w *watchedServer) time() time.Time {
	if now := w.clock.Load(); now != 0 {
		return epoch.Add(time.Duration(now))
	}
	if w.Server == nil { // which is being created
		return epoch.Add(time.Hour)
	}
	return epoch.Add(time.Duration(w.Now()))
}

func (w *watchedServer) close() { w.broadcast.Close(10 * time.Second) }

// join adds a player.
func (w *watchedServer) join(name string) *testclient.Client {
	w.tb.Helper()
	w.players++
	c := w.Enter(servertest.IP(1<<8|w.players), name)
	w.run(60 * time.Millisecond)
	return c
}

// run lets time pass while the players keep their connections, and waits until all records are
// encoded.
func (w *watchedServer) run(span time.Duration) {
	for end := w.Now().Add(span); w.Now() < end; {
		w.Idle(1)
		if len(w.broadcast.jobs) > 1 {
			w.encoded()
		}
	}
	w.encoded()
}

// encoded waits until all batches handed over are encoded.
func (w *watchedServer) encoded() {
	testenv.Eventually(w.tb, "the records are encoded", func() bool {
		filling := 0
		if w.broadcast.batch != nil {
			filling = 1
		}
		return len(w.broadcast.blank) == w.broadcast.made-filling
	})
}

// get requests a page.
func (w *watchedServer) get(path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	r := httptest.NewRequest("GET", path, nil)
	r.Host = "localhost:8303"
	w.rooms.ServeHTTP(answer, r)
	return answer
}

// body requests a page that must exist.
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

// segments returns the head and some segments of a match as a demo.
func (w *watchedServer) segments(match string, from, to int) []byte {
	w.tb.Helper()
	b := bytes.Clone(w.body("/b/" + match + "/head"))
	for n := from; n <= to; n++ {
		b = append(b, w.body(fmt.Sprintf("/b/%s/%d.seg", match, n))...)
	}
	return b
}

// isEnd reports whether an error marks the end of a demo. The head of a live match does not contain
// its length.
func isEnd(r *demo.Reader, err error) bool {
	return errors.Is(err, io.EOF) || r.Header().Length == 0 && errors.Is(err, demo.ErrCutOff)
}

// ticks returns the ticks of a demo. The first must have a keyframe.
func ticks(tb testing.TB, file []byte) (all []int32) {
	tb.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	for c := new(demo.Chunk); ; {
		err := r.Next(c)
		switch {
		case isEnd(r, err):
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

// TestSegments checks that the head and any segments form a demo, and that segment N contains the
// ticks that live.json implies.
func TestSegments(t *testing.T) {
	w := newWatchedServer(t)
	w.join("anna")
	w.run(30 * time.Second)
	i := w.info("/live.json")
	if !i.Live || i.First != 0 || i.Last != 9 || i.Delay != 10 || i.SegmentTicks != 100 || i.LastTick != i.FirstTick+998 || i.Map.Name == "" ||
		i.Map.Size == 0 {
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

// demo returns the whole demo of a match.
func (w *watchedServer) demo(match string) []byte {
	w.tb.Helper()
	return w.body("/b/" + match + ".demo")
}

// TestDemoFile checks that the demo of a match consists of its head with map, length and markers,
// followed by its segments, byte for byte. This holds during the match, after its end, and when
// another server reads it from the folder.
func TestDemoFile(t *testing.T) {
	dir := t.TempDir()
	w := newWatchedServerIn(t, dir, "sv_gametype ctf")
	w.join("anna")
	w.run(25 * time.Second)
	i := w.info("/live.json")
	check := func(w *watchedServer, i Info, seconds int) []byte {
		t.Helper()
		file := w.demo(i.Match)
		r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
		if h := r.Header(); h.Length != seconds || h.MapName != i.Map.Name || h.Type != "server" || !bytes.Equal(r.Map(), w.body("/map/"+i.Map.SHA256)) {
			t.Errorf("the header is %+v", h)
		}
		head, parts := w.segments(i.Match, 0, -1), w.segments(i.Match, 0, i.Last)
		if !bytes.Equal(file[len(head)+i.Map.Size:], parts[len(head):]) {
			t.Errorf("the demo of %d bytes is not head, map and segments", len(file))
		}
		if got, want := len(ticks(t, file)), int(i.LastTick-i.FirstTick)/2+1; got != want {
			t.Errorf("%d snapshots, want %d", got, want)
		}
		return file
	}
	check(w, i, 13)
	w.Execute("restart")
	w.run(13 * time.Second)
	i = w.info("/b/" + i.Match + ".json")
	if i.Live || i.Last < 12 || i.Next == "" {
		t.Fatalf("it has not ended: %+v", i)
	}
	testenv.Eventually(t, "it is in the folder", func() bool { return len(w.broadcast.archive.all()) == 1 })
	whole := check(w, i, int(i.LastTick-i.FirstTick)/50)
	if a := w.get("/b/" + i.Match + ".demo"); a.Header().Get("Cache-Control") != forEver {
		t.Errorf("%v", a.Header())
	}

	other := newWatchedServerIn(t, dir)
	other.Stall(w.Now().Sub(other.Now()))
	testenv.Eventually(t, "the other server sees it", func() bool { return len(other.broadcast.archive.all()) == 1 })
	j := other.info("/b/" + i.Match + ".json")
	j.Previous, j.Next, j.Wait = i.Previous, i.Next, i.Wait
	if *j.Map != *i.Map {
		t.Errorf("the map is %+v", *j.Map)
	}
	if j.Map = i.Map; j != i {
		t.Errorf("%+v, want %+v", j, i)
	}
	if !bytes.Equal(check(other, j, int(i.LastTick-i.FirstTick)/50), whole) {
		t.Error("the other server's demo differs")
	}
	if !bytes.Equal(testenv.Must(os.ReadFile(filepath.Join(dir, i.Match+".demo"))), whole) {
		t.Error("the file differs")
	}
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

// TestLoopDoesNotAllocate checks that the server's goroutine allocates nothing during a match and
// hands each batch over once.
func TestLoopDoesNotAllocate(t *testing.T) {
	testenv.RequireExactAllocs(t)
	handedOver := 0
	w := (&watchedServer{tb: t}).start(func(cfg Config) *Broadcast {
		b := newBroadcast(cfg)
		close(b.done)
		return b
	}, "")
	discard := func() {
		for len(w.broadcast.jobs) > 0 {
			w.broadcast.blank <- <-w.broadcast.jobs
			handedOver++
		}
	}
	for i := range 8 {
		w.Connect(servertest.IP(1<<8 | i)).Join(fmt.Sprint("player ", i))
	}
	tick := func() {
		w.Step(1)
		discard()
	}
	for range 200 {
		tick()
	}
	w.Deliver = func(transport.Peer, []byte) {}
	handedOver = 0
	if n := testing.AllocsPerRun(200, tick); n != 0 || w.inGame != 8 {
		t.Errorf("%v allocations in a tick with %d players", n, w.inGame)
	}
	if handedOver != 10 {
		t.Errorf("%d batches in 201 ticks", handedOver)
	}
}
