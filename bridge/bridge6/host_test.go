package bridge6

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

var (
	_ bridge.Protocol   = (*Protocol)(nil)
	_ bridge.ServerSide = (*serverSide)(nil)
)

// sides is a mode with teams and flags in which nothing happens by itself.
type sides struct{ flags game.GameFlags }

func (m sides) Name() string          { return "TEST" }
func (m sides) Flags() game.GameFlags { return m.flags }
func (m sides) Start(*game.Tx)        {}

// newWorld is one with players of the given names, by seat; "" leaves a seat free.
func newWorld(t testing.TB, mode game.Mode, names ...string) *game.World {
	t.Helper()
	box, _ := maps.Find("testbox")
	m, err := twmap.Parse(box.Data)
	if err != nil {
		t.Fatal(err)
	}
	layer := m.GameLayer()
	rules := game.DefaultRules()
	rules.MaxClients, rules.PlayerSlots = game.MaxPlayers, game.MaxPlayers
	w, err := game.New(game.Config{
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Mode:    mode, Rules: rules,
	})
	if err != nil {
		t.Fatal(err)
	}
	var cmds []game.Command
	for id, name := range names {
		if name != "" {
			cmds = append(cmds, join(game.PlayerID(id), name)...)
		}
	}
	w.Step(cmds)
	for range 60 {
		w.Step(nil)
	}
	return w
}

func join(id game.PlayerID, name string) []game.Command {
	return []game.Command{
		{Kind: game.CmdJoin, Player: id},
		{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: name, Clan: "clan", Country: 276, Skin: standard[1].skin}},
		{Kind: game.CmdEnterGame, Player: id},
	}
}

// line is a session that writes down what happens.
type line struct {
	t       testing.TB
	sent    []msg6.Message
	vital   []bool
	hurried int
	asked   []any // what the client asked for: a Hello, a game.Command, ...
	onAsk   func(any)
}

func (l *line) Queue(b []byte, vital bool) {
	var d msg6.Decoder // strings and messages are borrowed from it
	m, err := d.Decode(bytes.Clone(b))
	if err != nil {
		l.t.Errorf("sent %x: %v", b, err)
		return
	}
	desc := m.ID().Desc()
	if desc.Sender == msg6.FromClient || desc.Vital != vital && m.ID() != msg6.IDPongEx {
		l.t.Errorf("sent %T, vital %v", m, vital)
	}
	if len(b) > 1023 || d.TrailingBytes() != 0 {
		l.t.Errorf("sent %T of %d bytes, %d too many", m, len(b), d.TrailingBytes())
	}
	l.sent, l.vital = append(l.sent, m), append(l.vital, vital)
}

func (l *line) FlushSoon() { l.hurried++ }

func (l *line) ask(v any) {
	l.asked = append(l.asked, v)
	if l.onAsk != nil {
		l.onAsk(v)
	}
}

type (
	mapRequest int
	ready      struct{}
	enter      struct{}
	chatCmd    struct{ name, args string }
	login      struct{ name, password string }
	rcon       string
	callVote   struct {
		kind          bridge.VoteKind
		value, reason string
		force         bool
	}
	vote int32
)

func (l *line) OnLogin(h bridge.Login)           { l.ask(h) }
func (l *line) OnRequestMapData(chunk int)       { l.ask(mapRequest(chunk)) }
func (l *line) OnReady()                         { l.ask(ready{}) }
func (l *line) OnProfile(p *game.Profile)        { l.ask(*p) }
func (l *line) OnEnterGame()                     { l.ask(enter{}) }
func (l *line) OnInput(in *bridge.InputMessage)  { l.ask(*in) }
func (l *line) OnCommand(c game.Command)         { l.ask(c) }
func (l *line) OnChatCommand(name, args string)  { l.ask(chatCmd{name, args}) }
func (l *line) OnRconAuth(name, password string) { l.ask(login{name, password}) }
func (l *line) OnRconCmd(s string)               { l.ask(rcon(s)) }
func (l *line) OnCallVote(k bridge.VoteKind, value, reason string, force bool) {
	l.ask(callVote{k, value, reason, force})
}
func (l *line) OnVote(v int32) { l.ask(vote(v)) }

// take is what was sent since the last call.
func (l *line) take() []msg6.Message {
	m := l.sent
	l.sent, l.vital = nil, nil
	return m
}

func (l *line) takeAsked() []any {
	a := l.asked
	l.asked = nil
	return a
}

// newHost is a client with the seat own, of a release of DDNet, in w.
func newHost(t testing.TB, v *Protocol, w *game.World, own game.PlayerID, release int32) (*serverSide, *line) {
	l := &line{t: t}
	h := v.NewServerSide(l).(*serverSide)
	h.release(release)
	v.RecordTick(w, nil)
	h.SendClientInfo(w, own, true, true)
	if m := l.take(); m != nil {
		t.Fatalf("a silent arrival says %v", m)
	}
	return h, l
}

func says(text string) msg6.Message {
	return &msg6.SvChat{Mode: msg6.ChatAll, ClientID: -1, Message: []byte(text)}
}

func shows(text string) msg6.Message { return &msg6.SvBroadcast{Message: []byte(text)} }

func wants(t *testing.T, what string, l *line, want ...msg6.Message) {
	t.Helper()
	if diff := cmp.Diff(want, l.take()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestEvents: what every event becomes.
func TestEvents(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob", "carol")
	v := NewProtocol()
	h, l := newHost(t, v, w, 1, 16040)
	var tuning [33]int32
	for i, x := range w.Tuning() {
		tuning[i+i/30] = x
	}
	tuning[30], tuning[32] = 500, w.Tuning()[31]
	for _, c := range []struct {
		name string
		ev   game.Event
		want []msg6.Message
	}{
		{"came", game.Event{Kind: game.EvPlayerEntered, Player: 0}, []msg6.Message{says("'alice' entered and joined the game")}},
		{"came to look", game.Event{Kind: game.EvPlayerEntered, Player: 0, Team: game.TeamSpectators}, []msg6.Message{says("'alice' entered and joined the spectators")}},
		{"came silently", game.Event{Kind: game.EvPlayerEntered, Player: 0, Flag: true}, nil},
		{"left", game.Event{Kind: game.EvPlayerLeft, Player: 2, Text: "Kicked by vote"}, []msg6.Message{says("'carol' has left the game (Kicked by vote)")}},
		{"left without a word", game.Event{Kind: game.EvPlayerLeft, Player: 2}, []msg6.Message{says("'carol' has left the game")}},
		{"left silently", game.Event{Kind: game.EvPlayerLeft, Player: 2, Text: "x", Flag: true}, nil},
		{"team", game.Event{Kind: game.EvTeamChange, Player: 0, Team: game.TeamSpectators}, []msg6.Message{says("'alice' joined the spectators")}},
		{"team back", game.Event{Kind: game.EvTeamChange, Player: 0}, []msg6.Message{says("'alice' joined the game")}},
		{"team silently", game.Event{Kind: game.EvTeamChange, Player: 0, Flag: true}, nil},
		{"server says", game.Event{Kind: game.EvChat, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: "x"}, []msg6.Message{says("x")}},
		{"said", game.Event{Kind: game.EvChat, Player: 2, Chat: game.ChatAll, Text: "x"}, []msg6.Message{&msg6.SvChat{ClientID: 2, Message: []byte("x")}}},
		{"said to the team", game.Event{Kind: game.EvChat, Player: 2, Chat: game.ChatTeam, Text: "x"}, []msg6.Message{&msg6.SvChat{Mode: msg6.ChatTeam, ClientID: 2, Message: []byte("x")}}},
		{"whispered", game.Event{Kind: game.EvChat, Player: 1, Target: 2, Chat: game.ChatWhisper, Text: "x"}, []msg6.Message{&msg6.SvChat{Mode: msg6.ChatWhisperSent, ClientID: 2, Message: []byte("x")}}},
		{"heard a whisper", game.Event{Kind: game.EvChat, Player: 2, Target: 1, Chat: game.ChatWhisper, Text: "x"}, []msg6.Message{&msg6.SvChat{Mode: msg6.ChatWhisperReceived, ClientID: 2, Message: []byte("x")}}},
		{"kill", game.Event{Kind: game.EvKill, Player: 0, Target: 2, Weapon: game.WeaponGrenade, Value: 2}, []msg6.Message{&msg6.SvKillMsg{Killer: 0, Victim: 2, Weapon: msg6.WeaponGrenade, ModeSpecial: 2}}},
		{"killed by who left", game.Event{Kind: game.EvKill, Player: -3, Target: 2, Weapon: game.WeaponLaser}, []msg6.Message{&msg6.SvKillMsg{Killer: 2, Victim: 2, Weapon: msg6.WeaponLaser}}},
		{"killed by the world", game.Event{Kind: game.EvKill, Player: game.Nobody, Target: 2, Weapon: game.WeaponWorld}, []msg6.Message{&msg6.SvKillMsg{Killer: 2, Victim: 2, Weapon: msg6.WeaponWorld}}},
		{"weapon", game.Event{Kind: game.EvPickup, Player: 1, Weapon: game.WeaponLaser}, []msg6.Message{&msg6.SvWeaponPickup{Weapon: msg6.WeaponLaser}}},
		{"health", game.Event{Kind: game.EvPickup, Player: 1, Weapon: game.WeaponWorld}, nil},
		{"emoticon", game.Event{Kind: game.EvEmoticon, Player: 2, Value: 7}, []msg6.Message{&msg6.SvEmoticon{ClientID: 2, Emoticon: 7}}},
		{"skin", game.Event{Kind: game.EvSkinChange, Player: 0}, nil},
		{"limits", game.Event{Kind: game.EvGameInfo}, nil},
		{"tuning", game.Event{Kind: game.EvTuneParams}, []msg6.Message{&msg6.SvTuneParams{Params: tuning[:]}}},
		{"broadcast", game.Event{Kind: game.EvBroadcast, Text: "a\nb"}, []msg6.Message{shows("a\nb")}},
		{"swap", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamSwap}, []msg6.Message{says("Teams were swapped")}},
		{"bad id", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgSpecInvalidID}, []msg6.Message{says("Invalid spectator id used")}},
		{"shuffle", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamShuffle}, []msg6.Message{says("Teams were shuffled")}},
		{"balance", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamBalance}, []msg6.Message{says("Teams have been balanced")}},
		{"pause", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgGamePaused, Player: 0}, []msg6.Message{says("'alice' initiated a pause")}},
		{"all moved", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamAll, Value: -1}, []msg6.Message{shows("All players were moved to the spectators")}},
		{"moved", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamBalanceVictim, Value: 0}, []msg6.Message{shows("You were moved to the game due to team balancing")}},
		{"start", game.Event{Kind: game.EvRoundStart}, nil},
		{"effect", game.Event{Kind: game.EvSound}, nil},
	} {
		h.SendEvent(w, &c.ev)
		wants(t, c.name, l, c.want...)
	}
}

// TestFlags: what the two teams and onlookers hear of the flags.
func TestFlags(t *testing.T) {
	w := newWorld(t, sides{game.GameFlagTeams | game.GameFlagFlags}, "red", "blue", "looks", "looks at red")
	w.Step([]game.Command{
		{Kind: game.CmdForceTeam, Player: 0, Team: game.TeamRed}, {Kind: game.CmdForceTeam, Player: 1, Team: game.TeamBlue},
		{Kind: game.CmdForceTeam, Player: 2, Team: game.TeamSpectators}, {Kind: game.CmdForceTeam, Player: 3, Team: game.TeamSpectators},
	})
	w.Step([]game.Command{{Kind: game.CmdSpectate, Player: 3, Spectate: game.SpectatePlayer, Target: 0}})
	v := NewProtocol()
	for own, grabbed := range []msg6.Sound{msg6.SoundCTFGrabEnemy, msg6.SoundCTFGrabOwn, msg6.SoundCTFGrabOwn, msg6.SoundCTFGrabEnemy} {
		h, l := newHost(t, v, w, game.PlayerID(own), msg6.VersionNone)
		for n, want := range map[game.GameMsg][]msg6.Message{
			game.GameMsgCTFDrop:    {&msg6.SvSoundGlobal{Sound: msg6.SoundCTFDrop}},
			game.GameMsgCTFReturn:  {&msg6.SvSoundGlobal{Sound: msg6.SoundCTFReturn}},
			game.GameMsgCTFGrab:    {&msg6.SvSoundGlobal{Sound: grabbed}},
			game.GameMsgCTFCapture: {&msg6.SvSoundGlobal{Sound: msg6.SoundCTFCapture}, says("The red flag was captured by 'blue' (2.02 seconds)")},
			game.GameMsgTeamAll:    {shows("All players were moved to the red team")},
		} {
			h.SendEvent(w, &game.Event{Kind: game.EvGameMsg, GameMsg: n, Player: 1, Extra: 101})
			wants(t, "notice", l, want...)
		}
		h.SendEvent(w, &game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgCTFCapture, Value: 1, Player: 0, Extra: 3001})
		wants(t, "slow", l, &msg6.SvSoundGlobal{Sound: msg6.SoundCTFCapture}, says("The blue flag was captured by 'red'"))
		h.SendEvent(w, &game.Event{Kind: game.EvTeamChange, Player: 1, Team: game.TeamBlue})
		wants(t, "team", l, says("'blue' joined the blue team"))
	}
}

// TestWhisperDown: clients without whispers see a line of the server's.
func TestWhisperDown(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	for _, release := range []int32{msg6.VersionNone, 2, 216} {
		h, l := newHost(t, NewProtocol(), w, 1, release)
		h.SendEvent(w, &game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: 0, Target: 1, Text: "psst"})
		h.SendEvent(w, &game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: 1, Target: 0, Text: "what"})
		h.SendEvent(w, &game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: 1, Target: 1, Text: "me"})
		wants(t, "whispers", l, says("[← alice] psst"), says("[→ alice] what"), says("[→ bob] me"), says("[← bob] me"))
	}
}

// TestLocks: that teams were locked is told when it happens, not on the way in.
func TestLocks(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	h, l := newHost(t, NewProtocol(), w, 0, 0)
	lock := func() { w.Step([]game.Command{{Kind: game.CmdLockTeams}}) }
	lock()
	h.SendSettings(w)
	wants(t, "locked before", l)
	lock()
	h.SendEvent(w, &game.Event{Kind: game.EvServerSettings})
	h.SendEvent(w, &game.Event{Kind: game.EvServerSettings})
	wants(t, "unlocked", l, says("Teams were unlocked"))
	lock()
	h.SendEvent(w, &game.Event{Kind: game.EvServerSettings})
	wants(t, "locked", l, says("Teams were locked"))
	h.Reset()
	lock()
	h.SendSettings(w)
	wants(t, "another map", l)
}

// TestVotes: how votes begin, go and end.
func TestVotes(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	h, l := newHost(t, NewProtocol(), w, 1, 16040)
	set := func(timeout int32, what, why string) msg6.Message {
		return &msg6.SvVoteSet{Timeout: timeout, Description: []byte(what), Reason: []byte(why)}
	}
	over := set(0, "", "")
	for _, c := range []struct {
		v    bridge.Vote
		want []msg6.Message
	}{
		{bridge.Vote{Kind: bridge.VoteNone}, []msg6.Message{over}},
		{bridge.Vote{Kind: bridge.VoteOption, Timeout: 25, Description: "Next map", Reason: "bored"}, []msg6.Message{says("'alice' called vote to change server option 'Next map' (bored)"), set(25, "Next map", "bored")}},
		{bridge.Vote{Kind: bridge.VoteKick, Timeout: 99, Description: "bob", Target: 1, Reason: "bad"}, []msg6.Message{says("'alice' called for vote to kick 'bob' (bad)"), set(60, "Kick 'bob'", "bad")}},
		{bridge.Vote{Kind: bridge.VoteSpectate, Timeout: 25, Description: "bob", Target: 1, Reason: "afk"}, []msg6.Message{says("'alice' called for vote to move 'bob' to spectators (afk)"), set(25, "move 'bob' to spectators", "afk")}},
		{bridge.Vote{Kind: bridge.VoteOption, Caller: game.Nobody, Timeout: 25, Description: "x", Reason: "y"}, []msg6.Message{set(25, "x", "y")}},
		{bridge.Vote{Kind: bridge.VoteOption, Caller: game.Nobody, Description: "x", Reason: "y"}, []msg6.Message{says("admin forced server option 'x' (y)")}},
		{bridge.Vote{Kind: bridge.VoteSpectate, Caller: game.Nobody, Description: "bob", Reason: "y"}, []msg6.Message{says("admin moved 'bob' to spectator (y)")}},
		{bridge.Vote{Kind: bridge.VoteKick, Caller: game.Nobody, Description: "bob", Reason: "y"}, nil},
		{bridge.Vote{Kind: bridge.VoteAborted, Caller: game.Nobody}, []msg6.Message{over, says("Vote aborted")}},
		{bridge.Vote{Kind: bridge.VotePassed}, []msg6.Message{over, says("Vote passed")}},
		{bridge.Vote{Kind: bridge.VoteFailed}, []msg6.Message{over, says("Vote failed")}},
		{bridge.Vote{Kind: bridge.VotePassed, Caller: game.Nobody}, []msg6.Message{over, says("admin forced vote yes")}},
		{bridge.Vote{Kind: bridge.VoteFailed, Caller: game.Nobody}, []msg6.Message{over, says("admin forced vote no")}},
	} {
		h.SendVote(&c.v)
		wants(t, c.v.Description, l, c.want...)
	}
	h.SendVoteStatus(1, 2, 3, 99)
	wants(t, "status", l, &msg6.SvVoteStatus{Yes: 1, No: 2, Pass: 3, Total: 64})
	h, l = newHost(t, NewProtocol(), w, 1, 0)
	h.SendVoteStatus(-1, 20, 3, 99)
	wants(t, "status for few", l, &msg6.SvVoteStatus{No: 16, Pass: 3, Total: 16})

	h.SendVoteOptionsCleared()
	h.SendVoteOptionRemoved("x")
	wants(t, "options", l, &msg6.SvVoteClearOptions{}, &msg6.SvVoteOptionRemove{Description: []byte("x")})
	for _, n := range []int{0, 1, 14, 15, 16, 40} {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = strings.Repeat("o", 63-i%3)
		}
		h.SendVoteOptions(texts)
		var got []string
		for _, m := range l.take() {
			m := m.(*msg6.SvVoteOptionListAdd)
			for i, d := range m.Descriptions {
				if i < int(m.Count) {
					got = append(got, string(d))
				} else if len(d) != 0 {
					t.Errorf("option %d of %d is %q", i, m.Count, d)
				}
			}
		}
		if !slices.Equal(got, texts) && n > 0 {
			t.Errorf("%d options come as %d", n, len(got))
		}
	}
	h.SendVoteOptions([]string{strings.Repeat("x", 900), strings.Repeat("y", 900)})
	if n := len(l.take()); n != 2 {
		t.Errorf("two long options in %d messages", n)
	}
}

// TestConsole: the remote console.
func TestConsole(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	h, l := newHost(t, NewProtocol(), w, 0, 0)
	h.SendRconAuthStatus(true)
	h.SendRconAuthStatus(false)
	h.SendRconLine("line")
	for _, lists := range []int32{0, 1} { // as the client wants them
		if err := h.Receive((&msg6.RconAuth{SendCommands: lists}).Append(nil), true); err != nil {
			t.Fatal(err)
		}
		h.SendRconCommand(&bridge.CommandInfo{Name: "kick", Params: "i[id] ?r[reason]", Help: "Kick"})
		h.SendRconCommandRemoved("kick")
	}
	h.SendMapListEntry("dm1")
	h.SendServerInfo(&bridge.ServerInfo{})
	h.SendGameInfo(w)
	wants(t, "console", l,
		&msg6.RconAuthStatus{Authed: 1, CmdList: 1}, &msg6.RconAuthStatus{}, &msg6.RconLine{Line: []byte("line")},
		&msg6.RconCmdAdd{Name: []byte("kick"), Help: []byte("Kick"), Params: []byte("i[id] ?r[reason]")}, &msg6.RconCmdRem{Name: []byte("kick")})
}

// TestMap: the map as it is announced, and piece by piece.
func TestMap(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	for _, size := range []int{1, 895, 896, 897, 1792} {
		m := &bridge.Map{Name: "box", File: bytes.Repeat([]byte("x"), size), CRC: 0x80000001}
		h, l := newHost(t, NewProtocol(), w, 0, 0)
		h.SendMapChange(m)
		wants(t, "map", l, &msg6.MapChange{Name: []byte("box"), CRC: -0x7fffffff, Size: int32(size)})
		n := (size + h.MapChunkSize() - 1) / h.MapChunkSize()
		var got []byte
		for i := range n {
			h.SendMapData(m, i)
			d := l.take()[0].(*msg6.MapData)
			if d.Chunk != int32(i) || d.CRC != -0x7fffffff || (d.Last == 1) != (i == n-1) {
				t.Errorf("chunk %d of %d: %d, last %d", i, n, d.Chunk, d.Last)
			}
			got = append(got, d.Data...)
		}
		if !bytes.Equal(got, m.File) {
			t.Errorf("%d bytes come as %d", size, len(got))
		}
		h.SendMapData(m, n)
		h.SendMapData(m, -1)
		wants(t, "beyond", l)
	}
	h, l := newHost(t, NewProtocol(), w, 0, 16040)
	h.SendMapChange(&bridge.Map{Name: "a"})
	h.SendMapChange(&bridge.Map{Name: "b"})
	wants(t, "DDNet", l,
		&msg6.Capabilities{Version: 5, Flags: msg6.CapabilityPingEx | msg6.CapabilityAllowDummy},
		&msg6.MapChange{Name: []byte("a")}, &msg6.MapChange{Name: []byte("b")})
}

func kinds(ms []msg6.Message) (s []string) {
	for _, m := range ms {
		s = append(s, reflect.TypeOf(m).Elem().Name())
	}
	return s
}
