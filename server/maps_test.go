package server

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/internal/gamemap"
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

// damagedMaps are files that no server can play, with their error texts.
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
	if _, err := New(Config{Transport: &testServer{}, Commands: []string{"sv_map nowhere"}}); !errors.Is(err, gamemap.ErrNoMap) {
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
			if ts.srv.maps.Played().Name != "teeyard1" || !strings.Contains(ts.log.String(), `sv_map "`+name+`"`) {
				t.Errorf("%s: playing %q, log:\n%s", line, ts.srv.maps.Played().Name, ts.log.String())
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
	testenv.Long(t)
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
		if ts.srv.maps.Played().Name != name {
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

// heldWork is the background work of a server. It waits for do.
type heldWork []func()

// hold makes a server's background work wait for the test.
func (h *heldWork) hold(ts *testServer) {
	ts.srv.cfg.Background = func(f func()) { *h = append(*h, f) }
}

// do does the work, of which there must be n pieces.
func (h *heldWork) do(t *testing.T, n int) {
	t.Helper()
	if len(*h) != n {
		t.Fatalf("%d pieces of work wait, want %d", len(*h), n)
	}
	for _, f := range *h {
		f()
	}
	*h = nil
}

// countingFS counts the files that are opened.
type countingFS struct {
	fs.FS
	opened int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.opened++
	return c.FS.Open(name)
}

// TestMapIsReadBesideTheGame checks that players do not wait while a map is read, however long that
// takes, and that the game changes to it within a tick. This tick does no more work than others:
// work that grows with the map is done before.
func TestMapIsReadBesideTheGame(t *testing.T) {
	side := 2000
	if testenv.Race {
		side = 300
	}
	large := drawn(side, side, func(l *twmap.TileLayer) { l.Set(5, 5, twmap.Spawn, 0) })
	files := &countingFS{FS: fstest.MapFS{"maps/large.map": {Data: large}}}
	ts := newTestServer(t, files)
	var work heldWork
	work.hold(ts)
	p := ts.join(local(1), "player")
	ts.play(100, p, msg7.PlayerInput{TargetX: 1})
	files.opened = 0
	for _, line := range []string{"sv_map large", "sv_map teeyard1", "change_map large"} {
		ts.srv.Execute(line)
		before, tick := p.SnapTick, ts.srv.world.Tick()
		ts.play(200, p, msg7.PlayerInput{TargetX: 1, Direction: 1})
		if ts.srv.maps.Played().Name != "teeyard1" || ts.srv.world.Tick() != tick+200 || p.SnapTick != before+200 {
			t.Fatalf("%s: playing %s, %d ticks, snapshots of %d", line, ts.srv.maps.Played().Name, ts.srv.world.Tick()-tick, p.SnapTick-before)
		}
	}
	if files.opened != 0 {
		t.Errorf("%d files were opened by the loop", files.opened)
	}
	work.do(t, 1) // for the first line; the same map is wanted now
	for range 10 * 50 {
		if ts.play(1, p, msg7.PlayerInput{TargetX: 1}); ts.srv.maps.Played().Name != "teeyard1" {
			t.Fatal("changed before the end of the match was shown")
		}
	}
	now := ts.now
	if n := testenv.Allocated(func() { ts.step(1) }); n > uint64(side*side/4) && !testenv.Race {
		t.Errorf("%d bytes allocated in the tick that changes to a map of %d tiles", n, side*side)
	}
	if ts.srv.maps.Played().Name != "large" || ts.srv.clock.start != now.Add(tickDuration) || ts.session(p).state != stateConnecting {
		t.Errorf("playing %s since %v", ts.srv.maps.Played().Name, ts.srv.clock.start)
	}
	if p.Ready().StartInfo("player").EnterGame(); files.opened != 4 { // the map, its other form, and what operators may have for it
		t.Errorf("%d files were opened", files.opened)
	}
	if ts.step(2); ts.session(p).state != stateInGame {
		t.Error("the player is not in the game")
	}
}

// TestLastMapChangeCounts asks for several maps in a row, each while the one before is
// being read. One is read at a time, and the last one counts.
func TestLastMapChangeCounts(t *testing.T) {
	testenv.OneGoroutine(t)
	files := damagedMaps()
	for _, name := range []string{"a", "b"} {
		files["maps/"+name+".map"] = &fstest.MapFile{Data: maps.Default().Data}
	}
	for _, c := range []struct {
		lines  string
		played string // the maps of the worlds, after the first
	}{
		{"sv_map a|sv_map b", "b"},
		{"sv_map a|sv_map b|sv_map a", "a"},
		{"sv_map a|sv_map teeyard1", ""},
		{"sv_map a|sv_map half", ""},
		{"sv_map half|sv_map a", "a"},
		{"change_map a|change_map b", "b"},
		{"sv_map a|change_map b", "b"},
		{"change_map a|sv_map b", "b"},
		{"change_map a|change_map half", ""},
		{"change_map half|change_map a", "a"},
		{"change_map half|reload", "teeyard1"},
		{"reload|reload", "teeyard1"},
		{"sv_map a|reload", "a"},
		{"reload|sv_map a", "a"},
		{"sv_maprotation a b|change_map", "a"},
		{"sv_maprotation half|change_map", ""},
		{"sv_maprotation a|change_map b", "b"},
	} {
		var s memoryReplays
		var played []string
		ts := newTestServerWith(t, Config{Files: files, Replays: &s, Observers: []Observer{ObserverFunc(func(tick *Tick) {
			for _, e := range tick.Events {
				if e, ok := e.(event.MapChange); ok {
					played = append(played, e.Map)
				}
			}
		})}})
		var work heldWork
		work.hold(ts)
		p := ts.join(local(1), "player")
		played = nil
		for line := range strings.SplitSeq(c.lines, "|") {
			if ts.srv.Execute(line); strings.HasPrefix(line, "sv_maprotation ") {
				work.do(t, 1) // looks whether the maps are there
			}
			ts.play(3, p, msg7.PlayerInput{TargetX: 1})
			if len(work) > 1 {
				t.Errorf("%s: %d maps are read at once", c.lines, len(work))
			}
		}
		for i := range 25 * 50 {
			if i%10 == 0 {
				work.do(t, len(work))
			}
			if len(work) > 1 {
				t.Fatalf("%s: %d maps are read at once", c.lines, len(work))
			}
			ts.play(1, p, msg7.PlayerInput{TargetX: 1})
			if ts.session(p).state == stateConnecting {
				p.Ready().StartInfo("player").EnterGame()
			}
		}
		if got := strings.Join(played, " "); got != c.played {
			t.Errorf("%s: played %q, want %q; log\n%s", c.lines, got, c.played, ts.log.String())
		}
		if ts.session(p).state != stateInGame || ts.srv.maps.Settings.Map != ts.srv.maps.Played().Setting {
			t.Errorf("%s: sv_map %q", c.lines, ts.srv.maps.Settings.Map)
		}
		ts.srv.Shutdown(ts.now, "")
		s.verify(t, 1+len(played))
	}
}

// TestRotationIsReadAhead checks that the next map in the rotation is read while the
// scoreboard is shown, so that no tick of another match is played on the map before.
func TestRotationIsReadAhead(t *testing.T) {
	files := fstest.MapFS{"maps/a.map": {Data: maps.Default().Data}}
	ts := newTestServer(t, files, "sv_maprotation a teeyard1")
	var work heldWork
	work.hold(ts)
	p := ts.join(local(1), "player")
	ts.srv.Execute("change_map")
	ts.play(100, p, msg7.PlayerInput{TargetX: 1})
	work.do(t, 1)
	for ts.srv.maps.Played().Name == "teeyard1" {
		if ts.play(1, p, msg7.PlayerInput{TargetX: 1}); ts.srv.world.Tick() > 0 && !ts.srv.world.Paused() {
			t.Fatal("another match begins on the map before")
		}
	}
	// A match that goes on does not keep the map that was read.
	ts.srv.Execute("sv_maprotation teeyard1 a")
	work.do(t, 1) // looks whether the maps are there
	p.Ready().StartInfo("player").EnterGame()
	ts.play(50, p, msg7.PlayerInput{TargetX: 1})
	ts.srv.Execute("change_map")
	ts.play(50, p, msg7.PlayerInput{TargetX: 1})
	work.do(t, 1)
	ts.srv.Execute("sv_matches_per_map 5; sv_maprotation \"\"")
	if ts.play(12*50, p, msg7.PlayerInput{TargetX: 1}); ts.srv.maps.Played().Name != "a" {
		t.Errorf("playing %s", ts.srv.maps.Played().Name)
	}
}

// TestMapsTakeLittleMemory checks that reading a map takes no memory for images, and keeps only the
// file and the tiles.
func TestMapsTakeLittleMemory(t *testing.T) {
	testenv.OneGoroutine(t)
	l := twmap.NewGameLayer(500, 500)
	l.Set(5, 5, twmap.Spawn, 0)
	l.Version = 4 // so that there is a second file, for older clients
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, l)}}
	for range 8 {
		m.Images = append(m.Images, twmap.Image{Name: "large", Width: 1024, Height: 1024, Pixels: make([]byte, 4<<20), Format: 1})
	}
	file := testenv.Must(m.Bytes())
	ts := newTestServer(t, fstest.MapFS{"maps/pictures.map": {Data: file}})
	before := heapInUse()
	n := testenv.Allocated(func() {
		ts.srv.Execute("sv_map pictures")
		ts.step(1)
	})
	if ts.srv.maps.Played().Name != "pictures" || ts.srv.maps.Played().Compatible() == &ts.srv.maps.Played().Map {
		t.Fatal(ts.log.String())
	}
	if n > 12<<20 {
		t.Errorf("%d MB allocated to read a map with 32 MB of images", n>>20)
	}
	if kept := int64(heapInUse()) - int64(before); kept > 3<<20 {
		t.Errorf("%d KB kept of a file of %d KB", kept>>10, len(file)>>10)
	}
}

// hangingFS has a map on a disk that does not answer until release is closed.
type hangingFS struct {
	fs.FS
	release chan struct{}
}

func (h hangingFS) Open(name string) (fs.File, error) {
	if name == "maps/a.map" {
		<-h.release
	}
	return h.FS.Open(name)
}

// TestMapChangeInAGoroutine changes the map of a server as it is, without the test's hold on
// its goroutines, after a disk that hung.
func TestMapChangeInAGoroutine(t *testing.T) {
	files := hangingFS{fstest.MapFS{"maps/a.map": {Data: maps.Default().Data}}, make(chan struct{})}
	ts := newTestServer(t, files)
	ts.srv.cfg.Background = func(f func()) { go f() }
	p := ts.join(local(1), "player")
	for _, line := range []string{"change_map a", "sv_map a"} {
		ts.srv.Execute(line)
		if ts.play(100, p, msg7.PlayerInput{TargetX: 1}); ts.srv.maps.Played().Name != "teeyard1" || ts.session(p).state != stateInGame {
			t.Fatal("the game does not go on")
		}
	}
	close(files.release)
	testenv.Eventually(t, "the new map", func() bool {
		ts.step(1)
		return ts.srv.maps.Played().Name == "a"
	})
	if p.Ready().StartInfo("player").EnterGame(); ts.session(p).state != stateEntering {
		t.Error("the player does not get in")
	}
}

// TestChangeMapSaysWhatIsWrong checks that an operator who asks for a map gets its error, also at a
// console that gets no later lines.
func TestChangeMapSaysWhatIsWrong(t *testing.T) {
	ts := newTestServer(t, damagedMaps())
	k := hlClient{ts, public(1)}
	for name, want := range map[string]string{
		"half": "change_map: sv_map \"half\": ", "nolayer": "no game layer", "nowhere": gamemap.ErrNoMap.Error(), "../x": "not a map name",
	} {
		if got := k.rcon("adminpw", "change_map "+name); !strings.Contains(got, want) || ts.srv.maps.Next() != "" {
			t.Errorf("%s: %q, asked for %q", name, got, ts.srv.maps.Next())
		}
	}
}

// terrainMod keeps the terrain that a mod gets.
type terrainMod struct{ terrain game.Terrain }

func (m *terrainMod) Start(setup *game.Setup) { m.terrain = setup.Map().Terrain() }

// TestModsGetAllLayersAndSettings plays a map with all layers of DDNet; the log has them too.
func TestModsGetAllLayersAndSettings(t *testing.T) {
	g := twmap.NewGameLayer(20, 10)
	g.Set(3, 8, twmap.Spawn, 0)
	g.Set(5, 5, 60, twmap.Rotate|twmap.Opaque)
	group := twmap.NewGroup("Game", 100, 100, g)
	for slot, l := range []struct {
		kind twmap.TileKind
		tile []byte
	}{
		{twmap.KindTele, []byte{7, 26}}, {twmap.KindSpeed, []byte{1, 2, 28, 0, 0x0e, 0x01}}, {twmap.KindFront, []byte{9, twmap.FlipH, 0, 0}},
		{twmap.KindSwitch, []byte{3, 22, twmap.Rotate, 4}}, {twmap.KindTune, []byte{5, 68}},
	} {
		layer := twmap.NewTileLayer("", 20, 10, twmap.None)
		layer.Kind, layer.DDNetData = l.kind, new([5][]byte)
		data := make([]byte, 200*len(l.tile))
		copy(data[(100+slot)*len(l.tile):], l.tile)
		layer.DDNetData[slot] = data
		group.Layers = append(group.Layers, layer)
	}
	m := twmap.Map{Groups: []twmap.Group{group}, Info: twmap.Info{Settings: []string{"tune gravity 0.3", "sv_x 1"}}}
	made, verified := &terrainMod{}, &terrainMod{}
	var s memoryReplays
	tn := newTestNetworkWith(t, netsim.Link{}, 1, Config{
		Files:   fstest.MapFS{"maps/layers.map": {Data: testenv.Must(m.Bytes())}},
		FindMod: func(string) (func() game.Mod, error) { return func() game.Mod { return made }, nil },
		Replays: &s,
	}, "sv_map layers; sv_mods terrain; sv_replay 1")
	tn.play(1, time.Second)
	tn.srv.record.Close(replay.EndShutdown)
	r := s.reader(t, testenv.Must(s.Names())[0])
	_, err := replay.Verify(r, replay.VerifyConfig{Modes: builtin.Modes().New, NewMod: func(info replay.ModInfo) (game.Mod, error) {
		testenv.Check(t, info.Name == "terrain", "the log has the mod %+v", info)
		return verified, nil
	}})
	testenv.NoError(t, err)
	for what, tr := range map[string]game.Terrain{"server": made.terrain, "log": verified.terrain} {
		testenv.Require(t, len(tr.Tele) == 200 && len(tr.Speedup) == 200 && len(tr.Front) == 200 && len(tr.FrontFlags) == 200 &&
			len(tr.Switch) == 200 && len(tr.Tune) == 200 && len(tr.Flags) == 200, "%s: layers are missing", what)
		testenv.Check(t, tr.Tele[100] == game.TeleTile{Number: 7, Type: 26} &&
			tr.Speedup[101] == game.SpeedupTile{Force: 1, MaxSpeed: 2, Type: 28, Angle: 270} &&
			tr.Front[102] == 9 && tr.FrontFlags[102] == game.TileFlipY &&
			tr.Switch[103] == game.SwitchTile{Number: 3, Type: 22, Flags: game.TileRotate, Delay: 4} &&
			tr.Tune[104] == game.TuneTile{Number: 5, Type: 68} && tr.Tiles[105] == 60 && tr.Flags[105] == game.TileRotate, "%s: wrong tiles", what)
		testenv.Check(t, slices.Equal(tr.Settings, m.Info.Settings), "%s: settings %q", what, tr.Settings)
	}
	group.Layers[1].(*twmap.TileLayer).DDNetData[0] = make([]byte, 399)
	_, err = New(Config{Files: fstest.MapFS{"maps/layers.map": {Data: testenv.Must(m.Bytes())}}, Commands: []string{"sv_map layers"}})
	testenv.Check(t, err != nil && strings.Contains(err.Error(), `sv_map "layers": twmap: malformed map: tele layer of 20×10 tiles with 399 bytes`), "%v", err)
}

// TestUnsupportedTilesAreNamed loads a map of DDRace with what means nothing.
func TestUnsupportedTilesAreNamed(t *testing.T) {
	g := twmap.NewGameLayer(20, 10)
	g.Set(3, 8, twmap.Spawn, 0)
	for x := 5; x < 8; x++ {
		g.Set(x, 5, 250, 0)
	}
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, g)}, Info: twmap.Info{Settings: []string{"sv_hit 0", "sv_x \x1b1"}}}
	ts := newTestServerWith(t, Config{
		Files: fstest.MapFS{"maps/odd.map": {Data: testenv.Must(m.Bytes())}}, Modes: mode.List{{Name: "ddrace", New: ddrace.New}},
	}, "sv_map odd; sv_gametype ddrace")
	log := ts.log.String()
	for _, want := range []string{
		"sv_map 'odd': game layer, tile 5, 5: index 250 means nothing here (and 2 more)",
		`sv_map 'odd': map settings: "sv_x \x1b1": no command or variable of DDRace that a map may have`,
	} {
		testenv.Check(t, strings.Contains(log, want), "no %q in\n%s", want, log)
	}
}

// TestMapChoosesGameType checks that a map has its game type unless sv_gametype is set, in which
// DDRace has no score limit.
func TestMapChoosesGameType(t *testing.T) {
	files := fstest.MapFS{}
	for name, index := range map[string]uint8{"cold": 9, "plain": 2} {
		g := twmap.NewGameLayer(20, 10)
		g.Set(3, 8, twmap.Spawn, 0)
		g.Set(9, 5, index, 0)
		m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, g)}}
		files["maps/"+name+".map"] = &fstest.MapFile{Data: testenv.Must(m.Bytes())}
	}
	cfg := Config{
		Files: files, Modes: append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New}),
		ChooseMode: func(t *game.Terrain) (name, reason string) {
			if slices.Contains(t.Tiles, 9) {
				return "ddrace", "freeze"
			}
			return "", ""
		},
	}
	ts := newTestServerWith(t, cfg, "sv_map cold")
	plays := func(mode string, limit int32) {
		t.Helper()
		ts.step(3)
		w := ts.srv.world
		testenv.Check(t, w.ModeName() == mode && w.Rules().ScoreLimit == limit && w.Frame().Game.ScoreLimit == limit,
			"%s to %d and %d is played, want %s to %d", w.ModeName(), w.Rules().ScoreLimit, w.Frame().Game.ScoreLimit, mode, limit)
		rule := wire.Rule{Name: "sv_scorelimit", Value: fmt.Sprint(limit)}
		testenv.Check(t, slices.Contains(ts.srv.listing.HalfLife.Rules(nil), rule), "Half-Life's rules are without %v", rule)
	}
	plays("DDraceNetwork", 0)
	const why = "sv_gametype is not set, and map 'cold' has freeze, so the game type is ddrace"
	testenv.Check(t, strings.Count(ts.log.String(), why) == 1, "no %q in\n%s", why, ts.log)
	inactive := func(minutes int32) {
		t.Helper()
		ts.step(3)
		testenv.Check(t, ts.srv.world.Rules().InactiveTime == minutes, "inactive after %d minutes, want %d", ts.srv.world.Rules().InactiveTime, minutes)
	}
	inactive(0)
	ts.srv.Execute("sv_scorelimit 30")
	plays("DDraceNetwork", 0)
	ts.srv.Execute("sv_map plain")
	plays("DM", 30)
	ts.srv.Execute("sv_map cold")
	plays("DDraceNetwork", 0)
	for line, want := range map[string]string{"change_map": "changing to map 'cold'", "change_map cold": "changing to map 'cold'",
		"change_map nowhere": "map not found"} {
		before := ts.srv.world
		ts.log.Reset()
		ts.srv.Execute(line) // DDNet has no end of a match to wait for
		testenv.Check(t, strings.Contains(ts.log.String(), want), "%s: %s", line, ts.log)
		plays("DDraceNetwork", 0)
		testenv.Check(t, (ts.srv.world == before) == (line == "change_map nowhere"), "%s: another world: %v", line, ts.srv.world != before)
	}
	ts.srv.Execute("change_map plain")
	plays("DM", 30)
	inactive(3)
	ts.srv.Execute("sv_map cold")
	plays("DDraceNetwork", 0)
	ts.srv.Execute("sv_gametype dm; reload") // the default, but said
	plays("DM", 30)

	ts = newTestServerWith(t, cfg, "sv_map cold")
	ts.srv.Execute("sv_inactivekick_time 3") // the same
	inactive(3)
	ts = newTestServerWith(t, cfg, "sv_map cold; sv_inactivekick_time 5")
	inactive(5)

	testenv.Check(t, strings.Contains(newTestServerWith(t, cfg, "sv_map cold; sv_gametype tdm").log.String(), "gametype TDM"),
		"the operator's word does not count")
	var store memoryStore
	cfg.Resume = &store
	ts = newTestServerWith(t, cfg, "sv_map cold; sv_resume 1")
	ts.srv.Execute("sv_gametype dm; reload")
	ts.step(3)
	ts.joinAs(client07, ip(1), "dora")
	ts.step(250)
	next := newTestServerWith(t, cfg, "sv_map cold; sv_resume 1")
	testenv.Check(t, next.srv.numHeld() == 1 && next.srv.world.ModeName() == "DM", "%d players and %s are resumed\n%s",
		next.srv.numHeld(), next.srv.world.ModeName(), next.log)
	next = newTestServerWith(t, cfg, "sv_map cold; sv_resume 1; sv_gametype tdm")
	testenv.Check(t, next.srv.world.ModeName() == "TDM", "%s goes on", next.srv.world.ModeName())

	cfg.ChooseMode, cfg.Resume = nil, nil
	testenv.Check(t, strings.Contains(newTestServerWith(t, cfg, "sv_map cold").log.String(), "gametype DM"), "nobody chooses, and it is not dm")
}
