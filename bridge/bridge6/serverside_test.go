package bridge6

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

var (
	_    bridge.Protocol   = (*Protocol)(nil)
	_    bridge.ServerSide = (*serverSide)(nil)
	call                   = bridgetest.NewCall
)

// flagMode is a mode with flags in which nothing happens by itself.
type flagMode struct{ flags game.GameFlags }

func (m flagMode) Name() string          { return "TEST" }
func (m flagMode) Flags() game.GameFlags { return m.flags }
func (m flagMode) Start(*game.Setup)     {}

// newWorld returns a world with players of the given names.
func newWorld(t testing.TB, mode game.Mode, names ...string) *game.World {
	t.Helper()
	w, _ := bridgetest.NewWorld(t, "testbox", mode, nil)
	var cmds []game.Command
	for id, name := range names {
		cmds = append(cmds, join(game.PlayerID(id), name)...)
	}
	w.Step(cmds)
	for range 60 {
		w.Step(nil)
	}
	return w
}

// newCrowd returns a world with n players named p0, p1...
func newCrowd(t testing.TB, n int) *game.World {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("p", i)
	}
	return newWorld(t, dm.Mode{}, names...)
}

func join(id game.PlayerID, name string) []game.Command {
	return bridgetest.Join(id, game.Profile{Name: name, Clan: "clan", Country: 276, Skin: standardSkins[1].skin})
}

// testSession records the messages that a serverSide sends and receives.
type testSession struct {
	bridgetest.ClientMessages
	t       testing.TB
	sent    []msg6.Message
	vital   []bool // whether each message of sent is vital
	flushes int
}

func (s *testSession) Queue(b []byte, vital bool) {
	var d msg6.Decoder // a new decoder, because its messages refer to it
	m, err := d.Decode(bytes.Clone(b))
	if err != nil {
		s.t.Errorf("sent %x: %v", b, err)
		return
	}
	desc := m.ID().Desc()
	if desc.Sender == message.FromClient || desc.Vital != vital && m.ID() != msg6.IDPongEx {
		s.t.Errorf("sent %T, vital %v", m, vital)
	}
	if len(b) > 1023 || d.TrailingBytes() != 0 {
		s.t.Errorf("sent %T of %d bytes, %d too many", m, len(b), d.TrailingBytes())
	}
	s.sent, s.vital = append(s.sent, m), append(s.vital, vital)
}

func (s *testSession) FlushSoon() { s.flushes++ }

// takeSent returns the messages sent since the last call.
func (s *testSession) takeSent() []msg6.Message {
	m := s.sent
	s.sent, s.vital = nil, nil
	return m
}

// expectSent compares the messages sent since the last call with want.
func (s *testSession) expectSent(what string, want ...msg6.Message) {
	s.t.Helper()
	if d := cmp.Diff(want, s.takeSent()); d != "" {
		s.t.Errorf("%s: messages (-want +got):\n%s", what, d)
	}
}

// expectReceived compares the client's requests since the last call with want.
func (s *testSession) expectReceived(what string, want ...bridgetest.Call) {
	s.t.Helper()
	s.Expect(s.t, what, want...)
}

// newServerSide returns the server's side of a client that plays as own. The client claims the
// given release of DDNet.
func newServerSide(t testing.TB, p *Protocol, w *game.World, own game.PlayerID, ddnetVersion int32) (*serverSide, *testSession) {
	l := &testSession{t: t}
	s := p.NewServerSide(l).(*serverSide)
	s.setDDNetVersion(ddnetVersion)
	p.RecordTick(w, nil)
	s.SendClientInfo(w, own, true, true)
	l.expectSent("silent entry")
	return s, l
}

// receive passes a message to a side.
func receive(t testing.TB, to bridgetest.Receiver, m msg6.Message) {
	t.Helper()
	if err := to.Receive(m.Append(nil), m.ID().Desc().Vital); err != nil {
		t.Errorf("%T: %v", m, err)
	}
}

// serverLine is a line of chat from the server.
func serverLine(text string) msg6.Message {
	return &msg6.SvChat{Mode: msg6.ChatAll, ClientID: -1, Message: []byte(text)}
}

func broadcast(text string) msg6.Message { return &msg6.SvBroadcast{Message: []byte(text)} }

// TestSendEvent checks the messages for every kind of event.
func TestSendEvent(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob", "carol")
	v := NewProtocol()
	srv, l := newServerSide(t, v, w, 1, 16040)
	var tuning [33]int32
	for i, x := range w.Tuning() {
		tuning[i+i/30] = x
	}
	tuning[30], tuning[32] = 500, w.Tuning()[31]
	worldTuning := w.Tuning()
	for _, c := range []struct {
		name string
		ev   game.Event
		want []msg6.Message
	}{
		{"entered", game.Event{Kind: game.EvPlayerEntered, Player: 0}, []msg6.Message{serverLine("'alice' entered and joined the game")}},
		{"entered as spectator", game.Event{Kind: game.EvPlayerEntered, Player: 0, Team: game.TeamSpectators},
			[]msg6.Message{serverLine("'alice' entered and joined the spectators")}},
		{"entered silently", game.Event{Kind: game.EvPlayerEntered, Player: 0, Flag: true}, nil},
		{"left", game.Event{Kind: game.EvPlayerLeft, Player: 2, Text: "Kicked by vote"},
			[]msg6.Message{serverLine("'carol' has left the game (Kicked by vote)")}},
		{"left without reason", game.Event{Kind: game.EvPlayerLeft, Player: 2}, []msg6.Message{serverLine("'carol' has left the game")}},
		{"left silently", game.Event{Kind: game.EvPlayerLeft, Player: 2, Text: "x", Flag: true}, nil},
		{"team", game.Event{Kind: game.EvTeamChange, Player: 0, Team: game.TeamSpectators}, []msg6.Message{serverLine("'alice' joined the spectators")}},
		{"team back", game.Event{Kind: game.EvTeamChange, Player: 0}, []msg6.Message{serverLine("'alice' joined the game")}},
		{"team silently", game.Event{Kind: game.EvTeamChange, Player: 0, Flag: true}, nil},
		{"chat of the server", game.Event{Kind: game.EvChat, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: "x"},
			[]msg6.Message{serverLine("x")}},
		{"chat", game.Event{Kind: game.EvChat, Player: 2, Chat: game.ChatAll, Text: "x"}, []msg6.Message{&msg6.SvChat{ClientID: 2, Message: []byte("x")}}},
		{"team chat", game.Event{Kind: game.EvChat, Player: 2, Chat: game.ChatTeam, Text: "x"},
			[]msg6.Message{&msg6.SvChat{Mode: msg6.ChatTeam, ClientID: 2, Message: []byte("x")}}},
		{"whisper sent", game.Event{Kind: game.EvChat, Player: 1, Target: 2, Chat: game.ChatWhisper, Text: "x"},
			[]msg6.Message{&msg6.SvChat{Mode: msg6.ChatWhisperSent, ClientID: 2, Message: []byte("x")}}},
		{"whisper received", game.Event{Kind: game.EvChat, Player: 2, Target: 1, Chat: game.ChatWhisper, Text: "x"},
			[]msg6.Message{&msg6.SvChat{Mode: msg6.ChatWhisperReceived, ClientID: 2, Message: []byte("x")}}},
		{"kill", game.Event{Kind: game.EvKill, Player: 0, Target: 2, Weapon: game.WeaponGrenade, Value: 2},
			[]msg6.Message{&msg6.SvKillMsg{Killer: 0, Victim: 2, Weapon: msg6.WeaponGrenade, ModeSpecial: 2}}},
		{"killed by a player who left", game.Event{Kind: game.EvKill, Player: -3, Target: 2, Weapon: game.WeaponLaser},
			[]msg6.Message{&msg6.SvKillMsg{Killer: 2, Victim: 2, Weapon: msg6.WeaponLaser}}},
		{"killed by the world", game.Event{Kind: game.EvKill, Player: game.Nobody, Target: 2, Weapon: game.WeaponWorld},
			[]msg6.Message{&msg6.SvKillMsg{Killer: 2, Victim: 2, Weapon: msg6.WeaponWorld}}},
		{"weapon", game.Event{Kind: game.EvPickup, Player: 1, Weapon: game.WeaponLaser}, []msg6.Message{&msg6.SvWeaponPickup{Weapon: msg6.WeaponLaser}}},
		{"health", game.Event{Kind: game.EvPickup, Player: 1, Weapon: game.WeaponWorld}, nil},
		{"emoticon", game.Event{Kind: game.EvEmoticon, Player: 2, Value: 7}, []msg6.Message{&msg6.SvEmoticon{ClientID: 2, Emoticon: 7}}},
		{"skin", game.Event{Kind: game.EvSkinChange, Player: 0}, nil},
		{"game info", game.Event{Kind: game.EvGameInfo}, nil},
		{"tuning", game.Event{Kind: game.EvTuneParams, Tuning: &worldTuning}, []msg6.Message{&msg6.SvTuneParams{Params: tuning[:]}}},
		{"broadcast", game.Event{Kind: game.EvBroadcast, Text: "a\nb"}, []msg6.Message{broadcast("a\nb")}},
		{"swap", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamSwap}, []msg6.Message{serverLine("Teams were swapped")}},
		{"bad id", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgSpecInvalidID}, []msg6.Message{serverLine("Invalid spectator id used")}},
		{"shuffle", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamShuffle}, []msg6.Message{serverLine("Teams were shuffled")}},
		{"balance", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamBalance}, []msg6.Message{serverLine("Teams have been balanced")}},
		{"pause", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgGamePaused, Player: 0}, []msg6.Message{serverLine("'alice' initiated a pause")}},
		{"all moved", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamAll, Value: -1},
			[]msg6.Message{broadcast("All players were moved to the spectators")}},
		{"moved", game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamBalanceVictim, Value: 0},
			[]msg6.Message{broadcast("You were moved to the game due to team balancing")}},
		{"start", game.Event{Kind: game.EvRoundStart}, nil},
		{"effect", game.Event{Kind: game.EvSound}, nil},
	} {
		srv.SendEvent(w, &c.ev)
		l.expectSent(c.name, c.want...)
	}
}

// TestFlagSounds checks which flag sounds the two teams and spectators hear.
func TestFlagSounds(t *testing.T) {
	w := newWorld(t, flagMode{game.GameFlagTeams | game.GameFlagFlags}, "red", "blue", "watches", "watches red")
	w.Step([]game.Command{
		{Kind: game.CmdForceTeam, Player: 0, Team: game.TeamRed}, {Kind: game.CmdForceTeam, Player: 1, Team: game.TeamBlue},
		{Kind: game.CmdForceTeam, Player: 2, Team: game.TeamSpectators}, {Kind: game.CmdForceTeam, Player: 3, Team: game.TeamSpectators},
	})
	w.Step([]game.Command{{Kind: game.CmdSpectate, Player: 3, Spectate: game.SpectatePlayer, Target: 0}})
	v := NewProtocol()
	for own, grabbed := range []msg6.Sound{msg6.SoundCTFGrabEnemy, msg6.SoundCTFGrabOwn, msg6.SoundCTFGrabOwn, msg6.SoundCTFGrabEnemy} {
		srv, l := newServerSide(t, v, w, game.PlayerID(own), msg6.VersionNone)
		for n, want := range map[game.GameMsg][]msg6.Message{
			game.GameMsgCTFDrop:    {&msg6.SvSoundGlobal{Sound: msg6.SoundCTFDrop}},
			game.GameMsgCTFReturn:  {&msg6.SvSoundGlobal{Sound: msg6.SoundCTFReturn}},
			game.GameMsgCTFGrab:    {&msg6.SvSoundGlobal{Sound: grabbed}},
			game.GameMsgCTFCapture: {&msg6.SvSoundGlobal{Sound: msg6.SoundCTFCapture}, serverLine("The red flag was captured by 'blue' (2.02 seconds)")},
			game.GameMsgTeamAll:    {broadcast("All players were moved to the red team")},
		} {
			srv.SendEvent(w, &game.Event{Kind: game.EvGameMsg, GameMsg: n, Player: 1, Extra: 101})
			l.expectSent("notice", want...)
		}
		srv.SendEvent(w, &game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgCTFCapture, Value: 1, Player: 0, Extra: 3001})
		l.expectSent("slow", &msg6.SvSoundGlobal{Sound: msg6.SoundCTFCapture}, serverLine("The blue flag was captured by 'red'"))
		srv.SendEvent(w, &game.Event{Kind: game.EvTeamChange, Player: 1, Team: game.TeamBlue})
		l.expectSent("team", serverLine("'blue' joined the blue team"))
	}
}

// TestWhisperLines checks that clients without support for whispers get lines from the server.
func TestWhisperLines(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	for _, release := range []int32{msg6.VersionNone, 2, 216} {
		srv, l := newServerSide(t, NewProtocol(), w, 1, release)
		srv.SendEvent(w, &game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: 0, Target: 1, Text: "psst"})
		srv.SendEvent(w, &game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: 1, Target: 0, Text: "what"})
		srv.SendEvent(w, &game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: 1, Target: 1, Text: "me"})
		l.expectSent("whispers", serverLine("[← alice] psst"), serverLine("[→ alice] what"), serverLine("[→ bob] me"), serverLine("[← bob] me"))
	}
}

// TestTeamsLocked checks that locking the teams writes a chat line, but not for a new client.
func TestTeamsLocked(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	srv, l := newServerSide(t, NewProtocol(), w, 0, 0)
	lock := func() { w.Step([]game.Command{{Kind: game.CmdLockTeams}}) }
	lock()
	srv.SendSettings(w)
	l.expectSent("locked before")
	lock()
	srv.SendEvent(w, &game.Event{Kind: game.EvServerSettings})
	srv.SendEvent(w, &game.Event{Kind: game.EvServerSettings})
	l.expectSent("unlocked", serverLine("Teams were unlocked"))
	lock()
	srv.SendEvent(w, &game.Event{Kind: game.EvServerSettings, Flag: true})
	l.expectSent("locked", serverLine("Teams were locked"))
	srv.Reset()
	lock()
	srv.SendSettings(w)
	l.expectSent("another map")
}

// TestSendVote checks the messages for the start, the count and the end of a vote.
func TestSendVote(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	srv, l := newServerSide(t, NewProtocol(), w, 1, 16040)
	set := func(timeout int32, what, why string) msg6.Message {
		return &msg6.SvVoteSet{Timeout: timeout, Description: []byte(what), Reason: []byte(why)}
	}
	over := set(0, "", "")
	for _, c := range []struct {
		v    bridge.Vote
		want []msg6.Message
	}{
		{bridge.Vote{Kind: event.VoteNone}, []msg6.Message{over}},
		{bridge.Vote{Kind: event.VoteOption, Timeout: 25, Description: "Next map", Reason: "bored"},
			[]msg6.Message{serverLine("'alice' called vote to change server option 'Next map' (bored)"), set(25, "Next map", "bored")}},
		{bridge.Vote{Kind: event.VoteKick, Timeout: 99, Description: "bob", Target: 1, Reason: "bad"},
			[]msg6.Message{serverLine("'alice' called for vote to kick 'bob' (bad)"), set(60, "Kick 'bob'", "bad")}},
		{bridge.Vote{Kind: event.VoteSpectate, Timeout: 25, Description: "bob", Target: 1, Reason: "afk"},
			[]msg6.Message{serverLine("'alice' called for vote to move 'bob' to spectators (afk)"), set(25, "move 'bob' to spectators", "afk")}},
		{bridge.Vote{Kind: event.VoteOption, Caller: game.Nobody, Timeout: 25, Description: "x", Reason: "y"}, []msg6.Message{set(25, "x", "y")}},
		{bridge.Vote{Kind: event.VoteOption, Caller: game.Nobody, Description: "x", Reason: "y"},
			[]msg6.Message{serverLine("admin forced server option 'x' (y)")}},
		{bridge.Vote{Kind: event.VoteSpectate, Caller: game.Nobody, Description: "bob", Reason: "y"},
			[]msg6.Message{serverLine("admin moved 'bob' to spectator (y)")}},
		{bridge.Vote{Kind: event.VoteKick, Caller: game.Nobody, Description: "bob", Reason: "y"}, nil},
		{bridge.Vote{Kind: event.VoteAborted, Caller: game.Nobody}, []msg6.Message{over, serverLine("Vote aborted")}},
		{bridge.Vote{Kind: event.VotePassed}, []msg6.Message{over, serverLine("Vote passed")}},
		{bridge.Vote{Kind: event.VoteFailed}, []msg6.Message{over, serverLine("Vote failed")}},
		{bridge.Vote{Kind: event.VotePassed, Caller: game.Nobody}, []msg6.Message{over, serverLine("admin forced vote yes")}},
		{bridge.Vote{Kind: event.VoteFailed, Caller: game.Nobody}, []msg6.Message{over, serverLine("admin forced vote no")}},
	} {
		srv.SendVote(&c.v)
		l.expectSent(c.v.Description, c.want...)
	}
	srv.SendVoteStatus(1, 2, 3, 99)
	l.expectSent("status", &msg6.SvVoteStatus{Yes: 1, No: 2, Pass: 3, Total: 64})
	srv, l = newServerSide(t, NewProtocol(), w, 1, 0)
	srv.SendVoteStatus(-1, 20, 3, 99)
	l.expectSent("status with limited ids", &msg6.SvVoteStatus{No: 16, Pass: 3, Total: 16})

	srv.SendVoteOptionsCleared()
	srv.SendVoteOption("y")
	srv.SendVoteOptionRemoved("x")
	l.expectSent("options", &msg6.SvVoteClearOptions{}, &msg6.SvVoteOptionAdd{Description: []byte("y")}, &msg6.SvVoteOptionRemove{Description: []byte("x")})
	for _, n := range []int{0, 1, 14, 15, 16, 40} {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = strings.Repeat("o", 63-i%3)
		}
		srv.SendVoteOptions(texts)
		var got []string
		for _, m := range l.takeSent() {
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
			t.Errorf("%d options arrive as %d", n, len(got))
		}
	}
	srv.SendVoteOptions([]string{strings.Repeat("x", 900), strings.Repeat("y", 900)})
	if n := len(l.takeSent()); n != 2 {
		t.Errorf("two long options in %d messages", n)
	}
}

// TestSendRcon checks the messages of the remote console.
func TestSendRcon(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	srv, l := newServerSide(t, NewProtocol(), w, 0, 0)
	srv.SendRconAuthStatus(true)
	srv.SendRconAuthStatus(false)
	srv.SendRconLine("line")
	for _, want := range []int32{0, 1} {
		receive(t, srv, &msg6.RconAuth{SendCommands: want})
		srv.SendRconCommand(&bridge.CommandInfo{Name: "kick", Params: "i[id] ?r[reason]", Help: "Kick"})
		srv.SendRconCommandRemoved("kick")
	}
	srv.SendMapListEntry("dm1")
	srv.SendMapListEntryRemoved("dm1")
	srv.SendServerInfo(&bridge.ServerInfo{})
	srv.SendGameInfo(w)
	l.expectSent("console",
		&msg6.RconAuthStatus{Authed: 1, CmdList: 1}, &msg6.RconAuthStatus{}, &msg6.RconLine{Line: []byte("line")},
		&msg6.RconCmdAdd{Name: []byte("kick"), Help: []byte("Kick"), Params: []byte("i[id] ?r[reason]")}, &msg6.RconCmdRem{Name: []byte("kick")})
}

// TestSendRedirect checks that only clients that know REDIRECT get it.
func TestSendRedirect(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	for release, want := range map[int32]bool{msg6.VersionNone: false, 16040: false, 17020: true, 19000: true} {
		srv, l := newServerSide(t, NewProtocol(), w, 0, release)
		if got := srv.SendRedirect(8304); got != want {
			t.Errorf("%d: %v", release, got)
		}
		var sent []msg6.Message
		if want {
			sent = append(sent, &msg6.Redirect{Port: 8304})
		}
		l.expectSent("redirect", sent...)
	}
}

// TestSendMap checks the announcement of the map and all map chunks.
func TestSendMap(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	for _, size := range []int{1, 895, 896, 897, 1792} {
		m := &bridge.Map{Name: "box", File: bytes.Repeat([]byte("x"), size), CRC: 0x80000001}
		srv, l := newServerSide(t, NewProtocol(), w, 0, 0)
		srv.SendMapChange(m)
		l.expectSent("map", &msg6.MapChange{Name: []byte("box"), CRC: -0x7fffffff, Size: int32(size)})
		n := (size + srv.MapChunkSize() - 1) / srv.MapChunkSize()
		var got []byte
		for i := range n {
			srv.SendMapData(m, i)
			d := l.takeSent()[0].(*msg6.MapData)
			if d.Chunk != int32(i) || d.CRC != -0x7fffffff || (d.Last == 1) != (i == n-1) {
				t.Errorf("chunk %d of %d: %d, last %d", i, n, d.Chunk, d.Last)
			}
			got = append(got, d.Data...)
		}
		if !bytes.Equal(got, m.File) {
			t.Errorf("%d bytes arrive as %d", size, len(got))
		}
		srv.SendMapData(m, n)
		srv.SendMapData(m, -1)
		l.expectSent("no such chunk")
	}
	srv, l := newServerSide(t, NewProtocol(), w, 0, 16040)
	srv.SendMapChange(&bridge.Map{Name: "a"})
	srv.SendMapChange(&bridge.Map{Name: "b"})
	l.expectSent("DDNet",
		&msg6.Capabilities{Version: 5, Flags: 31}, // all but SyncWeaponInput
		&msg6.MapChange{Name: []byte("a")}, &msg6.MapChange{Name: []byte("b")})
}

// TestRaceFinish checks the lines about a finished race, and which results update the records in
// DDNet's client.
func TestRaceFinish(t *testing.T) {
	for _, c := range []struct {
		version int32
		ev      game.Event
		want    []string // chat lines, and the types of other messages
	}{
		{msg6.VersionNone, game.Event{Player: 0, Value: 1230}, []string{"alice finished in: 0 minute(s)  1.23 second(s)"}},
		{msg6.VersionNone, game.Event{Player: 0, Value: 1230, Extra: -65_000},
			[]string{"alice finished in: 0 minute(s)  1.23 second(s)", "New record: 1 minute(s)  5.00 second(s) better."}},
		{msg6.VersionNone, game.Event{Player: 1, Value: 1230, Extra: -500},
			[]string{"bob finished in: 0 minute(s)  1.23 second(s)", "New record:  0.50 second(s) better."}},
		{msg6.VersionNone, game.Event{Player: 0, Value: 1230, Extra: 500},
			[]string{"alice finished in: 0 minute(s)  1.23 second(s)", " 0.50 second(s) worse, better luck next time."}},
		{msg6.VersionNone, game.Event{Player: 1, Value: 1230, Extra: 500}, []string{"bob finished in: 0 minute(s)  1.23 second(s)"}},
		{16040, game.Event{Player: 0, Value: 1230}, []string{"alice finished in: 0 minute(s)  1.23 second(s)", "*msg6.SvDDRaceTime"}},
		{16040, game.Event{Player: 0, Value: 1230, Record: game.RecordPersonal},
			[]string{"alice finished in: 0 minute(s)  1.23 second(s)", "*msg6.SvDDRaceTime", "*msg6.SvRecord"}},
		{16040, game.Event{Player: 1, Value: 1230, Record: game.RecordPersonal}, []string{"bob finished in: 0 minute(s)  1.23 second(s)"}},
		{16040, game.Event{Player: 1, Value: 1230, Record: game.RecordOfAll}, []string{"bob finished in: 0 minute(s)  1.23 second(s)", "*msg6.SvRecord"}},
	} {
		w := newWorld(t, flagMode{game.GameFlagRace}, "alice", "bob")
		s, l := raceSide(t, w, c.version)
		l.takeSent()
		c.ev.Kind = game.EvRaceFinish
		s.SendEvent(w, &c.ev)
		var got []string
		for _, m := range l.takeSent() {
			if m, ok := m.(*msg6.SvChat); ok {
				got = append(got, string(m.Message))
				continue
			}
			got = append(got, fmt.Sprintf("%T", m))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%d %+v: (-want +got):\n%s", c.version, c.ev, d)
		}
	}
}

// TestLeaverOfTakenSeat checks the line about a player who left. The line must have that player's
// name, even if another player already has the seat.
func TestLeaverOfTakenSeat(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	p := NewProtocol()
	srv, l := newServerSide(t, p, w, 0, 16040)
	p.RecordTick(w, w.Step(join(1, "bob")))
	events := slices.Clone(w.Step(append([]game.Command{{Kind: game.CmdLeave, Player: 1}}, join(1, "carol")[:2]...)))
	p.RecordTick(w, events)
	if info, _ := w.Player(1); info.Profile.Name != "carol" {
		t.Fatalf("the seat belongs to %q", info.Profile.Name)
	}
	i := slices.IndexFunc(events, func(ev game.Event) bool { return ev.Kind == game.EvPlayerLeft })
	srv.SendEvent(w, &events[i])
	l.expectSent("leave", serverLine("'bob' has left the game"))
}
