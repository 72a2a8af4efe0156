package bridge_test

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// TestProtocols checks the facts about each version that a server reads from Protocol.
func TestProtocols(t *testing.T) {
	for _, tt := range []struct {
		p                 bridge.Protocol
		name, netVersion  string
		uncompressedTiles bool
	}{
		{bridge6.NewProtocol(), "0.6", "0.6 626fce9a778df4d4", true},
		{bridge7.NewProtocol(), "0.7", "0.7 802f1be60a05665f", false},
	} {
		if tt.p.Name() != tt.name || tt.p.NetVersion() != tt.netVersion || tt.p.NeedsUncompressedTiles() != tt.uncompressedTiles {
			t.Errorf("%s: %s, %v", tt.p.Name(), tt.p.NetVersion(), tt.p.NeedsUncompressedTiles())
		}
		s := tt.p.NewServerSide(nil)
		s.Reset()
		if s.ItemSizes().Of(9) == 0 {
			t.Errorf("%s does not know the sizes of items", tt.name)
		}
	}
}

func TestEvents(t *testing.T) {
	player := func(id game.PlayerID) event.Player { return event.Player{ID: id} }
	caller, bob, nobody := player(3), player(4), player(game.Nobody)
	for _, tt := range []struct {
		v    bridge.Vote
		want event.Event
	}{
		{
			bridge.Vote{Kind: event.VoteOption, Caller: 3, Description: "dm2", Reason: "why", Timeout: 25, Target: 9},
			event.VoteStart{By: caller, Kind: event.VoteOption, Target: nobody, Description: "dm2", What: "dm2", Reason: "why", Time: 25 * time.Second},
		},
		{
			bridge.Vote{Kind: event.VoteKick, Caller: 3, Description: "bob", Target: 4},
			event.VoteStart{By: caller, Kind: event.VoteKick, Target: bob, Description: "bob", What: "kick bob"},
		},
		{
			bridge.Vote{Kind: event.VoteSpectate, Caller: 3, Description: "bob", Target: 4},
			event.VoteStart{By: caller, Kind: event.VoteSpectate, Target: bob, Description: "bob", What: "move to spectators bob"},
		},
		{bridge.Vote{Kind: event.VotePassed, Caller: 3}, event.VoteEnd{By: caller, Passed: true}},
		{bridge.Vote{Kind: event.VoteFailed, Caller: game.Nobody}, event.VoteEnd{By: nobody}},
		{bridge.Vote{Kind: event.VoteAborted, Caller: 3}, event.VoteEnd{By: caller, Aborted: true}},
		{bridge.Vote{Kind: event.VoteNone, Caller: 3}, event.VoteEnd{By: caller, Aborted: true}},
	} {
		if got := tt.v.Event(player); got != tt.want {
			t.Errorf("%+v becomes %+v, want %+v", tt.v, got, tt.want)
		}
	}
	info := bridge.ServerInfo{Version: "0.7.5", Name: "n", Map: "m", GameType: "DM", Players: 2, PlayerSlots: 8, Clients: 3, MaxClients: 16}
	if got, want := info.Event(), (event.ServerInfo{Version: "0.7.5", Name: "n", Map: "m", GameType: "DM",
		Players: 2, Slots: 8, Connected: 3, Clients: 16}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestIDs(t *testing.T) {
	for v, want := range map[int32]game.PlayerID{-2: game.Nobody, 0: 0, 127: 127, 128: game.Nobody} {
		if got := bridge.PlayerIDOf(v); got != want {
			t.Errorf("%d is player %d", v, got)
		}
	}
}

// TestParseTimeoutCode checks which chat lines are the command that sets a timeout code.
func TestParseTimeoutCode(t *testing.T) {
	for _, c := range []struct {
		line, code string
		isCommand  bool
	}{
		{"/timeout abc", "abc", true}, {" /timeout abc ", "abc", true}, {"/TIMEOUT abc", "abc", true}, {"/timeoutabc", "abc", true}, {"/timeout", "", true},
		{"/mc;timeout abc", "abc", true}, {"/mc;timeout abc;emote happy 9", "abc", true},
		{"/mc;emote happy 9;timeout abc", "abc", true}, {"/MC; timeout abc", "abc", true},
		{"/mc;emote happy 9", "", true}, {"/mc", "", false}, {"/emote happy;timeout abc", "", false},
		{"timeout abc", "", false}, {"/time", "", false}, {"", "", false},
	} {
		if code, isCommand := bridge.ParseTimeoutCode(c.line); code != c.code || isCommand != c.isCommand {
			t.Errorf("%q: %q, %v, want %q, %v", c.line, code, isCommand, c.code, c.isCommand)
		}
	}
}
