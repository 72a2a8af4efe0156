package teeverify_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestSpectatorOver07 verifies a recording of DDNet-Server 16.4, in which a player who speaks 0.7
// becomes a spectator. The file does not contain that.
func TestSpectatorOver07(t *testing.T) {
	file := testenv.Must(os.ReadFile(filepath.Join("testdata", "spectator07.teehistorian")))
	m := (&recorded{name: "dm1", file: file}).gameMap(t)
	if m == nil {
		t.Skip("DDNet's map dm1 is not installed")
	}
	res := testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(file), Terrain: testenv.Must(m.Terrain())}))
	want := []teeverify.Move{{Tick: 348, Client: 2, Spectates: true}}
	if res.Difference != nil || !slices.Equal(res.Moves, want) || res.TeeTicks != 2003 || len(res.Repeated) > 0 || len(res.Lost) > 0 {
		t.Errorf("%v, moves %v, %d places", res.Difference, res.Moves, res.TeeTicks)
	}
}
