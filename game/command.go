package game

// PlayerID is a seat in the world, 0..63. It is the client id of the wire.
type PlayerID int8

// Nobody stands where a player could be named and none is: the server as the
// author of a chat line, no target, nobody hooked.
const Nobody PlayerID = -1

// MaxPlayers is the number of seats.
const MaxPlayers = 64

// Team is a side. In modes without teams everybody who plays is TeamRed.
type Team int8

// The teams, numbered as in 0.7 (GAME: TEAM_SPECTATORS, TEAM_RED, TEAM_BLUE).
const (
	TeamSpectators Team = -1
	TeamRed        Team = 0
	TeamBlue       Team = 1
)

// ChatMode tells who hears a chat line.
type ChatMode uint8

// The chat modes. ChatNone is accepted and heard by nobody.
const (
	ChatNone ChatMode = iota
	ChatAll
	ChatTeam
	ChatWhisper
)

// SpectateMode tells what a spectator's camera follows.
type SpectateMode uint8

// The spectator modes.
const (
	SpectateFree SpectateMode = iota
	SpectatePlayer
	SpectateFlagRed
	SpectateFlagBlue
)

// Input is what a player holds and aims at during one tick.
type Input struct {
	Direction int32 // -1 left, 0, 1 right
	// TargetX, TargetY point from the tee to the cursor, in world units (1/32
	// tile). A free-viewing spectator sends the cursor's place in the world.
	TargetX, TargetY int32
	Jump             bool
	Fire             int32 // counter 0..63; odd while held
	Hook             bool
	Flags            PlayerFlags // only Chatting and Scoreboard are the player's to set
	WantedWeapon     int32       // 0 none, else weapon+1
	NextWeapon       int32       // counter like Fire
	PrevWeapon       int32       // counter like Fire
}

// PlayerFlags is a set of things to know of a player.
type PlayerFlags uint8

// The player flags, with the values 0.7 gives them on the wire.
const (
	PlayerFlagAdmin PlayerFlags = 1 << iota
	PlayerFlagChatting
	PlayerFlagScoreboard
	PlayerFlagReady
	PlayerFlagDead
	PlayerFlagWatching
	PlayerFlagBot
)

// NumSkinParts is the number of parts of a skin: body, marking, decoration,
// hands, feet, eyes.
const NumSkinParts = 6

// Skin is what a tee looks like.
type Skin struct {
	PartNames       [NumSkinParts]string // names, at most 23 bytes
	UseCustomColors [NumSkinParts]bool   // whether Color counts
	PartColors      [NumSkinParts]int32  // HSLA packed as the clients do
}

// Profile is what a player tells about himself.
type Profile struct {
	Name    string // at most 15 bytes, never empty inside a world
	Clan    string // at most 11 bytes
	Country int32  // ISO 3166-1 numeric, -1 unknown
	Skin    Skin
}

// CommandKind tells which fields of a [Command] count.
type CommandKind uint8

// The commands. Fields not named are zero.
const (
	// CmdJoin seats a player: Player, Flag (true: as a spectator), Origin.
	// He counts for slots and team sizes from now on but is not in the game.
	CmdJoin CommandKind = iota + 1
	// CmdProfile tells who the player is: Player, Profile. Once, before CmdEnterGame.
	CmdProfile
	// CmdEnterGame brings a seated player into the game: Player.
	CmdEnterGame
	// CmdLeave frees a seat: Player, Text (the reason others are shown).
	CmdLeave
	// CmdInput is the movement input for this tick: Player, Input. At most one
	// per player and tick; without one the previous input goes on. It is applied
	// after all commands of other kinds, wherever it stands among them.
	CmdInput
	// CmdDirectInput is an input on arrival, before its tick: Player, Input. It
	// fires, switches weapons and asks for a respawn without waiting.
	CmdDirectInput
	// CmdSay: Player (Nobody: the server), Chat, Target (for whispers), Text.
	// The server whispers to tell one player something; he sees an ordinary
	// line of the server's.
	CmdSay
	// CmdSetTeam: Player, Team.
	CmdSetTeam
	// CmdSpectate: Player, Spectate, Target.
	CmdSpectate
	// CmdKill is the player's own kill request: Player.
	CmdKill
	// CmdEmoticon: Player, Value 0..15.
	CmdEmoticon
	// CmdReady toggles readiness: Player.
	CmdReady
	// CmdSkinChange: Player, Profile (only Skin counts).
	CmdSkinChange
	// CmdPlayerFlags sets what the session knows of a player: Player, Value (only
	// PlayerFlagAdmin and PlayerFlagBot).
	CmdPlayerFlags

	// CmdTuneParams replaces the tuning: Tuning.
	CmdTuneParams
	// CmdSetRules replaces the rules: Rules.
	CmdSetRules
	// CmdRestart: Value seconds of warmup, 0 a new match, -1 an endless warmup.
	CmdRestart
	// CmdPause: Value seconds, 0 ends a pause, -1 pauses without an end.
	CmdPause
	// CmdForceTeam is an operator's team change: Player, Team, Value (minutes
	// before the player may change again). Player Nobody moves everybody.
	CmdForceTeam
	// CmdSwapTeams, CmdShuffleTeams, CmdBalanceTeams, CmdLockTeams (toggle).
	CmdSwapTeams
	CmdShuffleTeams
	CmdBalanceTeams
	CmdLockTeams
	// CmdEndMatch ends the match now (change_map does).
	CmdEndMatch
	// CmdBroadcast: Text.
	CmdBroadcast
)

// Command is one thing asked of the world. Commands of one tick are applied in
// the order given; the caller sorts them canonically (by player, then arrival).
// A command that the rules refuse changes nothing.
type Command struct {
	Kind        CommandKind
	Player      PlayerID
	Target      PlayerID
	Team        Team
	Chat        ChatMode
	Spectate    SpectateMode
	AsSpectator bool
	Value       int32
	// AddrHash is equal for players who share a network address; votes count
	// them once. It carries no address.
	AddrHash uint64
	Input    Input
	Text     string
	Profile  *Profile
	Rules    *Rules
	Tuning   *Tuning
}
