package server

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
)

// memoryReplays is a folder in memory.
type memoryReplays struct {
	mu     sync.Mutex
	files  map[string]*bytes.Buffer
	broken error         // what Create and Write fail with
	full   error         // what Write fails with
	hang   chan struct{} // if set, Write waits for it
}

type memoryReplay struct {
	s *memoryReplays
	b *bytes.Buffer
}

func (s *memoryReplays) Create(name string) (io.WriteCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return nil, s.broken
	}
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
	if f.s.hang != nil {
		<-f.s.hang
	}
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if err := cmp.Or(f.s.broken, f.s.full); err != nil {
		return 0, err
	}
	return f.b.Write(b)
}

func (f memoryReplay) WriteAt(b []byte, at int64) (int, error) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return copy(f.b.Bytes()[at:], b), f.s.broken
}

func (f memoryReplay) Close() error { return nil }

// verifiedLog is what a log has after rerunning it.
type verifiedLog struct {
	replay.Result
	header   *replay.Header
	size     int
	commands map[game.CommandKind]int
	names    map[string]bool // of players
	kills    int
}

// verify reruns all logs, oldest first, of which there must be n.
func (s *memoryReplays) verify(t testing.TB, n int, mods ...func() game.Mod) (logs []verifiedLog) {
	t.Helper()
	names, _ := s.Names()
	if len(names) != n {
		t.Fatalf("%d logs, want %d", len(names), n)
	}
	for _, name := range names {
		r := s.reader(t, name)
		l := verifiedLog{header: r.Header(), size: s.files[name].Len(), commands: map[game.CommandKind]int{}, names: map[string]bool{}}
		var err error
		l.Result, err = replay.Verify(r, replay.VerifyConfig{Modes: BuiltinModes().New, Mods: mods, OnTick: func(_ *game.World, tick *replay.Tick, events []game.Event) {
			for _, c := range tick.Commands {
				if l.commands[c.Kind]++; c.Kind == game.CmdProfile {
					l.names[c.Profile.Name] = true
				}
			}
			for i := range events {
				if events[i].Kind == game.EvKill {
					l.kills++
				}
			}
		}})
		// Tests also look at logs that are still written, or that a disk kept from having an end.
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

// TestRecordedResult: a log has the result of its match at its end, with those who left before, and of one whose next
// match has just begun that of the last.
func TestRecordedResult(t *testing.T) {
	var s memoryReplays
	tn := newRecordedNetwork(t, &s, 5, "sv_timelimit 1; sv_matches_per_map 3")
	for i := range 3 {
		tn.join(i+1, fmt.Sprintf("bot %d", i))
	}
	kill := func(id game.PlayerID) {
		tn.srv.queueCommand(game.Command{Kind: game.CmdKill, Player: id, Target: game.Nobody})
		tn.run(5 * time.Second)
	}
	kill(0)
	kill(1)
	kill(1)
	tn.players[1].Close(tn.now())
	isOver := func() bool { return tn.srv.world.Frame().Game.State&game.StateGameOver != 0 }
	tn.until(2*time.Minute, "the match is over", isOver)
	before := new(replay.MatchResult)
	before.Take(tn.srv.world)
	tn.until(time.Minute, "the next begins", func() bool { return !isOver() })
	tn.run(time.Second)
	tn.srv.Shutdown(tn.now(), "")
	r := s.reader(t, testenv.Must(s.Names())[0])
	if r.MatchResult() != nil {
		t.Error("there is a result before the end")
	}
	var tick replay.Tick
	for r.Next(&tick) == nil {
	}
	got := r.MatchResult()
	if got == nil || got.HasTeams() || got.IsRace() || len(got.Players) != 3 || len(before.Players) != 2 {
		t.Fatalf("%+v", got)
	}
	left := got.Players[2]
	if !slices.Equal(got.Players[:2], before.Players) || left.Name != "bot 1" || left.Score > -2 {
		t.Errorf("%+v, before %+v", got, before)
	}
	s.verify(t, 1)
}

// TestRecordedMatchReruns records a match with players who join, leave, chat, time out
// and change teams, under an operator who changes everything there is, over a map
// change. Both logs have to rerun to the same worlds.
func TestRecordedMatchReruns(t *testing.T) {
	var s memoryReplays
	tn := newRecordedNetwork(t, &s, 5)
	kills := 0
	tn.srv.cfg.Observers = []Observer{ObserverFunc(func(tick *Tick) {
		for _, e := range tick.Events {
			if _, ok := e.(event.Kill); ok {
				kills++
			}
		}
	})}
	tn.run(3 * time.Second)
	tn.play(16, 20*time.Second)
	for i, line := range []string{
		"tune gravity 0.3", "sv_scorelimit 3", "say hello", "broadcast hear", "set_team 3 -1", "pause 2", "restart 1",
		"sv_teamdamage 1", "sv_bots 20", "sv_spamprotection 0", "tune_reset", "set_team_all -1", "set_team_all 0", "kick 5 test", "lock_teams", "lock_teams",
	} {
		tn.srv.Execute(line)
		tn.players[i].sayNextLine()
		tn.run(2 * time.Second)
	}
	tn.players[2].Close(tn.now())
	tn.run(10 * time.Second)
	first := tn.srv.world.Tick()
	tn.srv.Execute("change_map testbox")
	tn.run(12 * time.Second)
	tn.srv.Shutdown(tn.now(), "")
	second, hash := tn.srv.world.Tick(), tn.srv.world.Hash()

	logs := s.verify(t, 2)
	a, b := logs[0], logs[1]
	if h := a.header; a.End != replay.EndMapChange || a.Ticks < first || h.Map != "teeyard1" || h.ModeName != "DM" || h.IdleTicks < 2*game.TickRate || h.IdleTicks > 5*game.TickRate {
		t.Errorf("first log: %+v, idle %d, map %q, mode %q", a.Result, h.IdleTicks, h.Map, h.ModeName)
	}
	if b.End != replay.EndShutdown || b.Ticks != second || b.LastGoodTick != second || b.header.Map != "testbox" {
		t.Errorf("second log: %+v, map %q; the world was at tick %d with hash %x", b.Result, b.header.Map, second, hash)
	}
	if a.kills+b.kills != kills || kills == 0 {
		t.Errorf("%d and %d deaths in the logs, %d seen", a.kills, b.kills, kills)
	}
	played := a.Ticks - a.header.IdleTicks
	if a.HashesMatched < int(played)/replay.BlockTicks {
		t.Errorf("%d hashes for %d ticks", a.HashesMatched, a.Ticks)
	}
	t.Logf("%d ticks, %d hashes, %d deaths; %.0f KB per minute", a.Ticks, a.HashesMatched, kills, float64(a.size)/1024/(float64(played)/game.TickRate/60))
}

// TestEmptyServerRecordsNothing checks that nothing is recorded without players.
func TestEmptyServerRecordsNothing(t *testing.T) {
	var s memoryReplays
	tn := newRecordedNetwork(t, &s, 1)
	tn.run(time.Minute)
	tn.srv.Shutdown(tn.now(), "")
	s.verify(t, 0)
}

func TestRecordingFollowsItsSetting(t *testing.T) {
	var s memoryReplays
	tn := newRecordedNetwork(t, &s, 1, "sv_replay 0")
	tn.play(1, time.Second)
	s.verify(t, 0)
	tn.srv.Execute("sv_replay 1")
	tn.srv.Execute("reload")
	tn.run(5 * time.Second)
	tn.srv.Execute("sv_replay 0")
	tn.run(5 * time.Second)
	tn.srv.Shutdown(tn.now(), "")
	if res := s.verify(t, 1)[0].Result; res.End != replay.EndTurnedOff || res.Ticks > 6*game.TickRate {
		t.Errorf("%+v", res)
	}
}

// TestGameGoesOnWithoutDisk checks that players do not notice a broken folder, and that operators do.
func TestGameGoesOnWithoutDisk(t *testing.T) {
	s := memoryReplays{broken: errors.New("read-only")}
	tn := newRecordedNetwork(t, &s, 1)
	tn.play(1, 3*time.Second)
	tn.srv.Execute("reload")
	tn.run(5 * time.Second)
	testenv.Check(t, tn.players[0].State() == client.Playing, "the player is out")
	problem := "matches are not recorded (sv_replay): read-only"
	testenv.Eventually(t, problem, func() bool {
		tn.run(time.Second)
		return slices.Contains(tn.srv.Problems(), problem)
	})
	s.mu.Lock()
	s.broken = nil
	s.mu.Unlock()
	testenv.Eventually(t, "the problem is over without another match", func() bool {
		tn.run(time.Second / 2)
		return len(tn.srv.Problems()) == 0
	})
	tn.srv.Execute("reload")
	testenv.Eventually(t, "a match is recorded again", func() bool {
		tn.run(5 * time.Second)
		return tn.srv.record.Log() != ""
	})
	tn.srv.Shutdown(tn.now(), "")
}

// crashMode is a mode that panics on a line of chat.
type crashMode struct{ dm.Mode }

func (crashMode) OnChat(_ *game.Ctx, c *game.ChatMessage) {
	if c.Text == "boom" {
		panic("boom")
	}
}

// TestLogOfACrashHasItsTick checks that the log of a server that crashed has the tick
// that did it.
func TestLogOfACrashHasItsTick(t *testing.T) {
	var s memoryReplays
	modes := append(BuiltinModes(), NamedMode{Name: "crash", New: func() game.Mode { return crashMode{} }})
	tn := newTestNetworkWith(t, netsim.Link{}, 1, Config{Replays: &s, Modes: modes}, "sv_gametype crash")
	tn.play(2, 3*time.Second)
	tn.srv.queueCommand(game.Command{Kind: game.CmdSay, Player: 0, Chat: game.ChatAll, Target: game.Nobody, Text: "boom"})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the mode did not panic")
			}
		}()
		tn.run(time.Second)
	}()
	tick := tn.srv.world.Tick()
	names, _ := s.Names()
	res, err := replay.Verify(s.reader(t, names[0]), replay.VerifyConfig{Modes: modes.New})
	if !errors.Is(err, replay.ErrPanic) || res.Ticks != tick {
		t.Errorf("%v, %+v; the world was at tick %d", err, res, tick)
	}
}
