package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/script"
)

// ddraceConfig returns the configuration of a server with the map race, of 40 × 10 tiles of DDRace.
// The functions in paint add tiles.
func ddraceConfig(paint ...func(*twmap.TileLayer)) Config {
	const w, h = 40, 10
	g := twmap.NewGameLayer(w, h)
	for x := range w {
		g.Set(x, 0, 1, 0)
		g.Set(x, h-1, 1, 0)
	}
	for y := range h {
		g.Set(0, y, 1, 0)
		g.Set(w-1, y, 1, 0)
	}
	g.Set(20, h-2, twmap.Spawn, 0)
	g.Set(25, h-2, 9, 0) // freeze
	for _, f := range paint {
		f(g)
	}
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, g)}}
	data, err := m.Bytes()
	if err != nil {
		panic(err)
	}
	return Config{
		Files: fstest.MapFS{"maps/race.map": {Data: data}},
		Modes: append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New}),
	}
}

// scriptFiles are scripts by their names.
type scriptFiles map[string]string

func (f scriptFiles) find(name string) (func() game.Mod, error) {
	source, ok := f[name]
	if !ok {
		return nil, errors.New("there is no such file")
	}
	cfg := script.Config{Name: "mods/" + name + ".lua", Source: source}
	if _, err := script.New(cfg); err != nil {
		return nil, err
	}
	return func() game.Mod { return testenv.Must(script.New(cfg)) }, nil
}

func newScript(info replay.ModInfo) (game.Mod, error) {
	return script.New(script.Config{Name: "mods/" + info.Name + ".lua", Source: string(info.Source), Costs: info.Costs})
}

// memoryReplays is a folder in memory.
type memoryReplays struct {
	mu    sync.Mutex
	files map[string]*bytes.Buffer
}

type memoryReplay struct {
	s *memoryReplays
	b *bytes.Buffer
}

func (s *memoryReplays) Create(name string) (io.WriteCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]*bytes.Buffer{}
	}
	if s.files[name] != nil {
		return nil, fs.ErrExist
	}
	s.files[name] = &bytes.Buffer{}
	return memoryReplay{s, s.files[name]}, nil
}

func (s *memoryReplays) Names() ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.files)), nil
}

func (s *memoryReplays) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, name)
	return nil
}

func (f memoryReplay) Write(b []byte) (int, error) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.b.Write(b)
}

func (f memoryReplay) Close() error { return nil }

// verifiedLog is the content of a replay log.
type verifiedLog struct {
	replay.Result
	commands map[game.CommandKind]int
}

// verify replays all logs, oldest first. Their number must be n.
func (s *memoryReplays) verify(t testing.TB, n int, mods ...func() game.Mod) (logs []verifiedLog) {
	t.Helper()
	names, _ := s.Names()
	if len(names) != n {
		t.Fatalf("%d logs, want %d", len(names), n)
	}
	for _, name := range names {
		l := verifiedLog{commands: map[game.CommandKind]int{}}
		var err error
		l.Result, err = replay.Verify(s.reader(t, name), replay.VerifyConfig{
			Modes: builtin.Modes().New, Mods: mods, OnTick: func(_ *game.World, tick *replay.Tick, _ []game.Event) {
				for i := range tick.Commands {
					l.commands[tick.Commands[i].Kind]++
				}
			},
		})
		// A log that is still written has no end.
		if between := strings.Contains(fmt.Sprint(err), "where a block or the end should follow"); err != nil && !between {
			t.Errorf("%v (%+v)", err, l.Result)
		}
		logs = append(logs, l)
	}
	return logs
}

// reader reads a log.
func (s *memoryReplays) reader(t testing.TB, name string) *replay.Reader {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return testenv.Must(replay.NewReader(bytes.NewReader(bytes.Clone(s.files[name].Bytes()))))
}

// newRecordedNetwork starts a network with a server whose matches are recorded.
func newRecordedNetwork(t testing.TB, s *memoryReplays, seed uint64, commands ...string) *testNetwork {
	t.Helper()
	return newTestNetworkWith(t, netsim.Link{Delay: 20 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.02}, seed,
		Config{Replays: s}, commands...)
}

// play lets so many players join and wander for a while.
func (tn *testNetwork) play(players int, length time.Duration) {
	tn.t.Helper()
	for i := range players {
		p := tn.join(i+1, fmt.Sprintf("bot %d", i))
		p.moveRandomly()
	}
	tn.run(length)
}

// TestTooLongMessagesAreCounted checks that a message that fits no datagram is counted and costs no
// client its connection.
func TestTooLongMessagesAreCounted(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(ip(1), "player")
	c := ts.session(p)
	c.Queue(make([]byte, 1500), true)
	c.Queue(make([]byte, 1500), false)
	ts.idle(10, p)
	if n := ts.srv.Drops()["too_long"]; n != 2 || ts.session(p) != c {
		t.Errorf("%d are counted; %q", n, p.Reason)
	}
}
