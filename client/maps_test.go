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
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestNumberedMapChunks checks that a 0.6 client requests no chunk beyond the end, and uses each
// chunk of its map once, in order, whatever else arrives.
func TestNumberedMapChunks(t *testing.T) {
	file := smallMap()
	n := (len(file) + msg6.MapChunkSize - 1) / msg6.MapChunkSize
	for name, answer := range map[string]func(hs *hostileServer, chunk int32, send func(int32)){
		"one by one": func(_ *hostileServer, chunk int32, send func(int32)) { send(chunk) },
		"twice":      func(_ *hostileServer, chunk int32, send func(int32)) { send(chunk); send(chunk) },
		"all ahead": func(_ *hostileServer, chunk int32, send func(int32)) { // as DDNet's server
			if chunk == 0 {
				for i := range int32(n) {
					send(i)
				}
			}
		},
		"another's": func(hs *hostileServer, chunk int32, send func(int32)) {
			hs.send(&msg6.MapData{CRC: 1, Chunk: chunk, Data: []byte("x")})
			send(chunk)
		},
		"an empty one first": func(hs *hostileServer, chunk int32, send func(int32)) {
			hs.mapData06(file, chunk, nil)
			send(chunk)
		},
		"others first": func(hs *hostileServer, chunk int32, send func(int32)) {
			if chunk == 3 {
				for i := range int32(4) {
					send(3 - i)
				}
				send(1)
				send(2)
				send(3)
			} else if chunk > 3 {
				send(chunk)
			}
		},
	} {
		hs := newHostileServer(t, client.Config{Version: client.Version06})
		hs.onMapRequest = func(chunk int32) {
			answer(hs, chunk, func(i int32) { hs.mapChunk06(file, i) })
		}
		hs.onInfo = func() { hs.announceMap06(file) }
		hs.connect()
		if m := hs.client.Map(); !hs.ready || m == nil || !bytes.Equal(m.File, file) {
			t.Errorf("%s: ready %v, %v", name, hs.ready, hs.client.Err())
		}
		if len(hs.mapRequests) > n {
			t.Errorf("%s: asked for %v of %d chunks", name, hs.mapRequests, n)
		}
	}
}

// TestNumberedMapChunksOfAnotherMap checks that a 0.6 client rejects a map that differs from the
// announcement.
func TestNumberedMapChunksOfAnotherMap(t *testing.T) {
	file := smallMap()
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"too much":  {make([]byte, 1000), "instead of"},
		"something": {make([]byte, 600), "is not the announced map"},
	} {
		hs := newHostileServer(t, client.Config{Version: client.Version06})
		small := file[:600]
		hs.onMapRequest = func(chunk int32) { hs.mapData06(small, chunk, c.data) }
		hs.onInfo = func() { hs.announceMap06(small) }
		hs.connect()
		if err := hs.client.Err(); !errors.Is(err, client.ErrMap) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhisperNeedsDDNet checks that a 0.6 client whispers only on servers that identify as DDNet.
// Other servers would show the whisper to all players.
func TestWhisperNeedsDDNet(t *testing.T) {
	hs := newHostileServer(t, client.Config{Version: client.Version06, NoMap: true})
	hs.letIn()
	if err := hs.client.Whisper(3, "psst"); !errors.Is(err, client.ErrVersion) {
		t.Errorf("whispered: %v", err)
	}
	hs.send(&msg6.RconType{})
	hs.run(20 * time.Millisecond)
	if err := hs.client.Whisper(3, "psst"); err != nil {
		t.Error(err)
	}
	hs.run(20 * time.Millisecond)
	if len(hs.chat) != 1 || hs.chat[0] != `/w "me" psst` {
		t.Errorf("said %q", hs.chat)
	}
}

// TestImagesOfMapsStayCompressed checks that the images of a map stay compressed in memory, since
// this client never shows them.
func TestImagesOfMapsStayCompressed(t *testing.T) {
	testenv.OneGoroutine(t)
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, twmap.NewGameLayer(50, 50))}}
	for range 8 {
		m.Images = append(m.Images, twmap.Image{Name: "large", Width: 1024, Height: 1024, Pixels: make([]byte, 4<<20), Format: 1})
	}
	file := testenv.Must(m.Bytes())
	hs := newHostileServer(t, client.Config{Version: client.Version06, Maps: client.NewMaps("-")})
	hs.onInfo = func() { hs.announceMap06(file) }
	n := testenv.Allocated(hs.connect)
	if m := hs.client.Map(); m == nil || m.SHA256 != sha256.Sum256(file) || m.CRC != crc32.ChecksumIEEE(file) {
		t.Fatalf("the map did not arrive: %v", hs.client.Err())
	}
	if n > 8<<20 {
		t.Errorf("%d MB allocated for a map with 32 MB of images", n>>20)
	}
}

// TestInstalledMapIsUsed checks that an installed map is not downloaded, under each file name that
// games use for it, and that another map of the same name is.
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
		testenv.NoError(t, os.WriteFile(path, c.content, 0o400))
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

// TestFalseStandardMapIsRefused checks that a map with the name of a standard map but other content
// is rejected without a request, as the original client does. A console-only client accepts it.
func TestFalseStandardMapIsRefused(t *testing.T) {
	for name, refused := range map[string]bool{"dm1": true, "ctf5": true, "dm4": false, "DM1": false} {
		hs := newHostileServer(t, client.Config{})
		hs.onInfo = func() { hs.announceMap(name, nil) }
		hs.connect()
		err := hs.client.Err()
		if refused &&
			(!errors.Is(err, client.ErrMap) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "invalid standard map") ||
				len(hs.mapRequests) != 0) {
			t.Errorf("%s: asked %d times, %v", name, len(hs.mapRequests), err)
		}
		if !refused && (err != nil || !hs.ready) {
			t.Errorf("%s: ready %v, %v", name, hs.ready, err)
		}
		hs = newHostileServer(t, client.Config{ConsoleOnly: true})
		hs.onInfo = func() { hs.announceMap(name, nil) }
		hs.connect()
		if err := hs.client.Err(); err != nil || hs.ready {
			t.Errorf("%s: the console alone: ready %v, %v", name, hs.ready, err)
		}
	}
}
