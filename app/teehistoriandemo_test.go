package app

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/recordings"
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

// TestTeehistorianDemo checks that the program finds the map of a recording, and that strangers do
// not get a demo.
func TestTeehistorianDemo(t *testing.T) {
	p := testenv.Must(newProgram(Config{}))
	b := recordedMatch(t, "teams-4")
	var out memoryFile
	testenv.NoError(t, p.convertRecording(&out, bytes.NewReader(b), true))
	testenv.Check(t, testenv.Must(demo.NewReader(bytes.NewReader(out.Bytes()))).Header().Length > 20, "a short demo")
	if err := p.convertRecording(&out, bytes.NewReader(b), false); err == nil || !strings.Contains(err.Error(), "teeyard watch") {
		t.Errorf("for strangers: %v", err)
	}
	testenv.NoError(t, os.RemoveAll("maps"))
	if err := p.convertRecording(&out, bytes.NewReader(b), true); err == nil || !strings.Contains(err.Error(), "maps") {
		t.Errorf("without the map: %v", err)
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
	rs := recordings.New(recordings.Config{Dir: ".", Converter: &viewer.Converter{Convert: (&jobs{program: p}).convert}, Access: &access})
	h := web.NewHandler(rs.Rooms()...)
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}
	var l struct{ Recordings []recordings.Recording }
	testenv.Eventually(t, "the players are known", func() bool {
		testenv.NoError(t, json.Unmarshal(get("/recordings.json").Body.Bytes(), &l))
		return len(l.Recordings) == 1 && l.Recordings[0].NumPlayers == 4
	})
	r := l.Recordings[0]
	if r.Map.Name != "race" || r.GameType != "DDraceNetwork" || r.Length != 60 || r.Start != "2026-11-22T18:29:20Z" || r.Players[0].Name != "bot 2" {
		t.Errorf("%+v", r)
	}
	if d := testenv.Must(demo.NewReader(get(r.Demo).Body)); d.Header().Length < 50 {
		t.Errorf("the demo has %d s", d.Header().Length)
	}
	if a := get("/recordings/" + name); a.Code != 404 {
		t.Errorf("the recording itself: %d", a.Code)
	}
}
