package app

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

// recordedMatch returns a DDNet-Server recording. It creates a working directory with the map in
// the folder maps.
func recordedMatch(t *testing.T, name string) []byte {
	t.Helper()
	folder := testenv.Must(filepath.Abs("../internal/teeverify/testdata"))
	packed := testenv.Must(os.Open(filepath.Join(folder, name+".teehistorian.gz")))
	defer packed.Close()
	b := testenv.Must(io.ReadAll(testenv.Must(gzip.NewReader(packed))))
	gameMap, _, _ := strings.Cut(name, "-")
	own := testenv.Must(os.ReadFile(filepath.Join(folder, gameMap+".map")))
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_DATA_HOME", "")
	testenv.NoError(t, os.MkdirAll("maps", 0o755))
	testenv.NoError(t, os.WriteFile(filepath.Join("maps", gameMap+".map"), own, 0o644))
	return b
}

// shownMatch is the content of a demo.
type shownMatch struct {
	tees  int // number of tees at their recorded positions
	ticks int
	names map[string]bool
	texts string
}

// compareWithRecording reads a demo and checks that its tees are at the recorded positions.
func compareWithRecording(t *testing.T, file, recording []byte) (s shownMatch) {
	t.Helper()
	var places [][teehistorian.MaxClients]teehistorian.Point
	h := testenv.Must(teehistorian.NewReader(bytes.NewReader(recording)))
	for {
		f, err := h.NextFrame()
		if err != nil || f.Partial {
			break
		}
		for len(places) <= int(f.Tick) {
			places = append(places, [teehistorian.MaxClients]teehistorian.Point{})
			if n := len(places); n > 1 {
				places[n-1] = places[n-2]
			}
		}
		places[f.Tick] = f.Pos
	}
	s.names = map[string]bool{}
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	var messages bridgetest.ServerMessages
	side := bridge7.NewDemoClientSide(&messages)
	for c := new(demo.Chunk); ; {
		err := r.Next(c)
		if errors.Is(err, io.EOF) {
			return s
		}
		testenv.NoError(t, err)
		if c.Kind == demo.KindMessage {
			s.texts += string(c.Message)
		}
		if c.Snapshot == nil {
			continue
		}
		s.ticks++
		v := side.ReceiveSnapshot(c.Tick, c.Snapshot)
		for i := range v.Players {
			p, _ := side.Player(v.Players[i].ID)
			s.names[p.Profile.Name] = true
		}
		for i := range v.Characters {
			k := &v.Characters[i]
			at := c.Tick
			if k.Tick != 0 {
				at = k.Tick
			}
			if int(at) >= len(places) {
				continue
			}
			if want := places[at][k.Player]; k.X != want.X || k.Y != want.Y {
				t.Fatalf("tick %d: tee %d is at %d,%d in the demo and at %d,%d in the recording", at, k.Player, k.X, k.Y, want.X, want.Y)
			}
			s.tees++
		}
	}
}

// TestTeehistorianDemo checks that a demo of a DDNet-Server recording shows all tees at their
// positions, with the players' names.
func TestTeehistorianDemo(t *testing.T) {
	p := testenv.Must(newProgram(Config{}))
	b := recordedMatch(t, "teams-4")
	var out memoryFile
	testenv.NoError(t, p.convertRecording(&out, bytes.NewReader(b), true))
	s := compareWithRecording(t, out.Bytes(), b)
	if s.tees < 4500 || s.ticks < 1400 || !s.names["bot 0"] || !s.names["bot 3"] || len(s.names) != 4 {
		t.Errorf("%d tees in %d snapshots, %v", s.tees, s.ticks, s.names)
	}
	for _, cut := range []int{len(b) - 1000, len(b) / 2} { // as after a crash
		out = memoryFile{}
		testenv.NoError(t, p.convertRecording(&out, bytes.NewReader(b[:cut]), true))
		s := compareWithRecording(t, out.Bytes(), b[:cut])
		if end := fmt.Sprintf("the file is cut off after byte %d", cut); s.tees < 1500 || !strings.Contains(s.texts, end) {
			t.Errorf("%d tees of the first %d bytes, or no %q", s.tees, cut, end)
		}
	}
	if err := p.convertRecording(&out, bytes.NewReader(b), false); err == nil || !strings.Contains(err.Error(), "teeyard watch") {
		t.Errorf("for strangers: %v", err)
	}
	testenv.NoError(t, os.RemoveAll("maps"))
	if err := p.convertRecording(&out, bytes.NewReader(b), true); err == nil || !strings.Contains(err.Error(), "maps") {
		t.Errorf("without the map: %v", err)
	}
}

// TestTeehistorianDemoOfAnother checks that a demo ends with a message where the simulation differs
// from the recording.
func TestTeehistorianDemoOfAnother(t *testing.T) {
	p := testenv.Must(newProgram(Config{}))
	b := recordedMatch(t, "plain-4")
	r := testenv.Must(teehistorian.NewReader(bytes.NewReader(b)))
	var moved bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&moved, *r.Header()))
	for rec := new(teehistorian.Record); r.Next(rec) == nil; {
		if rec.Kind == teehistorian.Moved && rec.Tick > 20*game.TickRate {
			rec.Pos.X += 5
		}
		testenv.NoError(t, w.Write(rec))
	}
	testenv.NoError(t, w.Flush())
	var out memoryFile
	testenv.NoError(t, p.convertRecording(&out, bytes.NewReader(moved.Bytes()), true))
	r7 := testenv.Must(demo.NewReader(bytes.NewReader(out.Bytes())))
	if l := r7.Header().Length; l < 19 || l > 23 {
		t.Errorf("the demo has %d s", l)
	}
	if !bytes.Contains(textsOf(t, out.Bytes()), []byte("differs from the recording")) {
		t.Error("nobody is told")
	}
}

// textsOf returns the messages of a demo.
func textsOf(t *testing.T, file []byte) (all []byte) {
	t.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	for c := new(demo.Chunk); ; {
		if err := r.Next(c); err != nil {
			return all
		}
		if c.Kind == demo.KindMessage {
			all = slices.Concat(all, c.Message)
		}
	}
}

// TestTeehistoriansAreListed checks that teehistorians are listed with their players and served as
// demos.
func TestTeehistoriansAreListed(t *testing.T) {
	p := testenv.Must(newProgram(Config{}))
	b := recordedMatch(t, "race-4")
	testenv.NoError(t, os.MkdirAll("teehistorian", 0o755))
	const name = "teehistorian/a.teehistorian"
	testenv.NoError(t, os.WriteFile(name, b, 0o644))
	testenv.NoError(t, os.WriteFile("teehistorian/b.teehistorian", []byte("none"), 0o644))
	for _, file := range []string{name, "teehistorian/b.teehistorian"} {
		old := time.Now().Add(-2 * time.Minute)
		testenv.NoError(t, os.Chtimes(file, old, old))
	}
	var access web.AccessRule
	access.Set(web.Access{Everybody: true})
	rs := &recordingFiles{
		dir:       ".",
		converter: &viewer.Converter{Convert: (&jobs{program: p}).convert},
		delay:     func() time.Duration { return 0 },
		access:    &access,
	}
	h := web.NewHandler(rs.Rooms()...)
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}
	var l struct{ Recordings []recordingInfo }
	testenv.Eventually(t, "the players are known", func() bool {
		testenv.NoError(t, json.Unmarshal(get("/recordings.json").Body.Bytes(), &l))
		return len(l.Recordings) == 1 && l.Recordings[0].NumPlayers == 4
	})
	r := l.Recordings[0]
	if r.Map.Name != "race" || r.GameType != "DDraceNetwork" || r.Length != 60 || r.Start != "2026-11-22T18:29:20Z" || r.Players[0].Name != "bot 2" {
		t.Errorf("%+v", r)
	}
	if s := compareWithRecording(t, get(r.Demo).Body.Bytes(), b); s.tees < 4000 {
		t.Errorf("%d tees", s.tees)
	}
	if a := get("/recordings/" + name); a.Code != 404 {
		t.Errorf("the recording itself: %d", a.Code)
	}
}
