package bridge6

import (
	"errors"
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// commandCall is the handler call for a client's command.
func commandCall(c game.Command) bridgetest.Call {
	c.Player = game.Nobody
	return call("Command", c)
}

// TestReceive checks the handler call for every message of a client.
func TestReceive(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	srv, l := newServerSide(t, NewProtocol(), w, 0, 16040)
	look := msg6.PlayerProfile{Name: []byte("a name that is too löng"), Clan: []byte("kläääääääääään"), Country: 40, Skin: []byte("pinky")}
	cmd := func(c game.Command) []bridgetest.Call { return []bridgetest.Call{commandCall(c)} }
	for _, c := range []struct {
		m    msg6.Message
		want []bridgetest.Call
	}{
		{&msg6.Info{NetVersion: []byte(msg6.NetVersion), Password: []byte("pw")},
			[]bridgetest.Call{call("Login", bridge.Login{VersionOK: true, NetVersion: msg6.NetVersion, Password: "pw", ClientVersion: 16040})}},
		{&msg6.Info{NetVersion: []byte("0.7 802f1be60a05665f")},
			[]bridgetest.Call{call("Login", bridge.Login{NetVersion: "0.7 802f1be60a05665f", ClientVersion: 16040})}},
		{&msg6.RequestMapData{Chunk: 7}, []bridgetest.Call{call("RequestMapData", 7)}},
		{&msg6.Ready{}, []bridgetest.Call{call("Ready")}},
		{&msg6.ClStartInfo{Profile: look},
			[]bridgetest.Call{call("Profile", game.Profile{Name: "a name that is ", Clan: "klääää", Country: 40, Skin: standardSkins[8].skin})}},
		{&msg6.EnterGame{}, []bridgetest.Call{call("EnterGame")}},
		{&msg6.RconAuth{Name: []byte("me"), Password: []byte("pw"), SendCommands: 1}, []bridgetest.Call{call("RconAuth", "me", "pw")}},
		{&msg6.RconCmd{Command: []byte("status")}, []bridgetest.Call{call("RconCmd", "status")}},
		{&msg6.RconCmd{Command: []byte("crashmeplx")}, nil},
		{&msg6.ClSay{Message: []byte("hi")}, cmd(game.Command{Kind: game.CmdSay, Chat: game.ChatAll, Target: game.Nobody, Text: "hi"})},
		{&msg6.ClSay{Team: true, Message: []byte("hi")}, cmd(game.Command{Kind: game.CmdSay, Chat: game.ChatTeam, Target: game.Nobody, Text: "hi"})},
		// the session runs the command
		{&msg6.ClSay{Message: []byte("/w bob hi")}, cmd(game.Command{Kind: game.CmdSay, Chat: game.ChatAll, Target: game.Nobody, Text: "/w bob hi"})},
		{&msg6.ClSay{Message: []byte("/timeout U5E72ARPGZqkk8fH")}, []bridgetest.Call{call("TimeoutCode", "U5E72ARPGZqkk8fH")}},
		{&msg6.ClSay{Message: []byte("\u00a0\u200b/timeout\u00a0U5E72")}, []bridgetest.Call{call("TimeoutCode", "U5E72")}},
		{&msg6.ClSay{Message: []byte("/mc;timeout U5E72;emote angry")}, []bridgetest.Call{call("TimeoutCode", "U5E72")}},
		{&msg6.ClSetTeam{Team: msg6.TeamSpectators}, cmd(game.Command{Kind: game.CmdSetTeam, Team: game.TeamSpectators, Target: game.Nobody})},
		{&msg6.ClSetSpectatorMode{SpectatorID: -1}, cmd(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectateFree, Target: game.Nobody})},
		{&msg6.ClSetSpectatorMode{SpectatorID: 63}, cmd(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: 63})},
		{&msg6.ClKill{}, cmd(game.Command{Kind: game.CmdKill, Target: game.Nobody})},
		{&msg6.ClEmoticon{Emoticon: 3}, cmd(game.Command{Kind: game.CmdEmoticon, Value: 3, Target: game.Nobody})},
		{&msg6.ClVote{Vote: msg6.ChoiceNo}, []bridgetest.Call{call("Vote", int32(-1))}},
		{&msg6.ClCallVote{Type: []byte("Option"), Value: []byte("Next map"), Reason: []byte("why")},
			[]bridgetest.Call{call("CallVote", event.VoteOption, "Next map", "why", false)}},
		{&msg6.ClCallVote{Type: []byte("kick"), Value: []byte("17")}, []bridgetest.Call{call("CallVote", event.VoteKick, "17", "", false)}},
		{&msg6.ClCallVote{Type: []byte("spectate"), Value: []byte("1")}, []bridgetest.Call{call("CallVote", event.VoteSpectate, "1", "", false)}},
		{&msg6.ClCallVote{Type: []byte("kick"), Value: []byte("him")}, []bridgetest.Call{call("CallVote", event.VoteKick, "-1", "", false)}},
		{&msg6.ClCallVote{Type: []byte("kick"), Value: []byte("99999999999")}, []bridgetest.Call{call("CallVote", event.VoteKick, "-1", "", false)}},
		{&msg6.ClIsDDNetLegacy{Version: 16040}, []bridgetest.Call{{Method: "DDNetVersion", Args: []any{int32(16040)}}}},
		{&msg6.ClIsDDNetLegacy{Version: 16050}, nil}, // the client already sent its version
		{&msg6.ClShowOthersLegacy{Show: true}, cmd(game.Command{Kind: game.CmdShowOthers, Value: int32(game.ShowOthersOn), Target: game.Nobody})},
		{&msg6.ClShowOthers{Show: msg6.ShowOthersOnlyTeam},
			cmd(game.Command{Kind: game.CmdShowOthers, Value: int32(game.ShowOthersTeam), Target: game.Nobody})},
		{&msg6.ClShowDistance{X: 1, Y: 2}, nil},
		{&msg6.ClCameraInfo{}, nil},
		{&msg6.ClEnableSpectatorCount{}, nil},
		{&msg6.ItIs{}, nil},
		{&msg6.IDontKnow{}, nil},
		{&msg6.SystemEx{UUID: message.UUIDFromName("of later")}, nil},
		{&msg6.GameEx{UUID: message.UUIDFromName("of later")}, nil},
	} {
		b := c.m.Append(nil)
		if err := srv.Receive(append([]byte(nil), b...), false); !errors.Is(err, bridge.ErrNotVital) {
			t.Errorf("%T not vital: %v", c.m, err)
		}
		l.expectReceived("not vital")
		if err := srv.Receive(b, true); err != nil {
			t.Errorf("%T: %v", c.m, err)
		}
		l.expectReceived(string(c.m.Append(nil)), c.want...)
	}
	l.expectSent("replies")
	for _, m := range []msg6.Message{
		&msg6.SvMotd{}, &msg6.MapChange{Name: []byte("x")}, &msg6.ClCallVote{Type: []byte("ban")}, &msg6.RequestMapData{Chunk: -1},
		&msg6.ClEmoticon{Emoticon: 16}, &msg6.ClSetTeam{Team: 2},
	} {
		if err := srv.Receive(m.Append(nil), true); !errors.Is(err, bridge.ErrBadMessage) {
			t.Errorf("%T: %v", m, err)
		}
	}
	for _, b := range [][]byte{nil, {0}, {1}, {200, 1}, {0x22}} {
		if err := srv.Receive(b, true); !errors.Is(err, bridge.ErrBadMessage) {
			t.Errorf("%x: %v", b, err)
		}
	}
	l.expectReceived("refused")
}

// TestShortLogin checks logins whose last fields are missing or cut off. The bytes were exchanged
// with DDNet 16.4.
func TestShortLogin(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	srv, l := newServerSide(t, NewProtocol(), w, 0, 0)
	const version = msg6.NetVersion
	for text, want := range map[string]bridge.Login{
		version + "\x00pw\x00":     {VersionOK: true, NetVersion: version, Password: "pw"},
		version + "\x00\x00":       {VersionOK: true, NetVersion: version},
		version + "\x00":           {VersionOK: true, NetVersion: version},
		version + "\x00pw":         {VersionOK: true, NetVersion: version}, // without a terminating zero
		version:                    {},
		"":                         {},
		version + "\x00pw\x00\x80": {VersionOK: true, NetVersion: version, Password: "pw"}, // half of an integer
	} {
		if err := srv.Receive(append([]byte{byte(msg6.IDInfo)}, text...), true); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		l.expectReceived(text, call("Login", want))
	}
}

// TestReplies checks the replies to pings and to the questions of DDNet's client.
func TestReplies(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	srv, l := newServerSide(t, NewProtocol(), w, 0, 16040)
	id := msg6.UUID{1, 2, 3}
	known, unknown := message.UUIDFromName("ping@ddnet.tw"), message.UUIDFromName("of later")
	for _, c := range []struct {
		m          msg6.Message
		vital      bool
		want       msg6.Message
		replyVital bool
	}{
		{&msg6.Ping{}, false, &msg6.PingReply{}, false},
		{&msg6.Ping{}, true, &msg6.PingReply{}, false},
		{&msg6.PingEx{PingID: id}, false, &msg6.PongEx{PingID: id}, false},
		{&msg6.PingEx{PingID: id}, true, &msg6.PongEx{PingID: id}, true},
		{&msg6.WhatIs{UUID: known}, true, &msg6.ItIs{UUID: known, Name: []byte("ping@ddnet.tw")}, true},
		{&msg6.WhatIs{UUID: unknown}, true, &msg6.IDontKnow{UUID: unknown}, true},
	} {
		l.flushes = 0
		if err := srv.Receive(c.m.Append(nil), c.vital); err != nil {
			t.Errorf("%T: %v", c.m, err)
		}
		if l.flushes != 1 || len(l.vital) != 1 || l.vital[0] != c.replyVital {
			t.Errorf("%T, vital %v: replied %v, flushed %d times", c.m, c.vital, l.vital, l.flushes)
		}
		l.expectSent("reply", c.want)
	}
	for _, m := range []msg6.Message{&msg6.PingReply{}, &msg6.PongEx{}} {
		if err := srv.Receive(m.Append(nil), false); err != nil {
			t.Errorf("%T: %v", m, err)
		}
	}
	l.expectReceived("pings")
}

// TestDDNetVersion checks which of the versions that a client sends takes effect.
func TestDDNetVersion(t *testing.T) {
	v := NewProtocol()
	legacy := func(version int32) *msg6.ClIsDDNetLegacy { return &msg6.ClIsDDNetLegacy{Version: version} }
	crash := &msg6.RconCmd{Command: []byte(msg6.CrashmePlx)}
	info := &msg6.Info{NetVersion: []byte(msg6.NetVersion)}
	for _, c := range []struct {
		ms      []msg6.Message
		client  int32
		limited bool
		ddnet   string // what DDNet's client says about itself
		later   int32  // version sent after the login
	}{
		{[]msg6.Message{info}, 0, true, "", 0},
		{[]msg6.Message{&msg6.ClientVer{Version: 16040, Text: []byte("DDNet 16.4")}, info, legacy(600)}, 16040, false, "DDNet 16.4", 0},
		{[]msg6.Message{&msg6.ClientVer{Version: 1, Text: []byte("x")}, info}, 1, true, "x", 0},
		{[]msg6.Message{info, &msg6.ClientVer{Version: 16040, Text: []byte("x")}}, 0, true, "", 0},
		{[]msg6.Message{info, crash}, 0, false, "", 0},
		{[]msg6.Message{info, crash, legacy(600), legacy(700)}, 0, false, "", 600},
		{[]msg6.Message{&msg6.ClientVer{Version: -5, Text: []byte("x")}, info}, 0, true, "", 0},
	} {
		l := &testSession{t: t}
		srv := v.NewServerSide(l).(*serverSide)
		for _, m := range c.ms {
			receive(t, srv, m)
		}
		want := bridge.Login{VersionOK: true, NetVersion: msg6.NetVersion, ClientVersion: c.client}
		if c.ddnet != "" {
			want.DDNet = &bridge.DDNetClient{Release: c.ddnet}
		}
		calls := []bridgetest.Call{{Method: "Login", Args: []any{want}}}
		if c.later != 0 {
			calls = append(calls, bridgetest.Call{Method: "DDNetVersion", Args: []any{c.later}})
		}
		l.Expect(t, fmt.Sprintf("%T", c.ms), calls...)
		if limited := srv.ids.Limit() == 16; limited != c.limited {
			t.Errorf("%T: limited ids %v", c.ms, limited)
		}
	}
	srv := v.NewServerSide(&testSession{t: t}).(*serverSide)
	srv.setDDNetVersion(16040)
	if err := srv.Receive(crash.Append(nil), true); err != nil || srv.ddnetVersion != 16040 {
		t.Errorf("version %d after %s: %v", srv.ddnetVersion, msg6.CrashmePlx, err)
	}
}

// TestReceiveInput checks inputs in and out of range.
func TestReceiveInput(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice")
	srv, l := newServerSide(t, NewProtocol(), w, 0, 0)
	for _, c := range []struct {
		in   msg6.PlayerInput
		want game.Input
	}{
		{msg6.PlayerInput{Direction: 1, TargetX: -5, TargetY: 6, Jump: 1, Fire: 63, Hook: 1,
			PlayerFlags: msg6.PlayerFlagPlaying, WantedWeapon: 5, NextWeapon: 3, PrevWeapon: 4},
			game.Input{Direction: 1, TargetX: -5, TargetY: 6, Jump: true, Fire: 63, Hook: true, WantedWeapon: 5, NextWeapon: 3, PrevWeapon: 4}},
		{msg6.PlayerInput{Direction: 9, Jump: -1, Hook: 200, PlayerFlags: msg6.PlayerFlagChatting, WantedWeapon: 6},
			game.Input{Direction: 1, Jump: true, Hook: true, Flags: game.PlayerFlagChatting}},
		{msg6.PlayerInput{Direction: -1 << 31, PlayerFlags: msg6.PlayerFlagScoreboard | msg6.PlayerFlagInMenu, WantedWeapon: -1},
			game.Input{Direction: -1, Flags: game.PlayerFlagScoreboard}},
		{msg6.PlayerInput{PlayerFlags: ^msg6.PlayerFlags(0)}, game.Input{Flags: game.PlayerFlagScoreboard | game.PlayerFlagChatting | game.PlayerFlagAim}},
	} {
		m := msg6.Input{AckTick: 100, IntendedTick: 105}
		m.SetPlayer(&c.in)
		for _, vital := range []bool{false, true} {
			if err := srv.Receive(m.Append(nil), vital); err != nil {
				t.Error(err)
			}
			l.expectReceived("input", call("Input", bridge.InputMessage{AckTick: 100, IntendedTick: 105, Input: c.want, Valid: true}))
		}
	}
}

// TestChangeInfo checks that Cl_ChangeInfo changes the whole profile or only the skin.
func TestChangeInfo(t *testing.T) {
	w := newWorld(t, dm.Mode{})
	alice := game.Profile{Name: "alice", Clan: "clan", Country: 276, Skin: fromSkin06(skin06{name: "bluekitty"})}
	w.Step([]game.Command{{Kind: game.CmdJoin}, {Kind: game.CmdProfile, Profile: &alice}, {Kind: game.CmdEnterGame}})
	v := NewProtocol()
	l := &testSession{t: t}
	srv := v.NewServerSide(l).(*serverSide)
	change := func(name, skin string) {
		t.Helper()
		m := &msg6.ClChangeInfo{Profile: msg6.PlayerProfile{Name: []byte(name), Clan: []byte("clan"), Country: 276, Skin: []byte(skin)}}
		receive(t, srv, m)
	}
	change("early", "pinky")
	l.expectReceived("early")
	receive(t, srv, &msg6.ClStartInfo{Profile: msg6.PlayerProfile{Name: []byte("alice"), Clan: []byte("clan"), Country: 276, Skin: []byte("bluekitty")}})
	l.Take()
	v.RecordTick(w, nil)
	srv.SendClientInfo(w, 0, true, true)
	skin := func(n int) bridgetest.Call {
		return commandCall(game.Command{Kind: game.CmdSkinChange, Target: game.Nobody,
			Profile: &game.Profile{Name: "alice", Clan: "clan", Country: 276, Skin: standardSkins[n].skin}})
	}
	change("alice", "bluekitty") // the game's skin is the same already
	l.expectReceived("the same")
	change("alice", "pinky")
	l.expectReceived("pinky", skin(8))
	change("alice", "pinky") // the game may have refused the skin
	l.expectReceived("pinky again", skin(8))
	l.expectSent("skins")
	malice := alice
	malice.Name = "malice"
	change("malice", "bluekitty")
	l.expectReceived("name", commandCall(game.Command{Kind: game.CmdProfile, Target: game.Nobody, Profile: &malice}))
}

// TestRefusedTeams checks the lines that explain a refused change of team.
func TestRefusedTeams(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	srv, l := newServerSide(t, NewProtocol(), w, 0, 0)
	try := func(team msg6.Team, want ...msg6.Message) {
		t.Helper()
		receive(t, srv, &msg6.ClSetTeam{Team: team})
		if a := l.Take(); len(a) != 1 {
			t.Errorf("calls %v", a)
		}
		l.expectSent("team", want...)
	}
	try(msg6.TeamRed)        // the player's current team
	try(msg6.TeamSpectators) // always allowed
	w.Step([]game.Command{{Kind: game.CmdForceTeam, Player: 0, Team: game.TeamSpectators, Value: 61}})
	try(msg6.TeamRed, broadcast("Time to wait before changing team: 60:59"))
	w.Step([]game.Command{{Kind: game.CmdForceTeam, Player: 0, Team: game.TeamRed}, {Kind: game.CmdForceTeam, Player: 0, Team: game.TeamSpectators, Value: 2}})
	try(msg6.TeamRed, broadcast("Time to wait before changing team: 01:59"))
	w.Step([]game.Command{{Kind: game.CmdLockTeams}})
	try(msg6.TeamRed, broadcast("Teams are locked"))
	w.Step([]game.Command{{Kind: game.CmdLockTeams}, {Kind: game.CmdForceTeam, Player: 0, Team: game.TeamRed},
		{Kind: game.CmdForceTeam, Player: 0, Team: game.TeamSpectators}})
	r := w.Rules()
	r.PlayerSlots = 1
	w.Step([]game.Command{{Kind: game.CmdSetRules, Rules: &r}})
	for range 200 {
		w.Step(nil)
	}
	try(msg6.TeamRed, broadcast("Only 1 active players are allowed"))
	w.Step([]game.Command{{Kind: game.CmdPause, Value: 5}})
	try(msg6.TeamRed, broadcast("Teams cannot be changed while the game stands still"))
}
