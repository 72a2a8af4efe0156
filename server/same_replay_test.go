package server

import (
	"bytes"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
)

// TestRecordedVersions: a match of clients of all versions runs again to the same
// worlds, with all that they ask for and what is done for them beside the game: looks,
// votes, whispers, rights, and beginning anew.
func TestRecordedVersions(t *testing.T) {
	var s shelf
	a := recorded(t, &s, 9, "add_vote \"a long match\" \"sv_scorelimit 70\"; sv_spamprotection 0; sv_inactivekick_time 0")
	var eyes []*eye
	for i, cfg := range []client.SessionConfig{
		{Name: "young", Version: client.Version07},
		{Name: "ddnet", Version: client.Version06, DDNetVersion: 16040},
		{Name: "many", Version: client.Version06},
		{Name: "vanilla", Version: client.Version06, DDNetVersion: -1, LegacyHandshake: true},
	} {
		eyes = append(eyes, a.eye(1+i, cfg))
	}
	playing := func() bool {
		for _, e := range eyes {
			if e.State() != client.Playing || e.id() < 0 {
				return false
			}
		}
		return true
	}
	a.until(2*time.Minute, "players", playing)
	for _, e := range eyes {
		a.net.Every(20*time.Millisecond, func(int64) { e.wander(a) })
	}
	tell := func(e *eye, do func(g bridge.ClientSide)) {
		t.Helper()
		if err := e.Request(a.now(), do); err != nil {
			t.Fatal(err)
		}
		a.run(time.Second)
	}
	tell(eyes[1], func(g bridge.ClientSide) { g.SendRconAuth("", "adminpw") })
	tell(eyes[1], func(g bridge.ClientSide) { g.SendRconCmd("tune hook_length 200; sv_scorelimit 5") })
	tell(eyes[1], func(g bridge.ClientSide) {
		g.SendCommand(&game.Command{Kind: game.CmdSay, Chat: game.ChatWhisper, Target: eyes[0].id(), Text: "psst"})
	})
	tell(eyes[2], func(g bridge.ClientSide) {
		var skin game.Skin
		skin.PartNames[0], skin.UseCustomColors[0], skin.PartColors[0] = "bear", true, 0x123456
		g.SendCommand(&game.Command{Kind: game.CmdSkinChange, Profile: &game.Profile{Skin: skin}})
	})
	tell(eyes[3], func(g bridge.ClientSide) { g.SendCallVote(bridge.VoteOption, "a long match", "why not") })
	for _, e := range eyes[:3] {
		tell(e, func(g bridge.ClientSide) { g.SendVote(1) })
	}
	if got := a.srv.world.Rules().ScoreLimit; got != 70 {
		t.Errorf("the score limit is %d after the vote", got)
	}
	tell(eyes[3], func(g bridge.ClientSide) {
		g.SendCommand(&game.Command{Kind: game.CmdSetTeam, Team: game.TeamSpectators})
	})
	tell(eyes[2], func(g bridge.ClientSide) { g.SendCommand(&game.Command{Kind: game.CmdKill}) })
	// One crashes and comes back from the same port.
	was := eyes[1].id()
	if err := eyes[1].Dial(a.now()); err != nil {
		t.Fatal(err)
	}
	a.until(2*time.Minute, "who comes back", func() bool { return playing() && eyes[1].id() == was })
	eyes[0].Close(a.now())
	a.run(3 * time.Second)
	hash := a.srv.world.Hash()
	tick := a.srv.world.Tick()
	a.srv.Shutdown(a.now(), "")

	logs := s.logs()
	if len(logs) != 1 {
		t.Fatalf("%d logs", len(logs))
	}
	if res, _, _ := verifyLog(t, logs[0]); res.End != replay.EndShutdown || res.Ticks != tick || res.LastGoodTick != tick {
		t.Errorf("%+v; the world was at tick %d with hash %x", res, tick, hash)
	}
	r, err := replay.NewReader(bytes.NewReader(logs[0]))
	if err != nil {
		t.Fatal(err)
	}
	kinds, names := map[game.CommandKind]int{}, map[string]bool{}
	if _, err := replay.Verify(r, replay.VerifyConfig{Modes: BuiltinModes, OnTick: func(_ *game.World, tick *replay.Tick, _ []game.Event) {
		for _, c := range tick.Commands {
			if kinds[c.Kind]++; c.Kind == game.CmdProfile {
				names[c.Profile.Name] = true
			}
		}
	}}); err != nil {
		t.Fatal(err)
	}
	for _, k := range []game.CommandKind{
		game.CmdJoin, game.CmdProfile, game.CmdEnterGame, game.CmdLeave, game.CmdInput, game.CmdSay, game.CmdSkinChange, game.CmdTuneParams,
		game.CmdSetRules, game.CmdPlayerFlags, game.CmdSetTeam, game.CmdKill,
	} {
		if kinds[k] == 0 {
			t.Errorf("no command of kind %d in the log", k)
		}
	}
	if len(names) != len(eyes) {
		t.Errorf("%v are in the log", names)
	}
}
