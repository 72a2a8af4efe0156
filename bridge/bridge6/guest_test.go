package bridge6

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// notes is news that is written down, one line for each.
type notes struct {
	lines []string
	snaps func(h snapshot.PartHeader, part int32, data []byte)
}

func (n *notes) note(format string, args ...any) {
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notes) OnMapChange(m *bridge.MapChange) {
	n.note("map %s %x %d hashed %v %x numbered %v", m.Name, m.CRC, m.Size, m.HasSHA256, m.SHA256[:1], m.ChunksNumbered)
}
func (n *notes) OnMapData(chunk int, data []byte) { n.note("chunk %d %s", chunk, data) }
func (n *notes) OnConReady()                      { n.note("con ready") }
func (n *notes) OnReadyToEnter()                  { n.note("ready to enter") }
func (n *notes) OnSnapshotPart(h snapshot.PartHeader, part int32, data []byte) {
	if n.snaps != nil {
		n.snaps(h, part, data)
		return
	}
	n.note("snapshot %+v %d %x", h, part, data)
}
func (n *notes) OnInputTiming(tick, left int32) { n.note("timing %d %d", tick, left) }
func (n *notes) OnPingReply()                   { n.note("pong") }
func (n *notes) OnEvent(ev *game.Event) {
	text := fmt.Sprintf("event %d of %d", ev.Kind, ev.Player)
	if ev.Target != game.Nobody {
		text += fmt.Sprintf(" to %d", ev.Target)
	}
	if ev.Text != "" {
		text += " " + ev.Text
	}
	switch ev.Kind {
	case game.EvChat:
		text += fmt.Sprintf(" mode %d", ev.Chat)
	case game.EvGameMsg:
		text += fmt.Sprintf(" notice %d value %d extra %d", ev.GameMsg, ev.Value, ev.Extra)
	case game.EvKill:
		text += fmt.Sprintf(" weapon %d", ev.Weapon)
	case game.EvPlayerEntered, game.EvTeamChange:
		text += fmt.Sprintf(" team %d quiet %v", ev.Team, ev.Flag)
	}
	n.lines = append(n.lines, text)
}
func (n *notes) OnServerInfo(*bridge.ServerInfo) { n.note("server info") }
func (n *notes) OnMotd(text string)              { n.note("motd %q", text) }
func (n *notes) OnRaceFinish(id game.PlayerID, time, diff int32, record bool) {
	n.note("finish %d %d %d %v", id, time, diff, record)
}
func (n *notes) OnCheckpoint(diff int32) { n.note("checkpoint %d", diff) }
func (n *notes) OnVote(v *bridge.Vote) {
	n.note("vote %d by %d on %q to %d: %q, %d s", v.Kind, v.Caller, v.Description, v.Target, v.Reason, v.Timeout)
}
func (n *notes) OnVoteStatus(yes, no, pass, total int32) {
	n.note("votes %d %d %d %d", yes, no, pass, total)
}
func (n *notes) OnVoteOptions(add []string, clear bool) { n.note("options %q %v", add, clear) }
func (n *notes) OnVoteOptionRemoved(text string)        { n.note("option gone %s", text) }
func (n *notes) OnRconAuthStatus(on bool)               { n.note("rcon %v", on) }
func (n *notes) OnRconLine(line string)                 { n.note("line %s", line) }
func (n *notes) OnRconCommand(c *bridge.CommandInfo)    { n.note("command %+v", *c) }
func (n *notes) OnRconCommandRemoved(name string)       { n.note("command gone %s", name) }
func (n *notes) OnMapListEntry(name string, gone bool)  { n.note("listed %s %v", name, gone) }
func (n *notes) OnChatCommand(c *bridge.CommandInfo, gone bool) {
	n.note("chat command %+v gone %v", *c, gone)
}

// sent is a guest's line.
type sent struct {
	t    testing.TB
	msgs []msg6.Message
}

func (l *sent) Queue(b []byte, vital bool) {
	var d msg6.Decoder
	m, err := d.Decode(bytes.Clone(b))
	if err != nil {
		l.t.Errorf("sent %x: %v", b, err)
		return
	}
	if desc := m.ID().Desc(); desc.Sender == msg6.FromServer || desc.Vital != vital && m.ID() != msg6.IDPongEx {
		l.t.Errorf("sent %T, vital %v", m, vital)
	}
	l.msgs = append(l.msgs, m)
}

func (*sent) FlushSoon() {}

func newGuest(t testing.TB, cfg ClientConfig) (*ClientSide, *sent, *notes) {
	l, n := &sent{t: t}, &notes{}
	return NewClientSide(l, n, cfg), l, n
}

// hears lets a guest read a message, and compares what it tells of it.
func hears(t *testing.T, g *ClientSide, n *notes, m msg6.Message, want ...string) {
	t.Helper()
	n.lines = nil
	if err := g.Receive(m.Append(nil), m.ID().Vital()); err != nil {
		t.Errorf("%T: %v", m, err)
	}
	if d := cmp.Diff(want, n.lines); d != "" {
		t.Errorf("%T (-want +got):\n%s", m, d)
	}
}

// TestGuestHears: what every message of a server is to a client.
func TestGuestHears(t *testing.T) {
	g, l, n := newGuest(t, ClientConfig{})
	hears(t, g, n, &msg6.MapChange{Name: []byte("dm1"), CRC: -2, Size: 5}, "map dm1 fffffffe 5 hashed false 00 numbered true")
	hears(t, g, n, &msg6.MapDetails{Name: []byte("dm1"), CRC: 7, Size: 5, SHA256: [32]byte{9}})
	hears(t, g, n, &msg6.MapChange{Name: []byte("dm1"), CRC: 7, Size: 5}, "map dm1 7 5 hashed true 09 numbered true")
	hears(t, g, n, &msg6.MapDetails{Name: []byte("dm1"), CRC: 8, Size: 5, SHA256: [32]byte{9}})
	hears(t, g, n, &msg6.MapChange{Name: []byte("dm1"), CRC: 7, Size: 5}, "map dm1 7 5 hashed false 00 numbered true")
	hears(t, g, n, &msg6.MapData{CRC: 7, Chunk: 3, Data: []byte("abc")}, "chunk 3 abc")
	hears(t, g, n, &msg6.MapData{CRC: 8, Chunk: 4, Data: []byte("abc")})
	hears(t, g, n, &msg6.ConReady{}, "con ready")
	hears(t, g, n, &msg6.SvReadyToEnter{}, "ready to enter")
	hears(t, g, n, &msg6.SnapEmpty{Tick: 20, DeltaTick: 4}, "snapshot {Tick:20 Base:16 CRC:0 Parts:1} 0 ")
	hears(t, g, n, &msg6.SnapSingle{Tick: 20, DeltaTick: 21, CRC: 3, Data: []byte{1}}, "snapshot {Tick:20 Base:-1 CRC:3 Parts:1} 0 01")
	hears(t, g, n, &msg6.Snap{Tick: 20, DeltaTick: 21, Parts: 3, Part: 2, CRC: 3, Data: []byte{1}}, "snapshot {Tick:20 Base:-1 CRC:3 Parts:3} 2 01")
	hears(t, g, n, &msg6.InputTiming{IntendedTick: 5, TimeLeft: -6}, "timing 5 -6")
	hears(t, g, n, &msg6.PingReply{}, "pong")
	hears(t, g, n, &msg6.RconAuthStatus{Authed: 1, CmdList: 1}, "rcon true")
	hears(t, g, n, &msg6.RconAuthStatus{}, "rcon false")
	hears(t, g, n, &msg6.RconLine{Line: []byte("a\x1bb")}, "line a b")
	hears(t, g, n, &msg6.RconCmdAdd{Name: []byte("n"), Help: []byte("h"), Params: []byte("p")}, "command {Name:n Params:p Help:h}")
	hears(t, g, n, &msg6.RconCmdRem{Name: []byte("n")}, "command gone n")
	hears(t, g, n, &msg6.MaplistAdd{Names: []byte("a\x00b\x00")}, "listed a false", "listed b false")
	hears(t, g, n, &msg6.SvMotd{Message: []byte("two\nlines")}, `motd "two\nlines"`)
	hears(t, g, n, &msg6.SvBroadcast{Message: []byte("x")}, fmt.Sprintf("event %d of -1 x", game.EvBroadcast))
	hears(t, g, n, &msg6.SvChat{Mode: msg6.ChatAll, ClientID: -1, Message: []byte("x")}, fmt.Sprintf("event %d of -1 x mode 1", game.EvChat))
	hears(t, g, n, &msg6.SvChat{Mode: msg6.ChatTeam, ClientID: 3, Message: []byte("x")}, fmt.Sprintf("event %d of 3 x mode 2", game.EvChat))
	g.own = 5
	hears(t, g, n, &msg6.SvChat{Mode: msg6.ChatWhisperSent, ClientID: 3, Message: []byte("x")}, fmt.Sprintf("event %d of 5 to 3 x mode 3", game.EvChat))
	hears(t, g, n, &msg6.SvChat{Mode: msg6.ChatWhisperReceived, ClientID: 3, Message: []byte("x")}, fmt.Sprintf("event %d of 3 to 5 x mode 3", game.EvChat))
	hears(t, g, n, &msg6.SvKillMsg{Killer: 1, Victim: 2, Weapon: msg6.WeaponGrenade}, fmt.Sprintf("event %d of 1 to 2 weapon 3", game.EvKill))
	hears(t, g, n, &msg6.SvWeaponPickup{Weapon: msg6.WeaponLaser}, fmt.Sprintf("event %d of 5", game.EvPickup))
	hears(t, g, n, &msg6.SvEmoticon{ClientID: 2, Emoticon: 4}, fmt.Sprintf("event %d of 2", game.EvEmoticon))
	hears(t, g, n, &msg6.SvVoteClearOptions{}, "options [] true")
	hears(t, g, n, &msg6.SvVoteOptionListAdd{Count: 2, Descriptions: [15][]byte{[]byte("a"), []byte("b")}}, `options ["a" "b"] false`)
	hears(t, g, n, &msg6.SvVoteOptionAdd{Description: []byte("c")}, `options ["c"] false`)
	hears(t, g, n, &msg6.SvVoteOptionRemove{Description: []byte("c")}, "option gone c")
	hears(t, g, n, &msg6.SvVoteStatus{Yes: 1, No: 2, Pass: 3, Total: 6}, "votes 1 2 3 6")
	hears(t, g, n, &msg6.SvRaceFinish{ClientID: 3, Time: 12345, Diff: -5, RecordServer: true}, "finish 3 12345 -5 true")
	hears(t, g, n, &msg6.SvDDRaceTime{Time: 100, Check: -25}, "checkpoint -250")
	hears(t, g, n, &msg6.SvCommandInfo{Name: []byte("n"), ArgsFormat: []byte("s"), HelpText: []byte("h")}, "chat command {Name:n Params:s Help:h} gone false")
	hears(t, g, n, &msg6.SvCommandInfoRemove{Name: []byte("n")}, "chat command {Name:n Params: Help:} gone true")
	hears(t, g, n, &msg6.SvRecord{ServerTimeBest: 99})
	if g.RaceInfo().BestTime != 990 {
		t.Errorf("best time %d", g.RaceInfo().BestTime)
	}
	if len(l.msgs) != 0 {
		t.Errorf("it sent %T", l.msgs[0])
	}

	hears(t, g, n, &msg6.Ping{})
	hears(t, g, n, &msg6.PingEx{PingID: msg6.UUID{1}})
	hears(t, g, n, &msg6.WhatIs{UUID: msg6.UUIDFromName("map-details@ddnet.tw")})
	hears(t, g, n, &msg6.WhatIs{UUID: msg6.UUID{1}})
	want := []msg6.Message{
		&msg6.PingReply{}, &msg6.PongEx{PingID: msg6.UUID{1}},
		&msg6.ItIs{UUID: msg6.UUIDFromName("map-details@ddnet.tw"), Name: []byte("map-details@ddnet.tw")}, &msg6.IDontKnow{UUID: msg6.UUID{1}},
	}
	if d := cmp.Diff(want, l.msgs); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}

	// What must be vital and is not does not count; nor does what is no message.
	n.lines = nil
	if err := g.Receive((&msg6.SvMotd{Message: []byte("x")}).Append(nil), false); err != nil || len(n.lines) != 0 {
		t.Errorf("not vital: %q, %v", n.lines, err)
	}
	if err := g.Receive([]byte{0x3a}, true); !errors.Is(err, bridge.ErrUnknownMessage) {
		t.Errorf("unknown: %v", err)
	}
	if err := g.Receive([]byte{byte(msg6.IDSvChat)}, true); err == nil || errors.Is(err, bridge.ErrUnknownMessage) {
		t.Errorf("broken: %v", err)
	}
}

// TestGuestTuning: the numbers that both versions have, wherever they stand.
func TestGuestTuning(t *testing.T) {
	g, _, n := newGuest(t, ClientConfig{})
	was := g.Tuning()
	params := make([]int32, msg6.TuneParamsDDNet)
	for i := range params {
		params[i] = int32(i + 1)
	}
	hears(t, g, n, &msg6.SvTuneParams{Params: params}, fmt.Sprintf("event %d of -1", game.EvTuneParams))
	got := g.Tuning()
	for i, v := range got {
		if want := int32(i + 1); i < laserDamageIndex && v != want || i >= laserDamageIndex && v != want+1 {
			t.Errorf("parameter %d is %d", i, v)
		}
	}
	g.Reset()
	if g.Tuning() != was {
		t.Error("a new game does not begin with the default")
	}
	hears(t, g, n, &msg6.SvTuneParams{Params: params[:3]}, fmt.Sprintf("event %d of -1", game.EvTuneParams))
	if got := g.Tuning(); got[2] != 3 || got[3] != was[3] {
		t.Errorf("three of them: %v", got)
	}
}

// TestVotesThere: a vote as a host tells it, and how it ended, arrive as they were, but
// for what the package says is lost.
func TestVotesThere(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	h, l := newHost(t, NewProtocol(), w, 1, 16040)
	g, _, n := newGuest(t, ClientConfig{})
	for id, name := range []string{"alice", "bob"} {
		g.roster[id].InGame, g.roster[id].Profile.Name = true, name
	}
	for _, v := range []bridge.Vote{
		{Kind: bridge.VoteOption, Caller: 0, Target: game.Nobody, Timeout: 25, Description: "Next map", Reason: "bored"},
		{Kind: bridge.VotePassed, Caller: game.Nobody, Target: game.Nobody},
		{Kind: bridge.VoteKick, Caller: 0, Target: 1, Timeout: 25, Description: "bob", Reason: "bad"},
		{Kind: bridge.VoteFailed, Caller: game.Nobody, Target: game.Nobody},
		{Kind: bridge.VoteSpectate, Caller: 1, Target: 0, Timeout: 25, Description: "alice", Reason: ""},
		{Kind: bridge.VoteAborted, Caller: game.Nobody, Target: game.Nobody},
		{Kind: bridge.VoteOption, Caller: game.Nobody, Target: game.Nobody, Timeout: 25, Description: "x"},
	} {
		n.lines = nil
		h.SendVote(&v)
		for _, m := range l.take() {
			if err := g.Receive(m.Append(nil), true); err != nil {
				t.Fatal(err)
			}
		}
		got := slices.DeleteFunc(n.lines, func(s string) bool { return !strings.HasPrefix(s, "vote ") })
		want := &notes{}
		want.OnVote(&v)
		if d := cmp.Diff(want.lines, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	// One that ends without a word.
	hears(t, g, n, &msg6.SvVoteSet{})
	n.lines = nil
	g.ReceiveSnapshot(2, new(snapshot.Snapshot))
	if want := `vote 0 by -1 on "" to -1: "", 0 s`; !slices.Contains(n.lines, want) {
		t.Errorf("%q has no %q", n.lines, want)
	}
}

// people is a snapshot of players: "name", or "name>" for a spectator.
func people(names ...string) *snapshot.Snapshot {
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
		add(&b, msg6.TypePlayerInfo, id, msg6.SizePlayerInfo, &o)
		skin := "default"
		if strings.HasSuffix(name, "*") {
			name, skin = name[:len(name)-1], "bluekitty"
		}
		var info [msg6.SizeClientInfo]int32
		putInfo(&info, &game.Profile{Name: name}, &look{name: skin})
		copy(b.Add(msg6.TypeClientInfo, id, msg6.SizeClientInfo), info[:])
	}
	var s snapshot.Snapshot
	b.Finish(&s)
	return &s
}

// TestComingAndGoing: who came and left and what they changed is found out from
// snapshots.
func TestComingAndGoing(t *testing.T) {
	entered := func(id, team int) string {
		return fmt.Sprintf("event %d of %d team %d quiet true", game.EvPlayerEntered, id, team)
	}
	left := func(id int) string { return fmt.Sprintf("event %d of %d", game.EvPlayerLeft, id) }
	team := func(id, team int) string {
		return fmt.Sprintf("event %d of %d team %d quiet true", game.EvTeamChange, id, team)
	}
	skin := func(id int) string { return fmt.Sprintf("event %d of %d", game.EvSkinChange, id) }
	g, _, n := newGuest(t, ClientConfig{})
	g.ReceiveSnapshot(1, people())
	for i, c := range []struct {
		s    *snapshot.Snapshot
		want []string
	}{
		{people("alice"), []string{entered(0, 0)}},
		{people("alice"), nil},
		{people("alice", "", "bob>"), []string{entered(2, -1)}},
		{people("alice>", "", "bob"), []string{team(0, -1), team(2, 0)}},
		{people("alice", "", "bob*"), []string{team(0, 0), skin(2)}},
		{people("alice"), []string{left(2)}},
		{people("alice", "", "bob*"), []string{entered(2, 0)}}, // looks as before
		{people("carol", "", "bob*"), []string{left(0), entered(0, 0)}},
		{people(), []string{left(0), left(2)}},
	} {
		n.lines = nil
		g.ReceiveSnapshot(int32(2+2*i), c.s)
		if d := cmp.Diff(c.want, n.lines); d != "" {
			t.Errorf("snapshot %d (-want +got):\n%s", i, d)
		}
	}
	if p, ok := g.Player(0); ok || p.Profile.Name != "carol" {
		t.Errorf("of who left: %v %+v", ok, p)
	}
	if _, ok := g.Player(-1); ok {
		t.Error("nobody is in the game")
	}
}

// TestFlagsThere: what happens to flags is found out from where they are.
func TestFlagsThere(t *testing.T) {
	g, _, n := newGuest(t, ClientConfig{})
	notice := func(kind game.GameMsg, of game.PlayerID, value, extra int32) []string {
		return []string{fmt.Sprintf("event %d of %d notice %d value %d extra %d", game.EvGameMsg, of, kind, value, extra)}
	}
	for i, c := range []struct {
		red, blue, redScore int32
		want                []string
	}{
		{-2, -2, 0, nil},
		{-2, -2, 0, nil},
		{-2, 3, 0, notice(game.GameMsgCTFGrab, -1, 1, 0)},
		{-2, -1, 0, notice(game.GameMsgCTFDrop, -1, 0, 0)},
		{-2, 4, 0, notice(game.GameMsgCTFGrab, -1, 1, 0)},
		{-2, -2, 100, notice(game.GameMsgCTFCapture, 4, 1, 6)},
		{7, -2, 100, notice(game.GameMsgCTFGrab, -1, 0, 0)},
		{-1, -2, 100, notice(game.GameMsgCTFDrop, -1, 0, 0)},
		{-2, -2, 100, notice(game.GameMsgCTFReturn, -1, 0, 0)},
		{7, -2, 100, notice(game.GameMsgCTFGrab, -1, 0, 0)},
		{-2, -2, 100, notice(game.GameMsgCTFReturn, -1, 0, 0)}, // its carrier fell
	} {
		var b snapshot.Builder
		var s snapshot.Snapshot
		add(&b, msg6.TypeGameInfo, 0, msg6.SizeGameInfo, &msg6.GameInfo{Flags: msg6.GameFlagTeams | msg6.GameFlagFlags})
		add(&b, msg6.TypeGameData, 0, msg6.SizeGameData, &msg6.GameData{ScoreRed: c.redScore, CarrierRed: msg6.FlagCarrier(c.red), CarrierBlue: msg6.FlagCarrier(c.blue)})
		b.Finish(&s)
		n.lines = nil
		g.ReceiveSnapshot(int32(100+2*i), &s)
		if got := slices.DeleteFunc(n.lines, func(s string) bool { return s == fmt.Sprintf("event %d of -1", game.EvGameInfo) }); !slices.Equal(got, c.want) {
			t.Errorf("step %d: %q instead of %q", i, got, c.want)
		}
	}
}

// TestRequests: what a client asks for arrives at a host as it was.
func TestRequests(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", `b "o\b`)
	g, s, _ := newGuest(t, ClientConfig{})
	g.roster[1].InGame, g.roster[1].Profile.Name = true, `b "o\b`
	ask := func(what string, want ...any) {
		t.Helper()
		h, l := newHost(t, NewProtocol(), w, 0, 16040)
		for _, m := range s.msgs {
			if err := h.Receive(m.Append(nil), m.ID().Vital()); err != nil {
				t.Errorf("%s: %T: %v", what, m, err)
			}
		}
		if !reflect.DeepEqual(want, l.asked) {
			t.Errorf("%s: asked for %+v, arrived %+v", what, want, l.asked)
		}
		s.msgs = nil
	}
	skin := standard[3].skin
	p := game.Profile{Name: "alice", Clan: "clan", Country: 276, Skin: skin}
	g.SendLogin("secret")
	g.rich = true // as a message or an object of DDNet's shows
	ask("hello", bridge.Login{VersionOK: true, NetVersion: msg6.NetVersion, Password: "secret", ClientVersion: 16040})
	g.SendRequestMapData(7)
	ask("map", mapRequest(7))
	g.SendReady()
	ask("ready", ready{})
	g.SendProfile(&p)
	ask("profile", p)
	g.SendEnterGame()
	ask("enter", enter{})
	in := game.Input{Direction: -1, TargetX: 3, TargetY: -4, Jump: true, Fire: 5, Hook: true, Flags: game.PlayerFlagChatting | game.PlayerFlagScoreboard, WantedWeapon: 2, NextWeapon: 6, PrevWeapon: 7}
	g.SendInput(8, 9, &in, 10)
	ask("input", bridge.InputMessage{AckTick: 8, IntendedTick: 9, Input: in, Valid: true})
	g.SendChatCommand("w", "alice hi")
	g.SendCallVote(bridge.VoteKick, "1", "bad")
	g.SendCallVote(bridge.VoteOption, "next", "")
	g.SendVote(-1)
	g.SendRconAuth("me", "pw")
	g.SendRconCmd("status")
	ask("and so on", game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: 0, Chat: game.ChatWhisper, Text: "hi"},
		callVote{bridge.VoteKick, "1", "bad", false}, callVote{bridge.VoteOption, "next", "", false}, vote(-1), login{"me", "pw"}, rcon("status"))
	for _, c := range []game.Command{
		{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatAll, Text: "hi"},
		{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatTeam, Text: "hi"},
		{Kind: game.CmdSay, Target: 1, Chat: game.ChatWhisper, Text: "psst"},
		{Kind: game.CmdSetTeam, Target: game.Nobody, Team: game.TeamSpectators},
		{Kind: game.CmdSpectate, Target: game.Nobody, Spectate: game.SpectateFree},
		{Kind: game.CmdSpectate, Target: 1, Spectate: game.SpectatePlayer},
		{Kind: game.CmdKill, Target: game.Nobody},
		{Kind: game.CmdReady, Target: game.Nobody},
		{Kind: game.CmdEmoticon, Target: game.Nobody, Value: 13},
	} {
		c.Player = game.Nobody
		if !g.SendCommand(&c) {
			t.Errorf("cannot ask for %+v", c)
		}
		ask(fmt.Sprint(c), c)
	}
	for _, c := range []game.Command{
		{Kind: game.CmdTuneParams}, {Kind: game.CmdProfile}, {Kind: game.CmdSkinChange}, {Kind: game.CmdSpectate, Spectate: game.SpectateFlagBlue},
		{Kind: game.CmdSay, Chat: game.ChatWhisper, Target: game.Nobody},
	} {
		if g.SendCommand(&c) {
			t.Errorf("asked for %+v with %T", c, s.msgs)
		}
	}
	// On servers that are not DDNet's a whisper would be said to all.
	g.rich = false
	if g.SendCommand(&game.Command{Kind: game.CmdSay, Chat: game.ChatWhisper, Target: 1, Text: "psst"}) || g.SendCommand(&game.Command{Kind: game.CmdReady}) || len(s.msgs) != 0 {
		t.Errorf("sent %v", s.msgs)
	}
	g.SendCommand(&game.Command{Kind: game.CmdSkinChange, Profile: &game.Profile{Skin: standard[4].skin}})
	if m, ok := s.msgs[0].(*msg6.ClChangeInfo); !ok || string(m.Look.Name) != "alice" || string(m.Look.Skin) != standard[4].name {
		t.Errorf("a skin is changed with %+v", s.msgs[0])
	}
}

// TestReleasesTold: what a client says it is.
func TestReleasesTold(t *testing.T) {
	for release, want := range map[int32]int{-1: 2, 0: 3, 16040: 4} {
		g, s, _ := newGuest(t, ClientConfig{DDNetVersion: release, ConnectionID: [16]byte{1}})
		g.SendLogin("")
		g.SendProfile(&game.Profile{Name: "x"})
		if len(s.msgs) != want {
			t.Errorf("%d: %d messages", release, len(s.msgs))
		}
		if v, ok := s.msgs[0].(*msg6.ClientVer); ok != (release > 0) || ok && (v.Version != release || string(v.Text) != "DDNet 16.4" || v.ConnectionID != msg6.UUID{1}) {
			t.Errorf("%d: first %+v", release, s.msgs[0])
		}
	}
}
