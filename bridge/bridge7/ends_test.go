package bridge7

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ends are both ends of a bridge, and what each hears of the other.
type ends struct {
	t     testing.TB
	host  bridge.ServerSide
	guest *ClientSide
	news  []any // of the guest
	asked []any // of the host
}

func newEnds(t testing.TB) *ends {
	e := &ends{t: t}
	e.host = NewProtocol().NewServerSide(toGuest{e})
	e.guest = NewClientSide(toHost{e}, news{e})
	return e
}

// toGuest is the server's session, toHost the client's line.
type (
	toGuest struct{ *ends }
	toHost  struct{ *ends }
	news    struct{ *ends }
)

func (e toGuest) Queue(b []byte, vital bool) {
	if err := e.guest.Receive(bytes.Clone(b), vital); err != nil {
		e.t.Errorf("the client does not take %x: %v", b, err)
	}
}
func (e toHost) Queue(b []byte, vital bool) {
	if err := e.host.Receive(bytes.Clone(b), vital); err != nil {
		e.t.Errorf("the server does not take %x: %v", b, err)
	}
}
func (toGuest) FlushSoon() {}
func (toHost) FlushSoon()  {}

// said is a call of a method, with what it was given.
type said struct {
	method string
	args   []any
}

func (e *ends) hear(method string, args ...any) { e.news = append(e.news, said{method, args}) }
func (e *ends) ask(method string, args ...any)  { e.asked = append(e.asked, said{method, args}) }

func (e news) OnMapChange(m *bridge.MapChange)                { e.hear("map", *m) }
func (e news) OnMapData(chunk int, data []byte)               { e.hear("data", chunk, string(data)) }
func (e news) OnConReady()                                    { e.hear("con ready") }
func (e news) OnReadyToEnter()                                { e.hear("ready to enter") }
func (e news) OnInputTiming(tick, left int32)                 { e.hear("timing", tick, left) }
func (e news) OnPingReply()                                   { e.hear("pong") }
func (e news) OnEvent(ev *game.Event)                         { e.hear("event", *ev) }
func (e news) OnServerInfo(i *bridge.ServerInfo)              { e.hear("info", *i) }
func (e news) OnMotd(text string)                             { e.hear("motd", text) }
func (e news) OnCheckpoint(diff int32)                        { e.hear("checkpoint", diff) }
func (e news) OnVote(v *bridge.Vote)                          { e.hear("vote", *v) }
func (e news) OnVoteStatus(y, n, p, t int32)                  { e.hear("votes", y, n, p, t) }
func (e news) OnVoteOptions(add []string, all bool)           { e.hear("options", add, all) }
func (e news) OnVoteOptionRemoved(text string)                { e.hear("option gone", text) }
func (e news) OnRconAuthStatus(on bool)                       { e.hear("auth", on) }
func (e news) OnRconLine(line string)                         { e.hear("line", line) }
func (e news) OnRconCommand(c *bridge.CommandInfo)            { e.hear("command", *c) }
func (e news) OnRconCommandRemoved(name string)               { e.hear("command gone", name) }
func (e news) OnMapListEntry(name string, gone bool)          { e.hear("listed", name, gone) }
func (e news) OnChatCommand(c *bridge.CommandInfo, gone bool) { e.hear("chat command", *c, gone) }
func (e news) OnSnapshotPart(h snapshot.PartHeader, part int32, data []byte) {
	e.hear("snapshot", h, part, string(data))
}
func (e news) OnRaceFinish(id game.PlayerID, time, diff int32, record bool) {
	e.hear("finish", id, time, diff, record)
}

func (e toGuest) OnLogin(h bridge.Login)           { e.ask("hello", h) }
func (e toGuest) OnRequestMapData(chunk int)       { e.ask("map", chunk) }
func (e toGuest) OnReady()                         { e.ask("ready") }
func (e toGuest) OnProfile(p *game.Profile)        { e.ask("profile", *p) }
func (e toGuest) OnEnterGame()                     { e.ask("enter") }
func (e toGuest) OnInput(in *bridge.InputMessage)  { e.ask("input", *in) }
func (e toGuest) OnCommand(c game.Command)         { e.ask("command", c) }
func (e toGuest) OnChatCommand(name, args string)  { e.ask("chat command", name, args) }
func (e toGuest) OnRconAuth(name, password string) { e.ask("login", name, password) }
func (e toGuest) OnRconCmd(line string)            { e.ask("rcon", line) }
func (e toGuest) OnVote(vote int32)                { e.ask("vote", vote) }
func (e toGuest) OnCallVote(kind bridge.VoteKind, value, reason string, force bool) {
	e.ask("call vote", kind, value, reason, force)
}

func (e *ends) told(method string, args ...any) {
	e.t.Helper()
	if want := []any{said{method, args}}; !reflect.DeepEqual(e.news, want) {
		e.t.Errorf("heard %+v instead of %+v", e.news, want)
	}
	e.news = nil
}

func (e *ends) wanted(method string, args ...any) {
	e.t.Helper()
	if want := []any{said{method, args}}; !reflect.DeepEqual(e.asked, want) {
		e.t.Errorf("asked %+v instead of %+v", e.asked, want)
	}
	e.asked = nil
}

// TestGuestHearsHost: what a server tells arrives at the client as it was.
func TestGuestHearsHost(t *testing.T) {
	e := newEnds(t)
	h := e.host
	m := &bridge.Map{Name: "yard", File: []byte("a map"), CRC: 0xfffffff0, SHA256: [32]byte{7}, ChunksPerRequest: 3}
	h.SendMapChange(m)
	e.told("map", bridge.MapChange{Name: "yard", CRC: 0xfffffff0, Size: 5, SHA256: [32]byte{7}, HasSHA256: true, ChunksPerRequest: 3, ChunkSize: h.MapChunkSize()})
	h.SendMapChange(&bridge.Map{Name: "dm1", File: []byte("no such"), ChunksPerRequest: 3})
	if o := e.news[0].(said).args[0].(bridge.MapChange); o.Refusal == "" {
		t.Errorf("no refusal of %+v", o)
	}
	e.news = nil
	h.SendMapData(m, 0)
	e.told("data", -1, "a map")
	h.SendConReady()
	e.told("con ready")
	h.SendReadyToEnter()
	e.told("ready to enter")
	info := bridge.ServerInfo{Version: "0.7.5", Name: "n", Hostname: "h", Map: "m", GameType: "DM", NeedsPassword: true, TimeScore: true, SkillLevel: 1, Players: 2, PlayerSlots: 3, Clients: 4, MaxClients: 5}
	h.SendServerInfo(&info)
	e.told("info", info)
	h.SendMotd("two\nlines")
	e.told("motd", "two\nlines")
	h.SendVoteOptionsCleared()
	e.told("options", []string(nil), true)
	h.SendVoteOptions([]string{"a", "b"})
	e.told("options", []string{"a", "b"}, false)
	h.SendVoteOption("c")
	e.told("options", []string{"c"}, false)
	h.SendVoteOptionRemoved("b")
	e.told("option gone", "b")
	for _, v := range []bridge.Vote{
		{Kind: bridge.VoteOption, Caller: 3, Timeout: 25, Description: "next map", Reason: "bored", Target: game.Nobody},
		{Kind: bridge.VoteKick, Caller: 3, Timeout: 25, Description: "bob: the 2nd", Reason: "bad", Target: 12},
		{Kind: bridge.VoteSpectate, Caller: game.Nobody, Timeout: 1, Description: "al", Target: 0},
		{Kind: bridge.VotePassed, Caller: 3, Target: game.Nobody},
		{Kind: bridge.VoteFailed, Caller: game.Nobody, Target: game.Nobody},
		{Kind: bridge.VoteAborted, Caller: 3, Target: game.Nobody},
		{Kind: bridge.VoteNone, Caller: game.Nobody, Target: game.Nobody},
	} {
		h.SendVote(&v)
		e.told("vote", v)
	}
	h.SendVoteStatus(1, 2, 3, 6)
	e.told("votes", int32(1), int32(2), int32(3), int32(6))
	h.SendRconAuthStatus(true)
	e.told("auth", true)
	h.SendRconAuthStatus(false)
	e.told("auth", false)
	h.SendRconLine("\x1bline")
	e.told("line", " line")
	c := bridge.CommandInfo{Name: "n", Params: "p", Help: "h"}
	h.SendRconCommand(&c)
	e.told("command", c)
	h.SendRconCommandRemoved("n")
	e.told("command gone", "n")
	h.SendMapListEntry("m")
	e.told("listed", "m", false)
	h.SendSnapshotPart(snapshot.PartHeader{Tick: 9, BaseTick: -1, Parts: 0}, 0, nil)
	e.told("snapshot", snapshot.PartHeader{Tick: 9, BaseTick: -1, Parts: 1}, int32(0), "")
	h.SendSnapshotPart(snapshot.PartHeader{Tick: 9, BaseTick: 4, CRC: 5, Parts: 1}, 0, []byte("x"))
	e.told("snapshot", snapshot.PartHeader{Tick: 9, BaseTick: 4, CRC: 5, Parts: 1}, int32(0), "x")
	h.SendSnapshotPart(snapshot.PartHeader{Tick: 9, BaseTick: 4, CRC: 5, Parts: 3}, 2, []byte("x"))
	e.told("snapshot", snapshot.PartHeader{Tick: 9, BaseTick: 4, CRC: 5, Parts: 3}, int32(2), "x")
	h.SendInputTiming(9, -3)
	e.told("timing", int32(9), int32(-3))
	for _, c := range []struct {
		m    msg7.Message
		want said
	}{
		{&msg7.SvRaceFinish{ClientID: 3, Time: 1234, Diff: -5, RecordServer: true}, said{"finish", []any{game.PlayerID(3), int32(1234), int32(-5), true}}},
		{&msg7.SvCheckpoint{Diff: -7}, said{"checkpoint", []any{int32(-7)}}},
		{&msg7.SvCommandInfo{Name: []byte("n"), ArgsFormat: []byte("p"), HelpText: []byte("h")}, said{"chat command", []any{c, false}}},
		{&msg7.SvCommandInfoRemove{Name: []byte("n")}, said{"chat command", []any{bridge.CommandInfo{Name: "n"}, true}}},
		{&msg7.MaplistEntryRem{Name: []byte("m")}, said{"listed", []any{"m", true}}},
		{&msg7.SvVoteOptionAdd{Description: []byte("d")}, said{"options", []any{[]string{"d"}, false}}},
		{&msg7.PingReply{}, said{"pong", nil}},
	} {
		toGuest{e}.Queue(c.m.Append(nil), true)
		e.told(c.want.method, c.want.args...)
	}
}

// TestHostHearsGuest: what a client asks for arrives at the server as it was.
func TestHostHearsGuest(t *testing.T) {
	e := newEnds(t)
	g := e.guest
	g.SendLogin("secret")
	e.wanted("hello", bridge.Login{VersionOK: true, NetVersion: msg7.NetVersion, Password: "secret", ClientVersion: msg7.ClientVersion})
	g.SendRequestMapData(0)
	e.wanted("map", -1)
	g.SendReady()
	e.wanted("ready")
	p := game.Profile{Name: "me", Clan: "us", Country: 40, Skin: game.Skin{PartNames: [6]string{"bear"}, UseCustomColors: [6]bool{true}, PartColors: [6]int32{-9}}}
	g.SendProfile(&p)
	e.wanted("profile", p)
	g.SendEnterGame()
	e.wanted("enter")
	in := game.Input{Direction: 1, TargetX: -2, TargetY: 3, Jump: true, Fire: 4, Hook: true, Flags: game.PlayerFlagChatting, WantedWeapon: 3, NextWeapon: 5, PrevWeapon: 6}
	g.SendInput(7, 8, &in, 9)
	e.wanted("input", bridge.InputMessage{AckTick: 7, IntendedTick: 8, PingCorrection: 9, Input: in, Valid: true})
	if !g.SendCommand(&game.Command{Kind: game.CmdSay, Target: 4, Chat: game.ChatWhisper, Text: "psst"}) {
		t.Error("cannot whisper")
	}
	e.wanted("command", game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: 4, Chat: game.ChatWhisper, Text: "psst"})
	if g.SendCommand(&game.Command{Kind: game.CmdTuneParams}) || len(e.asked) != 0 {
		t.Errorf("asked for %+v", e.asked)
	}
	g.SendChatCommand("rank", "me")
	e.wanted("chat command", "rank", "me")
	g.SendCallVote(bridge.VoteSpectate, "4", "why")
	e.wanted("call vote", bridge.VoteSpectate, "4", "why", false)
	g.SendVote(-1)
	e.wanted("vote", int32(-1))
	g.SendRconAuth("name", "pw")
	e.wanted("login", "", "pw")
	g.SendRconCmd("status")
	e.wanted("rcon", "status")
	g.SendPing()
	e.told("pong")
}

// TestGuestRefuses: what is not of the version, is broken or should have been vital.
func TestGuestRefuses(t *testing.T) {
	e := newEnds(t)
	if err := e.guest.Receive([]byte{0x3f | 0x80, 0x01}, true); !errors.Is(err, bridge.ErrUnknownMessage) {
		t.Errorf("unknown: %v", err)
	}
	if err := e.guest.Receive([]byte{byte(msg7.IDSvTeam)}, true); err == nil || errors.Is(err, bridge.ErrUnknownMessage) {
		t.Errorf("broken: %v", err)
	}
	if err := e.guest.Receive((&msg7.SvMotd{Message: []byte("x")}).Append(nil), false); err != nil || len(e.news) != 0 {
		t.Errorf("not vital: %v, heard %v", err, e.news)
	}
}
