package client

import (
	"time"

	"github.com/teeyard/teeyard/game"
)

// Event is something that happened. Its type tells what; names and texts in it are
// fit to be shown, whatever the server sent.
type Event interface{ queueEvent() }

// Player says whom an event is about. ID is game.Nobody, and the name empty, when
// it is nobody: the server as the author of a line, for example.
type Player struct {
	ID   game.PlayerID `json:"id"`
	Name string        `json:"name"`
	Clan string        `json:"clan,omitempty"`
	Team game.Team     `json:"team"`
}

// The events of the connection.
type (
	// Download: the map is being downloaded; Done of Size bytes have come. (MAP_DATA)
	Download struct {
		Map  string `json:"map"`
		Done int    `json:"done"`
		Size int    `json:"size"`
	}
	// Entered: we are in the game, as Self. It comes again after a map change and
	// after a reconnect.
	Entered struct {
		Map  string `json:"map"`
		Self Player `json:"self"`
	}
	// Disconnected: the connection ended. Err wraps ErrClosed or ErrMap, or is nil
	// after Close. Again is when the next try follows, 0 never.
	Disconnected struct {
		Err   error         `json:"-"`
		Text  string        `json:"reason,omitempty"`
		Again time.Duration `json:"again,omitempty"`
	}
	// ServerInfo is what the server calls itself. (SERVERINFO)
	ServerInfo struct {
		Version  string `json:"version"`
		Name     string `json:"name"`
		Map      string `json:"map"`
		GameType string `json:"gametype"`
		Slots    int    `json:"slots"`
		Clients  int    `json:"max_clients"`
	}
)

// The events of the game.
type (
	// Chat is a line said. To counts for whispers. (Sv_Chat)
	Chat struct {
		From Player        `json:"from"`
		To   Player        `json:"to"`
		Mode game.ChatMode `json:"mode"`
		Text string        `json:"text"`
	}
	// Kill: Victim died. Killer is the victim itself for suicides and falls, and
	// nobody if it has left. (Sv_KillMsg)
	Kill struct {
		Killer  Player      `json:"killer"`
		Victim  Player      `json:"victim"`
		Weapon  game.Weapon `json:"weapon"`
		Special int32       `json:"special,omitempty"`
	}
	// Joined: a player came into the game, or was there when we did (Known). Quiet
	// says that no line is to be shown. (Sv_ClientInfo)
	Joined struct {
		Player Player `json:"player"`
		Known  bool   `json:"known,omitempty"`
		Quiet  bool   `json:"quiet,omitempty"`
	}
	// Left: a player left. (Sv_ClientDrop)
	Left struct {
		Player Player `json:"player"`
		Reason string `json:"reason,omitempty"`
		Quiet  bool   `json:"quiet,omitempty"`
	}
	// TeamChange: a player is in Player.Team now. (Sv_Team)
	TeamChange struct {
		Player Player `json:"player"`
		Quiet  bool   `json:"quiet,omitempty"`
	}
	// SkinChange: a player looks otherwise now; see Profile. (Sv_SkinChange)
	SkinChange struct {
		Player Player `json:"player"`
	}
	// Emoticon: a player shows an emoticon, 0..15. (Sv_Emoticon)
	Emoticon struct {
		Player   Player `json:"player"`
		Emoticon int    `json:"emoticon"`
	}
	// PickedUp: we took a weapon. (Sv_WeaponPickup)
	PickedUp struct {
		Weapon game.Weapon `json:"weapon"`
	}
	// Notice is an event of the match; Text words it. (Sv_GameMsg)
	Notice struct {
		Kind   game.GameMsg `json:"kind"`
		Player Player       `json:"player"`
		Team   game.Team    `json:"team"`
		Text   string       `json:"text"`
	}
	// Broadcast is a text for the middle of the screen. (Sv_Broadcast)
	Broadcast struct {
		Text string `json:"text"`
	}
	// Motd is the message of the day, maybe of several lines. (Sv_Motd)
	Motd struct {
		Text string `json:"text"`
	}
	// GameInfo: the limits or the number of the match changed. (Sv_GameInfo)
	GameInfo struct {
		ScoreLimit int32 `json:"score_limit"`
		TimeLimit  int32 `json:"time_limit"` // minutes
		Match      int32 `json:"match"`
		Matches    int32 `json:"matches"`
	}
	// Settings: the settings changed; see Client.Settings. (Sv_ServerSettings)
	Settings struct{}
	// Tuning: the physics changed; see Client.Tuning. (Sv_TuneParams)
	Tuning struct{}
	// RaceFinish: a player finished a race; times in ms, Time -1 none.
	// (Sv_RaceFinish)
	RaceFinish struct {
		Player Player `json:"player"`
		Time   int32  `json:"time"`
		Diff   int32  `json:"diff"`
		Record bool   `json:"record,omitempty"`
	}
	// Checkpoint: we passed one, so many ms behind our record. (Sv_Checkpoint)
	Checkpoint struct {
		Diff int32 `json:"diff"`
	}
)

// The events of votes and of the remote console.
type (
	// VoteStart: a vote runs. By is nobody if the server called it. (Sv_VoteSet)
	VoteStart struct {
		By     Player        `json:"by"`
		What   string        `json:"what"`
		Reason string        `json:"reason,omitempty"`
		Time   time.Duration `json:"time"`
	}
	// VoteCount is how the vote stands. (Sv_VoteStatus)
	VoteCount struct {
		Yes   int `json:"yes"`
		No    int `json:"no"`
		Pass  int `json:"pass"`
		Total int `json:"total"`
	}
	// VoteEnd: the vote is over; neither Passed nor Aborted means that it failed.
	// (Sv_VoteSet)
	VoteEnd struct {
		Passed  bool `json:"passed"`
		Aborted bool `json:"aborted,omitempty"`
	}
	// RconAuth: the remote console takes our commands, or no longer.
	// (RCON_AUTH_ON, RCON_AUTH_OFF)
	RconAuth struct {
		On bool `json:"on"`
	}
	// RconLine is a line of the remote console. (RCON_LINE)
	RconLine struct {
		Text string `json:"text"`
	}
)

func (Download) queueEvent()     {}
func (Entered) queueEvent()      {}
func (Disconnected) queueEvent() {}
func (ServerInfo) queueEvent()   {}
func (Chat) queueEvent()         {}
func (Kill) queueEvent()         {}
func (Joined) queueEvent()       {}
func (Left) queueEvent()         {}
func (TeamChange) queueEvent()   {}
func (SkinChange) queueEvent()   {}
func (Emoticon) queueEvent()     {}
func (PickedUp) queueEvent()     {}
func (Notice) queueEvent()       {}
func (Broadcast) queueEvent()    {}
func (Motd) queueEvent()         {}
func (GameInfo) queueEvent()     {}
func (Settings) queueEvent()     {}
func (Tuning) queueEvent()       {}
func (RaceFinish) queueEvent()   {}
func (Checkpoint) queueEvent()   {}
func (VoteStart) queueEvent()    {}
func (VoteCount) queueEvent()    {}
func (VoteEnd) queueEvent()      {}
func (RconAuth) queueEvent()     {}
func (RconLine) queueEvent()     {}
