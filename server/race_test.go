package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// hop makes a player run to the right and jump at random. That is enough for yardrun.
func (p *player) hop() {
	p.input = game.Input{Direction: 1, TargetX: 100}
	left := 0 // of the jump or the time without
	p.network.Net.Every(20*time.Millisecond, func(int64) {
		if left--; left < 0 {
			p.input.Jump = !p.input.Jump
			left = p.rand.IntN(10)
			if p.input.Jump {
				left = 3 + p.rand.IntN(20)
			}
		}
		p.SetInput(p.input)
	})
}

// TestRace runs the course with clients of all versions, and compares their messages about finishes
// and checkpoints with the events of the world. The log of the match verifies.
func TestRace(t *testing.T) {
	var logs servertest.Folder
	var happened []event.Event
	cfg := server.Config{Replays: &logs, Observers: []server.Observer{server.ObserverFunc(func(tick *server.Tick) {
		for _, e := range tick.Events {
			switch e.(type) {
			case event.RaceFinish, event.Checkpoint:
				happened = append(happened, e)
			}
		}
	})}}
	tn := newTestNetworkWith(t, servertest.Link{Delay: 20 * time.Millisecond}, 3, cfg, "sv_gametype race; sv_map yardrun; sv_replay 1; tune player_collision 0")
	kinds := []client.SessionConfig{player07, player06DDNet, player06Old, {Version: client.Version06, DDNetVersion: 18000}}
	if v := tn.World().Tuning()[physics.TuneParamIndex("player_collision")]; v != 0 {
		t.Errorf("player_collision is %d after the configuration set it to 0", v)
	}
	told := make([][]testclient.Message, len(kinds))
	again := map[game.PlayerID]int{}  // how often a player began anew after a finish
	clocks := make([]int, len(kinds)) // snapshots in which the own clock was right
	for i, kind := range kinds {
		p := tn.dial(i+1, named(kind, fmt.Sprintf("runner%d", i)))
		p.views = map[int32]game.View{}
		p.onMessage = func(m testclient.Message) {
			switch m.(type) {
			case *msg7.SvRaceFinish, *msg7.SvCheckpoint, *msg6.SvRaceFinish, *msg6.SvDDRaceTime, *msg6.SvRecord:
				told[i] = append(told[i], clone(m))
			}
		}
		p.onSnapshot = func(tick int32, s *snapshot.Snapshot) {
			if start := ownClock(p, tick, s); start != 0 && start == raceStart(tn.Server, p.id()) {
				clocks[i]++
			}
		}
		tn.untilPlaying(p)
		p.hop()
	}
	tn.WaitUntil(5*time.Minute, "three finishes of everybody", func() bool {
		n := map[game.PlayerID]int{}
		for _, e := range happened {
			if f, ok := e.(event.RaceFinish); ok {
				n[f.Player.ID]++
			}
		}
		for id, finishes := range n {
			if p := tn.players[id]; finishes > again[id] {
				again[id]++
				p.Request(tn.Now(), func(c bridge.ClientSide) { c.SendCommand(&game.Command{Kind: game.CmdKill}) })
			}
		}
		return n[0] >= 3 && n[1] >= 3 && n[2] >= 3 && n[3] >= 3
	})
	tn.Wait(time.Second)
	checkStats(t, tn.players...)

	finishes, checkpoints := 0, map[game.PlayerID][]event.Checkpoint{}
	var finished [4][]event.RaceFinish
	for _, e := range happened {
		switch e := e.(type) {
		case event.RaceFinish:
			finishes++
			finished[e.Player.ID] = append(finished[e.Player.ID], e)
		case event.Checkpoint:
			checkpoints[e.Player.ID] = append(checkpoints[e.Player.ID], e)
		}
	}
	for id, list := range finished {
		testenv.Check(t, clocks[id] > 100, "player %d saw the right clock %d times", id, clocks[id])
		testenv.Check(t, len(checkpoints[game.PlayerID(id)]) >= 3, "player %d: checkpoints %v", id, checkpoints[game.PlayerID(id)])
		ms := list[0].Time
		line := fmt.Sprintf("runner%d finished in: %d minute(s) %5.2f second(s)", id, ms/60_000, float64(ms%60_000)/1000)
		for i, p := range tn.players {
			if told := p.heard(line); told != (p.Version() == client.Version06) {
				t.Errorf("player %d reads %q: %v", i, line, told)
			}
		}
	}
	counts := func(i int) map[string]int {
		n := map[string]int{}
		for _, m := range told[i] {
			n[strings.TrimPrefix(fmt.Sprintf("%T", m), "*")]++
		}
		return n
	}
	seven, ddnet, plain, newer := counts(0), counts(1), counts(2), counts(3)
	testenv.Check(t, seven["msg7.SvRaceFinish"] == finishes && seven["msg7.SvCheckpoint"] == len(checkpoints[0]),
		"0.7: %v of %d finishes and %d checkpoints", seven, finishes, len(checkpoints[0]))
	testenv.Check(t, ddnet["msg6.SvDDRaceTime"] == len(finished[1])+len(checkpoints[1]) && ddnet["msg6.SvRecord"] > 0 &&
		ddnet["msg6.SvRaceFinish"] == 0, "DDNet 16.4: %v", ddnet)
	testenv.Check(t, len(plain) == 0, "0.6: %v", plain)
	testenv.Check(t, newer["msg6.SvRaceFinish"] == finishes, "DDNet 18: %v of %d finishes", newer, finishes)

	// What the scoreboard shows.
	best := slices.MinFunc(slices.Concat(finished[:]...), func(a, b event.RaceFinish) int { return int(a.Time - b.Time) })
	v := tn.players[0].lastView(t)
	testenv.Check(t, v.Game.Race.BestTime == best.Time && v.Game.Race.Precision == 2 && v.Game.Flags == game.GameFlagRace,
		"0.7 sees %+v; the best time is %d", v.Game, best.Time)
	for i, p := range tn.players {
		own := slices.MinFunc(finished[i], func(a, b event.RaceFinish) int { return int(a.Time - b.Time) }).Time
		for j, q := range tn.players {
			want := own
			if q.Version() == client.Version06 {
				want = -own / 1000
			}
			for _, s := range q.lastView(t).Players {
				if s.ID == p.id() && s.Score != want {
					t.Errorf("player %d sees the score %d of player %d, not %d", j, s.Score, i, want)
				}
			}
		}
	}
	info := server.ServerInfo(tn.Server.Server)
	testenv.Check(t, info.TimeScore && info.GameType == "Race", "info %+v", info)

	tn.Shutdown(tn.Now(), "")
	if l := verify(t, &logs, 1)[0]; l.header.GameType != "race" {
		t.Errorf("the log has the game type %q", l.header.GameType)
	}
}

// clone returns a copy of a message. The session reuses the original.
func clone(m testclient.Message) testclient.Message {
	switch m := m.(type) {
	case *msg7.SvRaceFinish:
		c := *m
		return &c
	case *msg7.SvCheckpoint:
		c := *m
		return &c
	}
	return m
}

func raceStart(s *servertest.Server, id game.PlayerID) int32 {
	for _, p := range s.World().Frame().Players {
		if p.ID == id {
			return p.RaceStart
		}
	}
	return 0
}

// ownClock returns when the clock started that a player's client shows, 0 if it shows none.
func ownClock(p *player, tick int32, s *snapshot.Snapshot) int32 {
	if p.Version() == client.Version07 {
		v := p.ClientSide().ReceiveSnapshot(tick, s)
		for _, q := range v.Players {
			if q.ID == v.Viewer {
				return q.RaceStart
			}
		}
		return 0
	}
	var info msg6.GameInfo
	for i := range s.Len() {
		if key, ints := s.Item(i); key.Type() == msg6.TypeGameInfo {
			testenv.NoError(p.network.T, info.ReadInts(ints))
		}
	}
	switch {
	case info.StateFlags&msg6.GameStateRaceTime != 0:
		return -info.WarmupTimer
	case p.name == "runner2":
		return info.RoundStartTick
	}
	return 0
}

// TestRaceWithoutACourse checks that operators are told of a map that is not for races.
func TestRaceWithoutACourse(t *testing.T) {
	ts := newTestServer(t, nil, "sv_gametype race")
	testenv.Check(t, strings.Contains(ts.Log.String(), "has no start and finish"), "the log says\n%s", ts.Log.String())
	ts = newTestServer(t, nil, "sv_gametype race; sv_map yardrun")
	testenv.Check(t, !strings.Contains(ts.Log.String(), "has no start and finish"), "the log says\n%s", ts.Log.String())
}

// TestRaceTimesInBrowsers checks the scores that server browsers and Half-Life tools get: whole
// seconds, and what stands for none.
func TestRaceTimesInBrowsers(t *testing.T) {
	l := twmap.NewGameLayer(40, 4)
	for x := range 40 {
		for y := range 4 {
			if x == 0 || x == 39 || y == 0 || y == 3 {
				l.Set(x, y, twmap.Solid, 0)
			}
		}
	}
	l.Set(3, 2, twmap.Spawn, 0)
	l.Set(5, 2, 33, 0)
	l.Set(35, 2, 34, 0)
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, l)}}
	ts := newTestServer(t, fstest.MapFS{"maps/course.map": {Data: testenv.Must(m.Bytes())}}, "sv_gametype race; sv_map course; sv_player_slots 64")
	c := ts.Enter(local(1), "runner")
	check := func(score, halfLife int32) {
		t.Helper()
		info, players := server.ListedPlayers(ts.Server)
		if !info.TimeScore || info.GameType != "Race" || len(info.Clients) != 1 || info.Clients[0].Score != score ||
			len(players) != 1 || players[0].Score != halfLife {
			t.Errorf("info %+v, players %+v; the score is %d, for Half-Life %d", info, players, score, halfLife)
		}
	}
	ts.Idle(50, c)
	check(query.NoTime, 0)
	ts.Play(400, c, msg7.PlayerInput{Direction: 1, TargetX: 1})
	best := ts.World().Frame().Game.Race.BestTime
	if best < 1000 || best > 10_000 {
		t.Fatalf("the best time is %d ms", best)
	}
	check(best/1000, best/1000)
	if name := server.ServerInfo(ts.Server).GameType; name != "Race" {
		t.Errorf("with 64 slots the game type is %q", name)
	}
}
