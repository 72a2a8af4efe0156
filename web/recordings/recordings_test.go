package recordings_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/demotest"
	"github.com/teeyard/teeyard/internal/replaytest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/broadcast"
	"github.com/teeyard/teeyard/web/recordings"
	"github.com/teeyard/teeyard/web/viewer"
)

// This handler serves the recordings in the current folder to all clients, those that ended at
// least a minute ago.
func ExampleNew() {
	var everybody web.AccessRule
	everybody.Set(web.Access{Everybody: true})
	all := recordings.New(recordings.Config{
		Dir:       ".",
		Converter: &viewer.Converter{Convert: convert}, // with recorder.Export, and recorder/historian
		Access:    &everybody,
	})
	http.Handle("/", web.NewHandler(all.Rooms()...))
}

// convert makes a demo of a replay log on the map testbox.
func convert(_ context.Context, c viewer.Conversion) error {
	log, err := replay.NewReader(bufio.NewReader(c.Recording))
	if err != nil {
		return err
	}
	testbox, _ := maps.Find("testbox")
	_, _, _, err = recorder.Export(c.Demo, log, recorder.ExportConfig{Map: testbox.Data, Verify: replay.VerifyConfig{Modes: replaytest.Modes}})
	return err
}

// write writes a file that is an hour old, and its folder.
func write(t *testing.T, file string, b []byte) {
	t.Helper()
	testenv.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	testenv.NoError(t, os.WriteFile(file, b, 0o644))
	old := time.Now().Add(-time.Hour)
	testenv.NoError(t, os.Chtimes(file, old, old))
}

// TestRecordings checks which recordings are listed and served, when, and to which clients. A
// replay log is served only as a demo, and converted only once.
func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	ddnet := testenv.Must(os.ReadFile(filepath.Join("..", "..", "format", "demo", "testdata", "ddnet-16.4.demo")))
	log := "replays/2026-11-22_120000_test.twreplay"
	write(t, filepath.Join(dir, log), testenv.Must(replaytest.Deathmatch("test")))
	for name, b := range map[string][]byte{"demos/auto/a #1.demo": ddnet, "demos/new.demo": ddnet, "demos/no.demo": []byte("TWDEMO"),
		"demos/secret.txt": []byte("x"), "secret.demo": ddnet} {
		write(t, filepath.Join(dir, name), b)
	}
	testenv.NoError(t, os.Chtimes(filepath.Join(dir, "demos/new.demo"), time.Now(), time.Now()))
	testenv.NoError(t, os.Symlink(filepath.Join(dir, "secret.demo"), filepath.Join(dir, "demos", "link.demo")))
	demoNames := []broadcast.Player{{Name: "alice"}, {Name: "recorder"}}
	conversions := 0
	converter := &viewer.Converter{Convert: func(ctx context.Context, c viewer.Conversion) error {
		if conversions++; !c.Trusted {
			t.Error("the server does not trust itself")
		}
		return convert(ctx, c)
	}}
	var access web.AccessRule
	delay := time.Duration(0)
	rs := recordings.New(recordings.Config{Dir: dir, Converter: converter, Delay: func() time.Duration { return delay }, Access: &access})
	h := web.NewHandler(rs.Rooms()...)
	get := func(path string, want int) *httptest.ResponseRecorder {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != want {
			t.Errorf("%s: %d %.100s", path, w.Code, w.Body)
		}
		return w
	}
	get("/recordings.json", 403)
	get("/recordings/demos/auto/a%20%231.demo", 403)
	access.Set(web.Access{Everybody: true})
	var l struct{ Recordings []recordings.Recording }
	testenv.Eventually(t, "the players are known", func() bool {
		testenv.NoError(t, json.Unmarshal(get("/recordings.json", 200).Body.Bytes(), &l))
		return !slices.ContainsFunc(l.Recordings, func(r recordings.Recording) bool { return r.NumPlayers == 0 })
	})
	if len(l.Recordings) != 2 || l.Recordings[0].Map.Name == "" || l.Recordings[1].Map.Name == "" {
		t.Fatalf("%+v", l)
	}
	for _, r := range l.Recordings {
		wantNames := []broadcast.Player{{Name: "nameless tee"}, {Name: "evil [2J", Score: -1}}
		if r.Name != log {
			wantNames = demoNames
		} else if r.Length != 10 {
			t.Errorf("the log has %d seconds", r.Length)
		}
		if !slices.Equal(r.Players, wantNames) || r.NumPlayers != len(wantNames) || r.HasResult != (r.Name == log) {
			t.Errorf("%s has %d players: %+v", r.Name, r.NumPlayers, r.Players)
		}
		body := get(r.Demo, 200).Body.Bytes()
		if r, err := demo.NewReader(bytes.NewReader(body)); err != nil || len(r.Map()) == 0 {
			t.Errorf("%+v: %v", r, err)
		}
		if tag := get(r.Demo, 200).Header().Get("ETag"); tag == "" {
			t.Errorf("%s has no ETag", r.Demo)
		}
	}
	if conversions != 1 {
		t.Errorf("the log was converted %d times", conversions)
	}
	for _, path := range []string{
		"/recordings/" + log, "/recordings/demos/new.demo", "/recordings/demos/no.demo", "/recordings/demos/secret.txt", "/recordings/demos/link.demo",
		"/recordings/secret.demo",
		"/recordings/demos/..%2fsecret.demo", "/recordings/%2e%2e/secret.demo", "/recordings//etc/passwd", "/recordings/", "/recordings/" + log + ".demo.demo",
	} {
		if w := httptest.NewRecorder(); true {
			h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			if w.Code == 200 {
				t.Errorf("%s is given away", path)
			}
		}
	}
	delay = 2 * time.Hour
	get("/recordings/demos/auto/a%20%231.demo", 404) // not old enough yet
	delay = 0
	testenv.NoError(t, os.RemoveAll(filepath.Join(dir, recordings.ConvertedFolder)))
	converter.Convert = func(context.Context, viewer.Conversion) error { return errors.New("it is broken") }
	if text := get("/recordings/"+log+".demo", 422).Body.String(); !strings.Contains(text, "it is broken") {
		t.Error(text)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, recordings.ConvertedFolder)); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// found waits until a folder has one recording with so many players, and returns it.
func found(t *testing.T, rs *recordings.Recordings, players int) (r recordings.Recording) {
	t.Helper()
	testenv.Eventually(t, fmt.Sprintf("there is a recording with %d players", players), func() bool {
		all := rs.List()
		if len(all) != 1 {
			t.Fatalf("%+v", all)
		}
		r = all[0]
		return r.NumPlayers == players
	})
	return r
}

// TestPlayers checks that a recording is read once as long as it does not change, and that a
// damaged one is listed with its readable part.
func TestPlayers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "replays", "a.twreplay")
	log := testenv.Must(replaytest.Deathmatch("test"))
	write(t, file, log)
	reads := 0
	rs := recordings.New(recordings.Config{Dir: dir, Describe: func(in, out *os.File) error {
		reads++
		return recordings.Describe(out, in)
	}})
	found(t, rs, 2)
	found(t, rs, 2)
	testenv.Check(t, reads == 1, "read %d times", reads)
	write(t, file, log[:len(log)-20])
	if r := found(t, rs, 2); r.Length < 60 || reads != 2 { // up to the last change, since the log has no end record
		t.Errorf("read %d times; the part has %d seconds", reads, r.Length)
	}
}

// TestManyPlayers checks that a recording lists its first players, each once.
func TestManyPlayers(t *testing.T) {
	dir := t.TempDir()
	names := []string{"again", "again"}
	for i := range 40 {
		names = append(names, strconv.Itoa(i))
	}
	write(t, filepath.Join(dir, "replays", "a.twreplay"), testenv.Must(replaytest.Joins(names...)))
	r := found(t, recordings.New(recordings.Config{Dir: dir}), 41)
	testenv.Check(t, len(r.Players) == 16 && r.Players[1].Name == "0" && !r.HasResult, "%+v", r)
}

// TestFinish checks that a kept run is listed with the players who finished.
func TestFinish(t *testing.T) {
	dir := t.TempDir()
	log, _, err := replaytest.Race()
	testenv.NoError(t, err)
	write(t, filepath.Join(dir, "replays", "finishes", "a_1-2.twreplay"), log)
	write(t, filepath.Join(dir, "replays", "finishes", "a_1-2.json"), []byte(`{"names":["ann","b\u001bob"],"time":2340}`))
	r := found(t, recordings.New(recordings.Config{Dir: dir}), 2)
	want := []broadcast.Player{{Name: "ann", Score: 2340}, {Name: "b ob", Score: 2340}}
	testenv.Check(t, slices.Equal(r.Players, want) && r.Finish && r.Race && r.HasResult, "%+v", r)
}

// TestConvertedLimit checks that a new demo replaces the oldest ones.
func TestConvertedLimit(t *testing.T) {
	const most = 100
	dir := t.TempDir()
	converted := filepath.Join(dir, recordings.ConvertedFolder)
	for i := range most + 5 {
		name := filepath.Join(converted, fmt.Sprintf("%03d.demo", i))
		write(t, name, nil)
		at := time.Now().Add(-time.Duration(i+1) * time.Minute)
		testenv.NoError(t, os.Chtimes(name, at, at))
	}
	write(t, filepath.Join(dir, "replays", "a.twreplay"), testenv.Must(replaytest.Deathmatch("test")))
	var everybody web.AccessRule
	everybody.Set(web.Access{Everybody: true})
	rs := recordings.New(recordings.Config{Dir: dir, Converter: &viewer.Converter{Convert: convert}, Access: &everybody})
	w := httptest.NewRecorder()
	web.NewHandler(rs.Rooms()...).ServeHTTP(w, httptest.NewRequest("GET", "/recordings/replays/a.twreplay.demo", nil))
	left := testenv.Must(os.ReadDir(converted))
	if n := len(left); w.Code != 200 || n != most || left[n-1].Name() != "a.twreplay.demo" || left[n-2].Name() != "098.demo" {
		t.Errorf("%d, %d are left: %v", w.Code, n, left)
	}
}

// TestListReadsNoMaps checks that listing recordings does not load their maps into memory.
func TestListReadsNoMaps(t *testing.T) {
	dir := t.TempDir()
	const size = 8 << 20
	write(t, filepath.Join(dir, "demos", "a.demo"), demotest.WorstDemo(demotest.LargeMap, size))
	rs := recordings.New(recordings.Config{Dir: dir, Describe: func(_, out *os.File) error {
		_, err := out.WriteString(`{"num_players":1}`)
		return err
	}})
	n := testenv.Allocated(func() { found(t, rs, 1) })
	testenv.Check(t, n < size/8, "%d bytes", n)
}
