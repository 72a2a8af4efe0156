package server

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// drawn is a map file with only a game layer.
func drawn(width, height int, draw func(l *twmap.TileLayer)) []byte {
	l := twmap.NewGameLayer(width, height)
	if draw != nil {
		draw(l)
	}
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, l)}}
	return testenv.Must(m.Bytes())
}

// damagedMaps are files that no server can play, and what it says about them.
func damagedMaps() fstest.MapFS {
	good := maps.Default().Data
	files := fstest.MapFS{}
	put := func(name string, b []byte) { files["maps/"+name+".map"] = &fstest.MapFile{Data: b} }
	put("empty", nil)
	put("text", []byte("this is no map"))
	put("half", good[:len(good)/2])
	put("header", good[:36])
	huge := append([]byte(nil), good...)
	for off := 8; off < 36; off += 4 {
		binary.LittleEndian.PutUint32(huge[off:], 0x7fffffff)
	}
	put("huge", huge)
	put("nolayer", testenv.Must((&twmap.Map{}).Bytes()))
	return files
}

// TestDamagedMapsAreRefused checks that a server does not start with a damaged map, and
// a running one keeps its map and says why.
func TestDamagedMapsAreRefused(t *testing.T) {
	files := damagedMaps()
	for name := range files {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "maps/"), ".map")
		_, err := New(Config{Transport: &testServer{}, Files: files, Commands: []string{"sv_map " + name}})
		if err == nil || !strings.Contains(err.Error(), `sv_map "`+name+`"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{Transport: &testServer{}, Commands: []string{"sv_map nowhere"}}); !errors.Is(err, ErrNoMap) {
		t.Errorf("a missing map: %v", err)
	}

	// A running server says so and plays on.
	ts := newTestServer(t, files)
	p := ts.join(local(1), "player")
	for name := range files {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "maps/"), ".map")
		for _, line := range []string{"sv_map " + name, "change_map " + name, "sv_maprotation " + name + "; change_map"} {
			ts.log.Reset()
			ts.srv.Execute(line)
			ts.play(12*50, p, msg7.PlayerInput{TargetX: 1, Direction: 1})
			if ts.srv.gameMap.Name != "teeyard1" || !strings.Contains(ts.log.String(), `sv_map "`+name+`"`) {
				t.Errorf("%s: playing %q, log:\n%s", line, ts.srv.gameMap.Name, ts.log.String())
			}
			if c := ts.session(p); c == nil || c.state != stateInGame || ts.srv.world.Paused() {
				t.Fatalf("%s: the player is out, or everything stands still", line)
			}
		}
		ts.srv.Execute(`sv_maprotation ""`)
	}
}

// TestMutatedMapsAreRefusedOrPlayable checks that every damaged map that parses can be
// played.
func TestMutatedMapsAreRefusedOrPlayable(t *testing.T) {
	good := maps.Default().Data
	r := rand.New(rand.NewPCG(3, 1))
	files := fstest.MapFS{"maps/m.map": {Data: nil}}
	ts := newTestServer(t, files)
	p := ts.join(local(1), "player")
	loaded := 0
	for range 300 {
		b := append([]byte(nil), good...)
		for range 1 + r.IntN(4) {
			i := r.IntN(len(b))
			if r.IntN(2) == 0 {
				i = r.IntN(1000)
			}
			b[i] ^= 1 << r.IntN(8)
		}
		files["maps/m.map"].Data = b
		ts.log.Reset()
		ts.srv.Execute("sv_map m; reload")
		ts.step(2)
		if !strings.Contains(ts.log.String(), "failed to load map") {
			loaded++
		}
		if c := ts.session(p); c.state == stateConnecting {
			p.Ready().StartInfo("player").EnterGame()
		}
		ts.play(3, p, msg7.PlayerInput{TargetX: 1, Direction: 1, Jump: true})
		if c := ts.session(p); c == nil || c.state != stateInGame {
			t.Fatalf("the player is out: %q, %v", p.Reason, ts.srv.Drops())
		}
	}
	t.Logf("%d of 300 damaged maps were playable", loaded)
	if loaded == 0 || loaded == 300 {
		t.Error("the test tests only one of both")
	}
}

// TestStrangeMapsArePlayable plays maps without a spawn, or of which all tiles are
// spawns, pickups or deadly, and very large ones.
func TestStrangeMapsArePlayable(t *testing.T) {
	fill := func(index uint8) func(*twmap.TileLayer) {
		return func(l *twmap.TileLayer) { l.Fill(0, 0, l.Width, l.Height, index) }
	}
	files := fstest.MapFS{}
	side := 3000
	if testenv.Race {
		side = 500
	}
	for name, b := range map[string][]byte{
		"nospawn": drawn(50, 50, nil),
		"one":     drawn(1, 1, fill(twmap.Spawn)),
		"line":    drawn(5000, 1, fill(twmap.Spawn)),
		"pole":    drawn(1, 5000, fill(twmap.Spawn)),
		"spawns":  drawn(200, 200, fill(twmap.Spawn)),
		"pickups": drawn(200, 200, fill(twmap.PickupHealth)),
		"deadly":  drawn(50, 50, func(l *twmap.TileLayer) { fill(twmap.Death)(l); l.Set(25, 25, twmap.Spawn, 0) }),
		"solid":   drawn(50, 50, func(l *twmap.TileLayer) { fill(twmap.Solid)(l); l.Set(25, 25, twmap.Spawn, 0) }),
		"large":   drawn(side, side, func(l *twmap.TileLayer) { l.Set(side-1, side-1, twmap.Spawn, 0) }),
		"entities": drawn(16, 16, func(l *twmap.TileLayer) {
			for i := range 256 {
				l.Set(i%16, i/16, uint8(i), 0)
			}
		}),
	} {
		files["maps/"+name+".map"] = &fstest.MapFile{Data: b}
	}
	ts := newTestServer(t, files)
	p := ts.join(local(1), "player")
	for name := range files {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "maps/"), ".map")
		ts.log.Reset()
		ts.srv.Execute("sv_map " + name)
		ts.step(2)
		if ts.srv.gameMap.Name != name {
			if !strings.Contains(ts.log.String(), `sv_map "`+name+`"`) {
				t.Errorf("%s: neither loaded nor refused: %s", name, ts.log.String())
			}
			t.Logf("%s: %s", name, ts.log.String())
			continue
		}
		p.Ready().StartInfo("player").EnterGame()
		for i := range 100 {
			ts.input(p, msg7.PlayerInput{TargetX: 1, Direction: 1, Jump: i%10 == 0, Fire: int32(i & 63)})
			ts.step(1)
		}
		c := ts.session(p)
		if c == nil || c.state != stateInGame || p.SnapTick < ts.srv.clock.tick-20 {
			t.Fatalf("%s: session %v, snapshot %d of tick %d, drops %v", name, c != nil, p.SnapTick, ts.srv.clock.tick, ts.srv.Drops())
		}
		info, _ := ts.srv.world.Player(0)
		if name == "nospawn" && info.Alive {
			t.Error("spawned where no spawn is")
		}
		if strings.HasPrefix(name, "spawns") && !info.Alive {
			t.Errorf("%s: not spawned", name)
		}
	}
	if n := heapInUse(); n > 200<<20 {
		t.Errorf("%d MB in use", n>>20)
	}
}

// TestMapFilesAreBounded checks that neither folders nor files that are too large are
// read.
func TestMapFilesAreBounded(t *testing.T) {
	files := fstest.MapFS{"maps/dir.map/x": {Data: []byte("x")}}
	if _, err := readFile(files, "maps/dir.map", 10); err == nil {
		t.Error("a folder is read")
	}
	if b, err := readFile(files, "maps/dir.map/x", 1); err != nil || string(b) != "x" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := readFile(files, "maps/dir.map/x", 0); err == nil {
		t.Error("more than the limit is read")
	}
}
