package bridge6

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// testClient is a clientSide that records the messages that it sends and receives.
type testClient struct {
	*clientSide
	bridgetest.ServerMessages
	t    testing.TB
	sent []msg6.Message
}

func (c *testClient) Queue(b []byte, vital bool) {
	var d msg6.Decoder // a new decoder, because its messages refer to it
	m, err := d.Decode(slices.Clone(b))
	if err != nil {
		c.t.Errorf("sent %x: %v", b, err)
		return
	}
	if desc := m.ID().Desc(); desc.Sender == message.FromServer || desc.Vital != vital && m.ID() != msg6.IDPongEx {
		c.t.Errorf("sent %T, vital %v", m, vital)
	}
	c.sent = append(c.sent, m)
}

func (*testClient) FlushSoon() {}

func newTestClient(t testing.TB, cfg ClientConfig) *testClient {
	c := &testClient{t: t}
	c.clientSide = NewClientSide(c, &c.ServerMessages, cfg).(*clientSide)
	return c
}

// eventCall is the handler call for an event. The event's Player and Target must be set.
func eventCall(ev game.Event) bridgetest.Call { return call("Event", ev) }

// TestServerMessages checks the handler call for every message of a server.
func TestServerMessages(t *testing.T) {
	c := newTestClient(t, ClientConfig{})
	c.Own = 5
	const nobody = game.Nobody
	mapChange := bridge.MapChange{Name: "dm1", CRC: 7, Size: 5, ChunksNumbered: true}
	withHash := mapChange
	withHash.SHA256, withHash.HasSHA256 = [32]byte{9}, true
	command := bridge.CommandInfo{Name: "n", Params: "p", Help: "h"}
	for _, tt := range []struct {
		m    msg6.Message
		want []bridgetest.Call
	}{
		{&msg6.MapChange{Name: []byte("dm1"), CRC: -2, Size: 5},
			[]bridgetest.Call{call("MapChange", bridge.MapChange{Name: "dm1", CRC: 0xfffffffe, Size: 5, ChunksNumbered: true})}},
		{&msg6.MapDetails{Name: []byte("dm1"), CRC: 7, Size: 5, SHA256: [32]byte{9}}, nil},
		{&msg6.MapChange{Name: []byte("dm1"), CRC: 7, Size: 5}, []bridgetest.Call{call("MapChange", withHash)}},
		{&msg6.MapDetails{Name: []byte("dm1"), CRC: 8, Size: 5, SHA256: [32]byte{9}}, nil},
		{&msg6.MapChange{Name: []byte("dm1"), CRC: 7, Size: 5}, []bridgetest.Call{call("MapChange", mapChange)}},
		{&msg6.MapData{CRC: 7, Chunk: 3, Data: []byte("abc")}, []bridgetest.Call{call("MapData", 3, "abc")}},
		{&msg6.MapData{CRC: 8, Chunk: 4, Data: []byte("abc")}, nil},
		{&msg6.ConReady{}, []bridgetest.Call{call("ConReady")}},
		{&msg6.SvReadyToEnter{}, []bridgetest.Call{call("ReadyToEnter")}},
		{&msg6.SnapEmpty{Tick: 20, DeltaTick: 4}, []bridgetest.Call{call("SnapshotPart", snapshot.PartHeader{Tick: 20, BaseTick: 16, Parts: 1}, int32(0), "")}},
		{&msg6.SnapSingle{Tick: 20, DeltaTick: 21, CRC: 3, Data: []byte{1}},
			[]bridgetest.Call{call("SnapshotPart", snapshot.PartHeader{Tick: 20, BaseTick: -1, CRC: 3, Parts: 1}, int32(0), "\x01")}},
		{&msg6.Snap{Tick: 20, DeltaTick: 21, Parts: 3, Part: 2, CRC: 3, Data: []byte{1}},
			[]bridgetest.Call{call("SnapshotPart", snapshot.PartHeader{Tick: 20, BaseTick: -1, CRC: 3, Parts: 3}, int32(2), "\x01")}},
		{&msg6.InputTiming{IntendedTick: 5, TimeLeft: -6}, []bridgetest.Call{call("InputTiming", int32(5), int32(-6))}},
		{&msg6.PingReply{}, []bridgetest.Call{call("PingReply")}},
		{&msg6.RconAuthStatus{Authed: 1, CmdList: 1}, []bridgetest.Call{call("RconAuthStatus", true, true)}},
		{&msg6.RconAuthStatus{}, []bridgetest.Call{call("RconAuthStatus", false, false)}},
		{&msg6.RconLine{Line: []byte("a\x1bb")}, []bridgetest.Call{call("RconLine", "a b")}},
		{&msg6.RconCmdAdd{Name: []byte("n"), Help: []byte("h"), Params: []byte("p")}, []bridgetest.Call{call("RconCommand", command)}},
		{&msg6.RconCmdRem{Name: []byte("n")}, []bridgetest.Call{call("RconCommandRemoved", "n")}},
		{&msg6.MaplistAdd{Names: []byte("a\x00b\x00")}, []bridgetest.Call{call("MapListEntry", "a", false), call("MapListEntry", "b", false)}},
		{&msg6.SvMotd{Message: []byte("two\nlines")}, []bridgetest.Call{call("Motd", "two\nlines")}},
		{&msg6.SvBroadcast{Message: []byte("x")}, []bridgetest.Call{eventCall(game.Event{Kind: game.EvBroadcast, Player: nobody, Target: nobody, Text: "x"})}},
		{&msg6.SvChat{Mode: msg6.ChatAll, ClientID: -1, Message: []byte("x")},
			[]bridgetest.Call{eventCall(game.Event{Kind: game.EvChat, Player: nobody, Target: nobody, Chat: game.ChatAll, Text: "x"})}},
		{&msg6.SvChat{Mode: msg6.ChatTeam, ClientID: 3, Message: []byte("x")},
			[]bridgetest.Call{eventCall(game.Event{Kind: game.EvChat, Player: 3, Target: nobody, Chat: game.ChatTeam, Text: "x"})}},
		{&msg6.SvChat{Mode: msg6.ChatWhisperSent, ClientID: 3, Message: []byte("x")},
			[]bridgetest.Call{eventCall(game.Event{Kind: game.EvChat, Player: 5, Target: 3, Chat: game.ChatWhisper, Text: "x"})}},
		{&msg6.SvChat{Mode: msg6.ChatWhisperReceived, ClientID: 3, Message: []byte("x")},
			[]bridgetest.Call{eventCall(game.Event{Kind: game.EvChat, Player: 3, Target: 5, Chat: game.ChatWhisper, Text: "x"})}},
		{&msg6.SvKillMsg{Killer: 1, Victim: 2, Weapon: msg6.WeaponGrenade},
			[]bridgetest.Call{eventCall(game.Event{Kind: game.EvKill, Player: 1, Target: 2, Weapon: game.WeaponGrenade})}},
		{&msg6.SvWeaponPickup{Weapon: msg6.WeaponLaser},
			[]bridgetest.Call{eventCall(game.Event{Kind: game.EvPickup, Player: 5, Target: nobody,
				Weapon: game.WeaponLaser, Pickup: game.PickupLaser})}},
		{&msg6.SvEmoticon{ClientID: 2, Emoticon: 4}, []bridgetest.Call{eventCall(game.Event{Kind: game.EvEmoticon, Player: 2, Target: nobody, Value: 4})}},
		{&msg6.SvVoteClearOptions{}, []bridgetest.Call{call("VoteOptions", []string(nil), true)}},
		{&msg6.SvVoteOptionListAdd{Count: 2, Descriptions: [15][]byte{[]byte("a"), []byte("b")}},
			[]bridgetest.Call{call("VoteOptions", []string{"a", "b"}, false)}},
		{&msg6.SvVoteOptionAdd{Description: []byte("c")}, []bridgetest.Call{call("VoteOptions", []string{"c"}, false)}},
		{&msg6.SvVoteOptionRemove{Description: []byte("c")}, []bridgetest.Call{call("VoteOptionRemoved", "c")}},
		{&msg6.SvVoteStatus{Yes: 1, No: 2, Pass: 3, Total: 6}, []bridgetest.Call{call("VoteStatus", int32(1), int32(2), int32(3), int32(6))}},
		{&msg6.SvRaceFinish{ClientID: 3, Time: 12345, Diff: -5, RecordServer: true},
			[]bridgetest.Call{eventCall(game.Event{Kind: game.EvRaceFinish, Player: 3, Target: nobody, Value: 12345,
				Extra: -5, Record: game.RecordOfAll})}},
		{&msg6.SvDDRaceTime{Time: 100, Check: -25},
			[]bridgetest.Call{eventCall(game.Event{Kind: game.EvCheckpoint, Player: nobody, Target: nobody, Value: -250, Extra: 1000})}},
		{&msg6.SvCommandInfo{Name: []byte("n"), ArgsFormat: []byte("p"), HelpText: []byte("h")}, []bridgetest.Call{call("ChatCommand", command, false)}},
		{&msg6.SvCommandInfoRemove{Name: []byte("n")}, []bridgetest.Call{call("ChatCommand", bridge.CommandInfo{Name: "n"}, true)}},
		{&msg6.SvRecord{ServerTimeBest: 99}, []bridgetest.Call{call("Other", event.RaceRecords{Best: 990})}},
	} {
		receive(t, c.clientSide, tt.m)
		c.Expect(t, fmt.Sprintf("%T", tt.m), tt.want...)
	}
	if c.bestTime != 990 {
		t.Errorf("best time %d", c.bestTime)
	}
	if len(c.sent) != 0 {
		t.Errorf("it sent %T", c.sent[0])
	}

	known := message.UUIDFromName("map-details@ddnet.tw")
	for _, m := range []msg6.Message{&msg6.Ping{}, &msg6.PingEx{PingID: msg6.UUID{1}}, &msg6.WhatIs{UUID: known}, &msg6.WhatIs{UUID: msg6.UUID{1}}} {
		receive(t, c.clientSide, m)
	}
	replies := []msg6.Message{
		&msg6.PingReply{}, &msg6.PongEx{PingID: msg6.UUID{1}},
		&msg6.ItIs{UUID: known, Name: []byte("map-details@ddnet.tw")}, &msg6.IDontKnow{UUID: msg6.UUID{1}},
	}
	if d := cmp.Diff(replies, c.sent); d != "" {
		t.Errorf("replies (-want +got):\n%s", d)
	}

	if err := c.Receive((&msg6.SvMotd{Message: []byte("x")}).Append(nil), false); err != nil {
		t.Errorf("not vital: %v", err)
	}
	if err := c.Receive([]byte{0x3a}, true); !errors.Is(err, bridge.ErrUnknownMessage) {
		t.Errorf("unknown: %v", err)
	}
	if err := c.Receive([]byte{byte(msg6.IDSvChat)}, true); err == nil || errors.Is(err, bridge.ErrUnknownMessage) {
		t.Errorf("cut: %v", err)
	}
	c.Expect(t, "no messages")
}

// TestReceiveTuneParams checks the parameters that both versions have. The indexes of the
// parameters differ.
func TestReceiveTuneParams(t *testing.T) {
	c := newTestClient(t, ClientConfig{})
	defaults := c.Tuning()
	params := make([]int32, msg6.TuneParamsDDNet)
	for i := range params {
		params[i] = int32(i + 1)
	}
	receive(t, c.clientSide, &msg6.SvTuneParams{Params: params})
	c.Expect(t, "tuning", eventCall(game.Event{Kind: game.EvTuneParams, Player: game.Nobody, Target: game.Nobody}))
	for i, v := range c.Tuning() {
		if want := int32(i + 1); i < laserDamageIndex && v != want || i >= laserDamageIndex && v != want+1 {
			t.Errorf("parameter %d is %d", i, v)
		}
	}
	all, n := c.DDRaceTuning()
	if n != len(params) || !slices.Equal(all[:n], params) {
		t.Errorf("DDRaceTuning returns %d: %v, want the parameters that were sent", n, all)
	}
	receive(t, c.clientSide, &msg6.SvTuneParams{Params: append(slices.Clone(params), 50, 80, 9)}) // parameters of DDNet 20, and one more
	if all, n = c.DDRaceTuning(); n != ddrace.NumTuneParams || all[ddrace.GroundElasticityX] != 50 || all[ddrace.GroundElasticityY] != 80 {
		t.Errorf("DDRaceTuning of DDNet 20 is %d: %v", n, all)
	}
	c.Reset()
	if _, n := c.DDRaceTuning(); n != 0 {
		t.Error("a new game begins with the tuning of the last one")
	}
	if c.Tuning() != defaults {
		t.Error("a new game does not begin with the default tuning")
	}
	receive(t, c.clientSide, &msg6.SvTuneParams{Params: params[:3]})
	if got := c.Tuning(); got[2] != 3 || got[3] != defaults[3] {
		t.Errorf("after three parameters: %v", got)
	}
	if _, n := c.DDRaceTuning(); n != 0 {
		t.Error("three parameters count as DDRace tuning")
	}
}

// TestReceiveVotes checks that votes and their results arrive as the server sent them.
func TestReceiveVotes(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	s, session := newServerSide(t, NewProtocol(), w, 1, 16040)
	c := newTestClient(t, ClientConfig{})
	for id, name := range []string{"alice", "bob"} {
		c.Players[id].InGame, c.Players[id].Profile.Name = true, name
	}
	votes := func() []bridgetest.Call {
		return slices.DeleteFunc(c.Take(), func(c bridgetest.Call) bool { return c.Method != "Vote" })
	}
	for _, v := range []bridge.Vote{
		{Kind: event.VoteOption, Caller: 0, Target: game.Nobody, Timeout: 25, Description: "Next map", Reason: "bored"},
		{Kind: event.VotePassed, Caller: game.Nobody, Target: game.Nobody},
		{Kind: event.VoteKick, Caller: 0, Target: 1, Timeout: 25, Description: "bob", Reason: "bad"},
		{Kind: event.VoteFailed, Caller: game.Nobody, Target: game.Nobody},
		{Kind: event.VoteSpectate, Caller: 1, Target: 0, Timeout: 25, Description: "alice", Reason: ""},
		{Kind: event.VoteAborted, Caller: game.Nobody, Target: game.Nobody},
		{Kind: event.VoteOption, Caller: game.Nobody, Target: game.Nobody, Timeout: 25, Description: "x"},
	} {
		s.SendVote(&v)
		for _, m := range session.takeSent() {
			receive(t, c.clientSide, m)
		}
		if d := cmp.Diff([]bridgetest.Call{call("Vote", v)}, votes()); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	// A vote without a chat line about its result.
	receive(t, c.clientSide, &msg6.SvVoteSet{})
	c.ReceiveSnapshot(2, new(snapshot.Snapshot))
	if d := cmp.Diff([]bridgetest.Call{call("Vote", bridge.Vote{Caller: game.Nobody, Target: game.Nobody})}, votes()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestVotesOfDDNet checks that the votes of DDNet-Server in DDRace are understood.
func TestVotesOfDDNet(t *testing.T) {
	for _, c := range []struct {
		shown, description string
		kind               event.VoteKind
	}{
		{"Ban 'bob'", "bob", event.VoteKick},
		{"Move 'bob' to spectators", "bob", event.VoteSpectate},
		{"Move 'bob' to team 0", "Move 'bob' to team 0", event.VoteOption},
		{"Pause 'bob' (10s)", "Pause 'bob' (10s)", event.VoteOption},
	} {
		side := newTestClient(t, ClientConfig{})
		receive(t, side.clientSide, &msg6.SvVoteSet{Timeout: 25, Description: []byte(c.shown)})
		side.Expect(t, c.shown, call("Vote", bridge.Vote{Kind: c.kind, Caller: game.Nobody, Target: game.Nobody, Timeout: 25, Description: c.description}))
		receive(t, side.clientSide, &msg6.SvVoteSet{})
		receive(t, side.clientSide, serverLine("Vote passed enforced by authorized player"))
		got := slices.DeleteFunc(side.Take(), func(c bridgetest.Call) bool { return c.Method != "Vote" })
		if d := cmp.Diff([]bridgetest.Call{call("Vote", bridge.Vote{Kind: event.VotePassed, Caller: game.Nobody, Target: game.Nobody})}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// playerSnapshot returns a snapshot of players: "name", "name>" for a spectator, "name*" with
// another skin, "" for an empty slot.
func playerSnapshot(names ...string) *snapshot.Snapshot {
	var b snapshot.Builder
	for id, name := range names {
		if name == "" {
			continue
		}
		name, spec := strings.CutSuffix(name, ">")
		o := msg6.PlayerInfo{ClientID: int32(id)}
		if spec {
			o.Team = msg6.TeamSpectators
		}
		addItem(&b, msg6.TypePlayerInfo, id, msg6.SizePlayerInfo, &o)
		skin := "default"
		if strings.HasSuffix(name, "*") {
			name, skin = name[:len(name)-1], "bluekitty"
		}
		var info [msg6.SizeClientInfo]int32
		putClientInfo(&info, &game.Profile{Name: name}, &skin06{name: skin})
		copy(b.Add(msg6.TypeClientInfo, id, msg6.SizeClientInfo), info[:])
	}
	var s snapshot.Snapshot
	b.Finish(&s)
	return &s
}

// TestDerivedPlayerEvents checks the events about players that are derived from snapshots.
func TestDerivedPlayerEvents(t *testing.T) {
	ev := func(kind game.EventKind, id game.PlayerID, team game.Team) bridgetest.Call {
		return eventCall(game.Event{Kind: kind, Player: id, Target: game.Nobody, Team: team, Flag: true})
	}
	entered := func(id game.PlayerID, team game.Team) bridgetest.Call { return ev(game.EvPlayerEntered, id, team) }
	left := func(id game.PlayerID) bridgetest.Call { return ev(game.EvPlayerLeft, id, 0) }
	team := func(id game.PlayerID, team game.Team) bridgetest.Call { return ev(game.EvTeamChange, id, team) }
	skin := func(id game.PlayerID) bridgetest.Call { return ev(game.EvSkinChange, id, 0) }
	c := newTestClient(t, ClientConfig{})
	c.ReceiveSnapshot(1, playerSnapshot())
	c.Take()
	for i, tt := range []struct {
		s    *snapshot.Snapshot
		want []bridgetest.Call
	}{
		{playerSnapshot("alice"), []bridgetest.Call{entered(0, 0)}},
		{playerSnapshot("alice"), nil},
		{playerSnapshot("alice", "", "bob>"), []bridgetest.Call{entered(2, -1)}},
		{playerSnapshot("alice>", "", "bob"), []bridgetest.Call{team(0, -1), team(2, 0)}},
		{playerSnapshot("alice", "", "bob*"), []bridgetest.Call{team(0, 0), skin(2)}},
		{playerSnapshot("alice"), []bridgetest.Call{left(2)}},
		{playerSnapshot("alice", "", "bob*"), []bridgetest.Call{entered(2, 0)}}, // in the same skin as before
		{playerSnapshot("carol", "", "bob*"), []bridgetest.Call{left(0), entered(0, 0)}},
		{playerSnapshot(), []bridgetest.Call{left(0), left(2)}},
	} {
		c.ReceiveSnapshot(int32(2+2*i), tt.s)
		c.Expect(t, fmt.Sprint("snapshot ", i), tt.want...)
	}
	if p, ok := c.Player(0); ok || p.Profile.Name != "carol" {
		t.Errorf("player who left: %v %+v", ok, p)
	}
	if _, ok := c.Player(-1); ok {
		t.Error("no player is in the game")
	}
}

// TestDerivedFlagEvents checks the events about flags that are derived from snapshots.
func TestDerivedFlagEvents(t *testing.T) {
	c := newTestClient(t, ClientConfig{})
	msg := func(kind game.GameMsg, player game.PlayerID, value, extra int32) []bridgetest.Call {
		return []bridgetest.Call{eventCall(game.Event{Kind: game.EvGameMsg, GameMsg: kind, Player: player, Target: game.Nobody, Value: value, Extra: extra})}
	}
	for i, tt := range []struct {
		red, blue, redScore int32
		want                []bridgetest.Call
	}{
		{-2, -2, 0, nil},
		{-2, -2, 0, nil},
		{-2, 3, 0, msg(game.GameMsgCTFGrab, -1, 1, 0)},
		{-2, -1, 0, msg(game.GameMsgCTFDrop, -1, 0, 0)},
		{-2, 4, 0, msg(game.GameMsgCTFGrab, -1, 1, 0)},
		{-2, -2, 100, msg(game.GameMsgCTFCapture, 4, 1, 6)},
		{7, -2, 100, msg(game.GameMsgCTFGrab, -1, 0, 0)},
		{-1, -2, 100, msg(game.GameMsgCTFDrop, -1, 0, 0)},
		{-2, -2, 100, msg(game.GameMsgCTFReturn, -1, 0, 0)},
		{7, -2, 100, msg(game.GameMsgCTFGrab, -1, 0, 0)},
		{-2, -2, 100, msg(game.GameMsgCTFReturn, -1, 0, 0)}, // the carrier died
	} {
		var b snapshot.Builder
		var s snapshot.Snapshot
		addItem(&b, msg6.TypeGameInfo, 0, msg6.SizeGameInfo, &msg6.GameInfo{Flags: msg6.GameFlagTeams | msg6.GameFlagFlags})
		addItem(&b, msg6.TypeGameData, 0, msg6.SizeGameData,
			&msg6.GameData{ScoreRed: tt.redScore, CarrierRed: msg6.FlagCarrier(tt.red), CarrierBlue: msg6.FlagCarrier(tt.blue)})
		b.Finish(&s)
		c.ReceiveSnapshot(int32(100+2*i), &s)
		if i == 0 {
			c.Expect(t, "first snapshot", eventCall(game.Event{Kind: game.EvGameInfo, Player: game.Nobody, Target: game.Nobody}))
		} else {
			c.Expect(t, fmt.Sprint("snapshot ", i), tt.want...)
		}
	}
}

// TestClientMessages checks that the messages of a client arrive at the server unchanged.
func TestClientMessages(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", `b "o\b`)
	c := newTestClient(t, ClientConfig{})
	c.Players[1].InGame, c.Players[1].Profile.Name = true, `b "o\b`
	arrives := func(what string, want ...bridgetest.Call) {
		t.Helper()
		s, session := newServerSide(t, NewProtocol(), w, 0, 16040)
		for _, m := range c.sent {
			receive(t, s, m)
		}
		session.Expect(t, what, want...)
		c.sent = nil
	}
	skin := standardSkins[3].skin
	p := game.Profile{Name: "alice", Clan: "clan", Country: 276, Skin: skin}
	c.SendLogin("secret")
	c.extended = true // normally set by one of DDNet's messages or items
	arrives("login", call("Login", bridge.Login{VersionOK: true, NetVersion: msg6.NetVersion, Password: "secret", ClientVersion: 16040}))
	c.SendRequestMapData(7)
	arrives("map", call("RequestMapData", 7))
	c.SendReady()
	arrives("ready", call("Ready"))
	c.SendProfile(&p)
	arrives("profile", call("Profile", p))
	c.SendEnterGame()
	arrives("enter", call("EnterGame"))
	in := game.Input{Direction: -1, TargetX: 3, TargetY: -4, Jump: true, Fire: 5, Hook: true,
		Flags: game.PlayerFlagChatting | game.PlayerFlagScoreboard | game.PlayerFlagAim, WantedWeapon: 2, NextWeapon: 6, PrevWeapon: 7}
	c.SendInput(8, 9, &in, 10)
	arrives("input", call("Input", bridge.InputMessage{AckTick: 8, IntendedTick: 9, Input: in, Valid: true}))
	c.SendChatCommand("w", "alice hi")
	c.SendCallVote(event.VoteKick, "1", "bad", false)
	c.SendCallVote(event.VoteOption, "next", "", false)
	c.SendVote(-1)
	c.SendRconAuth("me", "pw")
	c.SendRconCmd("status")
	line := func(text string) game.Command {
		return game.Command{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatAll, Text: text}
	}
	arrives("several", commandCall(line("/w alice hi")),
		call("CallVote", event.VoteKick, "1", "bad", false), call("CallVote", event.VoteOption, "next", "", false),
		call("Vote", int32(-1)), call("RconAuth", "me", "pw"), call("RconCmd", "status"))
	for _, cmd := range []game.Command{
		{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatAll, Text: "hi"},
		{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatTeam, Text: "hi"},
		{Kind: game.CmdSetTeam, Target: game.Nobody, Team: game.TeamSpectators},
		{Kind: game.CmdSpectate, Target: game.Nobody, Spectate: game.SpectateFree},
		{Kind: game.CmdSpectate, Target: 1, Spectate: game.SpectatePlayer},
		{Kind: game.CmdKill, Target: game.Nobody},
		{Kind: game.CmdEmoticon, Target: game.Nobody, Value: 13},
	} {
		if !c.SendCommand(&cmd) {
			t.Errorf("cannot send %+v", cmd)
		}
		arrives(fmt.Sprint(cmd), commandCall(cmd))
	}
	for text, cmd := range map[string]game.Command{ // sent as chat commands, which servers run
		`/w "b \"o\\b" psst`: {Kind: game.CmdSay, Target: 1, Chat: game.ChatWhisper, Text: "psst"},
		"/ready":             {Kind: game.CmdReady, Target: game.Nobody},
	} {
		if !c.SendCommand(&cmd) {
			t.Errorf("cannot send %+v", cmd)
		}
		arrives(text, commandCall(line(text)))
	}
	for _, cmd := range []game.Command{
		{Kind: game.CmdTuneParams}, {Kind: game.CmdProfile}, {Kind: game.CmdSkinChange}, {Kind: game.CmdSpectate, Spectate: game.SpectateFlagBlue},
		{Kind: game.CmdSay, Chat: game.ChatWhisper, Target: game.Nobody},
	} {
		if c.SendCommand(&cmd) {
			t.Errorf("sent %+v as %T", cmd, c.sent)
		}
	}
	// Only DDNet's servers understand whispers. Others would show the text to all players.
	c.extended = false
	if c.SendCommand(&game.Command{Kind: game.CmdSay, Chat: game.ChatWhisper, Target: 1, Text: "psst"}) ||
		c.SendCommand(&game.Command{Kind: game.CmdReady}) || len(c.sent) != 0 {
		t.Errorf("sent %v", c.sent)
	}
	c.SendCommand(&game.Command{Kind: game.CmdSkinChange, Profile: &game.Profile{Skin: standardSkins[4].skin}})
	if m, ok := c.sent[0].(*msg6.ClChangeInfo); !ok || string(m.Profile.Name) != "alice" || string(m.Profile.Skin) != standardSkins[4].name {
		t.Errorf("changing the skin sent %+v", c.sent[0])
	}
}

// TestSendVersion checks the version that a client introduces itself with.
func TestSendVersion(t *testing.T) {
	for version, want := range map[int32]int{-1: 2, 0: 3, 16040: 4} {
		c := newTestClient(t, ClientConfig{DDNetVersion: version, ConnectionID: [16]byte{1}})
		c.SendLogin("")
		c.SendProfile(&game.Profile{Name: "x"})
		if len(c.sent) != want {
			t.Errorf("%d: %d messages", version, len(c.sent))
		}
		if v, ok := c.sent[0].(*msg6.ClientVer); ok != (version > 0) || ok &&
			(v.Version != version || string(v.Text) != "DDNet 16.4" || v.ConnectionID != msg6.UUID{1}) {
			t.Errorf("%d: first %+v", version, c.sent[0])
		}
	}
}

// TestVoteAfterVote checks that a new vote ends the previous one, even without a line about its
// result.
func TestVoteAfterVote(t *testing.T) {
	c := newTestClient(t, ClientConfig{})
	receive(t, c.clientSide, &msg6.SvVoteSet{Timeout: 25, Description: []byte("one")})
	receive(t, c.clientSide, &msg6.SvVoteSet{})
	receive(t, c.clientSide, &msg6.SvVoteSet{Timeout: 25, Description: []byte("two")})
	vote := func(name string) bridgetest.Call {
		return call("Vote", bridge.Vote{Kind: event.VoteOption, Caller: game.Nobody, Target: game.Nobody, Timeout: 25, Description: name})
	}
	c.Expect(t, "votes", vote("one"), call("Vote", bridge.Vote{Caller: game.Nobody, Target: game.Nobody}), vote("two"))
}
