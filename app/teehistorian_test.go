package app

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestVerifyTeehistorian verifies a recording of DDNet-Server from the command line.
func TestVerifyTeehistorian(t *testing.T) {
	const folder = "../internal/teeverify/testdata"
	packed := testenv.Must(os.Open(filepath.Join(folder, "speedup-1.teehistorian.gz")))
	defer packed.Close()
	b := testenv.Must(io.ReadAll(testenv.Must(gzip.NewReader(packed))))
	dir := t.TempDir()
	file := filepath.Join(dir, "a.teehistorian")
	testenv.NoError(t, os.WriteFile(file, b, 0o644))
	own := testenv.Must(os.ReadFile(filepath.Join(folder, "speedup.map")))
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	t.Setenv("XDG_DATA_HOME", "")
	if err := verifyTeehistorian(file, ""); err == nil || !strings.Contains(err.Error(), `"speedup"`) || !strings.Contains(err.Error(), "--map") {
		t.Errorf("without its map: %v", err)
	}
	other := testenv.Must(filepath.Abs(filepath.Join(dir, "other.map")))
	testenv.NoError(t, os.WriteFile(other, b, 0o644))
	if err := verifyTeehistorian(file, other); err == nil || !strings.Contains(err.Error(), "not the map") {
		t.Errorf("with another map: %v", err)
	}
	testenv.NoError(t, os.MkdirAll("maps", 0o755))
	testenv.NoError(t, os.WriteFile("maps/speedup.map", own, 0o644))
	for _, given := range []string{"", "maps/speedup.map"} {
		if err := new(program).verifyReplay(file, given); err != nil {
			t.Error(err)
		}
	}
	testenv.NoError(t, os.WriteFile(file, b[:len(b)-1000], 0o644)) // as after a crash
	if err := verifyTeehistorian(file, ""); !errors.As(err, new(toldError)) || !errors.Is(err, teehistorian.ErrCutOff) {
		t.Error(err)
	}
	// The map is in a server's folder; the current folder has another map of the same name.
	testenv.NoError(t, os.WriteFile("maps/speedup.map", b, 0o644))
	for _, maps := range []string{"maps", "teehistorian/maps"} {
		server := t.TempDir()
		testenv.NoError(t, os.MkdirAll(filepath.Join(server, maps), 0o755))
		testenv.NoError(t, os.MkdirAll(filepath.Join(server, "teehistorian"), 0o755))
		recording := filepath.Join(server, "teehistorian", "a.teehistorian")
		testenv.NoError(t, os.WriteFile(recording, b, 0o644))
		if err := verifyTeehistorian(recording, ""); err == nil || !strings.Contains(err.Error(), "beside the recording") {
			t.Errorf("without a map in %s: %v", maps, err)
		}
		testenv.NoError(t, os.WriteFile(filepath.Join(server, maps, "speedup.map"), own, 0o644))
		if err := verifyTeehistorian(recording, ""); err != nil {
			t.Errorf("with a map in %s: %v", maps, err)
		}
	}
	testenv.NoError(t, os.WriteFile("maps/speedup.map", own, 0o644))
	damaged := append(slices.Clone(b[:len(b)/2]), strings.Repeat("\x4c", 100)...) // invalid records
	testenv.NoError(t, os.WriteFile(file, damaged, 0o644))
	if err := verifyTeehistorian(file, ""); !errors.Is(err, teehistorian.ErrFormat) {
		t.Errorf("a damaged file: %v", err)
	}
}

// TestTeehistorianOfAnotherMap checks the error for a recording that names a map without a game
// layer.
func TestTeehistorianOfAnotherMap(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_DATA_HOME", "")
	theme := testenv.Must((&twmap.Map{}).Bytes())
	testenv.NoError(t, os.MkdirAll("maps", 0o755))
	testenv.NoError(t, os.WriteFile("maps/theme.map", theme, 0o644))
	var b bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&b, teehistorian.Header{MapName: "theme", MapSHA256: fmt.Sprintf("%x", sha256.Sum256(theme))}))
	testenv.NoError(t, w.Flush())
	testenv.NoError(t, os.WriteFile("a.teehistorian", b.Bytes(), 0o644))
	if err := verifyTeehistorian("a.teehistorian", ""); !errors.Is(err, twmap.ErrNoGameLayer) {
		t.Errorf("verify: %v", err)
	}
	p := testenv.Must(newProgram(Config{}))
	if err := p.convertRecording(new(memoryFile), &b, true); err == nil || !strings.Contains(err.Error(), "no game layer") {
		t.Errorf("as a demo: %v", err)
	}
}
