package bridge7

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/offline"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

var (
	call = bridgetest.NewCall
	skin = game.Skin{PartNames: [6]string{"bear", "", "", "standard"}, UseCustomColors: [6]bool{true}, PartColors: [6]int32{1, -2, 3}}
)

// newWorld makes a world with two players.
func newWorld(t *testing.T) *game.World {
	t.Helper()
	w, _ := bridgetest.NewWorld(t, "testbox", dm.Mode{}, nil)
	w.Step(append(bridgetest.Join(0, game.Profile{Name: "alice", Clan: "clan", Country: 276, Skin: skin}), bridgetest.Join(1, game.Profile{Name: "bob"})...))
	for range 100 {
		w.Step(nil)
	}
	return w
}

func connect(t testing.TB) *bridgetest.Connection {
	return bridgetest.Connect(t, NewProtocol(), NewClientSide)
}

// TestServerMessages checks that the messages of a server arrive at the client unchanged.
func TestServerMessages(t *testing.T) {
	w := newWorld(t)
	c := connect(t)
	s := c.Server
	m := &bridge.Map{Name: "yard", File: []byte("a map"), CRC: 0xfffffff0, SHA256: [32]byte{7}, ChunksPerRequest: 3}
	info := bridge.ServerInfo{Version: "0.7.5", Name: "n", Hostname: "h", Map: "m", GameType: "DM", NeedsPassword: true,
		TimeScore: true, SkillLevel: 1, Players: 2, PlayerSlots: 3, Clients: 4, MaxClients: 5}
	command := bridge.CommandInfo{Name: "n", Params: "p", Help: "h"}
	header := snapshot.PartHeader{Tick: 9, BaseTick: 4, CRC: 5, Parts: 3}
	single := header
	single.Parts = 1
	receive := func(m msg7.Message) func() {
		return func() {
			if err := c.Client.Receive(m.Append(nil), true); err != nil {
				t.Errorf("%T: %v", m, err)
			}
		}
	}
	told := func(ev game.Event) func() { return func() { s.SendEvent(w, &ev) } }
	gameEvent := func(kind game.EventKind) game.Event {
		return game.Event{Kind: kind, Player: game.Nobody, Target: game.Nobody}
	}
	rules, tuning := w.Rules(), w.Tuning()
	for _, tt := range []struct {
		send func()
		want bridgetest.Call
	}{
		{func() { s.SendMapChange(m) }, call("MapChange", bridge.MapChange{Name: "yard", CRC: 0xfffffff0, Size: 5,
			SHA256: [32]byte{7}, HasSHA256: true, ChunksPerRequest: 3, ChunkSize: s.MapChunkSize()})},
		{func() { s.SendMapChange(&bridge.Map{Name: "dm1", ChunksPerRequest: 3}) }, // not the original dm1
			call("MapChange", bridge.MapChange{Name: "dm1_6", HasSHA256: true, ChunksPerRequest: 3, ChunkSize: s.MapChunkSize()})},
		{func() {
			s.SendMapChange(&bridge.Map{Name: "dm1", CRC: 0x64548818, File: make([]byte, 6793), ChunksPerRequest: 3})
		},
			call("MapChange", bridge.MapChange{Name: "dm1", CRC: 0x64548818, Size: 6793, HasSHA256: true, ChunksPerRequest: 3, ChunkSize: s.MapChunkSize()})},
		{receive(&msg7.MapChange{Name: []byte("dm1"), ChunksPerRequest: 1, ChunkSize: 1}),
			call("MapChange", bridge.MapChange{Name: "dm1", ChunksPerRequest: 1, ChunkSize: 1, Refusal: "invalid standard map"})},
		{func() { s.SendMapData(m, 0) }, call("MapData", -1, "a map")},
		{s.SendConReady, call("ConReady")},
		{s.SendReadyToEnter, call("ReadyToEnter")},
		{func() { s.SendServerInfo(&info) }, call("ServerInfo", info)},
		{func() { s.SendMotd("two\nlines") }, call("Motd", "two\nlines")},
		{s.SendVoteOptionsCleared, call("VoteOptions", []string(nil), true)},
		{func() { s.SendVoteOptions([]string{"a", "b"}) }, call("VoteOptions", []string{"a", "b"}, false)},
		{func() { s.SendVoteOption("c") }, call("VoteOptions", []string{"c"}, false)},
		{func() { s.SendVoteOptionRemoved("b") }, call("VoteOptionRemoved", "b")},
		{func() { s.SendVoteStatus(1, 2, 3, 6) }, call("VoteStatus", int32(1), int32(2), int32(3), int32(6))},
		{func() { s.SendRconAuthStatus(true) }, call("RconAuthStatus", true, true)},
		{func() { s.SendRconAuthStatus(false) }, call("RconAuthStatus", false, false)},
		{func() { s.SendRconLine("\x1bline") }, call("RconLine", " line")},
		{func() { s.SendRconCommand(&command) }, call("RconCommand", command)},
		{func() { s.SendRconCommandRemoved("n") }, call("RconCommandRemoved", "n")},
		{func() { s.SendMapListEntry("m") }, call("MapListEntry", "m", false)},
		{func() { s.SendMapListEntryRemoved("m") }, call("MapListEntry", "m", true)},
		{func() { s.SendSnapshotPart(snapshot.PartHeader{Tick: 9, BaseTick: -1}, 0, nil) },
			call("SnapshotPart", snapshot.PartHeader{Tick: 9, BaseTick: -1, Parts: 1}, int32(0), "")},
		{func() { s.SendSnapshotPart(single, 0, []byte("x")) }, call("SnapshotPart", single, int32(0), "x")},
		{func() { s.SendSnapshotPart(header, 2, []byte("x")) }, call("SnapshotPart", header, int32(2), "x")},
		{func() { s.SendInputTiming(9, -3) }, call("InputTiming", int32(9), int32(-3))},
		{receive(&msg7.SvRaceFinish{ClientID: 3, Time: 1234, Diff: -5, RecordServer: true}),
			call("Event", game.Event{Kind: game.EvRaceFinish, Player: 3, Target: game.Nobody, Value: 1234, Extra: -5, Record: game.RecordOfAll})},
		{receive(&msg7.SvCheckpoint{Diff: -7}), call("Event", game.Event{Kind: game.EvCheckpoint, Player: game.Nobody, Target: game.Nobody, Value: -7})},
		{receive(&msg7.SvCommandInfo{Name: []byte("n"), ArgsFormat: []byte("p"), HelpText: []byte("h")}), call("ChatCommand", command, false)},
		{receive(&msg7.SvCommandInfoRemove{Name: []byte("n")}), call("ChatCommand", bridge.CommandInfo{Name: "n"}, true)},
		{receive(&msg7.MaplistEntryRem{Name: []byte("m")}), call("MapListEntry", "m", true)},
		{c.Client.SendPing, call("PingReply")},
		{told(game.Event{Kind: game.EvKill, Player: -3, Target: 1, Weapon: game.WeaponLaser, Value: 2}),
			call("Event", game.Event{Kind: game.EvKill, Player: -3, Target: 1, Weapon: game.WeaponLaser, Value: 2})},
		{told(game.Event{Kind: game.EvGameInfo, Rules: &rules, Extra: w.Frame().Game.MatchCurrent}), call("Event", gameEvent(game.EvGameInfo))},
		{told(game.Event{Kind: game.EvServerSettings, Rules: &rules}), call("Event", gameEvent(game.EvServerSettings))},
		{told(game.Event{Kind: game.EvTuneParams, Tuning: &tuning}), call("Event", gameEvent(game.EvTuneParams))},
		{told(game.Event{Kind: game.EvBroadcast, Text: "a\nb"}),
			call("Event", game.Event{Kind: game.EvBroadcast, Player: game.Nobody, Target: game.Nobody, Text: "a\nb"})},
		{told(game.Event{Kind: game.EvSkinChange}), call("Event", game.Event{Kind: game.EvSkinChange, Target: game.Nobody})},
	} {
		tt.send()
		c.ServerMessages.Expect(t, tt.want.Method, tt.want)
	}
	// A client refuses a chat command that it has built in, so "whisper" is not sent. The client's
	// own "team" is removed before the server's is sent.
	s.SendChatCommand(&bridge.CommandInfo{Name: "whisper"})
	c.ServerMessages.Expect(t, "a command that clients have")
	team := bridge.CommandInfo{Name: "team", Params: "?i[id]", Help: "h"}
	s.SendChatCommand(&team)
	c.ServerMessages.Expect(t, "team", call("ChatCommand", bridge.CommandInfo{Name: "team"}, true), call("ChatCommand", team, false))
	s.SendChatCommandRemoved("team")
	c.ServerMessages.Expect(t, "no team", call("ChatCommand", bridge.CommandInfo{Name: "team"}, true))
	for _, ev := range []game.Event{
		{GameMsg: game.GameMsgTeamSwap, Player: game.Nobody},
		{GameMsg: game.GameMsgTeamAll, Player: game.Nobody, Value: 1},
		{GameMsg: game.GameMsgGamePaused, Player: 1},
		{GameMsg: game.GameMsgCTFCapture, Value: 1, Extra: 99},
	} {
		ev.Kind, ev.Target = game.EvGameMsg, game.Nobody
		s.SendEvent(w, &ev)
		c.ServerMessages.Expect(t, "game message", call("Event", ev))
	}
	for _, v := range []bridge.Vote{
		{Kind: event.VoteOption, Caller: 3, Timeout: 25, Description: "next map", Reason: "bored", Target: game.Nobody},
		{Kind: event.VoteKick, Caller: 3, Timeout: 25, Description: "bob: the 2nd", Reason: "bad", Target: 12},
		{Kind: event.VoteSpectate, Caller: game.Nobody, Timeout: 1, Description: "al", Target: 0},
		{Kind: event.VotePassed, Caller: 3, Target: game.Nobody},
		{Kind: event.VoteFailed, Caller: game.Nobody, Target: game.Nobody},
		{Kind: event.VoteAborted, Caller: 3, Target: game.Nobody},
		{Kind: event.VoteNone, Caller: game.Nobody, Target: game.Nobody},
	} {
		s.SendVote(&v)
		if v.Caller == game.Nobody && v.Timeout > 0 {
			v.Caller = msg7.MaxClients - 1 // no player has this id
		}
		c.ServerMessages.Expect(t, "vote", call("Vote", v))
	}
	for _, ev := range []game.Event{
		{Kind: game.EvPickup, Weapon: game.WeaponWorld}, {Kind: game.EvSkinChange, Player: 9}, {Kind: game.EvRoundStart}, {Kind: game.EvSound},
	} {
		s.SendEvent(w, &ev)
	}
	s.SendClientInfo(w, 9, false, false)
	c.ServerMessages.Expect(t, "events without message")

	if got, want := c.Client.Settings(), (event.Settings{VoteKick: true, VoteSpectate: true, TeamBalance: true, PlayerSlots: 64}); got != want {
		t.Errorf("settings %+v, want %+v", got, want)
	}
	if got := c.Client.GameInfo(); got.ScoreLimit != 20 || got.MatchCurrent != w.Frame().Game.MatchCurrent {
		t.Errorf("game info %+v", got)
	}
	if c.Client.Tuning() != w.Tuning() {
		t.Error("another tuning")
	}
	if p, _ := c.Client.Player(0); p.Profile.Skin != skin {
		t.Errorf("skin %+v", p.Profile.Skin)
	}
	if _, ok := c.Client.Player(-1); ok {
		t.Error("no player is in the game")
	}
}

// TestClientMessages checks that the messages of a client arrive at the server unchanged.
func TestClientMessages(t *testing.T) {
	c := connect(t)
	p := game.Profile{Name: "me", Clan: "us", Country: 40, Skin: skin}
	in := game.Input{Direction: 1, TargetX: -2, TargetY: 3, Jump: true, Fire: 4, Hook: true, Flags: game.PlayerFlagChatting,
		WantedWeapon: 3, NextWeapon: 5, PrevWeapon: 6}
	for _, tt := range []struct {
		send func()
		want bridgetest.Call
	}{
		{func() { c.Client.SendLogin("secret") },
			call("Login", bridge.Login{VersionOK: true, NetVersion: msg7.NetVersion, Password: "secret", ClientVersion: msg7.ClientVersion})},
		{func() { c.Client.SendRequestMapData(0) }, call("RequestMapData", -1)},
		{c.Client.SendReady, call("Ready")},
		{func() { c.Client.SendProfile(&p) }, call("Profile", p)},
		{c.Client.SendEnterGame, call("EnterGame")},
		{func() { c.Client.SendInput(7, 8, &in, 9) },
			call("Input", bridge.InputMessage{AckTick: 7, IntendedTick: 8, PingCorrection: 9, Input: in, Valid: true})},
		{func() { c.Client.SendChatCommand("rank", "me") }, call("ChatCommand", "rank", "me")},
		{func() { c.Client.SendCallVote(event.VoteSpectate, "4", "why", false) }, call("CallVote", event.VoteSpectate, "4", "why", false)},
		{func() { c.Client.SendVote(-1) }, call("Vote", int32(-1))},
		{func() { c.Client.SendRconAuth("name", "pw") }, call("RconAuth", "", "pw")},
		{func() { c.Client.SendRconCmd("status") }, call("RconCmd", "status")},
	} {
		tt.send()
		c.ClientMessages.Expect(t, tt.want.Method, tt.want)
	}
	for _, cmd := range []game.Command{
		{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatAll, Text: "hi"},
		{Kind: game.CmdSay, Target: 5, Chat: game.ChatWhisper, Text: "psst"},
		{Kind: game.CmdSetTeam, Target: game.Nobody, Team: game.TeamSpectators},
		{Kind: game.CmdSpectate, Target: 9, Spectate: game.SpectatePlayer},
		{Kind: game.CmdSkinChange, Target: game.Nobody, Profile: &game.Profile{Skin: skin}},
		{Kind: game.CmdKill, Target: game.Nobody},
		{Kind: game.CmdReady, Target: game.Nobody},
		{Kind: game.CmdEmoticon, Target: game.Nobody, Value: 13},
	} {
		cmd.Player = game.Nobody
		if !c.Client.SendCommand(&cmd) {
			t.Errorf("cannot send %+v", cmd)
		}
		c.ClientMessages.Expect(t, "command", call("Command", cmd))
	}
	for _, cmd := range []game.Command{{Kind: game.CmdTuneParams}, {Kind: game.CmdProfile}, {Kind: game.CmdSkinChange}} {
		if c.Client.SendCommand(&cmd) {
			t.Errorf("sent %+v", cmd)
		}
	}
	c.ClientMessages.Expect(t, "commands without message")
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(0, 63)
		want := game.Input{
			Direction: rapid.Int32Range(-1, 1).Draw(t, "direction"), TargetX: rapid.Int32().Draw(t, "x"), TargetY: rapid.Int32().Draw(t, "y"),
			Jump: rapid.Bool().Draw(t, "jump"), Hook: rapid.Bool().Draw(t, "hook"), Fire: n.Draw(t, "fire"),
			Flags:        game.PlayerFlags(rapid.IntRange(0, 127).Draw(t, "flags")) & (game.PlayerFlagChatting | game.PlayerFlagScoreboard),
			WantedWeapon: rapid.Int32Range(0, 5).Draw(t, "weapon"), NextWeapon: n.Draw(t, "next"), PrevWeapon: n.Draw(t, "prev"),
		}
		p := encodeInput(&want)
		if got := new(serverSide).decodeInput(&p); got != want {
			t.Fatalf("%+v instead of %+v", got, want)
		}
	})
}

// TestLongTexts checks that names are cut at the game's limits.
func TestLongTexts(t *testing.T) {
	c := connect(t)
	c.Client.SendProfile(&game.Profile{Name: "a name that is too löng", Clan: "kläääääääääään", Country: 40, Skin: skin})
	c.ClientMessages.Expect(t, "profile", call("Profile", game.Profile{Name: "a name that is ", Clan: "klääää", Country: 40, Skin: skin}))
}

// TestRefusedMessages checks that messages of other versions, broken messages, and messages that
// wrongly are not vital are refused.
func TestRefusedMessages(t *testing.T) {
	c := connect(t)
	motd := (&msg7.SvMotd{Message: []byte("x")}).Append(nil)
	for _, tt := range []struct {
		name    string
		to      bridgetest.Receiver
		payload []byte
		vital   bool
		want    error // nil accepts any error
	}{
		{"unknown to client", c.Client, []byte{0x3f | 0x80, 0x01}, true, bridge.ErrUnknownMessage},
		{"cut to client", c.Client, []byte{byte(msg7.IDSvTeam)}, true, nil},
		{"cut to server", c.Server, []byte{byte(msg7.IDClSay)}, true, bridge.ErrBadMessage},
		{"of a server", c.Server, motd, true, bridge.ErrBadMessage},
		{"not vital", c.Server, (&msg7.Ready{}).Append(nil), false, bridge.ErrNotVital},
		{"unknown vote", c.Server, (&msg7.ClCallVote{Type: []byte("ban")}).Append(nil), true, bridge.ErrBadMessage},
	} {
		err := tt.to.Receive(tt.payload, tt.vital)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) || tt.want == nil && errors.Is(err, bridge.ErrUnknownMessage) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := c.Client.Receive(motd, false); err != nil {
		t.Errorf("not vital to client: %v", err)
	}
	if err := c.Server.Receive((&msg7.PingReply{}).Append(nil), false); err != nil {
		t.Errorf("ping reply: %v", err)
	}
	c.ServerMessages.Expect(t, "refused")
	c.ClientMessages.Expect(t, "refused")
}

// TestSnapshotAllocs checks that a round of snapshots with effects of all kinds does not
// allocate.
func TestSnapshotAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w := newWorld(t)
	var events []game.Event
	for k := game.EvExplosion; k <= game.EvDamage; k++ {
		events = append(events, game.Event{Kind: k, To: game.MaskAll, Pos: w.View(0).Pos})
	}
	var e snapshotEncoder
	var b snapshot.Builder
	var latency [game.MaxPlayers]int32
	round := func() {
		e.recordTick(w.Frame(), events)
		e.beginRound(w.Frame())
		v := w.View(0)
		e.buildSnapshot(&b, &v, &latency, &clientids.Map{}, msg7.ClientVersion, nil)
		e.endRound()
	}
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
}

// TestStandardMaps checks that only the original's own maps may have the names of those maps.
func TestStandardMaps(t *testing.T) {
	for _, tt := range []struct {
		m       bridge.MapChange
		refused bool
	}{
		{bridge.MapChange{Name: "dm1", CRC: 0x64548818, Size: 6793}, false},
		{bridge.MapChange{Name: "dm1", CRC: 0x64548818, Size: 6794}, true},
		{bridge.MapChange{Name: "dm1", CRC: 0x64548819, Size: 6793}, true},
		{bridge.MapChange{Name: "ctf5", CRC: 0x20b97905, Size: 10292}, false}, // 0.7.4
		{bridge.MapChange{Name: "ctf5", CRC: 0x3a1694a7, Size: 10250}, false}, // earlier releases
		{bridge.MapChange{Name: "ctf5", CRC: 0x3a1694a7, Size: 10292}, true},
		{bridge.MapChange{Name: "teeyard1", CRC: 1, Size: 1}, false},
		{bridge.MapChange{Name: "", CRC: 1, Size: 1}, false},
	} {
		if got := refusalReason(tt.m.Name, tt.m.CRC, tt.m.Size); (got != "") != tt.refused {
			t.Errorf("%+v: %q", tt.m, got)
		}
	}
}

// TestRaceItems checks that a race's items take effect until a snapshot lacks them.
func TestRaceItems(t *testing.T) {
	c := NewClientSide(nil, nil).(*clientSide)
	var b snapshot.Builder
	var s snapshot.Snapshot
	(&msg7.PlayerInfo{}).PutInts(b.Add(msg7.TypePlayerInfo, 7, msg7.SizePlayerInfo))
	(&msg7.PlayerInfoRace{StartTick: 900}).PutInts(b.Add(msg7.TypePlayerInfoRace, 7, msg7.SizePlayerInfoRace))
	(&msg7.PlayerInfoRace{StartTick: 900}).PutInts(b.Add(msg7.TypePlayerInfoRace, 100, msg7.SizePlayerInfoRace))
	(&msg7.GameDataRace{BestTime: 12345, Precision: 2, RaceFlags: msg7.RaceFlagFinishAsChat}).
		PutInts(b.Add(msg7.TypeGameDataRace, 0, msg7.SizeGameDataRace))
	b.Finish(&s)
	v := c.ReceiveSnapshot(1000, &s)
	want := game.RaceState{BestTime: 12345, Precision: 2, Flags: game.RaceFlagFinishAsChat}
	if v.Game.Race != want || len(v.Players) != 1 || v.Players[0].RaceStart != 900 {
		t.Errorf("race %+v, players %+v", v.Game.Race, v.Players)
	}
	if v = c.ReceiveSnapshot(1002, new(snapshot.Snapshot)); v.Game.Race != (game.RaceState{}) {
		t.Errorf("after: %+v", v.Game.Race)
	}
}

// TestShortLogin checks logins whose last fields are missing or cut off. The bytes were exchanged
// with 0.7.5.
func TestShortLogin(t *testing.T) {
	c := connect(t)
	const version = msg7.NetVersion
	for text, want := range map[string]bridge.Login{
		version + "\x00pw\x00":     {VersionOK: true, NetVersion: version, Password: "pw"},
		version + "\x00\x00":       {VersionOK: true, NetVersion: version},
		version + "\x00":           {VersionOK: true, NetVersion: version},
		version + "\x00pw":         {VersionOK: true, NetVersion: version}, // without a terminating zero
		version:                    {},
		"":                         {},
		version + "\x00pw\x00\x80": {VersionOK: true, NetVersion: version, Password: "pw"}, // half of an integer
	} {
		payload := append([]byte{byte(msg7.IDInfo)}, text...)
		if err := c.Server.Receive(payload, true); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		c.ClientMessages.Expect(t, text, call("Login", want))
		if err := c.Server.Receive(payload, false); !errors.Is(err, bridge.ErrNotVital) {
			t.Errorf("%q, not vital: %v", text, err)
		}
	}
}

// TestOldClientsInRaces checks that clients of releases without race support see a game type that
// they know.
func TestOldClientsInRaces(t *testing.T) {
	w, _ := bridgetest.NewWorld(t, "yardrun", new(race.Mode), nil)
	w.Step(bridgetest.Join(0, game.Profile{Name: "a"}))
	for _, tt := range []struct {
		version int32
		flags   msg7.GameFlags
		message msg7.Message
	}{
		{0x0704, msg7.GameFlagRace, &msg7.SvRaceFinish{ClientID: 0, Time: 61_230, RecordPersonal: true}},
		{0x0703, 0, &msg7.SvChat{Mode: msg7.ChatAll, ClientID: -1, TargetID: -1, Message: []byte("a finished in: 1 minute(s)  1.23 second(s)")}},
	} {
		var sent messageList
		s := NewProtocol().NewServerSide(struct {
			bridge.Sender
			bridge.ClientMessageHandler
		}{&sent, new(bridgetest.ClientMessages)})
		testenv.NoError(t, s.Receive((&msg7.Info{NetVersion: []byte(msg7.NetVersion), ClientVersion: tt.version}).Append(nil), true))
		s.SendGameInfo(w)
		s.SendEvent(w, &game.Event{Kind: game.EvRaceFinish, Player: 0, Value: 61_230, Record: game.RecordPersonal})
		if g := sent[0].(*msg7.SvGameInfo); g.GameFlags != tt.flags {
			t.Errorf("%x: game flags %v", tt.version, g.GameFlags)
		}
		if d := cmp.Diff(tt.message, sent[1]); d != "" {
			t.Errorf("%x: %s", tt.version, d)
		}
	}
}

// messageList is a Sender that records the messages.
type messageList []msg7.Message

func (l *messageList) Queue(payload []byte, _ bool) {
	*l = append(*l, testenv.Must(new(msg7.Decoder).Decode(bytes.Clone(payload))))
}

func (l *messageList) FlushSoon() {}

// fng is a mode that DDNet's clients recognize as FNG.
type fng struct{ dm.Mode }

func (fng) Flags() game.GameFlags { return game.GameFlagFNG }

// TestFlagsOfOthersAreNotSent checks that a game flag that 0.7 does not define is not sent.
func TestFlagsOfOthersAreNotSent(t *testing.T) {
	w, _ := bridgetest.NewWorld(t, "testbox", fng{}, nil)
	var sent messageList
	s := NewProtocol().NewServerSide(struct {
		bridge.Sender
		bridge.ClientMessageHandler
	}{&sent, new(bridgetest.ClientMessages)})
	rules := game.DefaultRules()
	s.SendGameInfo(w)
	s.SendEvent(w, &game.Event{Kind: game.EvGameInfo, Rules: &rules})
	for _, m := range sent {
		testenv.Check(t, m.(*msg7.SvGameInfo).GameFlags == 0, "%+v", m)
	}
	testenv.Check(t, len(sent) == 2, "%d messages", len(sent))
}

// TestDDRace checks the view of 0.7 clients in a race on a DDRace map. 0.7 has no switches and no
// pickups that take weapons.
func TestDDRace(t *testing.T) {
	f := &game.Frame{
		Tick: 500, Game: game.GameState{Flags: game.GameFlagRace | game.GameFlagDDRace | game.GameFlagNoWeakHook},
		Players:    []game.PlayerState{{ID: 0, SpectatorID: game.Nobody}, {ID: 1, SpectatorID: game.Nobody, DDRaceTeam: 5}},
		Switches:   []game.SwitchState{{Highest: 2, Active: [8]uint32{1 << 1}}, {Team: 5, Highest: 2, Active: [8]uint32{1 << 2}}},
		Pickups:    []game.PickupState{{ID: 9, Kind: game.PickupArmorLaser}},
		Characters: []game.CharacterState{{Player: 0, Tick: 500, Angle: 1000}, {Player: 1, Tick: 500, Angle: -300}},
	}
	for i := range uint8(2) {
		f.Lasers = append(f.Lasers, game.LaserState{ID: uint16(i), FromX: 90, StartTick: 500, Entity: game.MapEntity{Kind: game.MapDoor, Switch: i + 1}})
	}
	for viewer := range game.PlayerID(2) {
		v := &game.View{Frame: f, Viewer: viewer, VitalsOf: viewer, Range: game.DDRaceRange}
		var enc snapshotEncoder
		var b snapshot.Builder
		var s snapshot.Snapshot
		enc.beginRound(f)
		enc.buildSnapshot(&b, v, new([game.MaxPlayers]int32), &clientids.Map{}, msg7.ClientVersion, nil)
		b.Finish(&s)
		c := NewClientSide(nil, nil).(*clientSide)
		got := c.ReceiveSnapshot(500, &s)
		for i, l := range got.Lasers { // open doors are sent as points
			if closed := l.FromX != l.X; int(l.ID) != i || closed != (i == int(viewer)) {
				t.Errorf("player %d sees the doors %+v", viewer, got.Lasers)
			}
		}
		if len(got.Lasers) != 2 {
			t.Errorf("player %d sees %d doors", viewer, len(got.Lasers))
		}
		if len(got.Pickups) != 1 || got.Pickups[0].Kind != game.PickupArmor {
			t.Errorf("player %d sees %+v", viewer, got.Pickups)
		}
		if len(got.Characters) != 2 || got.Characters[0].Angle != 1000-1608 || got.Characters[1].Angle != -300 {
			t.Errorf("player %d sees %+v", viewer, got.Characters)
		}
	}
	if flags := encodeGameFlags(f.Game.Flags); flags != msg7.GameFlagRace {
		t.Errorf("flags %v", flags)
	}
}

// TestStatesInDemos checks that character states unknown to 0.7 are written to demos and not sent
// in games.
func TestStatesInDemos(t *testing.T) {
	f := &game.Frame{
		Tick: 500, Extended: true, Game: game.GameState{Flags: game.GameFlagRace | game.GameFlagDDRace},
		Players: []game.PlayerState{{ID: 2, SpectatorID: game.Nobody}, {ID: 5, SpectatorID: game.Nobody, DDRaceTeam: 7}},
		Characters: []game.CharacterState{
			{Player: 2, Weapon: game.WeaponGrenade, FreezeStart: 450, FreezeEnd: 600, Jumps: 2, AirJumps: 1, Flags: game.CharacterFlagSolo},
			{Player: 5, Weapon: game.WeaponNinja, FreezeEnd: game.FreezeForever, Jumps: 5, NinjaStart: 480, TeleCheckpoint: 3},
		},
		Lasers: []game.LaserState{
			{ID: 1, Kind: game.LaserRifle}, {ID: 2, Kind: game.LaserBeam, Entity: game.MapEntity{Kind: game.MapDoor}},
			{ID: 3, Kind: game.LaserShotgun, NotFor: game.MaskAll},
		},
	}
	p := NewProtocol()
	p.snapshot.beginRound(f)
	build := func(demo *demoSide) *snapshot.Snapshot {
		var b snapshot.Builder
		s := new(snapshot.Snapshot)
		p.snapshot.buildSnapshot(&b, &game.View{Frame: f, Viewer: game.Nobody, VitalsOf: game.Nobody, ShowAll: true},
			new([game.MaxPlayers]int32), &clientids.Map{}, msg7.ClientVersion, demo)
		b.Finish(s)
		return s
	}
	side := p.NewDemoSide(offline.Sender{}).(*demoSide)
	side.source = noSource{}
	s := build(side)
	for _, want := range []struct {
		typ, id int
		ints    []int32
	}{
		{msg7.TypeDeCharacter, 2, []int32{int32(game.CharacterFlagSolo), 3, 450, 600, 2, 1, 0, 0}},
		{msg7.TypeDeCharacter, 5, []int32{0, 5, 0, -1, 5, 0, 480, 3}},
		{msg7.TypeDeLaser, 2, []int32{2, 2}},
		{msg7.TypeDeTeam, 5, []int32{7}},
		{msg7.TypeDeLaser, 1, nil}, {msg7.TypeDeLaser, 3, nil}, {msg7.TypeDeTeam, 2, nil},
	} {
		if got := s.Find(snapshot.MakeKey(want.typ, want.id)); !slices.Equal(got, want.ints) {
			t.Errorf("item %d of type %d is %v, want %v", want.id, want.typ, got, want.ints)
		}
	}
	items, _ := p.snapshot.size()
	if s.Len() > items {
		t.Errorf("%d items, want at most %d", s.Len(), items)
	}
	for s, i := build(nil), 0; i < s.Len(); i++ {
		if key, _ := s.Item(i); key.Type() >= msg7.TypeDeCharacter {
			t.Errorf("clients get items of type %d", key.Type())
		}
	}
}

// noSource is a demoSource without players.
type noSource struct{}

func (noSource) Player(game.PlayerID) (game.PlayerInfo, bool) { return game.PlayerInfo{}, false }

func (noSource) PredictedTuning(game.PlayerID) game.Tuning { return game.Tuning{} }

// TestDamageItems checks the damage that a client adds up from a hit: at most nine of health and
// nine of armor, and whether the player hit themselves.
func TestDamageItems(t *testing.T) {
	for _, c := range []struct {
		health, armor int32
		self          bool
		want          msg7.EventDamage
	}{
		{3, 2, false, msg7.EventDamage{ClientID: 4, Health: 3, Armor: 2}},
		{3, 2, true, msg7.EventDamage{ClientID: 4, Health: 3, Armor: 2, Self: true}},
		{12, 2, false, msg7.EventDamage{ClientID: 4, Health: 9, Armor: 5}},
		{30, 2, false, msg7.EventDamage{ClientID: 4, Health: 9, Armor: 9}},
		{-1, 10, false, msg7.EventDamage{ClientID: 4, Armor: 9}},
	} {
		var enc snapshotEncoder
		var b snapshot.Builder
		var s snapshot.Snapshot
		f := &game.Frame{Tick: 10}
		enc.recordTick(f, []game.Event{{Kind: game.EvDamage, Player: 4, To: game.MaskAll, Value: c.health, Extra: c.armor, Flag: c.self}})
		enc.beginRound(f)
		enc.buildEffects(&b, &game.View{Frame: f}, &clientids.Map{})
		b.Finish(&s)
		testenv.Require(t, s.Len() == 1, "%+v: %d items", c, s.Len())
		var got msg7.EventDamage
		_, ints := s.Item(0)
		testenv.NoError(t, got.ReadInts(ints))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// TestStrangeIDs checks that a client ignores player items with ids that no server may use.
func TestStrangeIDs(t *testing.T) {
	c := NewClientSide(nil, nil).(*clientSide)
	var b snapshot.Builder
	var s snapshot.Snapshot
	for _, id := range []int{msg7.MaxClients - 1, msg7.MaxClients, 0xffff} {
		(&msg7.Character{}).PutInts(b.Add(msg7.TypeCharacter, id, msg7.SizeCharacter))
		(&msg7.PlayerInfo{}).PutInts(b.Add(msg7.TypePlayerInfo, id, msg7.SizePlayerInfo))
		(&msg7.PlayerInfoRace{StartTick: 900}).PutInts(b.Add(msg7.TypePlayerInfoRace, id, msg7.SizePlayerInfoRace))
		(&msg7.SpectatorInfo{Mode: msg7.SpecPlayer}).PutInts(b.Add(msg7.TypeSpectatorInfo, id, msg7.SizeSpectatorInfo))
	}
	b.Finish(&s)
	v := c.ReceiveSnapshot(1000, &s)
	if len(v.Players) != 1 || len(v.Characters) != 1 || v.Players[0].ID != msg7.MaxClients-1 {
		t.Errorf("%d players, %d tees", len(v.Players), len(v.Characters))
	}
}

// TestViewOfEachSnapshot checks that a client looks through its own tee again as soon as a snapshot
// does not say otherwise.
func TestViewOfEachSnapshot(t *testing.T) {
	c := NewClientSide(nil, nil).(*clientSide)
	c.Own = 3
	for _, watched := range []game.PlayerID{5, 3} {
		var b snapshot.Builder
		var s snapshot.Snapshot
		if watched != c.Own {
			(&msg7.SpectatorInfo{Mode: msg7.SpecPlayer, SpectatorID: int32(watched)}).PutInts(b.Add(msg7.TypeSpectatorInfo, 3, msg7.SizeSpectatorInfo))
		}
		b.Finish(&s)
		if v := c.ReceiveSnapshot(1000, &s); v.Viewer != 3 || v.VitalsOf != watched {
			t.Errorf("viewer %d, vitals of %d, want %d", v.Viewer, v.VitalsOf, watched)
		}
	}
}

// TestDemoConverterVotes checks that a converted demo contains the votes of its source.
func TestDemoConverterVotes(t *testing.T) {
	var sent messageList
	c := NewDemoConverter(NewClientSide(nil, nil), &sent)
	c.SendVote(&bridge.Vote{Kind: event.VoteOption, Caller: 2, Target: game.Nobody, Timeout: 25, Description: "x", Reason: "y"})
	c.SendVoteStatus(1, 2, 3, 6)
	if d := cmp.Diff(messageList{
		&msg7.SvVoteSet{ClientID: 2, Type: msg7.VoteStartOption, Timeout: 25, Description: []byte("x"), Reason: []byte("y")},
		&msg7.SvVoteStatus{Yes: 1, No: 2, Pass: 3, Total: 6},
	}, sent); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestSizeOfSnapshots checks the upper bound on a snapshot's size for every kind of crowded
// snapshot. If the bound were too low, items at the end would be lost instead of the least
// important ones.
func TestSizeOfSnapshots(t *testing.T) {
	for name, fill := range map[string]func(f *game.Frame){
		"nothing": func(*game.Frame) {},
		"players": func(f *game.Frame) {
			for id := range game.PlayerID(40) {
				f.Players = append(f.Players, game.PlayerState{ID: id, RaceStart: 100, SpectatorID: game.Nobody})
			}
		},
		"characters": func(f *game.Frame) {
			for id := range game.PlayerID(40) {
				f.Characters = append(f.Characters, game.CharacterState{Player: id, FreezeEnd: 600})
			}
		},
		"lasers": func(f *game.Frame) {
			for id := range uint16(40) {
				f.Lasers = append(f.Lasers, game.LaserState{ID: id, Kind: game.LaserBeam, Entity: game.MapEntity{Kind: game.MapDoor}})
			}
		},
		"a spectator": func(f *game.Frame) {
			f.Players = append(f.Players, game.PlayerState{ID: 0, Spectating: true, SpectatorID: game.Nobody})
		},
	} {
		f := &game.Frame{Tick: 500, Extended: true, Game: game.GameState{Flags: game.GameFlagRace | game.GameFlagDDRace}}
		fill(f)
		p := NewProtocol()
		var events []game.Event
		if name == "nothing" {
			for range 20 {
				events = append(events, game.Event{Kind: game.EvDamage, To: game.MaskAll})
			}
		}
		p.snapshot.recordTick(f, events)
		p.snapshot.beginRound(f)
		demo := p.NewDemoSide(offline.Sender{}).(*demoSide)
		demo.source = noSource{}
		var b snapshot.Builder
		var s snapshot.Snapshot
		items, ints := p.snapshot.size()
		v := &game.View{Frame: f, Viewer: 0, VitalsOf: 0, ShowAll: true}
		p.snapshot.buildSnapshot(&b, v, new([game.MaxPlayers]int32), &clientids.Map{}, msg7.ClientVersion, demo)
		b.Finish(&s)
		sum := 0
		for i := range s.Len() {
			_, item := s.Item(i)
			sum += len(item)
		}
		if s.Len() > items || sum > ints {
			t.Errorf("%s: %d items with %d integers, want at most %d and %d", name, s.Len(), sum, items, ints)
		}
		t.Logf("%s: %d items with %d integers, want at most %d and %d", name, s.Len(), sum, items, ints)
	}
}
