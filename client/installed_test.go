package client_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestInstalledMapIsUsed checks that a map that is installed under any of the names
// that games give it is not downloaded, and one that only has the name is.
func TestInstalledMapIsUsed(t *testing.T) {
	file := smallMap()
	other, _ := maps.Find("testbox")
	for _, c := range []struct {
		name, file string
		content    []byte
		hashed     bool
		asks       bool
	}{
		{"as it came", "my yard.map", file, true, false},
		{"downloaded", fmt.Sprintf("my_yard_%x.map", sha256.Sum256(file)), file, true, false},
		{"without hash", fmt.Sprintf("my_yard_%08x.map", crc32.ChecksumIEEE(file)), file, false, false},
		{"another", "my yard.map", other.Data, true, true},
		{"spoilt", "my yard.map", append(bytes.Clone(file[:len(file)-1]), file[len(file)-1]^1), true, true},
		{"spoilt, without hash", "my yard.map", append(bytes.Clone(file[:len(file)-1]), file[len(file)-1]^1), false, true},
		{"no map", "my yard.map", make([]byte, len(file)), true, true},
	} {
		cache, installed := t.TempDir(), t.TempDir()
		path := filepath.Join(installed, c.file)
		if err := os.WriteFile(path, c.content, 0o400); err != nil {
			t.Fatal(err)
		}
		missing := filepath.Join(t.TempDir(), "missing")
		hs := newHostileServer(t, client.Config{Maps: client.NewMaps(cache, missing, installed)})
		hs.onInfo = func() { hs.announceMap("my yard", func(m *msg7.MapChange) { m.SHA256.Present = c.hashed }) }
		hs.connect()
		m := hs.client.Map()
		if !hs.ready || m == nil || !bytes.Equal(m.File, file) {
			t.Errorf("%s: ready %v, %v", c.name, hs.ready, hs.client.Err())
			continue
		}
		if (len(hs.mapRequests) > 0) != c.asks || !c.asks && m.Path != path {
			t.Errorf("%s: asked %d times for it, uses %s", c.name, len(hs.mapRequests), m.Path)
		}
		if all, _ := os.ReadDir(cache); len(all) != 0 != c.asks {
			t.Errorf("%s: cached %v", c.name, all)
		}
		if all, _ := os.ReadDir(installed); len(all) != 1 {
			t.Errorf("%s: %v were installed", c.name, all)
		}
	}
	for _, dir := range client.InstalledMapDirs() {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestFalseStandardMapIsRefused checks that a map with the name of one of the
// original's but other content is refused without a request, as by the original.
func TestFalseStandardMapIsRefused(t *testing.T) {
	for name, refused := range map[string]bool{"dm1": true, "ctf5": true, "dm4": false, "DM1": false} {
		hs := newHostileServer(t, client.Config{})
		hs.onInfo = func() { hs.announceMap(name, nil) }
		hs.connect()
		err := hs.client.Err()
		if refused && (!errors.Is(err, client.ErrMap) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "invalid standard map") || len(hs.mapRequests) != 0) {
			t.Errorf("%s: asked %d times, %v", name, len(hs.mapRequests), err)
		}
		if !refused && (err != nil || !hs.ready) {
			t.Errorf("%s: ready %v, %v", name, hs.ready, err)
		}
	}
}
