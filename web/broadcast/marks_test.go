package broadcast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// marks returns the marks in file n of a match.
func (w *watchedServer) marks(match string, n int) (l markList) {
	w.tb.Helper()
	testenv.NoError(w.tb, json.Unmarshal(w.body(fmt.Sprintf("/b/%s/%d.marks", match, n)), &l))
	return l
}

// moment is what a demo and the marks both contain about a moment.
type moment struct {
	tick  int32
	kind  string
	id    int
	other int
}

// momentsOf returns the markable moments of a demo.
func momentsOf(t *testing.T, file []byte) (all []moment) {
	t.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	var messages bridgetest.ServerMessages
	side := bridge7.NewDemoClientSide(&messages)
	c := new(demo.Chunk)
	var b batch
	var w game.World // without players, so without names
	messages.OnCall = func(call bridgetest.Call) {
		if ev, ok := call.Args[0].(game.Event); call.Method == "Event" && ok {
			ev.To = game.MaskAll
			b.mark(&w, &ev, c.Tick)
		}
	}
	over := false
	for {
		err := r.Next(c)
		if isEnd(r, err) {
			return all
		}
		testenv.NoError(t, err)
		switch c.Kind {
		case demo.KindMessage:
			side.Receive(c.Message, true)
			for _, m := range b.marks {
				all = append(all, moment{c.Tick, m.Kind, m.ID, m.Other})
			}
			b.marks = b.marks[:0]
		case demo.KindSnapshot:
			v := side.ReceiveSnapshot(c.Tick, c.Snapshot)
			now := v.Game.State&(game.StateRoundOver|game.StateGameOver) != 0
			if now && !over {
				all = append(all, moment{c.Tick, markRound, -1, -1})
			}
			over = now
		}
	}
}

func momentsOfMarks(marks []Mark) (all []moment) {
	for _, m := range marks {
		all = append(all, moment{m.Tick, m.Kind, m.ID, m.Other})
	}
	return all
}

// TestMarks checks that the marks of a match equal what its segments show, at the same ticks, and
// do not exceed what may be seen. It also checks the marks after the match and from the folder.
func TestMarks(t *testing.T) {
	dir := t.TempDir()
	w := newWatchedServerIn(t, dir, "sv_gametype tdm")
	anna, bert := w.join("<anna>"), w.join("bert")
	for range 4 {
		anna.Say("to everybody")
		anna.Send(&msg7.ClSay{Mode: msg7.ChatTeam, Target: -1, Message: []byte("to the team")})
		bert.Send(&msg7.ClSay{Mode: msg7.ChatWhisper, Target: 0, Message: []byte("to one")})
		w.run(60 * time.Millisecond)
		bert.Send(&msg7.ClKill{})
		w.run(4 * time.Second)
		anna.Send(&msg7.ClKill{})
		w.run(4 * time.Second)
	}
	check := func(w *watchedServer, i Info, from, to int) {
		t.Helper()
		l := w.marks(i.Match, 0)
		if l.First != from || l.Last != to {
			t.Errorf("marks of the segments %d to %d, want %d to %d", l.First, l.Last, from, to)
		}
		sortMoments := func(m []moment) []moment {
			slices.SortStableFunc(m, func(a, b moment) int {
				return strings.Compare(fmt.Sprint(a.tick+1e6, a.kind), fmt.Sprint(b.tick+1e6, b.kind))
			})
			return m
		}
		got, want := sortMoments(momentsOfMarks(l.Marks)), sortMoments(momentsOf(t, w.segments(i.Match, from, to)))
		if !slices.Equal(got, want) {
			t.Errorf("marks %v\nand moments %v", got, want)
		}
		if len(got) < 6 || l.Marks[0].Kind != markChat || l.Marks[0].Name != "<anna>" || l.Marks[1].OtherName != "<anna>" || l.Marks[1].ID != -1 {
			t.Errorf("%+v", l.Marks)
		}
	}
	i := w.info("/live.json")
	if i.MarkedSegments != markedSegments {
		t.Errorf("%+v", i)
	}
	check(w, i, 0, i.Last)
	for path, cache := range map[string]string{"0.marks": forASecond, "1.marks": "", "00.marks": "", "-1.marks": "", "2147483647.marks": "", ".marks": ""} {
		a := w.get("/b/" + i.Match + "/" + path)
		if want := map[bool]int{true: 404, false: 200}[cache == ""]; a.Code != want ||
			cache != "" && (a.Header().Get("Cache-Control") != cache || a.Header().Get("Content-Type") != "application/json") {
			t.Errorf("%s: %d %v", path, a.Code, a.Header())
		}
	}
	if text := string(w.body("/b/" + i.Match + "/0.marks")); strings.Contains(text, "<") || strings.Contains(text, "to ") {
		t.Errorf("the marks have %s", text)
	}

	w.playMatch(time.Second)
	w.run(12 * time.Second)
	i = w.info("/b/" + i.Match + ".json")
	check(w, i, 0, i.Last)
	if a := w.get("/b/" + i.Match + "/0.marks"); a.Header().Get("Cache-Control") != forEver || a.Header().Get("ETag") == "" {
		t.Errorf("after the end: %v", a.Header())
	}
	other := newWatchedServerIn(t, dir)
	other.Stall(w.Now().Sub(other.Now()))
	testenv.Eventually(t, "the other server sees it", func() bool { return len(other.broadcast.archive.all()) == 1 })
	check(other, i, 0, i.Last)
	if a, b := w.body("/b/"+i.Match+"/0.marks"), other.body("/b/"+i.Match+"/0.marks"); !bytes.Equal(a, b) {
		t.Errorf("%s and then %s", a, b)
	}
}

// TestMarkFiles checks that the marks of a hundred segments do not change once all are readable.
func TestMarkFiles(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	w := newWatchedServer(t, "sv_gametype lms; sv_scorelimit 1000; sv_countdown 0")
	anna := w.join("anna")
	w.join("bert")
	for range 215 {
		anna.Send(&msg7.ClKill{})
		w.run(time.Second)
	}
	i := w.info("/live.json")
	if a := w.get("/b/" + i.Match + "/0.marks"); i.Last < 100 || a.Header().Get("Cache-Control") != forEver {
		t.Fatalf("%+v: %v", i, a.Header())
	}
	first, second := w.marks(i.Match, 0), w.marks(i.Match, 1)
	if first.Last != 99 || second.First != 100 || second.Last != i.Last {
		t.Errorf("%d to %d, %d to %d", first.First, first.Last, second.First, second.Last)
	}
	all := append(momentsOfMarks(first.Marks), momentsOfMarks(second.Marks)...)
	if want := momentsOf(t, w.segments(i.Match, 0, i.Last)); len(all) < 20 || !slices.Equal(all, want) {
		t.Errorf("%v\n%v", all, want)
	}
	if !slices.ContainsFunc(all, func(m moment) bool { return m.kind == markRound }) {
		t.Error("no round is over")
	}
}

// TestMarkLimit checks that frequent events lose marks at the limit, and rare ones never do.
func TestMarkLimit(t *testing.T) {
	var s segment
	for range 100 {
		s.addMark(Mark{Kind: markKill})
	}
	s.addMark(Mark{Kind: markCapture})
	if n := len(s.marks); n != maxFrequentMarks+1 || s.marks[n-1].Kind != markCapture {
		t.Errorf("%d marks", n)
	}
	for range 100 {
		s.addMark(Mark{Kind: markFinish})
	}
	if len(s.marks) != maxMarks {
		t.Errorf("%d marks", len(s.marks))
	}
}

// TestMarkedEvents checks that private and uninteresting events are not marked.
func TestMarkedEvents(t *testing.T) {
	var w game.World
	for _, tt := range []struct {
		ev   game.Event
		want string
	}{
		{game.Event{Kind: game.EvKill, To: game.MaskAll, Player: 1, Target: 2, Weapon: game.WeaponHammer}, "{kill 1 2 0}"},
		{game.Event{Kind: game.EvKill, To: game.MaskAll, Player: 2, Target: 2, Weapon: game.WeaponGrenade}, "{kill -1 2 0}"},
		{game.Event{Kind: game.EvKill, To: game.MaskAll, Player: -2, Target: 2, Weapon: game.WeaponGrenade}, "{kill -1 2 0}"},
		{game.Event{Kind: game.EvKill, To: game.MaskAll, Player: 2, Target: 2, Weapon: game.WeaponGame}, ""},
		{game.Event{Kind: game.EvKill, To: game.MaskOne(3), Player: 1, Target: 2, Weapon: game.WeaponHammer}, ""},
		{game.Event{Kind: game.EvChat, To: game.MaskAll, Player: 4, Chat: game.ChatAll}, "{chat 4 -1 0}"},
		{game.Event{Kind: game.EvChat, To: game.MaskAll, Player: game.Nobody, Chat: game.ChatAll}, ""},
		{game.Event{Kind: game.EvChat, To: game.MaskAll, Player: 4, Chat: game.ChatTeam}, ""},
		{game.Event{Kind: game.EvRaceFinish, To: game.MaskAll, Player: 4, Value: 61234}, "{finish 4 -1 61234}"},
		{game.Event{Kind: game.EvRaceFinish, To: game.MaskOne(4), Player: 4, Value: 61234}, ""},
		{game.Event{Kind: game.EvGameMsg, To: game.MaskAll, GameMsg: game.GameMsgCTFCapture, Value: 1, Player: 5, Extra: 500}, "{capture 5 1 500}"},
		{game.Event{Kind: game.EvGameMsg, To: game.MaskAll, GameMsg: game.GameMsgCTFGrab, Value: 1, Player: 5}, "{grab -1 1 0}"},
		{game.Event{Kind: game.EvGameMsg, To: game.MaskAll, GameMsg: game.GameMsgCTFDrop, Player: 5}, "{drop -1 -1 0}"},
		{game.Event{Kind: game.EvGameMsg, To: game.MaskAll, GameMsg: game.GameMsgCTFReturn, Player: 5}, "{return -1 -1 0}"},
		{game.Event{Kind: game.EvGameMsg, To: game.MaskAll, GameMsg: game.GameMsgTeamAll}, ""},
		{game.Event{Kind: game.EvRoundStart, To: game.MaskAll, Value: 1}, ""},
		{game.Event{Kind: game.EvEmoticon, To: game.MaskAll}, ""},
	} {
		var b batch
		b.mark(&w, &tt.ev, 7)
		got := ""
		for _, m := range b.marks {
			got += fmt.Sprint(struct {
				Kind      string
				ID, Other int
				Value     int32
			}{m.Kind, m.ID, m.Other, m.Value})
		}
		if got != tt.want {
			t.Errorf("%+v is marked as %q, want %q", tt.ev, got, tt.want)
		}
	}
}
