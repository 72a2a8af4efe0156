package server_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/mode/ranks"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/record"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/server/storage"
	"github.com/teeyard/teeyard/store"
)

// promptStorage is a journal that answers before Submit returns, since tests have their own time.
type promptStorage struct{ *store.Journal }

func (p promptStorage) Submit(r *game.StoreRequest, answer func(game.StoreAnswer)) {
	answers := make(chan game.StoreAnswer, 1)
	p.Journal.Submit(r, func(a game.StoreAnswer) { answers <- a })
	answer(<-answers)
}

// promptRanks waits for answers, so that tests in virtual time get them in the tick in which they
// ask.
type promptRanks struct{ *rank.Journal }

func (p promptRanks) Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer)) {
	answers := make(chan game.RankAnswer, 1)
	p.Journal.Submit(r, from, func(a game.RankAnswer) { answers <- a })
	answer(<-answers)
}

// TestBestTimesSurviveARestart runs a race on two servers, one after the other, with one storage.
func TestBestTimesSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	var logs servertest.Folder
	start := func() *testNetwork {
		return newTestNetworkWith(t, servertest.Link{}, 1, server.Config{Replays: &logs, OpenStorage: func(name string) storage.Store {
			return promptStorage{store.New(filepath.Join(dir, name), nil)}
		}, OpenRanks: func(name string) storage.Ranks {
			return promptRanks{rank.Open(rank.Config{Path: filepath.Join(dir, name)})}
		}}, "sv_gametype race; sv_map yardrun; sv_replay 1; sv_storage times; sv_ranks ranks; sv_sql_servername GER; sv_sql_queries_delay 2")
	}
	tn := start()
	p := tn.join(1, "ann")
	p.hop()
	best := func() int32 { return tn.World().Frame().Game.Race.BestTime }
	tn.WaitUntil(2*time.Minute, "a finish", func() bool { return best() != 0 })
	first := best()
	tn.Wait(time.Second)
	tn.Shutdown(tn.Now(), "")

	tn = start()
	ben := tn.join(1, "ben")
	tn.Wait(time.Second)
	ben.say("/rank ann")
	ben.say("/top5") // which is too early
	tn.Wait(2 * time.Second)
	ben.say("/top5")
	tn.Wait(2 * time.Second)
	took := ranks.Time(first)
	for line, n := range map[string]int{
		"ann - " + took + " - better than 100% - requested by ben": 1, "Global rank 1 - GER rank 1": 1,
		"------------ Global Top ------------": 1, "------------ GER Top ------------": 1, "1. ann Time: " + took: 2,
	} {
		heard := 0
		for _, lines := range ben.chat {
			for _, said := range lines {
				if said == line {
					heard++
				}
			}
		}
		testenv.Check(t, heard == n, "heard %q %d times, want %d: %q", line, heard, n, ben.chat)
	}
	tn.Shutdown(tn.Now(), "")
	stored := 0
	for _, l := range verify(t, &logs, 2) {
		stored += l.commands[game.CmdStored]
	}
	testenv.Check(t, stored == 8, "the logs have %d answers", stored)
}

// hoarder is a mod that asks the storage in every tick.
type hoarder struct{ failed, answers int }

func (*hoarder) Start(*game.Setup) {}
func (m *hoarder) OnTick(ctx *game.Ctx) {
	ctx.Storage("hoarder").Get("k")
}
func (m *hoarder) OnStored(_ *game.Ctx, a *game.StoreAnswer) {
	m.answers++
	if a.Err != "" {
		m.failed++
	}
}

// stuckStorage never answers until it is told to.
type stuckStorage struct {
	err     error
	waiting []func()
}

func (s *stuckStorage) Submit(r *game.StoreRequest, answer func(game.StoreAnswer)) {
	a := game.StoreAnswer{ID: r.ID, Op: r.Op, Space: r.Space, Key: r.Key}
	s.waiting = append(s.waiting, func() { answer(a) })
}
func (s *stuckStorage) Err() error   { return s.err }
func (s *stuckStorage) Close() error { return nil }

// TestStorageThatDoesNotAnswer asks more than a storage can answer, and changes the map meanwhile.
func TestStorageThatDoesNotAnswer(t *testing.T) {
	st := &stuckStorage{}
	m := &hoarder{}
	tn := newTestNetworkWith(t, servertest.Link{}, 1, server.Config{
		OpenStorage: func(string) storage.Store { return st }, Mods: []func() game.Mod{func() game.Mod { return m }},
	}, "sv_storage x")
	tn.Wait(30 * time.Second)
	testenv.Check(t, len(st.waiting) == storage.MaxRequests && m.failed == m.answers && m.failed > 400,
		"%d wait, %d of %d answers are refusals", len(st.waiting), m.failed, m.answers)
	m = &hoarder{}
	tn.Execute("reload")
	for _, answer := range st.waiting {
		answer()
	}
	st.waiting = nil
	tn.Wait(time.Second)
	testenv.Check(t, m.answers <= 1, "%d answers for another world", m.answers)
	st.err = errors.New("the disk is full")
	tn.Wait(3 * time.Second)
	st.err = nil
	tn.Wait(2 * time.Second)
	said := strings.Count(tn.Log.String(), "[storage]: the disk is full\n")
	testenv.Check(t, said == 1 && strings.Contains(tn.Log.String(), "[storage]: stored again\n"), "said %d times:\n%s", said, tn.Log.String())

	m = &hoarder{}
	tn = newTestNetworkWith(t, servertest.Link{}, 1, server.Config{Mods: []func() game.Mod{func() game.Mod { return m }}}, "")
	tn.Wait(time.Second)
	testenv.Check(t, m.failed > 40 && m.answers == m.failed, "without a storage: %d of %d fail", m.failed, m.answers)
	_, err := server.New(server.Config{OpenStorage: func(string) storage.Store { return st }, Commands: []string{"sv_storage ../x"}})
	testenv.Check(t, err != nil && strings.Contains(err.Error(), `sv_storage "../x": not a file name`), "%v", err)
}

// asker is a mod that asks once for a value and a row, and writes a score.
type asker struct {
	state struct {
		Asked bool
		IDs   [3]int32
	}
	answers []game.StoreAnswer
}

func (*asker) Start(*game.Setup) {}
func (m *asker) State() any      { return &m.state }
func (m *asker) OnTick(ctx *game.Ctx) {
	if s := ctx.Storage("a\xff"); !m.state.Asked && ctx.Player(0).Alive() {
		m.state.Asked = true
		m.state.IDs = [3]int32{s.Get("k\xfe"), s.Add("t", game.Row{Name: "n", Score: 1}), s.Row("t", "n\xfd")}
	}
}
func (m *asker) OnStored(_ *game.Ctx, a *game.StoreAnswer) { m.answers = append(m.answers, *a) }

// TestRequestsOfResumedMatch saves a match whose mod waits for the storage. The next server repeats
// the requests, reports that a write may have failed, and does not write twice. The log verifies.
func TestRequestsOfResumedMatch(t *testing.T) {
	var matches memoryStore
	var logs servertest.Folder
	start := func(st storage.Store, logs record.Folder) (*testServer, *asker) {
		m := &asker{}
		return newTestServerWith(t, server.Config{
			Resume: &matches, Replays: logs, OpenStorage: func(string) storage.Store { return st }, Mods: []func() game.Mod{func() game.Mod { return m }},
		}, "sv_resume 1; sv_warmup 0; sv_storage x"), m
	}
	stuck := &stuckStorage{}
	ts, _ := start(stuck, nil)
	ts.Idle(150, ts.Enter(ip(1), "dora"))
	testenv.Require(t, len(stuck.waiting) == 3, "%d requests", len(stuck.waiting))

	st := &stuckStorage{}
	next, m := start(st, &logs)
	dora := next.Enter(ip(1), "dora")
	next.Idle(10, dora)
	testenv.Require(t, len(m.answers) == 1 && len(st.waiting) == 2, "%d answers, %d requests are made again", len(m.answers), len(st.waiting))
	a := m.answers[0]
	testenv.Check(t, a.ID == m.state.IDs[1] && a.Op == game.StoreAdd && a.Space == "a\xff" && a.Key == "t" &&
		strings.Contains(a.Err, "may or may not be stored"), "%+v", a)
	for _, answer := range st.waiting {
		answer()
	}
	next.Idle(500, dora) // beyond the trial, so that it is saved again
	testenv.Require(t, len(m.answers) == 3, "%d answers", len(m.answers))
	get, row := m.answers[1], m.answers[2]
	testenv.Check(t, get.ID == m.state.IDs[0] && get.Key == "k\xfe" && get.Err == "" && row.ID == m.state.IDs[2] && row.Err == "", "%+v %+v", get, row)
	next.Idle(250, dora)
	next.Shutdown(next.Now(), "")
	_, third := start(st, nil)
	testenv.Check(t, third.state.Asked && len(st.waiting) == 2, "what was answered is asked again")
	for _, name := range testenv.Must(logs.Names()) {
		res, err := replay.Verify(reader(&logs, name),
			replay.VerifyConfig{Modes: builtin.Modes().New, Mods: []func() game.Mod{func() game.Mod { return &asker{} }}})
		testenv.Check(t, err == nil && res.HashesMatched > 20, "%+v, %v", res, err)
	}
}
