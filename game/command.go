package game

// PlayerID identifies a player, 0..63. It is the client id of the protocol.
type PlayerID int8

// Nobody is the PlayerID for no player: the server as the author of a chat line, no
// target, nobody hooked.
const Nobody PlayerID = -1

// MaxPlayers is the maximum number of players, spectators included.
const MaxPlayers = 64

// Team is a player's team. In modes without teams all who play are in TeamRed.
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

// SpectateMode selects what a spectator's camera follows.
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
	// TargetX and TargetY are the cursor's position relative to the tee, in world
	// units (1/32 tile). In free view they are the cursor's position in the world.
	TargetX      int32       `json:"target_x"`
	TargetY      int32       `json:"target_y"`
	Jump         bool        `json:"jump"`
	Fire         int32       `json:"fire"` // counter 0..63; odd while held
	Hook         bool        `json:"hook"`
	Flags        PlayerFlags `json:"flags"`         // players set only PlayerFlagChatting, PlayerFlagScoreboard and PlayerFlagAim
	WantedWeapon int32       `json:"wanted_weapon"` // 0 none, else weapon+1
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
	PlayerFlagAim // shows the line of the hook (DDNet)
)

// NumSkinParts is the number of parts of a skin: body, marking, decoration,
// hands, feet, eyes.
const NumSkinParts = 6

// Skin is the look of a tee.
type Skin struct {
	PartNames       [NumSkinParts]string `json:"parts"`         // at most 23 bytes each
	UseCustomColors [NumSkinParts]bool   `json:"custom_colors"` // whether PartColors applies
	PartColors      [NumSkinParts]int32  `json:"colors"`        // packed HSLA as in the protocol
}

// Profile is the part of a player's start info that others see.
type Profile struct {
	Name    string // at most 15 bytes, never empty inside a world
	Clan    string // at most 11 bytes
	Country int32  // ISO 3166-1 numeric, -1 unknown
	Skin    Skin
}

// CommandKind selects the fields of a [Command] that are used.
type CommandKind uint8

// The commands and the fields they use. Other fields are zero.
const (
	// CmdJoin connects a player: Player, AsSpectator, AddrHash. The player counts for
	// slots and team sizes from now on but is not in the game yet.
	CmdJoin CommandKind = iota + 1
	// CmdProfile sets the profile of a connected player, once before CmdEnterGame, and
	// changes that of a player in the game: Player, Profile.
	CmdProfile
	// CmdEnterGame brings a connected player into the game: Player.
	CmdEnterGame
	// CmdLeave disconnects a player: Player, Text (the reason shown to others).
	CmdLeave
	// CmdInput is the predicted input for this tick: Player, Input. There is at most
	// one per player and tick; without one the previous input stays. It is applied
	// after all commands of other kinds. In worlds of DDRace there may be several, in the order
	// of their arrival: the first one moves the tee, and all act on its weapons.
	CmdInput
	// CmdDirectInput is an input on arrival, before its tick: Player, Input. It fires,
	// switches weapons and requests a respawn at once.
	CmdDirectInput
	// CmdSay is a chat line: Player (Nobody for the server), Chat, Target (for
	// whispers), Text, Value (0 or [LongLine]). A whisper of the server appears to Target as an ordinary line
	// of the server.
	CmdSay
	// CmdSetTeam requests a team change: Player, Team.
	CmdSetTeam
	// CmdSpectate changes what a spectator follows: Player, Spectate, Target.
	CmdSpectate
	// CmdKill is the player's request to die: Player.
	CmdKill
	// CmdEmoticon shows an emoticon: Player, Value 0..15.
	CmdEmoticon
	// CmdReady toggles whether the player is ready: Player.
	CmdReady
	// CmdSkinChange changes the skin: Player, Profile (only Skin is used).
	CmdSkinChange
	// CmdPlayerFlags sets flags that the session knows: Player, Value (only
	// PlayerFlagAdmin and PlayerFlagBot).
	CmdPlayerFlags

	// CmdTuneParams replaces all tuning parameters: Tuning.
	CmdTuneParams
	// CmdSetRules replaces the rules: Rules. Players are told what changed, and also of
	// what Value says, TellSettings or TellLimits.
	CmdSetRules
	// CmdRestart starts a warmup: Value in seconds, 0 for a new match at once, -1 for
	// a warmup without end.
	CmdRestart
	// CmdPause pauses the game: Value in seconds, 0 to end a pause, -1 for a pause
	// without end, PauseToggle to end a pause or begin one without end.
	CmdPause
	// CmdForceTeam is an operator's team change: Player (Nobody for all), Team, Value
	// (minutes during which the player cannot change again).
	CmdForceTeam
	// CmdSwapTeams, CmdShuffleTeams and CmdBalanceTeams are the operator's commands of
	// these names. CmdLockTeams toggles the lock.
	CmdSwapTeams
	CmdShuffleTeams
	CmdBalanceTeams
	CmdLockTeams
	// CmdEndMatch ends the match now and requests another map.
	CmdEndMatch
	// CmdBroadcast shows Text to all.
	CmdBroadcast

	// CmdEyes is a player's request for an expression of their tee, which it has when nothing
	// else changes it: Player, Emote, Value (seconds, at most a day). It is not among the
	// others of players because replay logs have these numbers.
	CmdEyes

	// CmdSetVariable sets a variable that a mode or mod declared; see [SetVariable]: Text.
	CmdSetVariable
	// CmdChatCommand and CmdConsoleCommand run a command that a mode or mod declared; see
	// [ChatCommand] and [ConsoleCommand]: Player, Text.
	CmdChatCommand
	CmdConsoleCommand

	// CmdAddNPC gives the first NPC that a mode or mod wants a seat: Player. See
	// [World.NPCRequests].
	CmdAddNPC

	// CmdReload gives a mod another source: Value (the number of the mod in Config.Mods, or ReloadMode), Text.
	// Mods that are no [Reloader] ignore it.
	CmdReload
	// CmdMenu is a player's choice of a line in a menu of a mode or mod, see [ChooseLine]:
	// Player, Text.
	CmdMenu
	// CmdVoteEnd ends a vote of a mode or mod, see [EndVote]: Value.
	CmdVoteEnd
	// CmdStored is an answer of the storage; see [StoreAnswer.Command]: Text.
	CmdStored
	// CmdShowOthers says which tees a player of DDRace wants to see: Player, Value (a [ShowOthers]).
	CmdShowOthers
	// CmdStopHook stops a call of a hook of a mod: Value (its number, as in CmdReload), Text. Only
	// [World.AppendHookStops] makes it.
	CmdStopHook
)

// PauseToggle is the Value of a CmdPause that ends a pause or begins one without end.
const PauseToggle int32 = -2

// Flags in the Value of a CmdSetRules, since operators may set a rule to what it is.
const (
	TellSettings int32 = 1 << iota // EvServerSettings in any case
	TellLimits                     // EvGameInfo if players know another number of the match
)

// Command is a request to the world. The commands of one tick are applied in the given
// order, which should be that of their arrival. A command that the rules refuse changes
// nothing.
type Command struct {
	Kind        CommandKind
	Player      PlayerID
	Target      PlayerID
	Team        Team
	Chat        ChatMode
	Spectate    SpectateMode
	AsSpectator bool
	Value       int32
	// AddrHash is equal for players with the same network address, so that votes count
	// them once. The address cannot be derived from it.
	AddrHash uint64
	Input    Input
	Text     string
	Profile  *Profile
	Rules    *Rules
	Tuning   *Tuning
	Emote    Emote
}
