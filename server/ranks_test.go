package server_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/resume"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/server/storage"
)

// finisher is a mod that keeps one finish of player 0.
type finisher struct {
	state   struct{ Asked bool }
	answers []game.RankAnswer
}

func (*finisher) Start(*game.Setup) {}
func (m *finisher) State() any      { return &m.state }
func (m *finisher) OnTick(ctx *game.Ctx) {
	if !m.state.Asked && ctx.Player(0).Alive() {
		m.state.Asked = true
		ctx.Rank(game.RankRequest{Op: game.RankFinish, By: 0, Names: []string{ctx.Player(0).Name()}, Time: 5000, Begin: 1, End: 251})
	}
}
func (m *finisher) OnStored(_ *game.Ctx, a *game.StoreAnswer) {
	if a.Rank != nil {
		m.answers = append(m.answers, *a.Rank)
	}
}

// stuckRanks answers when a test calls the functions in waiting.
type stuckRanks struct {
	requests []game.RankRequest
	origins  []game.RankOrigin
	waiting  []func()
	before   func(*game.RankRequest) // called with each
}

func (s *stuckRanks) Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer)) {
	if s.before != nil {
		s.before(r)
	}
	s.requests, s.origins = append(s.requests, *r), append(s.origins, from)
	a := r.Answer()
	s.waiting = append(s.waiting, func() { answer(a) })
}
func (*stuckRanks) Err() error   { return nil }
func (*stuckRanks) Close() error { return nil }

// TestFinishOfResumedMatch saves a match with a finish that the ranks have not answered. The next
// server repeats it with the same ID, so that it counts once, and names the log with the run.
func TestFinishOfResumedMatch(t *testing.T) {
	var saved memoryStore
	var matches resume.Store = &saved
	var logs servertest.Folder
	start := func(r storage.Ranks) (*testServer, *finisher) {
		m := &finisher{}
		return newTestServerWith(t, server.Config{
			Resume: matches, Replays: &logs, OpenRanks: func(string) storage.Ranks { return r }, Mods: []func() game.Mod{func() game.Mod { return m }},
		}, "sv_resume 1; sv_replay 1; sv_warmup 0; sv_sql_servername GER"), m
	}
	// The server stores the match with the request, and passes the request on after that.
	first := &stuckRanks{before: func(r *game.RankRequest) {
		b, err := saved.Load("resume-8303.state")
		testenv.Require(t, err == nil, "no match is stored: %v", err)
		m := testenv.Must(resume.Parse(b))
		testenv.Check(t, len(m.Requests) == 1 && m.Requests[0].Rank.Time == r.Time, "the match is stored with %+v", m.Requests)
	}}
	ts, _ := start(first)
	ts.Idle(150, ts.Enter(ip(1), "dora"))
	testenv.Require(t, len(first.requests) == 1, "%d requests", len(first.requests))
	r, from := first.requests[0], first.origins[0]
	testenv.Check(t, r.Map == "teeyard1" && r.Asker == "dora" && from.Server == "GER" && len(from.GameID) == 36, "%+v %+v", r, from)

	second := &stuckRanks{}
	next, m := start(second)
	dora := next.Enter(ip(1), "dora")
	next.Idle(10, dora)
	testenv.Require(t, len(second.requests) == 1 && second.origins[0].ID == from.ID &&
		second.origins[0].GameID == from.GameID, "%+v, first %+v", second.origins, from)
	second.waiting[0]()
	next.Idle(5, dora)
	testenv.Check(t, len(m.answers) == 1 && m.answers[0].Op == game.RankFinish && m.answers[0].Err == "", "%+v", m.answers)

	// Another match has other IDs.
	matches = nil
	third := &stuckRanks{}
	other, _ := start(third)
	other.Idle(150, other.Enter(ip(1), "dora"))
	testenv.Check(t, len(third.origins) == 1 && third.origins[0].ID != from.ID, "%+v", third.origins)
	next.Shutdown(next.Now(), "")

	// Without ranks the mod gets an error.
	none, m := start(nil)
	none.Idle(150, none.Enter(ip(1), "dora"))
	testenv.Check(t, len(m.answers) == 1 && m.answers[0].Err != "", "%+v", m.answers)
}
