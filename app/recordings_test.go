package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/demotest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/broadcast"
	"github.com/teeyard/teeyard/web/viewer"
)

// TestRecordings checks which recordings are listed and served, when, and to which clients. A
// replay log is served only as a demo, and converted only once.
func TestRecordings(t *testing.T) {
	p := testenv.Must(newProgram(Config{}))
	dir := t.TempDir()
	ddnet := testenv.Must(os.ReadFile(filepath.Join("..", "format", "demo", "testdata", "ddnet-16.4.demo")))
	for _, folder := range []string{"demos/auto", "replays"} {
		testenv.NoError(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
	}
	log := "replays/2026-11-22_120000_test.twreplay"
	testenv.NoError(t, writeReplay(filepath.Join(dir, log), "test"))
	for name, b := range map[string][]byte{"demos/auto/a #1.demo": ddnet, "demos/new.demo": ddnet, "demos/no.demo": []byte("TWDEMO"),
		"demos/secret.txt": []byte("x"), "secret.demo": ddnet} {
		testenv.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
	}
	testenv.NoError(t, os.Symlink(filepath.Join(dir, "secret.demo"), filepath.Join(dir, "demos", "link.demo")))
	for _, name := range []string{"demos/auto/a #1.demo", "demos/no.demo", log, "secret.demo"} {
		old := time.Now().Add(-2 * time.Minute)
		testenv.NoError(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	demoNames := []broadcast.Player{{Name: "alice"}, {Name: "recorder"}}
	conversions := 0
	converter := &viewer.Converter{Convert: func(_ context.Context, c viewer.Conversion) error {
		if conversions++; !c.Trusted {
			t.Error("the server does not trust itself")
		}
		return p.convertRecording(c.Demo, c.Recording, c.Trusted)
	}}
	var access web.AccessRule
	delay := time.Duration(0)
	rs := &recordingFiles{dir: dir, converter: converter, delay: func() time.Duration { return delay }, access: &access}
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
	var l struct{ Recordings []recordingInfo }
	testenv.Eventually(t, "the players are known", func() bool {
		testenv.NoError(t, json.Unmarshal(get("/recordings.json", 200).Body.Bytes(), &l))
		return !slices.ContainsFunc(l.Recordings, func(r recordingInfo) bool { return r.NumPlayers == 0 })
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
	delay = time.Hour
	get("/recordings/demos/auto/a%20%231.demo", 404) // not old enough yet
	delay = 0
	testenv.NoError(t, os.RemoveAll(filepath.Join(dir, convertedDir)))
	converter.Convert = func(context.Context, viewer.Conversion) error { return errors.New("it is broken") }
	if text := get("/recordings/"+log+".demo", 422).Body.String(); !strings.Contains(text, "it is broken") {
		t.Error(text)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, convertedDir)); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// TestRecordedPlayers checks that a recording is read once as long as it does not change, that only
// a few names are listed, and that a damaged recording is listed with its readable part.
func TestRecordedPlayers(t *testing.T) {
	dir := t.TempDir()
	testenv.NoError(t, os.MkdirAll(filepath.Join(dir, "replays"), 0o755))
	file := filepath.Join(dir, "replays", "a.twreplay")
	testenv.NoError(t, writeReplay(file, "test"))
	log := testenv.Must(os.ReadFile(file))
	old := time.Now().Add(-time.Hour)
	testenv.NoError(t, os.Chtimes(file, old, old))
	apart := jobs{program: testenv.Must(newProgram(Config{}))}
	rs := &recordingFiles{dir: dir, describe: apart.describe, delay: func() time.Duration { return 0 }}
	list := func() recordingInfo {
		t.Helper()
		var b bytes.Buffer
		rs.writeList(&b)
		var l struct{ Recordings []recordingInfo }
		testenv.NoError(t, json.Unmarshal(b.Bytes(), &l))
		if len(l.Recordings) != 1 {
			t.Fatalf("%+v", l)
		}
		return l.Recordings[0]
	}
	found := func(want int) {
		t.Helper()
		testenv.Eventually(t, "the players are known", func() bool { return list().NumPlayers == want })
	}
	found(2)
	testenv.NoError(t, os.WriteFile(file, make([]byte, len(log)), 0o644)) // with the same size and time
	testenv.NoError(t, os.Chtimes(file, old, old))
	found(2)
	testenv.NoError(t, os.WriteFile(file, log[:len(log)-20], 0o644))
	testenv.NoError(t, os.Chtimes(file, old, old))
	if found(2); list().Length < 60 { // up to the last change, since the log has no end record
		t.Error("a log that is cut off has the length of one that is whole")
	}

	var r recordingInfo
	names := []string{"again", "again"}
	for i := range 40 {
		names = append(names, strconv.Itoa(i))
	}
	if r.setPlayers(names); len(r.Players) != maxListedPlayers || r.NumPlayers != 41 || r.Players[1].Name != "0" {
		t.Errorf("%d of %d are listed: %v", len(r.Players), r.NumPlayers, r.Players)
	}
}

// TestReplayScores checks the result of a log in words, with times in races.
func TestReplayScores(t *testing.T) {
	players := []replay.PlayerResult{
		{Name: "bert", Score: 3},
		{Name: "watcher", Team: game.TeamSpectators, Score: 9},
		{Name: "anna", Score: 65432},
		{Name: "eve", Score: -1},
	}
	for _, c := range []struct {
		result replay.MatchResult
		want   string
	}{
		{replay.MatchResult{Players: players}, `"anna" 65432, "bert" 3, "eve" -1`},
		{replay.MatchResult{Flags: game.GameFlagTeams, TeamScores: [2]int32{1, 2}, Players: players[:1]}, `red 1, blue 2, "bert" 3`},
		{replay.MatchResult{Flags: game.GameFlagRace, Players: players}, `"bert" 3ms, "anna" 1m5.432s`},
	} {
		if got := newReplayScores(&c.result).String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestConvertedLimit checks that the oldest converted demos are deleted.
func TestConvertedLimit(t *testing.T) {
	dir := t.TempDir()
	for i := range maxConverted + 5 {
		name := filepath.Join(dir, string(rune('a'+i%26))+strings.Repeat("x", i/26)+".demo")
		testenv.NoError(t, os.WriteFile(name, nil, 0o644))
		at := time.Now().Add(time.Duration(i) * time.Second)
		testenv.NoError(t, os.Chtimes(name, at, at))
	}
	new(recordingFiles).trim(dir, "a.demo") // a.demo is the oldest
	if left := testenv.Must(os.ReadDir(dir)); len(left) != maxConverted || left[0].Name() != "a.demo" {
		t.Errorf("%d are left", len(left))
	}
}

// TestListReadsNoMaps checks that listing recordings does not load their maps into memory.
func TestListReadsNoMaps(t *testing.T) {
	dir := t.TempDir()
	testenv.NoError(t, os.MkdirAll(filepath.Join(dir, "demos"), 0o755))
	const size = 8 << 20
	file := filepath.Join(dir, "demos", "a.demo")
	testenv.NoError(t, os.WriteFile(file, demotest.WorstDemo(demotest.LargeMap, size), 0o644))
	old := time.Now().Add(-time.Hour)
	testenv.NoError(t, os.Chtimes(file, old, old))
	apart := jobs{program: testenv.Must(newProgram(Config{}))}
	rs := &recordingFiles{dir: dir, describe: apart.describe, delay: func() time.Duration { return 0 }}
	var all []recordingInfo
	n := testenv.Allocated(func() {
		rs.list()
		rs.mu.Lock()
		done := rs.findPlayers()
		rs.mu.Unlock()
		<-done
		all = rs.list()
	})
	if len(all) != 1 || all[0].NumPlayers == 0 || n > size/8 {
		t.Errorf("%+v with %d bytes", all, n)
	}
}
