package app

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/record"
)

// racedMatch is a match in which ann finishes three times: first after a detour, then faster, then
// slower again.
type racedMatch struct {
	log      []byte
	finishes []game.RankRequest
}

func playRace(t *testing.T, p *program) (m racedMatch) {
	t.Helper()
	terrain := modtest.ParseMap(map[byte]byte{'s': 33, 'f': 34},
		"#######################",
		"#     S  s       f    #",
		"#######################")
	mode, _ := p.modes.New("race")
	h := replay.Header{Program: server.Program(), Map: "course", Terrain: terrain, Rules: game.DefaultRules(), Seed: 4}
	h.Rules.Warmup = 0
	h.SetMode("race", mode, nil)
	w, err := game.New(game.Config{Mode: mode, Terrain: terrain, Rules: h.Rules, Seed: h.Seed})
	testenv.NoError(t, err)
	h.Tuning = w.Tuning()
	h.SetVariables(w)
	var log bytes.Buffer
	wr := testenv.Must(replay.NewWriter(&log, &h))
	step := func(cmds ...game.Command) {
		testenv.NoError(t, wr.RecordTick(cmds))
		for _, e := range w.Step(cmds) {
			if e.Kind == game.EvStore && e.Store.Rank != nil && e.Store.Rank.Op == game.RankFinish {
				m.finishes = append(m.finishes, *e.Store.Rank)
			}
		}
		testenv.NoError(t, wr.AfterStep(w))
	}
	step(
		game.Command{Kind: game.CmdJoin, Player: 0},
		game.Command{Kind: game.CmdProfile, Player: 0, Profile: &game.Profile{Name: "ann"}},
		game.Command{Kind: game.CmdEnterGame, Player: 0},
	)
	for _, pause := range []int{60, 20, 90} {
		done := len(m.finishes)
		for tick := 0; len(m.finishes) == done && tick < 800; tick++ {
			in := game.Input{Direction: 1, TargetX: 1}
			if f := w.Frame(); len(f.Characters) > 0 && pause > 0 && f.Characters[0].Pos.X > 10*32 {
				in.Direction = 0
				pause--
			}
			step(game.Command{Kind: game.CmdInput, Player: 0, Input: in})
		}
		step(game.Command{Kind: game.CmdKill, Player: 0})
		for range 200 {
			step(game.Command{Kind: game.CmdInput, Player: 0, Input: game.Input{TargetX: 1}})
		}
	}
	testenv.NoError(t, wr.Close(w, replay.EndShutdown))
	testenv.Require(t, len(m.finishes) == 3 && m.finishes[1].Time < m.finishes[0].Time && m.finishes[0].Time < m.finishes[2].Time, "%+v", m.finishes)
	m.log = log.Bytes()
	return m
}

// finishes checks which players are listed as finishers, each with 1 for a time.
func (k *finishLogs) finishes(t *testing.T, dir string, want ...string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(k.dir, finishDir, "*"))
	for _, name := range files {
		testenv.NoError(t, os.Chtimes(name, time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)))
	}
	rs := &recordingFiles{dir: dir, delay: func() time.Duration { return 0 }}
	rs.list()
	rs.mu.Lock()
	done := rs.findPlayers()
	rs.mu.Unlock()
	<-done
	var got []string
	for _, r := range rs.list() {
		if !r.Finish {
			continue
		}
		var all []string
		for _, p := range r.Players {
			all = append(all, fmt.Sprint(p.Name, " ", min(p.Score, 1)))
		}
		got = append(got, strings.Join(all, ", "))
	}
	slices.Sort(got)
	testenv.Check(t, slices.Equal(got, want), "%q", got)
}

// TestFinishesAreKept plays a race whose log is still being written when a finish is to be kept.
// The part with the best time outlives the log, reproduces the row of the ranks, and does not
// verify for another row.
func TestFinishesAreKept(t *testing.T) {
	p := testenv.Must(newProgram(Config{}))
	m := playRace(t, p)
	dir := t.TempDir()
	replays := filepath.Join(dir, "replays")
	testenv.NoError(t, os.MkdirAll(replays, 0o755))
	const name = "2026-01-02_030405_course.twreplay"
	logFile := filepath.Join(replays, name)
	testenv.NoError(t, os.WriteFile(logFile, m.log[:len(m.log)/4], 0o600))

	var settings finishSettings
	settings.which.Store(finishesPersonal)
	settings.megabytes.Store(1)
	journal := filepath.Join(dir, "ranks.journal")
	var said bytes.Buffer
	k := keepFinishes(rank.Open(rank.Config{Path: journal}), replays, &settings, &jobs{program: p}, slog.New(slog.NewTextHandler(&said, nil)))
	delays := 0
	k.wait = func(time.Duration) {
		if delays++; delays == 3 {
			testenv.NoError(t, os.WriteFile(logFile, m.log, 0o600))
		}
	}
	kept := func() []string {
		names, _ := filepath.Glob(filepath.Join(replays, finishDir, "*"+record.ReplaySuffix))
		return names
	}
	for i := range m.finishes {
		r := m.finishes[i]
		r.Map = "course"
		answered := make(chan game.RankAnswer, 1)
		k.Submit(&r, game.RankOrigin{ID: server.RankID(&r, "world"), GameID: "world", Log: name}, func(a game.RankAnswer) { answered <- a })
		a := <-answered
		testenv.Require(t, a.Err == "", "finish %d: %+v", i, a)
		testenv.Eventually(t, "the part is kept", func() bool { return len(kept()) == min(i+1, 2) })
	}
	testenv.NoError(t, k.Close())
	testenv.Check(t, len(kept()) == 2 && delays == 3 && said.Len() == 0, "%q, looked %d times, said %q", kept(), delays, &said)

	// The list names the player who finished and, once a teammate finished too, both.
	k.finishes(t, dir, "ann 1", "ann 1")
	j := finishJob{finish: keptFinish{[]string{"bob"}, 1}}
	testenv.NoError(t, j.note(kept()[0]))
	testenv.NoError(t, j.note(kept()[0]))
	k.finishes(t, dir, "ann 1", "ann 1, bob 1")

	testenv.NoError(t, os.Remove(logFile))
	verify := func(c ranksVerifyCmd) error {
		c.Map, c.Dir, c.Ranks = "course", dir, "ranks.journal"
		return c.Run(p)
	}
	testenv.NoError(t, verify(ranksVerifyCmd{}))
	testenv.NoError(t, verify(ranksVerifyCmd{Name: "ann"}))
	err := verify(ranksVerifyCmd{Name: "nobody"})
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "no finish"), "%v", err)

	// A row of another world, and a time that no player ran.
	best := testenv.Must(rank.Best(journal, "course", "ann", false))
	for _, change := range []func(*rank.Entry){func(e *rank.Entry) { e.GameID = "other" }, func(e *rank.Entry) { e.Time -= 20 },
		func(e *rank.Entry) { e.End++ }} {
		e := *best
		change(&e)
		in := testenv.Must(os.Open(filepath.Join(replays, finishDir, finishFile(name, best.Begin, best.End))))
		_, err := p.verifyFinish(in, &e)
		in.Close()
		testenv.Check(t, errors.Is(err, errFinishNotShown), "%v", err)
	}

	// Files beyond the limit are deleted, oldest first.
	settings.megabytes.Store(0)
	k.trim(filepath.Join(replays, finishDir), filepath.Base(kept()[1]))
	infos, _ := filepath.Glob(filepath.Join(replays, finishDir, "*"+finishInfoSuffix))
	testenv.Check(t, len(kept()) == 1 && slices.Equal(infos, []string{finishInfo(kept()[0])}), "%q, %q", kept(), infos)
}
