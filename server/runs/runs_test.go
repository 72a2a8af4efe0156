package runs_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/replaytest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/folder"
	"github.com/teeyard/teeyard/server/record"
	"github.com/teeyard/teeyard/server/runs"
	"github.com/teeyard/teeyard/server/storage"
)

// This server keeps its race results in ranks.journal, and the runs with the best times of players
// in replays/finishes.
func ExampleNew() {
	const logs = "replays"
	s, err := server.New(server.Config{
		Commands: []string{"sv_gametype race", "sv_ranks ranks.journal"},
		Replays:  folder.Recordings{Path: logs},
		OpenRanks: func(name string) storage.Ranks {
			return runs.New(runs.Config{
				Ranks:  rank.Open(rank.Config{Path: name}),
				Dir:    logs,
				Verify: replay.VerifyConfig{Modes: builtin.Modes().New},
			})
		},
	})
	_, _ = s, err // see package server
}

var verify = replay.VerifyConfig{Modes: replaytest.Modes}

// logName is the name of the log of the race.
const logName = "2026-01-02_030405_course.twreplay"

// race is a folder of replay logs with a race, and the Keeper of its runs.
type race struct {
	t        *testing.T
	dir      string
	log      []byte
	finishes []game.RankRequest
	keeper   *runs.Keeper
	said     testenv.Buffer
}

// newRace returns a race whose log contains nothing yet. The lines set variables.
func newRace(t *testing.T, lines ...string) *race {
	t.Helper()
	r := &race{t: t, dir: t.TempDir()}
	var err error
	r.log, r.finishes, err = replaytest.Race()
	testenv.NoError(t, err)
	r.write(0)
	var settings runs.Settings
	c := testenv.Must(console.New(console.Config{}))
	testenv.NoError(t, settings.Register(c))
	for _, line := range lines {
		c.Execute(line, console.Caller{Flags: console.Server})
	}
	r.keeper = runs.New(runs.Config{
		Ranks: rank.Open(rank.Config{Path: filepath.Join(r.dir, "ranks.journal")}), Dir: r.dir, Settings: &settings, Verify: verify,
		Log: slog.New(slog.NewTextHandler(&r.said, nil)),
	})
	return r
}

// write writes the first n bytes of the log.
func (r *race) write(n int) {
	r.t.Helper()
	testenv.NoError(r.t, os.WriteFile(filepath.Join(r.dir, logName), r.log[:n], 0o600))
}

// finish stores a finish in the ranks.
func (r *race) finish(f game.RankRequest) {
	r.t.Helper()
	f.Map = "course"
	answered := make(chan game.RankAnswer, 1)
	r.keeper.Submit(&f, game.RankOrigin{ID: storage.RankID(&f, "world"), GameID: "world", Log: logName}, func(a game.RankAnswer) { answered <- a })
	a := <-answered
	testenv.Require(r.t, a.Err == "", "%+v", a)
}

// kept returns the names of the files with runs.
func (r *race) kept() []string {
	names, _ := filepath.Glob(filepath.Join(r.dir, runs.Folder, "*"+record.ReplaySuffix))
	return names
}

// TestKept checks which finishes are kept for each value of sv_replay_finishes. The third finish of
// ann is slower than the others. The finish of bob is the first one, but not the best on the map.
func TestKept(t *testing.T) {
	for line, want := range map[string]int{"": 3, "sv_replay_finishes 0": 0, "sv_replay_finishes 1": 2, "sv_replay_finishes 3": 4} {
		synctest.Test(t, func(t *testing.T) {
			r := newRace(t, line)
			r.write(len(r.log))
			for _, f := range r.finishes {
				r.finish(f)
				time.Sleep(time.Minute)
			}
			bob := r.finishes[2]
			bob.Names, bob.Begin, bob.End = []string{"bob"}, bob.Begin-1, bob.End-1
			r.finish(bob)
			time.Sleep(time.Minute)
			testenv.NoError(t, r.keeper.Close())
			testenv.Check(t, len(r.kept()) == want && r.said.String() == "", "%q: kept %q, said %q", line, r.kept(), &r.said)
		})
	}
}

// TestLogStillWritten checks that the Keeper waits for a log that does not contain the finish yet,
// and logs once that a log never contained one.
func TestLogStillWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRace(t)
		r.write(len(r.log) / 4)
		r.finish(r.finishes[1])
		time.Sleep(7 * time.Second)
		synctest.Wait()
		testenv.Check(t, len(r.kept()) == 0, "kept %q before the end of the run", r.kept())
		r.write(len(r.log))
		time.Sleep(3 * time.Second)
		testenv.Eventually(t, "the run is kept", func() bool { return len(r.kept()) == 1 })

		late := r.finishes[1] // better and better, in ticks that never come
		late.End += 1 << 20
		late.Time--
		r.finish(late)
		time.Sleep(time.Minute)
		late.End++
		late.Time--
		r.finish(late)
		time.Sleep(time.Minute)
		testenv.NoError(t, r.keeper.Close())
		testenv.Check(t, len(r.kept()) == 1 && strings.Count(r.said.String(), "cannot be kept: the log ends before the finish") == 1, "%q", &r.said)
		left, _ := filepath.Glob(filepath.Join(r.dir, runs.Folder, "*.new"))
		testenv.Check(t, len(left) == 0, "%q is left", left)
	})
}

// TestTeam checks that the description of a run names all members of a team who finished.
func TestTeam(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRace(t)
		r.write(len(r.log))
		f := r.finishes[0]
		for _, name := range []string{"ann", "bob", "bob"} {
			f.Names = []string{name}
			r.finish(f)
			time.Sleep(time.Minute)
		}
		testenv.NoError(t, r.keeper.Close())
		testenv.Require(t, len(r.kept()) == 1, "kept %q", r.kept())
		run, ok := runs.Read(r.kept()[0])
		testenv.Check(t, ok && slices.Equal(run.Names, []string{"ann", "bob"}) && run.Time == f.Time, "%+v", run)
		_, ok = runs.Read(filepath.Join(r.dir, logName))
		testenv.Check(t, !ok, "the whole log has a description")
	})
}

// TestLimit checks that the oldest files beyond the limit are deleted with their descriptions, and
// what a killed server left behind.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRace(t, "sv_replay_finishes_max_mb 1")
		dir := filepath.Join(r.dir, runs.Folder)
		testenv.NoError(t, os.Mkdir(dir, 0o755))
		for name, age := range map[string]time.Duration{"new.twreplay": 0, "old.twreplay": time.Hour, "older.twreplay": 2 * time.Hour,
			"a.new": 0, "b.new": 2 * time.Hour} {
			name = filepath.Join(dir, name)
			size := 600 << 10
			if strings.HasSuffix(name, ".new") {
				size = 1
			}
			at := time.Now().Add(-age - time.Minute)
			testenv.NoError(t, os.WriteFile(name, make([]byte, size), 0o600))
			testenv.NoError(t, os.Chtimes(name, at, at))
			if size > 1 {
				testenv.NoError(t, os.WriteFile(strings.TrimSuffix(name, record.ReplaySuffix)+".json", []byte("{}"), 0o600))
			}
		}
		r.write(len(r.log))
		r.finish(r.finishes[0])
		time.Sleep(time.Minute)
		testenv.NoError(t, r.keeper.Close())
		var left []string
		for _, e := range testenv.Must(os.ReadDir(dir)) {
			left = append(left, e.Name())
		}
		run := filepath.Base(runs.File(logName, r.finishes[0].Begin, r.finishes[0].End))
		want := []string{strings.TrimSuffix(run, record.ReplaySuffix) + ".json", run, "a.new", "new.json", "new.twreplay"}
		testenv.Check(t, slices.Equal(left, want), "left %q, want %q", left, want)
	})
}

// TestVerify checks that a run that was cut out shows its finish, and no other.
func TestVerify(t *testing.T) {
	log, finishes, err := replaytest.Race()
	testenv.NoError(t, err)
	f := finishes[1]
	var part bytes.Buffer
	testenv.NoError(t, runs.Cut(&part, bytes.NewReader(log), f.Begin, f.End, verify))
	same := func(r *game.RankRequest) bool { return r.Time == f.Time && slices.Equal(r.Names, f.Names) }
	for _, c := range []struct {
		name  string
		log   []byte
		end   int32
		is    func(*game.RankRequest) bool
		first int32
		err   error
	}{
		{"the run", part.Bytes(), f.End, same, f.Begin - game.TickRate, nil},
		{"the whole log", log, f.End, same, 0, nil},
		{"another player or time", part.Bytes(), f.End, func(*game.RankRequest) bool { return false }, 0, runs.ErrNotShown},
		{"another tick", log, f.End - 1, same, 0, runs.ErrNotShown},
		{"a tick after the end", part.Bytes(), f.End + 100, same, 0, runs.ErrNotShown},
	} {
		first, err := runs.Verify(bytes.NewReader(c.log), c.end, c.is, verify)
		testenv.Check(t, first == c.first && errors.Is(err, c.err), "%s: begins with tick %d, %v", c.name, first, err)
	}
	if err := runs.Cut(&part, bytes.NewReader(log[:len(log)/4]), f.Begin, f.End, verify); !errors.Is(err, runs.ErrEarly) {
		t.Errorf("a log that ends early: %v", err)
	}
	_, err = runs.Verify(bytes.NewReader(part.Bytes()), f.End, same, replay.VerifyConfig{})
	testenv.Check(t, errors.Is(err, replay.ErrModeUnavailable), "without the mode: %v", err)
}
