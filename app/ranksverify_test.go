package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/replaytest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server/runs"
	"github.com/teeyard/teeyard/server/storage"
)

// TestRanksVerify checks that a kept run that a child process cut out shows its row of the ranks,
// and no other row.
func TestRanksVerify(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	if testenv.Race {
		t.Skip("the race detector takes more memory than such a process may have")
	}
	p := testenv.Must(newProgram(Config{}))
	log, finishes, err := replaytest.Race()
	testenv.NoError(t, err)
	dir := t.TempDir()
	replays := filepath.Join(dir, "replays")
	testenv.NoError(t, os.MkdirAll(filepath.Join(replays, runs.Folder), 0o755))
	const name = "2026-01-02_030405_course.twreplay"
	logFile := filepath.Join(replays, name)
	testenv.NoError(t, os.WriteFile(logFile, log, 0o600))
	journal := filepath.Join(dir, "ranks.journal")
	ranks := rank.Open(rank.Config{Path: journal})
	for i := range finishes {
		r := finishes[i]
		r.Map = "course"
		answered := make(chan game.RankAnswer, 1)
		ranks.Submit(&r, game.RankOrigin{ID: storage.RankID(&r, "world"), GameID: "world", Log: name}, func(a game.RankAnswer) { answered <- a })
		a := <-answered
		testenv.Require(t, a.Err == "", "finish %d: %+v", i, a)
	}
	testenv.NoError(t, ranks.Close())
	verify := func(c ranksVerifyCmd) error {
		c.Map, c.Dir, c.Ranks = "course", dir, "ranks.journal"
		return c.Run(p)
	}
	testenv.NoError(t, verify(ranksVerifyCmd{})) // in the whole log

	best := testenv.Must(rank.Best(journal, "course", "ann", false))
	run := filepath.Join(replays, runs.File(name, best.Begin, best.End))
	in, out := testenv.Must(os.Open(logFile)), testenv.Must(os.Create(run))
	apart := &jobs{program: p}
	err = apart.cut(t.Context(), out, in, best.Begin, best.End+1<<20)
	testenv.Check(t, errors.Is(err, runs.ErrEarly), "a finish that the log does not have: %v", err)
	testenv.NoError(t, out.Truncate(0))
	testenv.Must(out.Seek(0, 0))
	testenv.Must(in.Seek(0, 0))
	testenv.NoError(t, apart.cut(t.Context(), out, in, best.Begin, best.End))
	in.Close()
	out.Close()
	testenv.NoError(t, os.Remove(logFile))
	testenv.NoError(t, verify(ranksVerifyCmd{}))
	testenv.NoError(t, verify(ranksVerifyCmd{Name: "ann"}))
	err = verify(ranksVerifyCmd{Name: "nobody"})
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "no finish"), "%v", err)

	// A row of another world, and a time that no player ran.
	for _, change := range []func(*rank.Entry){func(e *rank.Entry) { e.GameID = "other" }, func(e *rank.Entry) { e.Time -= 20 },
		func(e *rank.Entry) { e.End++ }} {
		e := *best
		change(&e)
		in := testenv.Must(os.Open(run))
		_, err := p.verifyFinish(in, &e)
		in.Close()
		testenv.Check(t, errors.Is(err, runs.ErrNotShown), "%v", err)
	}
}
