package broadcast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/testenv"
)

// list returns the content of /replays.json.
func (w *watchedServer) list() []listedMatch {
	w.tb.Helper()
	var l struct{ Replays []listedMatch }
	testenv.NoError(w.tb, json.Unmarshal(w.body("/replays.json"), &l))
	return l.Replays
}

// playMatch records a match of a length and waits until it is in the folder.
func (w *watchedServer) playMatch(length time.Duration) {
	w.tb.Helper()
	w.run(length)
	w.broadcast.shelf.mu.Lock()
	m := w.broadcast.shelf.matches[len(w.broadcast.shelf.matches)-1]
	w.broadcast.shelf.mu.Unlock()
	w.Execute("restart")
	w.run(time.Second)
	testenv.Eventually(w.tb, "the match is written", func() bool {
		w.broadcast.shelf.mu.Lock()
		defer w.broadcast.shelf.mu.Unlock()
		return m.sealed || m.failed
	})
}

// TestReplays checks that ended matches that may be seen are listed with their players.
func TestReplays(t *testing.T) {
	w := newWatchedServerIn(t, t.TempDir(), "sv_gametype ctf")
	w.run(5 * time.Second) // without players, so not kept
	w.join("anna")
	w.join("<b>bert")
	w.playMatch(20 * time.Second)
	if l := w.list(); len(l) != 0 {
		t.Errorf("before the end may be seen: %+v", l)
	}
	w.run(20 * time.Second)
	l := w.list()
	if len(l) != 1 {
		t.Fatalf("%+v", l)
	}
	r := l[0]
	if r.Map.Name != "teeyard1" || r.GameType != "CTF" || r.Length < 19 || r.Length > 21 || len(r.TeamScores) != 2 || len(r.Players) != 2 ||
		r.Players[0].Name != "anna" ||
		r.Players[1].Name != "<b>bert" {
		t.Errorf("%+v, %+v", r, r.Map)
	}
	if file := w.body(r.Demo); int64(len(file)) != r.Size {
		t.Errorf("the demo has %d bytes, not %d", len(file), r.Size)
	}
	if text := w.get("/replays.json").Body.String(); strings.Contains(text, "<b>") {
		t.Errorf("%s is not safe in a page", text)
	}
}

// TestRecovery checks that the files of a killed server become a match with all complete segments.
func TestRecovery(t *testing.T) {
	dir := t.TempDir()
	w := newWatchedServerIn(t, dir)
	w.join("anna")
	w.run(30 * time.Second)
	i := w.info("/live.json")
	path := filepath.Join(dir, i.Match+".demo")
	testenv.Eventually(t, "it is written", func() bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() >= int64(len(w.demo(i.Match)))
	})
	b := testenv.Must(os.ReadFile(path))
	killed := t.TempDir()
	for id, file := range map[string][]byte{i.Match: b[:len(b)-3], "20200101-000000-00000000": b[:300], "20200101-000000-00000001": []byte("nothing")} {
		path := filepath.Join(killed, id+".demo")
		testenv.NoError(t, os.WriteFile(path, file, 0o644))
		testenv.NoError(t, os.Chtimes(path, time.Now(), time.Now().Add(-time.Hour)))
	}
	testenv.NoError(t, os.WriteFile(filepath.Join(killed, i.Match+".json"), []byte("{}"), 0o644))
	next := newWatchedServerIn(t, killed)
	testenv.Eventually(t, "the match is found", func() bool { return len(next.broadcast.archive.all()) == 1 })
	next.run(20 * time.Second)
	j := next.info("/b/" + i.Match + ".json")
	if j.Live || j.First != 0 || j.Last < i.Last || j.FirstTick != i.FirstTick {
		t.Errorf("%+v of %+v", j, i)
	}
	if !bytes.Equal(next.segments(i.Match, 0, i.Last), w.segments(i.Match, 0, i.Last)) {
		t.Error("the segments differ")
	}
	ticks(t, next.demo(i.Match))
	if text := next.log.String(); strings.Count(text, "is unreadable") != 2 {
		t.Errorf("the log has %s", text)
	}
}

// TestDamagedRecordings damages and truncates a demo at every place. All complete chunks are kept,
// and the log names the rest. A description with any flipped bit is ignored.
func TestDamagedRecordings(t *testing.T) {
	dir := t.TempDir()
	w := newWatchedServerIn(t, dir, "sv_live_delay 0")
	w.join("anna")
	w.playMatch(10 * time.Second)
	r := w.broadcast.archive.all()[0]
	path := filepath.Join(dir, r.Match)
	file, info := testenv.Must(os.ReadFile(path+demoSuffix)), testenv.Must(os.ReadFile(path+infoSuffix))
	for d := range testenv.Damaged(info, 1000) {
		_, err := parseRecording(d.File)
		isSum := d.Cut && d.At == bytes.IndexByte(info, '\n') // as in older files
		testenv.Check(t, err != nil || isSum, "%v: it counts", d)
	}
	header := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	begin := int(headSize) + len(header.Map())
	for d := range testenv.Damaged(file[begin:], 60) {
		testenv.NoError(t, os.WriteFile(path+demoSuffix, append(slices.Clone(file[:begin]), d.File...), 0o644))
		if d.Cut {
			_, err := readRecording(dir, r.Match)
			testenv.Check(t, err != nil, "%v: the description counts", d)
		}
		again, lost, err := recoverRecording(r.Match, path+demoSuffix, time.Now())
		if err != nil {
			testenv.Check(t, d.At < 1000, "%v: %v", d, err)
			continue
		}
		size := again.demoSize()
		testenv.Check(t, size == testenv.Must(os.Stat(path+demoSuffix)).Size(), "%v: other sizes", d)
		missing := int64(begin+len(d.File)) - size
		testenv.Check(t, missing == 0 || strings.Contains(lost, fmt.Sprintf("the last %d bytes", missing)), "%v: %d bytes are gone: %q", d, missing, lost)
		if missing > 1<<16+2 {
			testenv.Check(t, int64(len(testenv.Must(os.ReadFile(path+demoSuffix+".tail")))) == missing, "%v: the tail is gone", d)
		}
	}
}

// TestFolderLimit checks that the oldest matches are deleted, and that a server spares files that
// another one is writing.
func TestFolderLimit(t *testing.T) {
	dir := t.TempDir()
	w := newWatchedServerIn(t, dir, "sv_live_delay 0")
	other := filepath.Join(dir, "20200101-000000-00000000.demo")
	testenv.NoError(t, os.WriteFile(other, []byte("the other's"), 0o644))
	w.join("anna")
	w.playMatch(10 * time.Second)
	first := w.broadcast.archive.all()[0]
	w.playMatch(10 * time.Second)
	size := first.listed().Size
	w.settings.max.Store(size * 5 / 2)
	w.playMatch(10 * time.Second)
	w.playMatch(10 * time.Second)
	testenv.Eventually(t, "the first match is deleted", func() bool { return !exists(filepath.Join(dir, first.Match+".demo")) })
	if n := len(w.broadcast.archive.all()); n > 3 || n < 1 || !exists(other) || exists(filepath.Join(dir, first.Match+".json")) {
		t.Errorf("%d matches are left, that of the other server: %v", n, exists(other))
	}
	w.get("/b/" + first.Match + ".demo") // from memory, or missing
	w.settings.max.Store(0)
	w.run(5 * time.Second)
	if i := w.info("/live.json"); !i.Live {
		t.Errorf("with nothing to be kept: %+v", i)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// brokenFile is a file on a disk that is full after some bytes, or hangs.
type brokenFile struct {
	room int
	hang chan struct{} // nil if it does not hang
}

func (f *brokenFile) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room >= 0 {
		return len(b), nil
	}
	if f.hang != nil {
		<-f.hang
	}
	return 0, fmt.Errorf("write: %w", syscall.ENOSPC)
}

func (f *brokenFile) WriteAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }
func (f *brokenFile) Close() error                       { return nil }

// TestBrokenDisk checks that the match continues in memory while the disk is full or hangs.
func TestBrokenDisk(t *testing.T) {
	t.Parallel()
	for name, hang := range map[string]chan struct{}{"full": nil, "hangs": make(chan struct{})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := newWatchedServerIn(t, dir, "sv_live_delay 0")
			var full atomic.Bool
			full.Store(true)
			w.broadcast.keeper.openFile = func(path string) (diskFile, error) {
				if !full.Load() {
					return createFile(path)
				}
				return &brokenFile{room: 10_000, hang: hang}, nil
			}
			w.join("anna")
			w.run(60 * time.Second)
			i := w.info("/live.json")
			if !i.Live || i.Last < 28 || i.First != 0 {
				t.Errorf("%+v", i)
			}
			ticks(t, w.segments(i.Match, i.First, i.Last))
			ticks(t, w.demo(i.Match))
			if hang != nil {
				w.run(5 * time.Second)
				if j := w.info("/live.json"); j.Last <= i.Last {
					t.Errorf("%+v", j)
				}
				close(hang)
			}
			testenv.Eventually(t, "the log says so", func() bool { return strings.Contains(w.log.String(), "cannot be stored") })
			w.run(5 * time.Second)
			if n := strings.Count(w.log.String(), "cannot be stored"); n != 1 {
				t.Errorf("the log says it %d times", n)
			}
			if err := w.broadcast.Problem(); !errors.Is(err, syscall.ENOSPC) && hang == nil || err == nil {
				t.Errorf("the problem is %v", err)
			}
			full.Store(false)
			testenv.Eventually(t, "the problem is over", func() bool { return w.broadcast.Problem() == nil })
			testenv.Check(t, len(testenv.Must(os.ReadDir(dir))) == 0, "something is left in the folder")
		})
	}
}

// use returns the memory in bytes and the number of matches on the shelf.
func (s *shelf) use() (memory, matches int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.memory, len(s.matches)
}

// TestMemory checks that the memory is limited, that the oldest data is dropped, and that the rest
// forms a demo.
func TestMemory(t *testing.T) {
	w := newWatchedServer(t, "sv_live_delay 0")
	w.broadcast.shelf.limit = 5000
	w.join("anna")
	w.run(60 * time.Second)
	w.Execute("restart")
	w.run(60 * time.Second)
	i := w.info("/live.json")
	if i.First == 0 || i.First >= i.Last {
		t.Errorf("%+v", i)
	}
	if n, _ := w.broadcast.shelf.use(); n > 5000 || n < 2000 {
		t.Errorf("%d bytes", n)
	}
	if a := w.get(fmt.Sprintf("/b/%s/%d.seg", i.Match, i.First-1)); a.Code != 404 {
		t.Errorf("a forgotten one: %d", a.Code)
	}
	ticks(t, w.segments(i.Match, i.First, i.Last))
	if got := ticks(t, w.demo(i.Match)); got[0] != i.FirstTick+int32(i.First)*100 {
		t.Errorf("the demo begins at %d", got[0])
	}
	if big := w.broadcast.gameMap.File; len(big) > 0 { // a new map each time
		for n := range 3 {
			m := w.broadcast.gameMap
			m.File, m.SHA256 = make([]byte, maxMapMemory/2), [32]byte{byte(n)}
			w.broadcast.BeginMatch(nil, &m)
			w.run(3 * time.Second)
		}
	}
	w.broadcast.shelf.mu.Lock()
	if n := w.broadcast.shelf.mapMemory(); n > maxMapMemory {
		t.Errorf("maps take %d bytes", n)
	}
	w.broadcast.shelf.mu.Unlock()
	for range 2 * maxMatches {
		w.Execute("restart")
		w.run(500 * time.Millisecond)
	}
	if _, n := w.broadcast.shelf.use(); n > maxMatches {
		t.Errorf("%d matches", n)
	}
}

// TestDelayTooLong checks that segments that were dropped before they could be seen are never shown
// early, and that the answer gives the reason.
func TestDelayTooLong(t *testing.T) {
	w := newWatchedServer(t, "sv_live_delay 3600")
	w.broadcast.shelf.limit = 5000
	w.join("anna")
	w.run(60 * time.Second)
	if i := w.info("/live.json"); i.Last != -1 || i.Reason != tooLong {
		t.Errorf("%+v", i)
	}
	testenv.Eventually(t, "the log says so", func() bool { return strings.Count(w.log.String(), tooLong) == 1 })
	w.Execute("sv_live_delay 2")
	w.run(10 * time.Second)
	if i := w.info("/live.json"); i.First >= i.Last || i.Reason != "" || strings.Count(w.log.String(), tooLong) != 1 {
		t.Errorf("with a shorter one: %+v", i)
	}
}

// TestValues checks the counters.
func TestValues(t *testing.T) {
	w := newWatchedServer(t, "sv_live_delay 0")
	w.run(10 * time.Second)
	seg := w.body("/b/" + w.info("/live.json").Match + "/0.seg")
	got := map[string]float64{}
	for _, v := range w.broadcast.Values() {
		got[v.Name] = v.Read()
	}
	if got["broadcast_answers_total"] != 2 || got["broadcast_segments_total"] < 4 || got["broadcast_memory_bytes"] == 0 || got["broadcast_downloads"] != 0 ||
		got["broadcast_sent_bytes_total"] < float64(len(seg))+100 {
		t.Errorf("%v", got)
	}
}

// FuzzRecording reads arbitrary descriptions beside a demo.
func FuzzRecording(f *testing.F) {
	f.Add(
		[]byte(
			`{"match":"20200101-000000-00000000","map":{"name":"a","sha256":"` + strings.Repeat(
				"0",
				64,
			) + `","crc":"00000000","size":5},"first_tick":1,"last_tick":99,"segments":[10],"marks":[50]}`,
		),
	)
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseRecording(b)
		if err != nil {
			return
		}
		m := r.match("x")
		v := viewer{now: time.Now(), until: time.Now()}
		var s shelf
		if i := s.info(m, &v); i.Live || i.Last != len(r.Segments)-1 || i.LastTick > r.LastTick {
			t.Errorf("%+v", i)
		}
		m.fullHead(len(m.segments))
		for n := range 3 {
			m.marksFile(n, &v)
		}
		r.listed()
	})
}
