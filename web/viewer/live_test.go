package viewer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/testenv"
)

// segment returns the chunks of 100 ticks of a demo in the form of a broadcast.
func segment(t *testing.T, file []byte, n int) []byte {
	t.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	var out memFile
	if _, _, err := demo.Cut(&out, r, int32(100*n), int32(100*n+99)); err != nil {
		t.Fatal(err)
	}
	h := r.Header()
	return out.Bytes()[len(h.Append(nil, 0))+len(r.Map()):]
}

// broadcaster serves a broadcast that its test controls.
type broadcaster struct {
	segments [][]byte // of all matches

	mu    sync.Mutex
	away  bool
	lost  string            // a path that is missing
	live  string            // content of live.json
	infos map[string]string // by match
	marks map[string]string // by path
	asked map[string]int    // number of requests by path
}

func (b *broadcaster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked[r.URL.Path]++
	id, isInfo := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/b/"), ".json")
	n := 0
	_, err := fmt.Sscanf(r.URL.Path[max(0, strings.LastIndexByte(r.URL.Path, '/')):], "/%d.seg", &n)
	switch {
	case b.away, r.URL.Path == b.lost:
		http.NotFound(w, r)
	case r.URL.Path == "/live.json":
		w.Write([]byte(b.live))
	case isInfo && b.infos[id] != "":
		w.Write([]byte(b.infos[id]))
	case b.marks[r.URL.Path] != "":
		w.Write([]byte(b.marks[r.URL.Path]))
	case err == nil && n < len(b.segments):
		w.Write(b.segments[n])
	default:
		http.NotFound(w, r)
	}
}

// set sets the content of live.json.
func (b *broadcaster) set(match string, live bool, last int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := testenv.Must(json.Marshal(map[string]any{
		"match": match, "live": live, "map": map[string]any{"name": "m", "sha256": "ab", "size": 1},
		"first_tick": 1, "segment_ticks": 100, "marked_segments": min(10, 10*len(b.marks)), "first": 0, "last": last, "last_tick": 100 + 100*last, "delay": 3,
	}))
	b.live = string(j)
	if match != "" {
		b.infos[match] = b.live
	}
}

func (b *broadcaster) count(path string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked[path]
}

func TestLive(t *testing.T) {
	file := record(t, 16, 1500)
	b := &broadcaster{asked: map[string]int{}, infos: map[string]string{}}
	for n := range 12 {
		b.segments = append(b.segments, segment(t, file, n))
	}
	b.set("", false, -1)
	p := openPage(t, nil, b)
	type state struct {
		Matches           []string
		Status, Problem   string
		First, Last, Open int
		Marks, Tees       int
		Live, Ended       bool
	}
	p.Allow("404") // the browser logs missing files
	show := func(expression string) state { return call[state](p, "match.js", expression) }

	call[any](p, "match.js", "watch({match: 'gone'})")
	show("until(s => s.Status === 'The server does not have this match, or has deleted it.')")
	call[any](p, "match.js", "stop()")
	call[any](p, "match.js", "watch()")
	show("until(s => s.Status === 'No match is running.')")
	b.set("a", true, 5)
	s := show("until(s => s.Matches.length === 1).then(() => import('/test/match.js')).then(m => m.show(-50))")
	if s.First != 1 || s.Last != 600 || !s.Live || s.Ended || s.Tees < 8 {
		t.Errorf("joined at %+v", s)
	}
	if n := b.count("/b/a/0.seg"); n != 0 || b.count("/b/a/5.seg") != 1 {
		t.Errorf("who joins has fetched the first segment %d times, the last one %d times", n, b.count("/b/a/5.seg"))
	}

	b.set("a", true, 9)
	show("until(s => s.Last === 1000)")
	for tick := 600; tick < 1000; tick += 50 { // advances as the page does
		s = show(fmt.Sprintf("show(%d)", tick))
	}
	for n := 5; n < 10; n++ {
		if c := b.count(fmt.Sprintf("/b/a/%d.seg", n)); c != 1 {
			t.Errorf("segment %d was fetched %d times", n, c)
		}
	}
	if s = show("show(60)"); s.Tees < 8 || b.count("/b/a/0.seg") != 1 {
		t.Errorf("at the beginning %+v, fetched %d times", s, b.count("/b/a/0.seg"))
	}

	b.mu.Lock()
	b.away = true
	b.mu.Unlock()
	show("until(s => s.Problem !== '')")
	b.mu.Lock()
	b.away = false
	b.mu.Unlock()
	show("until(s => s.Problem === '')")

	// A segment that a cache fails to deliver.
	lose := func(path string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lost = path
	}
	lose("/b/a/2.seg")
	show("want(250)")
	show("until(s => s.Problem !== '')")
	lose("/b/a/3.seg") // which is loaded ahead
	if s = show("show(250)"); s.Problem != "" || s.Tees < 8 {
		t.Errorf("a segment that came at last: %+v", s)
	}
	for b.count("/b/a/3.seg") == 0 {
		show("state()")
	}
	for range 20 {
		if s = show("state()"); s.Problem != "" {
			t.Fatalf("what is shown is here, but the page says %q", s.Problem)
		}
	}
	lose("")

	// The next match waits for the end of this one.
	b.set("a", false, 11)
	b.set("b", true, 3)
	if s = show("until(s => s.Ended)"); s.Last != 1200 || s.Live {
		t.Errorf("at the end of the match %+v", s)
	}
	asked := b.count("/live.json")
	show("show(1100)")
	for b.count("/live.json") < asked+5 {
		show("state()")
	}
	if s = show("state()"); len(s.Matches) != 1 {
		t.Errorf("the next match has come before the end of the one before: %+v", s)
	}
	show("show(-1)")
	if s = show("until(s => s.Matches.length === 2)"); s.Matches[1] != "b" || s.Last != 400 || !s.Live {
		t.Errorf("the next match: %+v", s)
	}
	call[any](p, "match.js", "stop()")
}

// TestPrefetch checks that the map and the first segment are requested early, and only once.
func TestPrefetch(t *testing.T) {
	file := record(t, 16, 1500)
	b := &broadcaster{asked: map[string]int{}, infos: map[string]string{}}
	for n := range 4 {
		b.segments = append(b.segments, segment(t, file, n))
	}
	b.set("a", true, 3)
	p := openPage(t, nil, b)
	p.Allow("404") // there is no map
	call[any](p, "match.js", "watch()")
	call[any](p, "match.js", "until(s => s.Matches.length === 1)")
	if n := call[int](p, "match.js", "prefetch(250)"); n != 1 || b.count("/map/ab") != 1 {
		t.Errorf("%d segments are being loaded, the map was asked for %d times", n, b.count("/map/ab"))
	}
	call[any](p, "match.js", "show(250)")
	call[any](p, "match.js", "stop()")
	if n := b.count("/b/a/2.seg"); n != 1 {
		t.Errorf("the first segment was asked for %d times", n)
	}
}

// TestMarksOfAll checks that a late viewer sees the marks of the whole match, and exact ones for
// the loaded part.
func TestMarksOfAll(t *testing.T) {
	file := record(t, 16, 1500)
	b := &broadcaster{asked: map[string]int{}, infos: map[string]string{}, marks: map[string]string{
		"/b/a/0.marks": `{"first": 0, "last": 9, "marks": [
			{"tick": 30, "kind": "kill", "id": 1, "other": 2, "name": "anna", "other_name": "be\u202ert"},
			{"tick": 40, "kind": "kill", "id": -1, "other": 2, "other_name": "bert"},
			{"tick": 50, "kind": "constructor", "id": 1, "other": 2}, {"tick": "x", "kind": "kill"}, null,
			{"tick": 60, "kind": "capture", "id": 1, "other": 1, "name": "anna", "value": 612}]}`,
		"/b/a/1.marks": `{"first": 10, "last": 11, "marks": [
			{"tick": 1020, "kind": "finish", "id": 1, "other": -1, "name": "anna", "value": 61234},
			{"tick": 1150, "kind": "grab", "id": -1, "other": 0}]}`,
	}}
	for n := range 12 {
		b.segments = append(b.segments, segment(t, file, n))
	}
	b.set("a", true, 11)
	p := openPage(t, nil, b)
	p.Allow("404") // there is no map
	call[any](p, "match.js", "watch()")
	call[any](p, "match.js", "until(s => s.Marks === 5)")
	marks := func() (texts []string) {
		for _, m := range call[[]struct{ Text string }](p, "match.js", "marks()") {
			texts = append(texts, m.Text)
		}
		return texts
	}
	all := []string{"anna killed be rt", "bert died", "anna captured the blue flag (12.24 s)", "anna finished in 61.234 s", "The red flag was taken"}
	if got := marks(); !slices.Equal(got, all) {
		t.Errorf("marks %q", got)
	}
	if n := b.count("/b/a/0.marks") + b.count("/b/a/1.marks"); n != 2 || b.count("/b/a/0.seg") != 0 {
		t.Errorf("%d files of marks were fetched, the first segment %d times", n, b.count("/b/a/0.seg"))
	}
	// The first two segments have no such kills and captures.
	call[any](p, "match.js", "show(150)")
	call[any](p, "match.js", "show(50)")
	if got := marks(); slices.ContainsFunc(got, func(s string) bool { return slices.Contains(all[:3], s) }) || !slices.Contains(got, all[3]) {
		t.Errorf("with the first segments loaded the marks are %q", got)
	}
	call[any](p, "match.js", "stop()")
}
