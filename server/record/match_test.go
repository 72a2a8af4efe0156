package record_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	embedded "github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/record"
)

// folder is a folder in memory.
type folder struct {
	mu     sync.Mutex
	files  map[string]*bytes.Buffer
	broken error         // what Create and Write fail with
	full   error         // what Write fails with
	hang   chan struct{} // if set, Write waits for it
}

// newFolder returns a folder with empty files.
func newFolder(names ...string) *folder {
	f := &folder{files: map[string]*bytes.Buffer{}}
	for _, n := range names {
		f.files[n] = &bytes.Buffer{}
	}
	return f
}

// file is an open file of a folder.
type file struct {
	in *folder
	*bytes.Buffer
}

func (f *folder) Create(name string) (io.WriteCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.broken != nil:
		return nil, f.broken
	case f.files[name] != nil:
		return nil, fs.ErrExist
	}
	f.files[name] = &bytes.Buffer{}
	return file{f, f.files[name]}, nil
}

func (f *folder) Names() ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.files)), nil
}

func (f *folder) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.files, name)
	return nil
}

func (f file) Write(b []byte) (int, error) {
	if f.in.hang != nil {
		<-f.in.hang
	}
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	if err := cmp.Or(f.in.broken, f.in.full); err != nil {
		return 0, err
	}
	return f.Buffer.Write(b)
}

func (file) Close() error { return nil }

// fail makes the folder fail with an error, nil for none.
func (f *folder) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = err
}

// verify reruns the only log. The log may have no end yet.
func (f *folder) verify(t testing.TB) (res replay.Result, size int) {
	t.Helper()
	names, _ := f.Names()
	testenv.Require(t, len(names) == 1, "the files are %q", names)
	content := f.files[names[0]].Bytes()
	r := testenv.Must(replay.NewReader(bytes.NewReader(content)))
	res, err := replay.Verify(r, replay.VerifyConfig{Modes: func(string) (game.Mode, bool) { return dm.Mode{}, true }})
	if err != nil && !strings.Contains(err.Error(), "where a block or the end should follow") {
		t.Errorf("%v (%+v)", err, res)
	}
	return res, len(content)
}

// match is a recorded match without a server. It implements record.Host.
type match struct {
	t          testing.TB
	rec        *record.Recorder
	console    *console.Console
	world      *game.World
	commands   []game.Command // of the next tick
	log        bytes.Buffer
	restarts   int
	hasClients bool
}

// newMatch begins a match. The host of cfg is the match.
func newMatch(t testing.TB, cfg record.Config, lines ...string) *match {
	t.Helper()
	m := &match{t: t, hasClients: true}
	cfg.Host, cfg.Program = m, "test"
	m.rec = record.New(cfg)
	m.console = testenv.Must(console.New(console.Config{Output: m.Print}))
	testenv.NoError(t, m.rec.Register(m.console))
	for _, l := range lines {
		m.run(l)
	}
	m.console.Start()
	m.begin()
	return m
}

// run runs a line of the console.
func (m *match) run(line string) { m.console.Execute(line, console.Operator) }

// begin begins another match on the map.
func (m *match) begin() {
	m.t.Helper()
	m.rec.End()
	data, _ := embedded.Find("testbox")
	layer := testenv.Must(twmap.Parse(data.Data)).GameLayer()
	rules := game.DefaultRules()
	rules.ScoreLimit, rules.InactiveTime = 0, 0
	cfg := game.Config{
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Mode:    dm.Mode{}, Rules: rules, Seed: 7,
	}
	m.world = testenv.Must(game.New(cfg))
	file := &bridge.Map{Name: data.Name, File: data.Data, CRC: crc32.ChecksumIEEE(data.Data), SHA256: sha256.Sum256(data.Data)}
	m.rec.Begin(record.Match{
		World: m.world, Map: file, Terrain: cfg.Terrain, GameType: "dm", Mode: cfg.Mode, Rules: rules, Tuning: m.world.Tuning(), Seed: cfg.Seed,
		MapFor: func(recorder.Format) (*bridge.Map, error) { return file, nil },
	})
}

// join lets players join in the next tick.
func (m *match) join(players int) *match {
	for id := range game.PlayerID(players) {
		m.commands = append(m.commands, bridgetest.Join(id, game.Profile{Name: fmt.Sprint("player ", id)})...)
	}
	return m
}

// step runs ticks in which players move.
func (m *match) step(ticks int) {
	for range ticks {
		for _, p := range m.world.Frame().Players {
			in := game.Input{Direction: 1 - m.world.Tick()/100%3, TargetX: m.world.Tick() % 50, TargetY: -1, Jump: m.world.Tick()%40 < 20}
			m.commands = append(m.commands, game.Command{Kind: game.CmdInput, Player: p.ID, Target: game.Nobody, Input: in})
		}
		m.tick()
	}
}

// tick runs a tick as a server does.
func (m *match) tick() {
	m.rec.BeforeTick(m.commands)
	events := m.world.Step(m.commands)
	m.rec.AfterTick(m.commands, nil, events)
	m.commands = m.commands[:0]
	for i := range events {
		m.rec.Event(&events[i])
	}
	m.rec.EndTick()
	m.rec.Update(!m.hasClients)
}

// settle waits for the disk.
func (m *match) settle() {
	m.t.Helper()
	testenv.Eventually(m.t, "everything is written", func() bool { return m.rec.Pending() == 0 })
}

// Print implements record.Host.
func (m *match) Print(_ console.Caller, _ int, system, line string) {
	fmt.Fprintf(&m.log, "[%s]: %s\n", system, line)
}

// Identity implements record.Host.
func (m *match) Identity() (name string, port int) { return "test", 8303 }

// Client implements record.Host.
func (m *match) Client(game.PlayerID) (c recorder.TeehistorianClient) { return c }

// ShowLatencies implements record.Host.
func (m *match) ShowLatencies(*recorder.Recorder) {}

// Restart implements record.Host.
func (m *match) Restart() { m.restarts++ }

var errDisk = errors.New("read-only")
