package teeverify_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/peers/ddracerecord"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
)

// recorded is a recording in testdata.
type recorded struct {
	name string // names the tiles on the map, without the number of players
	file []byte
}

func readRecorded(path string) recorded {
	packed := testenv.Must(gzip.NewReader(bytes.NewReader(testenv.Must(os.ReadFile(path)))))
	name := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".teehistorian.gz"), "ddnet20-")
	return recorded{name: name[:strings.LastIndex(name, "-")], file: testenv.Must(io.ReadAll(packed))}
}

// spread maps recordings to maps that are installed with DDNet and to which the test adds spawns.
var spread = map[string]string{
	"coverage": "coverage", "tutorial": "Tutorial", "tsunami": "Tsunami", "goldmine": "Gold Mine", "learntoplay": "LearnToPlay", "sunny": "Sunny Side Up",
}

var maps = map[string]*twmap.Map{}

// gameMap returns the map of a recording, or nil if that map is not installed.
func (r *recorded) gameMap(t *testing.T) *twmap.Map {
	t.Helper()
	if m := maps[r.name]; m != nil {
		return m
	}
	file, err := os.ReadFile(filepath.Join("testdata", r.name+".map"))
	if os.IsNotExist(err) {
		name := spread[r.name]
		if name == "" {
			name = testenv.Must(teehistorian.NewReader(bytes.NewReader(r.file))).Header().MapName
		}
		if file, err = os.ReadFile(filepath.Join(peers.DDNetMaps, name+".map")); err != nil && !testenv.Peers {
			return nil
		}
	}
	testenv.NoError(t, err)
	m := testenv.Must(twmap.Config{GameOnly: true}.Parse(file))
	if spread[r.name] != "" {
		ddracerecord.AddSpawns(m, 1)
	}
	maps[r.name] = m
	return m
}

// TestRecorded verifies recordings of DDNet-Server: every tee must be in its recorded position in
// every tick. Outside of CI it runs the first five seconds of each, with the race detector two.
func TestRecorded(t *testing.T) {
	names := testenv.Must(filepath.Glob("testdata/*.teehistorian.gz"))
	ticks, least := int32(0), 1_000_000
	switch {
	case testenv.Race:
		ticks, least = 100, 40_000
	case !testenv.InCI():
		ticks, least = 150, 70_000
	}
	places, missing := 0, 0
	for _, path := range names {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".teehistorian.gz"), func(t *testing.T) {
			r := readRecorded(path)
			m := r.gameMap(t)
			if m == nil {
				missing++
				return
			}
			res := testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(r.file), Terrain: testenv.Must(m.Terrain()), Ticks: ticks,
				NoSearch: true, OnAction: func(rec *teehistorian.Record) {
					if rec.Kind == teehistorian.Extra && rec.ExtraName() == "" {
						t.Errorf("tick %d: an extra %v without a name", rec.Tick, rec.ID)
					}
				}}))
			if sum, _ := res.Header.SHA256(); sum != m.SHA256 && spread[r.name] == "" {
				t.Error("this is not its map")
			}
			isKilled := errors.Is(res.End, teehistorian.ErrCutOff) && r.name == "ctf6" // this recording's server was killed
			if res.Difference != nil || res.End != nil && !isKilled || len(res.Unknown) > 0 || res.TeeTicks < 40 {
				t.Errorf("%v; %d places are equal (not simulated %v, end %v)", res.Difference, res.TeeTicks, res.Unknown, res.End)
			}
			places += res.TeeTicks
		})
	}
	t.Logf("%d places of tees in %d recordings; the maps of %d are not installed", places, len(names)-missing, missing)
	if missing == 0 && places < least {
		t.Errorf("%d places of tees are too few", places)
	}
}

// TestPausedGame verifies a recording of DDNet-Server 20.1 whose game is paused twice.
func TestPausedGame(t *testing.T) {
	r := readRecorded("testdata/paused/ddnet20-dm1-5.teehistorian.gz")
	m := r.gameMap(t)
	if m == nil {
		return // the map is not installed
	}
	pauses := 0
	res := testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(r.file), Terrain: testenv.Must(m.Terrain()), NoSearch: true,
		OnAction: func(rec *teehistorian.Record) {
			if rec.Kind == teehistorian.Command && rec.Name == "pause_game" {
				pauses++
			}
		}}))
	if res.Difference != nil || res.End != nil || len(res.Unknown) > 0 || pauses != 4 || res.TeeTicks != 4248 {
		t.Errorf("%v after %d places and %d commands (not simulated %v, end %v)", res.Difference, res.TeeTicks, pauses, res.Unknown, res.End)
	}
}
