// Package event defines the events of a game as typed values for programs, such as joins, chat,
// kills, votes and announcements. A client reports them as it receives them (client.Client), and a
// server's observers get the same events from the server (server.Observer).
//
// The package contains all events. Some occur only in a client, such as [Download], or only in a
// server, such as [MapChange]. One type switch can handle the events of both. Names and texts in
// events are safe to show, whatever a player or a server sent.
package event

import (
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// Event is an event. The type of an event is one of the types of this package.
type Event interface{ isEvent() }

// Name returns the JSON name of an event's type, such as team_change for a [TeamChange].
func Name(e Event) string {
	switch e.(type) {
	case DDRaceTeam:
		return "race_team"
	case DDRaceTeamKilled:
		return "race_team_killed"
	}
	var b strings.Builder
	for i, r := range reflect.TypeOf(e).Name() {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Player is the player of an event. Without a player, such as for chat from the server, ID is -1
// (game.Nobody), Name is empty, and JSON leaves out the team.
type Player struct {
	ID   game.PlayerID `json:"id"`
	Name string        `json:"name"`
	Clan string        `json:"clan,omitempty"`
	Team game.Team     `json:"team"`
}

// Events of a client's connection.
type (
	// Download reports that Done of Size bytes of a map have arrived. (MAP_DATA)
	Download struct {
		Map  string `json:"map"`
		Done int    `json:"done"`
		Size int    `json:"size"`
	}
	// Entered reports that the client has entered the game as the player Self. The event occurs
	// again after a map change and after a reconnect.
	Entered struct {
		Map  string `json:"map"`
		Self Player `json:"self"`
	}
	// Disconnected reports that the connection ended. Err wraps client.ErrClosed or client.ErrMap,
	// or is nil after Close. Again is the time until the client reconnects, or 0 if it does not.
	Disconnected struct {
		Err   error         `json:"-"`
		Text  string        `json:"reason,omitempty"`
		Again time.Duration `json:"again,omitempty"`
	}
	// RconAuth reports whether the remote console now accepts the client's commands. Commands
	// reports whether the server sends a list of them. (RCON_AUTH_ON, RCON_AUTH_OFF; 0.6:
	// RCON_AUTH_STATUS)
	RconAuth struct {
		On       bool `json:"on"`
		Commands bool `json:"commands,omitempty"`
	}
	// RconLine is a line that the remote console printed. (RCON_LINE)
	RconLine struct {
		Text string `json:"text"`
	}
)

// Events of the game.
type (
	// ServerInfo describes the server. Players and Connected count players and clients. Slots and
	// Clients are their limits. TimeScore is set if scores are times. SkillLevel is 0 for casual, 1
	// for normal and 2 for competitive. (SERVERINFO)
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
	// Chat is a line of chat. To is set only for whispers. (Sv_Chat)
	Chat struct {
		From Player        `json:"from"`
		To   Player        `json:"to"`
		Mode game.ChatMode `json:"mode"`
		Text string        `json:"text"`
	}
	// Kill reports that Victim died. For suicides and falls, Killer is the victim. If the killer
	// has left, KillerLeft is set and Killer contains only the Team (killer_team in JSON). Special
	// depends on the mode. In capture the flag, bit 1 means that the victim carried a flag, and bit
	// 2 that the killer did. (Sv_KillMsg)
	Kill struct {
		Killer     Player      `json:"killer"`
		KillerLeft bool        `json:"-"`
		Victim     Player      `json:"victim"`
		Weapon     game.Weapon `json:"weapon"`
		Special    int32       `json:"special,omitempty"`
	}
	// Joined reports that a player joined the game. Known is set for a player who was already there
	// when the client joined, and Self for the client's own player. Country is an ISO 3166-1
	// numeric code, -1 for none. Quiet asks clients not to announce it. (Sv_ClientInfo)
	Joined struct {
		Player  Player    `json:"player"`
		Country int32     `json:"country"`
		Skin    game.Skin `json:"skin"`
		Self    bool      `json:"self,omitempty"`
		Known   bool      `json:"known,omitempty"`
		Quiet   bool      `json:"quiet,omitempty"`
	}
	// Left reports that a player left the game. Quiet asks clients not to announce it.
	// (Sv_ClientDrop)
	Left struct {
		Player Player `json:"player"`
		Reason string `json:"reason,omitempty"`
		Quiet  bool   `json:"quiet,omitempty"`
	}
	// TeamChange reports that a player joined Player.Team. The player may change teams again at the
	// tick CooldownTick. 0.6 does not send that tick. (Sv_Team)
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
	// PickedUp reports that a player picked up a weapon. A client only gets the events of its own
	// player. (Sv_WeaponPickup)
	PickedUp struct {
		Player Player      `json:"-"`
		Weapon game.Weapon `json:"weapon"`
	}
	// Notice is an announcement of the match. Text is the line that players see. Player, Team and
	// Ticks depend on Kind: the player who paused or captured, the team of the flag or of the moved
	// players, and the ticks since a captured flag was taken. JSON leaves out fields that a kind
	// does not use. (Sv_GameMsg)
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
	// Motd is the message of the day. It may have several lines. (Sv_Motd)
	Motd struct {
		Text string `json:"text"`
	}
	// GameInfo reports changed properties of the mode, limits, or number of the match.
	// (Sv_GameInfo)
	GameInfo struct {
		Flags      game.GameFlags `json:"flags"`
		ScoreLimit int32          `json:"score_limit"`
		TimeLimit  int32          `json:"time_limit"` // minutes
		Match      int32          `json:"match"`
		Matches    int32          `json:"matches"`
	}
	// Settings contains the settings that clients show. The event occurs when one of the settings
	// changes. (Sv_ServerSettings)
	Settings struct {
		VoteKick     bool  `json:"vote_kick"`     // players may call votes to kick
		VoteKickMin  int32 `json:"vote_kick_min"` // smallest number of players for a kick vote
		VoteSpectate bool  `json:"vote_spectate"` // players may call votes to move others to the spectators
		TeamsLocked  bool  `json:"teams_locked"`
		TeamBalance  bool  `json:"team_balance"`
		PlayerSlots  int32 `json:"player_slots"` // number of clients that may play at once
	}
	// Tuning contains the tuning of the physics, in hundredths. The event occurs when the tuning
	// changes. DDNet servers also send the first NumDDRace parameters of DDRace. JSON contains an
	// object params with the names and values of the tune command. (Sv_TuneParams)
	Tuning struct {
		Params    game.Tuning   `json:"-"`
		DDRace    ddrace.Tuning `json:"-"`
		NumDDRace int           `json:"-"`
	}
	// RaceFinish reports that a player finished a race. Time is in ms, -1 for none. Diff is the
	// difference in ms to the player's previous best. Personal is set for a new best of the player,
	// and Record, in addition, for a new best of all players. 0.6 sends it only to clients that
	// claim DDNet release 18.0 (client.Config.DDNetVersion 18000). Other clients get a chat line.
	// (Sv_RaceFinish)
	RaceFinish struct {
		Player   Player `json:"player"`
		Time     int32  `json:"milliseconds"`
		Diff     int32  `json:"diff"`
		Record   bool   `json:"record,omitempty"`
		Personal bool   `json:"personal,omitempty"`
	}
	// Checkpoint reports that a player passed a checkpoint of a race. Diff is the difference in ms
	// to the player's best race, negative if faster. Clients only get the events of the player whom
	// they watch. (Sv_Checkpoint)
	Checkpoint struct {
		Player Player `json:"player"`
		Diff   int32  `json:"diff"`
		Time   int32  `json:"milliseconds,omitempty"` // since the start; 0.7 does not send it
	}
	// DDRaceTeam reports that a player joined a team of DDRace. In team 0 all players race alone.
	// Teams 1 to 63 race together. Super players are in team 64. (DDNet: Sv_TeamsState)
	DDRaceTeam struct {
		Player Player `json:"player"`
		Team   int32  `json:"race_team"`
	}
)

// Events of votes.
type (
	// VoteStart reports the start of a vote that runs for Time. By has no player (ID -1) if the
	// server called it. (Sv_VoteSet)
	//
	// Description is the text of the option, or the name of the Target in a vote about a player.
	// The field What describes the vote in a sentence. JSON contains the time in seconds.
	VoteStart struct {
		By          Player        `json:"by"`
		Kind        VoteKind      `json:"kind"`
		Target      Player        `json:"target"`
		Description string        `json:"description"`
		What        string        `json:"what"`
		Reason      string        `json:"reason,omitempty"`
		Time        time.Duration `json:"-"`
	}
	// VoteCount contains the votes so far. Total is the number of players who may vote, and Pass
	// the number who have not voted. (Sv_VoteStatus)
	VoteCount struct {
		Yes   int `json:"yes"`
		No    int `json:"no"`
		Pass  int `json:"pass"`
		Total int `json:"total"`
	}
	// VoteEnd reports the end of a vote. The vote failed if neither Passed nor Aborted is set. By
	// is the caller. By has no player (ID -1) if an operator decided the vote or the caller is
	// unknown. (Sv_VoteSet)
	VoteEnd struct {
		By      Player `json:"by"`
		Passed  bool   `json:"passed"`
		Aborted bool   `json:"aborted,omitempty"`
	}
)

// Events that occur only in a server.
type (
	// MapChange reports that the server started a new world, with another map or with the same one.
	MapChange struct {
		Map      string `json:"map"`
		GameType string `json:"gametype"`
	}
	// RconLogin reports that a player may now use the remote console as an administrator, moderator
	// or helper. With none of these set, the player may no longer use it.
	RconLogin struct {
		Player    Player `json:"player"`
		Admin     bool   `json:"admin,omitempty"`
		Moderator bool   `json:"moderator,omitempty"`
		Helper    bool   `json:"helper,omitempty"`
	}
)
