// Package event holds what happens in a game, in words that programs and people
// understand: who joined, said or killed what, which vote runs, what the server
// announces. A client yields these events as it hears of them (client.Client), and a
// server's observers get the same ones from the server itself (server.Observer).
//
// All events are here, also those that only a client's connection has, such as
// [Download], or only a server, such as [MapChange]: one type switch covers whatever
// comes from either side. Names and texts in events are safe to show, whatever a
// player or a server sent.
package event

import (
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// Event is something that happened; its type says what. The types of this package
// are all there are.
type Event interface{ isEvent() }

// Name returns the name of an event's type as JSON has it: team_change for a [TeamChange].
func Name(e Event) string {
	var b strings.Builder
	for i, r := range reflect.TypeOf(e).Name() {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Player is the player of an event. ID is game.Nobody and the name is empty if there is none,
// as for a line of chat from the server. JSON leaves the team out then.
type Player struct {
	ID   game.PlayerID `json:"id"`
	Name string        `json:"name"`
	Clan string        `json:"clan,omitempty"`
	Team game.Team     `json:"team"`
}

// The events of a client's connection.
type (
	// Download reports that Done of Size bytes of a map have arrived. (MAP_DATA)
	Download struct {
		Map  string `json:"map"`
		Done int    `json:"done"`
		Size int    `json:"size"`
	}
	// Entered reports that the client is in the game, as Self. It comes again after
	// a map change and after a reconnect.
	Entered struct {
		Map  string `json:"map"`
		Self Player `json:"self"`
	}
	// Disconnected reports that the connection ended. Err wraps client.ErrClosed or
	// client.ErrMap, or is nil after Close. Again is the time until the client
	// connects again, 0 if it does not.
	Disconnected struct {
		Err   error         `json:"-"`
		Text  string        `json:"reason,omitempty"`
		Again time.Duration `json:"again,omitempty"`
	}
	// RconAuth reports that the remote console takes the client's commands, or no
	// longer does. Commands is set if the server sends a list of them. (RCON_AUTH_ON,
	// RCON_AUTH_OFF; 0.6: RCON_AUTH_STATUS)
	RconAuth struct {
		On       bool `json:"on"`
		Commands bool `json:"commands,omitempty"`
	}
	// RconLine is a line that the remote console printed. (RCON_LINE)
	RconLine struct {
		Text string `json:"text"`
	}
)

// The events of the game.
type (
	// ServerInfo describes the server. Players and Connected are numbers of players and of
	// clients, Slots and Clients are their limits. TimeScore is set if scores are times.
	// SkillLevel is 0 for casual, 1 for normal, 2 for competitive. (SERVERINFO)
	ServerInfo struct {
		Version    string `json:"version"`
		Name       string `json:"name"`
		Hostname   string `json:"hostname,omitempty"`
		Map        string `json:"map"`
		GameType   string `json:"gametype"`
		Password   bool   `json:"password,omitempty"`
		TimeScore  bool   `json:"time_score,omitempty"`
		SkillLevel int    `json:"skill_level"`
		Players    int    `json:"players"`
		Slots      int    `json:"slots"`
		Connected  int    `json:"clients"`
		Clients    int    `json:"max_clients"`
	}
	// Chat is a line of chat. To is set for whispers. (Sv_Chat)
	Chat struct {
		From Player        `json:"from"`
		To   Player        `json:"to"`
		Mode game.ChatMode `json:"mode"`
		Text string        `json:"text"`
	}
	// Kill reports that Victim died. Killer is the victim too for suicides and falls,
	// and nobody if KillerLeft is set. Then Killer.Team is the killer's last team, killer_team in
	// JSON. Special depends on the mode. In capture the flag, bit 1 means that the victim carried
	// a flag, and bit 2 that the killer did. (Sv_KillMsg)
	Kill struct {
		Killer     Player      `json:"killer"`
		KillerLeft bool        `json:"-"`
		Victim     Player      `json:"victim"`
		Weapon     game.Weapon `json:"weapon"`
		Special    int32       `json:"special,omitempty"`
	}
	// Joined reports that a player came into the game, or, if Known, was there when
	// the client came. Self is set for the client's own player. Country is the number of
	// ISO 3166-1, -1 for none. Quiet asks to show no line. (Sv_ClientInfo)
	Joined struct {
		Player  Player    `json:"player"`
		Country int32     `json:"country"`
		Skin    game.Skin `json:"skin"`
		Self    bool      `json:"self,omitempty"`
		Known   bool      `json:"known,omitempty"`
		Quiet   bool      `json:"quiet,omitempty"`
	}
	// Left reports that a player left the game. (Sv_ClientDrop)
	Left struct {
		Player Player `json:"player"`
		Reason string `json:"reason,omitempty"`
		Quiet  bool   `json:"quiet,omitempty"`
	}
	// TeamChange reports that a player is in Player.Team now. The player may change again at the
	// tick CooldownTick; 0.6 sends none. (Sv_Team)
	TeamChange struct {
		Player       Player `json:"player"`
		CooldownTick int32  `json:"cooldown_tick,omitempty"`
		Quiet        bool   `json:"quiet,omitempty"`
	}
	// SkinChange reports that a player has a new skin. (Sv_SkinChange)
	SkinChange struct {
		Player Player    `json:"player"`
		Skin   game.Skin `json:"skin"`
	}
	// Emoticon reports that a player shows an emoticon. (Sv_Emoticon)
	Emoticon struct {
		Player   Player        `json:"player"`
		Emoticon game.Emoticon `json:"emoticon"`
	}
	// PickedUp reports that a player picked up a weapon. A client hears only of its
	// own. (Sv_WeaponPickup)
	PickedUp struct {
		Player Player      `json:"-"`
		Weapon game.Weapon `json:"weapon"`
	}
	// Notice is an event of the match. Text is the line that players see. Player, Team and Ticks
	// are the parameters of the kind: the player who paused or captured, the team of the flag or
	// of the moved players, the time since a captured flag was taken. JSON leaves out parameters
	// that a kind lacks. (Sv_GameMsg)
	Notice struct {
		Kind   game.GameMsg `json:"kind"`
		Player Player       `json:"player"`
		Team   game.Team    `json:"team"`
		Ticks  int32        `json:"ticks,omitempty"`
		Text   string       `json:"text"`
	}
	// Broadcast is a text in the middle of the screen. (Sv_Broadcast)
	Broadcast struct {
		Text string `json:"text"`
	}
	// Motd is the message of the day, which may have several lines. (Sv_Motd)
	Motd struct {
		Text string `json:"text"`
	}
	// GameInfo reports that the properties of the mode, the limits or the number of the match
	// changed. (Sv_GameInfo)
	GameInfo struct {
		Flags      game.GameFlags `json:"flags"`
		ScoreLimit int32          `json:"score_limit"`
		TimeLimit  int32          `json:"time_limit"` // minutes
		Match      int32          `json:"match"`
		Matches    int32          `json:"matches"`
	}
	// Settings are the settings that clients show, after one of them changed.
	// (Sv_ServerSettings)
	Settings struct {
		VoteKick     bool  `json:"vote_kick"`     // players may call votes to kick
		VoteKickMin  int32 `json:"vote_kick_min"` // number of players needed for that
		VoteSpectate bool  `json:"vote_spectate"` // players may call votes to move others to the spectators
		TeamsLocked  bool  `json:"teams_locked"`
		TeamBalance  bool  `json:"team_balance"`
		PlayerSlots  int32 `json:"player_slots"` // number of clients that may play at once
	}
	// Tuning is the tuning of the physics, in hundredths, after it changed. A server of DDNet
	// also sends the first NumDDRace parameters of DDRace. JSON has an object params with the
	// names of the tune command and the values. (Sv_TuneParams)
	Tuning struct {
		Params    game.Tuning   `json:"-"`
		DDRace    ddrace.Tuning `json:"-"`
		NumDDRace int           `json:"-"`
	}
	// RaceFinish reports that a player finished a race. Times are in ms; Time is -1
	// for none, Diff is that to the player's best race before. Record is set for the best
	// time of all, Personal for that and the best of the player. Clients of 0.6 are told only if they
	// claim release 18.0 of DDNet (client.Config.DDNetVersion 18000), others by chat. (Sv_RaceFinish)
	RaceFinish struct {
		Player   Player `json:"player"`
		Time     int32  `json:"milliseconds"`
		Diff     int32  `json:"diff"`
		Record   bool   `json:"record,omitempty"`
		Personal bool   `json:"personal,omitempty"`
	}
	// Checkpoint reports that a player passed a checkpoint of a race, Diff ms later than in
	// their best race, or earlier if below 0. Clients are told of the player whom they see.
	// (Sv_Checkpoint)
	Checkpoint struct {
		Player Player `json:"player"`
		Diff   int32  `json:"diff"`
		Time   int32  `json:"milliseconds,omitempty"` // since the start; 0.7 does not tell
	}
	// RaceTeam reports that a player is now in a team of DDRace: 0, in which everybody races
	// alone, to 63, or 64 for those who are super. (DDNet: Sv_TeamsState)
	RaceTeam struct {
		Player   Player `json:"player"`
		RaceTeam int32  `json:"race_team"`
	}
)

// The events of votes.
type (
	// VoteStart reports that a vote runs for Time. By is nobody if the server called
	// it. (Sv_VoteSet)
	//
	// Description is the text of the option, or the name of the Target of a vote about a player.
	// What describes the vote in words. JSON has the time in seconds.
	VoteStart struct {
		By          Player        `json:"by"`
		Kind        VoteKind      `json:"kind"`
		Target      Player        `json:"target"`
		Description string        `json:"description"`
		What        string        `json:"what"`
		Reason      string        `json:"reason,omitempty"`
		Time        time.Duration `json:"-"`
	}
	// VoteCount is the number of votes so far; Pass of the Total have not voted.
	// (Sv_VoteStatus)
	VoteCount struct {
		Yes   int `json:"yes"`
		No    int `json:"no"`
		Pass  int `json:"pass"`
		Total int `json:"total"`
	}
	// VoteEnd reports that the vote is over: if neither Passed nor Aborted, it failed. By is the
	// caller, and nobody if an operator decided the vote or if the caller is unknown. (Sv_VoteSet)
	VoteEnd struct {
		By      Player `json:"by"`
		Passed  bool   `json:"passed"`
		Aborted bool   `json:"aborted,omitempty"`
	}
)

// The events that only a server has.
type (
	// MapChange reports that the server plays another map, or the same one anew, in a
	// new world.
	MapChange struct {
		Map      string `json:"map"`
		GameType string `json:"gametype"`
	}
	// RconLogin reports that a player may use the remote console now, as an
	// administrator, a moderator or a helper, or, with none of them, no longer.
	RconLogin struct {
		Player    Player `json:"player"`
		Admin     bool   `json:"admin,omitempty"`
		Moderator bool   `json:"moderator,omitempty"`
		Helper    bool   `json:"helper,omitempty"`
	}
)
