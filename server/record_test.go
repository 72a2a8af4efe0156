package server_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// TestRecordedResult checks that a log ends with the result of its match, players who left
// included. If the next match has just begun, the log ends with the result of the last one.
func TestRecordedResult(t *testing.T) {
	var s servertest.Folder
	tn := newRecordedNetwork(t, &s, 5, "sv_timelimit 1; sv_matches_per_map 3")
	for i := range 3 {
		tn.join(i+1, fmt.Sprintf("bot %d", i))
	}
	kill := func(id game.PlayerID) {
		server.QueueCommand(tn.Server.Server, game.Command{Kind: game.CmdKill, Player: id, Target: game.Nobody})
		tn.Wait(5 * time.Second)
	}
	kill(0)
	kill(1)
	kill(1)
	tn.players[1].Close(tn.Now())
	isOver := func() bool { return tn.World().Frame().Game.State&game.StateGameOver != 0 }
	tn.WaitUntil(2*time.Minute, "the match is over", isOver)
	before := new(replay.MatchResult)
	before.Take(tn.World())
	tn.WaitUntil(time.Minute, "the next begins", func() bool { return !isOver() })
	tn.Wait(time.Second)
	tn.Shutdown(tn.Now(), "")
	r := reader(&s, testenv.Must(s.Names())[0])
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
	verify(t, &s, 1)
}

// TestRecordedMatchReruns records a match with players who join, leave, chat, time out
// and change teams, under an operator who changes everything there is, over a map
// change. Both logs have to rerun to the same worlds.
func TestRecordedMatchReruns(t *testing.T) {
	testenv.Long(t)
	testenv.OneGoroutine(t)
	var s servertest.Folder
	kills := 0
	count := server.ObserverFunc(func(tick *server.Tick) {
		for _, e := range tick.Events {
			if _, ok := e.(event.Kill); ok {
				kills++
			}
		}
	})
	tn := newTestNetworkWith(t, servertest.Link{Delay: 20 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.02}, 5,
		server.Config{Replays: &s, Observers: []server.Observer{count}})
	tn.Wait(3 * time.Second)
	tn.play(16, 20*time.Second)
	for i, line := range []string{
		"tune gravity 0.3", "sv_scorelimit 3", "say hello", "broadcast hear", "set_team 3 -1", "pause 2", "restart 1",
		"sv_teamdamage 1", "sv_bots 20", "sv_spamprotection 0", "tune_reset", "set_team_all -1", "set_team_all 0", "kick 5 test", "lock_teams", "lock_teams",
	} {
		tn.Execute(line)
		tn.players[i].sayNextLine()
		tn.Wait(2 * time.Second)
	}
	tn.players[2].Close(tn.Now())
	tn.Wait(10 * time.Second)
	first := tn.World().Tick()
	tn.Execute("change_map testbox")
	tn.Wait(12 * time.Second)
	tn.Shutdown(tn.Now(), "")
	second, hash := tn.World().Tick(), tn.World().Hash()

	logs := verify(t, &s, 2)
	a, b := logs[0], logs[1]
	if h := a.header; a.End != replay.EndMapChange || a.Ticks < first || h.Map != "teeyard1" || h.ModeName != "DM" ||
		h.IdleTicks < 2*game.TickRate || h.IdleTicks > 5*game.TickRate {
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
	var s servertest.Folder
	tn := newRecordedNetwork(t, &s, 1)
	tn.Wait(time.Minute)
	tn.Shutdown(tn.Now(), "")
	verify(t, &s, 0)
}

func TestRecordingFollowsItsSetting(t *testing.T) {
	var s servertest.Folder
	tn := newRecordedNetwork(t, &s, 1, "sv_replay 0")
	tn.play(1, time.Second)
	verify(t, &s, 0)
	tn.Execute("sv_replay 1")
	tn.Execute("reload")
	tn.Wait(5 * time.Second)
	tn.Execute("sv_replay 0")
	tn.Wait(5 * time.Second)
	tn.Shutdown(tn.Now(), "")
	if res := verify(t, &s, 1)[0].Result; res.End != replay.EndTurnedOff || res.Ticks > 6*game.TickRate {
		t.Errorf("%+v", res)
	}
}

// TestGameGoesOnWithoutDisk checks that players do not notice a broken folder, and that operators
// do.
func TestGameGoesOnWithoutDisk(t *testing.T) {
	s := servertest.Folder{Broken: errors.New("read-only")}
	tn := newRecordedNetwork(t, &s, 1)
	tn.play(1, 3*time.Second)
	tn.Execute("reload")
	tn.Wait(5 * time.Second)
	testenv.Check(t, tn.players[0].State() == client.Playing, "the player is out")
	problem := "matches are not recorded (sv_replay): read-only"
	testenv.Eventually(t, problem, func() bool {
		tn.Wait(time.Second)
		return slices.Contains(tn.Problems(), problem)
	})
	s.Repair()
	testenv.Eventually(t, "the problem is over without another match", func() bool {
		tn.Wait(time.Second / 2)
		return len(tn.Problems()) == 0
	})
	tn.Execute("reload")
	testenv.Eventually(t, "a match is recorded again", func() bool {
		tn.Wait(5 * time.Second)
		names, _ := s.Names()
		return len(names) > 0
	})
	tn.Shutdown(tn.Now(), "")
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
	var s servertest.Folder
	modes := append(builtin.Modes(), mode.Named{Name: "crash", New: func() game.Mode { return crashMode{} }})
	tn := newTestNetworkWith(t, servertest.Link{}, 1, server.Config{Replays: &s, Modes: modes}, "sv_gametype crash")
	tn.play(2, 3*time.Second)
	server.QueueCommand(tn.Server.Server, game.Command{Kind: game.CmdSay, Player: 0, Chat: game.ChatAll, Target: game.Nobody, Text: "boom"})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the mode did not panic")
			}
		}()
		tn.Wait(time.Second)
	}()
	tick := tn.World().Tick()
	names, _ := s.Names()
	res, err := replay.Verify(reader(&s, names[0]), replay.VerifyConfig{Modes: modes.New})
	if !errors.Is(err, replay.ErrPanic) || res.Ticks != tick {
		t.Errorf("%v, %+v; the world was at tick %d", err, res, tick)
	}
}
