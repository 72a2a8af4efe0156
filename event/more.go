package event

import "github.com/teeyard/teeyard/game"

// Lists that a server sends entry by entry. Removed is set if an entry was removed. Methods of
// client.Client return whole lists.
type (
	// RconCommand is a command of the remote console. (RCON_CMD_ADD, RCON_CMD_REM)
	RconCommand struct {
		Name    string `json:"name"`
		Params  string `json:"params,omitempty"`
		Help    string `json:"help,omitempty"`
		Removed bool   `json:"removed,omitempty"`
	}
	// ChatCommand is a command that players can type in the chat. (Sv_CommandInfo,
	// Sv_CommandInfoRemove)
	ChatCommand struct {
		Name    string `json:"name"`
		Params  string `json:"params,omitempty"`
		Help    string `json:"help,omitempty"`
		Removed bool   `json:"removed,omitempty"`
	}
	// MapEntry is a map of the server. (MAPLIST_ENTRY_ADD, MAPLIST_ENTRY_REM; DDNet: MAPLIST_ADD)
	MapEntry struct {
		Map     string `json:"map"`
		Removed bool   `json:"removed,omitempty"`
	}
	// VoteOptionEntry is an option that players can call a vote for. (Sv_VoteOptionAdd,
	// Sv_VoteOptionListAdd, Sv_VoteOptionRemove)
	VoteOptionEntry struct {
		Option  string `json:"option"`
		Removed bool   `json:"removed,omitempty"`
	}
	// VoteOptionsCleared reports that all vote options were removed. (Sv_VoteClearOptions)
	VoteOptionsCleared struct{}
	// ListBegin announces Count entries of the list Of. Of is rcon_commands or maps. (DDNet:
	// RCON_CMD_GROUP_START, MAPLIST_GROUP_START)
	ListBegin struct {
		Of    string `json:"of"`
		Count int32  `json:"count"`
	}
)

// Events about a server and its map.
type (
	// MapAnnounced names the map that the client loads next. SHA256 and URL are empty if the server
	// sends none. 0.7 sends the file in chunks of ChunkSize bytes, and ChunksPerRequest chunks per
	// request. (MAP_CHANGE, DDNet: MAP_DETAILS)
	MapAnnounced struct {
		Map              string `json:"map"`
		CRC              uint32 `json:"crc"`
		Size             int    `json:"size"`
		SHA256           string `json:"sha256,omitempty"`
		URL              string `json:"url,omitempty"`
		ChunkSize        int    `json:"chunk_size,omitempty"`
		ChunksPerRequest int    `json:"chunks_per_request,omitempty"`
	}
	// MapText describes the map. (DDNet: Sv_MapInfo)
	MapText struct {
		Text string `json:"text"`
	}
	// Capabilities lists the features of a DDNet server. Version is the version of the list.
	// (DDNet: CAPABILITIES)
	Capabilities struct {
		Version         int32 `json:"version"`
		DDNet           bool  `json:"ddnet,omitempty"`
		ChatTimeoutCode bool  `json:"chat_timeout_code,omitempty"`
		AnyPlayerFlag   bool  `json:"any_player_flag,omitempty"`
		PingEx          bool  `json:"ping_ex,omitempty"`
		AllowDummy      bool  `json:"allow_dummy,omitempty"`
		SyncWeaponInput bool  `json:"sync_weapon_input,omitempty"`
	}
	// RconType reports whether the remote console requires a name in addition to the password.
	// (DDNet: RCONTYPE)
	RconType struct {
		NameRequired bool `json:"name_required"`
	}
	// Redirect asks the client to connect to another port of the same machine. The client stays
	// connected; to follow, dial the port yourself. (DDNet: REDIRECT)
	Redirect struct {
		Port int32 `json:"port"`
	}
	// Alert is a warning from the server or, if Moderator is set, from a moderator. (DDNet:
	// Sv_ServerAlert, Sv_ModeratorAlert)
	Alert struct {
		Text      string `json:"text"`
		Moderator bool   `json:"moderator,omitempty"`
	}
)

// Events of the game that only servers of 0.6 and DDNet send.
type (
	// Sound is a sound without a position. (0.6: Sv_SoundGlobal)
	Sound struct {
		Sound game.Sound `json:"sound"`
	}
	// MapSound is a sound of the map, by its index there. (DDNet: Sv_MapSoundGlobal)
	MapSound struct {
		Sound int32 `json:"sound"`
	}
	// RaceTime is the race time that the client shows, in ms. Diff is the difference to the best
	// race. Finish is set when the race ends. At a checkpoint the event is [Checkpoint] instead.
	// (DDNet: Sv_DDRaceTime)
	RaceTime struct {
		Time   int32 `json:"milliseconds"`
		Diff   int32 `json:"diff,omitempty"`
		Finish bool  `json:"finish,omitempty"`
	}
	// RaceRecords contains the best times on the map in ms, 0 for none: Best of all players, and
	// Own of the client's player. (DDNet: Sv_Record)
	RaceRecords struct {
		Best int32 `json:"best"`
		Own  int32 `json:"own"`
	}
	// DDRaceTeamKilled reports that a team of DDRace died. First is the player who died first. If
	// that player is unknown, the ID of First is -1. (DDNet: Sv_KillMsgTeam)
	DDRaceTeamKilled struct {
		Team  int32  `json:"race_team"`
		First Player `json:"first"`
	}
	// OwnVote is the client's choice in the running vote: -1 for no, 0 for none, 1 for yes. (DDNet:
	// Sv_YourVote)
	OwnVote struct {
		Choice int32 `json:"choice"`
	}
	// ProfileCooldown contains the first tick at which the server accepts another name or skin.
	// (DDNet: Sv_ChangeInfoCooldown)
	ProfileCooldown struct {
		Tick int32 `json:"tick"`
	}
	// OtherInput contains the input of another player for a future tick. Servers send it to clients
	// that claim DDNet release 19.4, for prediction. (DDNet: Sv_PreInput)
	OtherInput struct {
		Player Player     `json:"player"`
		Tick   int32      `json:"tick"`
		Input  game.Input `json:"input"`
	}
	// TeamSave reports the progress of saving a team of DDRace. State is pending, done,
	// fallback_file, warning or error. (DDNet: Sv_SaveCode)
	TeamSave struct {
		State     string `json:"state"`
		Error     string `json:"error,omitempty"`
		By        string `json:"by"`
		Server    string `json:"server"`
		Generated string `json:"generated_code,omitempty"`
		Code      string `json:"code,omitempty"`
		Members   string `json:"members"`
	}
)
