package storage_test

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/storage"
)

// host is a server whose match may be kept.
type host struct {
	queued  []game.Command
	printed []string
	keeps   bool
}

func (h *host) Queue(cmd game.Command)           { h.queued = append(h.queued, cmd) }
func (h *host) Print(_ int, system, line string) { h.printed = append(h.printed, system+": "+line) }
func (h *host) Match() (mapName, log string)     { return "yard", "yard.log" }
func (h *host) KeepsMatch() bool                 { return h.keeps }

// ranks keeps requests until a test answers them.
type ranks struct {
	requests []game.RankRequest
	origins  []game.RankOrigin
	answer   []func(game.RankAnswer)
}

func (r *ranks) Submit(q *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer)) {
	r.requests, r.origins, r.answer = append(r.requests, *q), append(r.origins, from), append(r.answer, answer)
}
func (*ranks) Err() error   { return nil }
func (*ranks) Close() error { return nil }

// newBroker returns a Broker with ranks, in its first world.
func newBroker(t *testing.T, h *host, r *ranks) *storage.Broker {
	t.Helper()
	b := storage.New(storage.Config{Host: h, OpenRanks: func(string) storage.Ranks { return r }})
	testenv.NoError(t, b.Register(testenv.Must(console.New(console.Config{}))))
	testenv.NoError(t, b.Open())
	b.Begin("")
	return b
}

// ask makes a request of a world to the ranks.
func ask(b *storage.Broker, id, tick int32, r game.RankRequest) {
	r.ID = id
	b.Request(&game.StoreRequest{ID: id, Op: game.StoreRank, Rank: &r}, tick)
}

// TestOnlyTakenSavesArePutBack checks the answers to a world that has ended: only a save that was
// taken out is stored again.
func TestOnlyTakenSavesArePutBack(t *testing.T) {
	var r ranks
	h := &host{}
	b := newBroker(t, h, &r)
	for id, op := range []game.RankOp{game.RankSaved, game.RankLoad} {
		ask(b, int32(id), 1, game.RankRequest{Op: op, By: game.PlayerID(id)})
	}
	b.Begin("")
	for i, answer := range r.answer {
		answer(game.RankAnswer{Op: r.requests[i].Op, Map: "x", Code: "code", Found: true, Save: &game.RankSaveState{Text: "save"}})
	}
	b.Take(1)
	testenv.Require(t, len(r.requests) == 3, "asked %+v", r.requests)
	got := r.requests[2]
	testenv.Check(t, got.Op == game.RankSave && got.Map == "x" && got.Code == "code" && got.Text == "save", "stored %+v", got)
	testenv.Check(t, len(h.queued) == 0, "the new world gets %+v", h.queued)
}

// TestChangesWaitForTheMatch checks that the ranks get a finish when the match is stored with it,
// and a query at once.
func TestChangesWaitForTheMatch(t *testing.T) {
	var r ranks
	h := &host{keeps: true}
	b := newBroker(t, h, &r)
	release := func(busy, store bool, requests int) {
		t.Helper()
		got := b.Release(h.keeps, busy)
		testenv.Check(t, got == store && len(r.requests) == requests, "store %v, %d requests", got, len(r.requests))
	}
	finish := game.RankRequest{Op: game.RankFinish, Names: []string{"dora"}, Time: 5000}
	ask(b, 1, 1, finish)
	ask(b, 2, 1, game.RankRequest{Op: game.RankTop})
	testenv.Check(t, len(r.requests) == 1 && r.requests[0].Op == game.RankTop, "asked %+v", r.requests)
	release(true, false, 1)
	release(false, true, 1)
	ask(b, 3, 2, finish) // too late for the match that is being stored
	release(true, false, 1)
	release(false, true, 2)
	h.keeps = false
	release(true, false, 3)
	from := r.origins[1]
	want := game.RankOrigin{ID: storage.RankID(&r.requests[1], b.GameID()), Server: "UNK", GameID: b.GameID(), Log: "yard.log"}
	testenv.Check(t, from == want && r.requests[1].Map == "yard", "from %+v, map %s", from, r.requests[1].Map)
}

// TestQueriesAreLimited checks that a player waits between two queries.
func TestQueriesAreLimited(t *testing.T) {
	var r ranks
	h := &host{}
	b := newBroker(t, h, &r)
	for id, tick := range []int32{10, 60, 61} {
		ask(b, int32(id), tick, game.RankRequest{Op: game.RankTop, By: 3})
	}
	b.Take(61)
	testenv.Check(t, len(r.requests) == 2, "asked %+v", r.requests)
	testenv.Check(t, len(h.queued) == 1 && strings.Contains(h.queued[0].Text, "too many requests to the ranks"), "answers: %+v", h.queued)
	testenv.Check(t, len(b.Unanswered()) == 2, "without an answer: %+v", b.Unanswered())
}
