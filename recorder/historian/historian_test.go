package historian_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/recorder/historian"
)

// recordedMatch returns a recording of DDNet-Server and the file of its map.
func recordedMatch(t *testing.T, name string) (recording, gameMap []byte) {
	t.Helper()
	const folder = "../../internal/teeverify/testdata"
	packed := testenv.Must(os.Open(filepath.Join(folder, name+".teehistorian.gz")))
	defer packed.Close()
	recording = testenv.Must(io.ReadAll(testenv.Must(gzip.NewReader(packed))))
	base, _, _ := strings.Cut(name, "-")
	return recording, testenv.Must(os.ReadFile(filepath.Join(folder, base+".map")))
}

// memoryFile is a file in memory. Writers of demos complete the header with WriteAt.
type memoryFile struct{ bytes.Buffer }

// WriteAt implements io.WriterAt.
func (f *memoryFile) WriteAt(b []byte, at int64) (int, error) { return copy(f.Bytes()[at:], b), nil }

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

// TestExport checks that a demo of a DDNet-Server recording shows all tees at their positions, with
// the players' names.
func TestExport(t *testing.T) {
	b, gameMap := recordedMatch(t, "teams-4")
	var out memoryFile
	testenv.NoError(t, historian.Export(&out, bytes.NewReader(b), gameMap))
	s := compareWithRecording(t, out.Bytes(), b)
	if s.tees < 4500 || s.ticks < 1400 || !s.names["bot 0"] || !s.names["bot 3"] || len(s.names) != 4 {
		t.Errorf("%d tees in %d snapshots, %v", s.tees, s.ticks, s.names)
	}
	for _, cut := range []int{len(b) - 1000, len(b) / 2} { // as after a crash
		out = memoryFile{}
		testenv.NoError(t, historian.Export(&out, bytes.NewReader(b[:cut]), gameMap))
		s := compareWithRecording(t, out.Bytes(), b[:cut])
		if end := fmt.Sprintf("the file is cut off after byte %d", cut); s.tees < 1500 || !strings.Contains(s.texts, end) {
			t.Errorf("%d tees of the first %d bytes, or no %q", s.tees, cut, end)
		}
	}
	if err := historian.Export(&out, bytes.NewReader(b), nil); err == nil {
		t.Error("a demo without a map")
	}
}

// TestExportOfAnother checks that a demo ends with a message where the simulation differs from the
// recording.
func TestExportOfAnother(t *testing.T) {
	b, gameMap := recordedMatch(t, "plain-4")
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
	testenv.NoError(t, historian.Export(&out, bytes.NewReader(moved.Bytes()), gameMap))
	r7 := testenv.Must(demo.NewReader(bytes.NewReader(out.Bytes())))
	if l := r7.Header().Length; l < 19 || l > 23 {
		t.Errorf("the demo has %d s", l)
	}
	testenv.Check(t, strings.Contains(textsOf(t, out.Bytes()), "differs from the recording"), "the demo does not say why it ends")
}

// textsOf returns the messages of a demo.
func textsOf(t *testing.T, file []byte) string {
	t.Helper()
	var all strings.Builder
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	for c := new(demo.Chunk); ; {
		if err := r.Next(c); err != nil {
			return all.String()
		}
		if c.Kind == demo.KindMessage {
			all.Write(c.Message)
		}
	}
}

// TestPlayers checks the players of a recording, and of one that is cut off.
func TestPlayers(t *testing.T) {
	b, _ := recordedMatch(t, "race-4")
	for _, file := range [][]byte{b, b[:len(b)-1000]} {
		names, last, err := historian.Players(bytes.NewReader(file))
		testenv.Check(t, err == nil && strings.Join(names, ",") == "bot 2,bot 0,bot 1,bot 3" && last > 50*game.TickRate, "%q, %d ticks, %v", names, last, err)
	}
	if _, _, err := historian.Players(strings.NewReader("none")); err == nil {
		t.Error("a text has players")
	}
}
