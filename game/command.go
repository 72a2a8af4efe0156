package game

// PlayerID identifies a player, 0..127. It is the client id of the protocol.
type PlayerID int16

// Nobody is the PlayerID that stands for no player: the server as the author of a chat line, or a
// hook that holds no player.
const Nobody PlayerID = -1

// MaxPlayers is the maximum number of players, spectators included.
const MaxPlayers = 128

// fewPlayers is how many ids most worlds use. Worlds of earlier versions had no others.
const fewPlayers = 64

// EntityID identifies a thing that a mode or mod made. A world never uses an id twice.
type EntityID uint32

// NoEntity is the EntityID of no thing.
const NoEntity EntityID = 0

// Team is a player's team. In modes without teams, all players are in TeamRed.
type Team int8

// The teams, numbered as in 0.7 (GAME: TEAM_SPECTATORS, TEAM_RED, TEAM_BLUE).
const (
	TeamSpectators Team = -1
	TeamRed        Team = 0
	TeamBlue       Team = 1
)

// ChatMode selects the recipients of a chat line.
type ChatMode uint8

// The chat modes. A line with ChatNone has no recipients.
const (
	ChatNone ChatMode = iota
	ChatAll
	ChatTeam
	ChatWhisper
)

// SpectateMode selects the target of a spectator's camera.
type SpectateMode uint8

// The spectator modes.
const (
	SpectateFree SpectateMode = iota
	SpectatePlayer
	SpectateFlagRed
	SpectateFlagBlue
)

// Input is the state of a player's controls during one tick.
type Input struct {
	Direction int32 `json:"direction"` // -1 left, 0 none, 1 right
	// TargetX and TargetY are the cursor's position relative to the tee, in units (1/32 tile). In
	// free view they are the cursor's position in the world.
	TargetX      int32       `json:"target_x"`
	TargetY      int32       `json:"target_y"`
	Jump         bool        `json:"jump"`
	Fire         int32       `json:"fire"` // counter 0..63; odd while held
	Hook         bool        `json:"hook"`
	Flags        PlayerFlags `json:"flags"`         // clients set only PlayerFlagChatting, PlayerFlagScoreboard and PlayerFlagAim
	WantedWeapon int32       `json:"wanted_weapon"` // 0 for none, else weapon+1
	NextWeapon   int32       `json:"next_weapon"`   // counter like Fire
	PrevWeapon   int32       `json:"prev_weapon"`   // counter like Fire
}

// PlayerFlags is a set of states of a player.
type PlayerFlags uint8

// The player flags, with their values in 0.7.
const (
	PlayerFlagAdmin PlayerFlags = 1 << iota
	PlayerFlagChatting
	PlayerFlagScoreboard
	PlayerFlagReady
	PlayerFlagDead
	PlayerFlagWatching
	PlayerFlagBot
	PlayerFlagAim // the client shows the line of the hook (DDNet)
)

// NumSkinParts is the number of parts of a skin: body, marking, decoration, hands, feet and eyes.
const NumSkinParts = 6

// Skin is the appearance of a tee.
type Skin struct {
	PartNames       [NumSkinParts]string `json:"parts"`         // at most 23 bytes each
	UseCustomColors [NumSkinParts]bool   `json:"custom_colors"` // whether the part has the colour in PartColors
	PartColors      [NumSkinParts]int32  `json:"colors"`        // packed HSLA as in the protocol
}

// Profile is the public part of the information that a player's client sends on connecting.
type Profile struct {
	Name    string // at most 15 bytes, never empty inside a world
	Clan    string // at most 11 bytes
	Country int32  // ISO 3166-1 numeric, -1 unknown
	Skin    Skin
}

// CommandKind selects the fields of a [Command] that are used.
type CommandKind uint8

// The commands and the fields they use. All other fields are zero.
const (
	// CmdJoin connects a player: Player, AsSpectator, AddrHash. The player counts for slots and
	// team sizes from now on, but enters the game only with CmdEnterGame.
	CmdJoin CommandKind = iota + 1
	// CmdProfile sets the profile of a player: Player, Profile. It is sent once before
	// CmdEnterGame, and later for each change.
	CmdProfile
	// CmdEnterGame brings a connected player into the game: Player.
	CmdEnterGame
	// CmdLeave disconnects a player: Player, Text (the reason shown to others).
	CmdLeave
	// CmdInput is a player's input for this tick: Player, Input. A player has at most one in a
	// tick; without one, the previous input stays. The world applies it after all commands of other
	// kinds. In DDRace a player can have several in a tick, in the order of arrival: the first one
	// moves the tee, and all of them act on its weapons.
	CmdInput
	// CmdDirectInput is an input that has just arrived, before the tick it is for: Player, Input.
	// It fires, switches weapons and requests a respawn at once.
	CmdDirectInput
	// CmdSay is a chat line: Player (-1 for the server), Chat, Target (for whispers), Text, Value
	// (0 or [LongLine]). For Target, a whisper of the server looks like an ordinary line of the
	// server.
	CmdSay
	// CmdSetTeam requests a team change: Player, Team.
	CmdSetTeam
	// CmdSpectate changes the target of a spectator's camera: Player, Spectate, Target.
	CmdSpectate
	// CmdKill kills the player's own tee, at the player's request: Player.
	CmdKill
	// CmdEmoticon shows an emoticon: Player, Value 0..15.
	CmdEmoticon
	// CmdReady toggles whether the player is ready: Player.
	CmdReady
	// CmdSkinChange changes the skin: Player, Profile (only Skin is used).
	CmdSkinChange
	// CmdPlayerFlags sets the flags that only the server knows: Player, Value (PlayerFlagAdmin and
	// PlayerFlagBot).
	CmdPlayerFlags

	// CmdTuneParams replaces all tuning parameters: Tuning.
	CmdTuneParams
	// CmdSetRules replaces the rules: Rules. The world emits events for the changes. Value adds
	// events: TellSettings or TellLimits.
	CmdSetRules
	// CmdRestart starts a warmup: Value in seconds, 0 to start a match at once, -1 for a warmup
	// without an end.
	CmdRestart
	// CmdPause pauses the game: Value in seconds, 0 to end a pause, -1 for a pause without an end,
	// or PauseToggle.
	CmdPause
	// CmdForceTeam is an operator's team change: Player (-1 for all), Team, Value (the minutes for
	// which the player cannot change team again).
	CmdForceTeam
	// CmdSwapTeams, CmdShuffleTeams and CmdBalanceTeams run the operator's commands swap_teams,
	// shuffle_teams and force_teambalance. CmdLockTeams locks or unlocks the teams.
	CmdSwapTeams
	CmdShuffleTeams
	CmdBalanceTeams
	CmdLockTeams
	// CmdEndMatch ends the match now and requests another map.
	CmdEndMatch
	// CmdBroadcast shows Text in the middle of every player's screen.
	CmdBroadcast

	// CmdEyes sets the eyes of a player's tee at the player's request: Player, Emote, Value
	// (seconds, at most a day). Other causes, such as pain, override it. Its number follows the
	// operator's commands because replay logs contain the numbers.
	CmdEyes

	// CmdSetVariable sets a variable of a mode or mod: Text. Use [SetVariable] to make one.
	CmdSetVariable
	// CmdChatCommand and CmdConsoleCommand run a command of a mode or mod: Player, Text. Use
	// [ChatCommand] and [ConsoleCommand] to make one.
	CmdChatCommand
	CmdConsoleCommand

	// CmdAddNPC gives a free seat to the first NPC that a mode or mod has requested: Player. See
	// [World.NPCRequests].
	CmdAddNPC

	// CmdReload changes the source of a mod: Value (the index in Config.Mods, or ReloadMode), Text.
	// Mods that do not implement [Reloader] ignore it.
	CmdReload
	// CmdMenu chooses a line in a player's menu: Player, Text. Use [ChooseLine] to make one.
	CmdMenu
	// CmdVoteEnd ends a vote of a mode or mod: Value. Use [EndVote] to make one.
	CmdVoteEnd
	// CmdStored delivers an answer of the storage: Text. Use [StoreAnswer.Command] to make one.
	CmdStored
	// CmdShowOthers selects the tees that a player of DDRace wants to see: Player, Value (a
	// [ShowOthers]).
	CmdShowOthers
	// CmdStopHook stops a hook call of a mod: Value (the mod, as in CmdReload), Text. Only
	// [World.AppendHookStops] makes one.
	CmdStopHook
)

// PauseToggle is the Value of a CmdPause that ends a running pause, or else begins a pause without
// an end.
const PauseToggle int32 = -2

// Flags for the Value of a CmdSetRules. They send an event even if no rule has changed.
const (
	TellSettings int32 = 1 << iota // always emit EvServerSettings
	TellLimits                     // emit EvGameInfo if the match number that players see is outdated
)

// Command is a request to the world. Pass the commands of a tick in the order in which they
// arrived; the world applies them in this order. A command that the rules do not allow has no
// effect.
type Command struct {
	Kind        CommandKind
	Player      PlayerID
	Target      PlayerID
	Team        Team
	Chat        ChatMode
	Spectate    SpectateMode
	AsSpectator bool
	Value       int32
	// AddrHash is equal for players with the same network address, so that their votes count once.
	// The address cannot be derived from it.
	AddrHash uint64
	Input    Input
	Text     string
	Profile  *Profile
	Rules    *Rules
	Tuning   *Tuning
	Emote    Emote
}
