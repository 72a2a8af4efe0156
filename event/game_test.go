package event_test

import (
	"testing"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// twoPlayers is a Source with two players, 1 and 2.
type twoPlayers struct{}

func (twoPlayers) EventPlayer(id game.PlayerID) event.Player {
	if id != 1 && id != 2 {
		return event.Player{ID: game.Nobody}
	}
	return event.Player{ID: id, Name: [...]string{"", "alice", "bob"}[id], Team: game.TeamBlue}
}

var bear = game.Skin{PartNames: [game.NumSkinParts]string{"bear"}}

func (twoPlayers) EventProfile(id game.PlayerID) game.Profile {
	return game.Profile{Country: 276, Skin: bear}
}

func (twoPlayers) EventSelf() game.PlayerID { return 1 }

func (twoPlayers) EventSettings() event.Settings { return event.Settings{PlayerSlots: 8} }

func (twoPlayers) EventTuning() event.Tuning { return event.Tuning{Params: game.Tuning{100}} }

func (twoPlayers) GameInfo() game.GameState {
	return game.GameState{Flags: game.GameFlagTeams, ScoreLimit: 20, TimeLimit: 5, MatchCurrent: 1, MatchNum: 3}
}

func TestFromGame(t *testing.T) {
	alice, bob := twoPlayers{}.EventPlayer(1), twoPlayers{}.EventPlayer(2)
	for _, c := range []struct {
		ev   game.Event
		want event.Event
	}{
		{game.Event{Kind: game.EvPlayerEntered, Player: 1, Flag: true}, event.Joined{Player: alice, Country: 276, Skin: bear, Self: true, Quiet: true}},
		{game.Event{Kind: game.EvPlayerLeft, Player: 1, Text: "bye"}, event.Left{Player: alice, Reason: "bye"}},
		{game.Event{Kind: game.EvTeamChange, Player: 2, Tick: 90}, event.TeamChange{Player: bob, CooldownTick: 90}},
		{game.Event{Kind: game.EvChat, Player: 1, Target: 2, Chat: game.ChatWhisper, Text: "x"},
			event.Chat{From: alice, To: bob, Mode: game.ChatWhisper, Text: "x"}},
		{game.Event{Kind: game.EvKill, Player: -3, Target: 2, Weapon: game.WeaponLaser, Value: 4},
			event.Kill{Killer: event.Player{ID: game.Nobody, Team: game.TeamBlue}, KillerLeft: true, Victim: bob, Weapon: game.WeaponLaser, Special: 4}},
		{game.Event{Kind: game.EvPickup, Player: 1, Weapon: game.WeaponGrenade}, event.PickedUp{Player: alice, Weapon: game.WeaponGrenade}},
		{game.Event{Kind: game.EvPickup, Player: 1, Weapon: game.WeaponWorld}, nil}, // a heart or a shield
		{game.Event{Kind: game.EvEmoticon, Player: 1, Value: 7}, event.Emoticon{Player: alice, Emoticon: 7}},
		{game.Event{Kind: game.EvSkinChange, Player: 1}, event.SkinChange{Player: alice, Skin: bear}},
		{game.Event{Kind: game.EvGameInfo}, event.GameInfo{Flags: game.GameFlagTeams, ScoreLimit: 20, TimeLimit: 5, Match: 1, Matches: 3}},
		{game.Event{Kind: game.EvServerSettings}, event.Settings{PlayerSlots: 8}},
		{game.Event{Kind: game.EvServerSettings, Rules: &game.Rules{VoteKickMin: 3}, Flag: true}, event.Settings{VoteKickMin: 3, TeamsLocked: true}},
		{game.Event{Kind: game.EvTuneParams}, event.Tuning{Params: game.Tuning{100}}},
		{game.Event{Kind: game.EvDDRaceTeam, Player: 1, Value: 7}, event.DDRaceTeam{Player: alice, Team: 7}},
		{game.Event{Kind: game.EvBroadcast, Text: `a\nb`}, event.Broadcast{Text: "a\nb"}},
		{game.Event{Kind: game.EvExplosion}, nil},
		{game.Event{Kind: game.EvMatchEnd}, nil},
	} {
		if got := event.FromGame(&c.ev, twoPlayers{}); got != c.want {
			t.Errorf("%+v becomes %T%+v, want %T%+v", c.ev, got, got, c.want, c.want)
		}
	}
	if got := event.NewMotd(`one\ntwo`); got.Text != "one\ntwo" {
		t.Errorf("%q", got.Text)
	}
}

func TestNotices(t *testing.T) {
	for msg, want := range map[game.GameMsg]string{
		game.GameMsgTeamSwap:          "The teams were swapped",
		game.GameMsgSpecInvalidID:     "This player cannot be watched",
		game.GameMsgTeamShuffle:       "The teams were shuffled",
		game.GameMsgTeamBalance:       "The teams were balanced",
		game.GameMsgCTFDrop:           "A flag was dropped",
		game.GameMsgCTFReturn:         "A flag was returned",
		game.GameMsgTeamAll:           "All players were moved to the blue team",
		game.GameMsgTeamBalanceVictim: "You were moved to the blue team for balance",
		game.GameMsgCTFGrab:           "The flag of the blue team was taken",
		game.GameMsgCTFCapture:        "alice captured the flag of the blue team after 1.50 s",
		game.GameMsgGamePaused:        "The game was paused by alice",
		200:                           "",
	} {
		ev := game.Event{Kind: game.EvGameMsg, GameMsg: msg, Player: 1, Value: 1, Extra: 75}
		got, ok := event.FromGame(&ev, twoPlayers{}).(event.Notice)
		if !ok || got.Text != want || got.Team != game.TeamBlue || got.Player.Name != "alice" {
			t.Errorf("%d: %+v, want %q", msg, got, want)
		}
	}
}

// TestName checks the names of several events. JSON of clients and of the operator's console uses
// these names.
func TestName(t *testing.T) {
	for e, want := range map[event.Event]string{
		event.Kill{}: "kill", event.TeamChange{}: "team_change", event.VoteStart{}: "vote_start",
		event.RconLine{}: "rcon_line", event.ServerInfo{}: "server_info",
	} {
		if got := event.Name(e); got != want {
			t.Errorf("%T: %q, want %q", e, got, want)
		}
	}
}
