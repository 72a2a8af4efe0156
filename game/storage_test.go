package game_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// keeper is a mod that keeps the answers of the storage.
type keeper struct {
	noHooks
	answers []game.StoreAnswer
}

func (m *keeper) OnStored(_ *game.Ctx, a *game.StoreAnswer) { m.answers = append(m.answers, *a) }

func TestRequestsToTheStorage(t *testing.T) {
	m := &keeper{}
	w := newWorld(t, game.Config{Mods: []game.Mod{m}})
	long := strings.Repeat("x", game.MaxStoreValue+1)
	row := game.Row{Name: "ann", Score: -5, Value: "v"}
	var ids []int32
	w.script.tick = func(ctx *game.Ctx) {
		s := ctx.Storage("mine")
		ids = []int32{
			s.Put("k", "v"), s.Get("k"), s.PutBest("t", row, true), s.Add("t", row), s.Drop("t", "ann"), s.Row("t", "ann"), s.Top("t", 1000, true),
			s.Put("k", long), s.Get(long), s.Add("t", game.Row{Name: long}), s.Add("t", game.Row{Value: long}), ctx.Storage(long).Get("k"),
		}
	}
	evs := eventsOf(w.steps(1), game.EvStore)
	testenv.Check(t, fmt.Sprint(ids) == "[1 2 3 4 5 6 7 0 0 0 0 0]", "ids %v", ids)
	var got []game.StoreRequest
	for _, e := range evs {
		got = append(got, *e.Store)
	}
	want := []game.StoreRequest{
		{ID: 1, Op: game.StorePut, Key: "k", Value: "v"}, {ID: 2, Op: game.StoreGet, Key: "k"},
		{ID: 3, Op: game.StoreBest, Key: "t", Row: row, LowFirst: true}, {ID: 4, Op: game.StoreAdd, Key: "t", Row: row},
		{ID: 5, Op: game.StoreDrop, Key: "t", Row: game.Row{Name: "ann"}}, {ID: 6, Op: game.StoreRow, Key: "t", Row: game.Row{Name: "ann"}},
		{ID: 7, Op: game.StoreTop, Key: "t", LowFirst: true, Limit: game.MaxStoreRows},
	}
	for i := range want {
		want[i].Space = "mine"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	w.script.tick = func(ctx *game.Ctx) {
		for range 100 {
			ctx.Storage("mine").Get("k")
		}
	}
	n := len(eventsOf(w.steps(3), game.EvStore))
	testenv.Check(t, n == 3*64, "%d requests in three ticks", n)
	w.script.tick = nil

	answer := game.StoreAnswer{ID: 7, Op: game.StoreTop, Space: "mine", Key: "t", Err: "e", Found: true, Value: "\x00\xff",
		Rows: []game.Row{row, {Name: "ben", Score: 1 << 62}}}
	later := answer
	later.ID = 1000 // nobody asked that
	w.Step([]game.Command{answer.Command(), later.Command(), {Kind: game.CmdStored, Player: game.Nobody, Text: "garbage"}})
	if diff := cmp.Diff([]game.StoreAnswer{answer}, m.answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// FuzzStoreAnswer applies any text as an answer. The answer that a mod gets must give the same
// answer again as a command.
func FuzzStoreAnswer(f *testing.F) {
	for _, a := range []game.StoreAnswer{
		{ID: 1, Op: game.StorePut, Space: "s", Key: "k", Err: "full"},
		{ID: 2, Op: game.StoreTop, Space: "s", Key: "k", Found: true, Rows: []game.Row{{Name: "n", Score: -1, Value: "v"}, {}}},
	} {
		f.Add(a.Command().Text)
	}
	f.Add((&game.StoreAnswer{ID: 3, Op: game.StoreRank, Space: game.RankSpace, Rank: &game.RankAnswer{
		ID: 3, Op: game.RankTop, By: 2, Own: &game.RankRow{Rank: 1, Names: []string{"ann"}, Age: -1},
		Rows: []game.RankRow{{Rank: 1, Names: []string{"ann", "ben"}, Time: 61980}}, Save: &game.RankSaveState{Text: "1\t2\n"},
	}}).Command().Text)
	f.Fuzz(func(t *testing.T, text string) {
		m := &keeper{}
		w := newWorld(t, game.Config{Mods: []game.Mod{m}, Terrain: twoTeesMap(3)})
		w.script.tick = func(ctx *game.Ctx) {
			for range 64 {
				ctx.Storage("s").Get("k")
			}
		}
		w.steps(1)
		w.Step([]game.Command{{Kind: game.CmdStored, Player: game.Nobody, Text: text}})
		if len(m.answers) == 0 {
			return
		}
		told := m.answers[0]
		w.Step([]game.Command{told.Command()})
		testenv.Require(t, len(m.answers) == 2 && cmp.Equal(told, m.answers[1]), "told %+v", m.answers)
		testenv.Require(t, told.ID > 0 && told.ID <= 64 && len(told.Value) <= game.MaxStoreValue && len(told.Rows) <= game.MaxStoreRows, "told %+v", told)
	})
}
