package game

import "github.com/teeyard/teeyard/game/vec"

// Weapon is a weapon. Negative values are other causes of death.
type Weapon int8

// The weapons in the order of 0.7, and the other causes of death.
const (
	WeaponGame    Weapon = -3 // team change, leaving
	WeaponSelf    Weapon = -2 // CmdKill
	WeaponWorld   Weapon = -1 // death tiles, leaving the map
	WeaponHammer  Weapon = 0
	WeaponGun     Weapon = 1
	WeaponShotgun Weapon = 2
	WeaponGrenade Weapon = 3
	WeaponLaser   Weapon = 4
	WeaponNinja   Weapon = 5
	NumWeapons           = 6
)

// PickupKind is a kind of pickup.
type PickupKind uint8

// The pickups in the order of 0.7.
const (
	PickupHealth PickupKind = iota
	PickupArmor
	PickupGrenade
	PickupShotgun
	PickupLaser
	PickupNinja
	PickupGun
	PickupHammer
	// The pickups below take a weapon away, in DDRace. Clients that do not know them show armour.
	PickupArmorShotgun
	PickupArmorGrenade
	PickupArmorNinja
	PickupArmorLaser
)

// Weapon returns the weapon that a pickup gives, or WeaponWorld for none.
func (k PickupKind) Weapon() Weapon {
	switch k {
	case PickupGrenade:
		return WeaponGrenade
	case PickupShotgun:
		return WeaponShotgun
	case PickupLaser:
		return WeaponLaser
	case PickupNinja:
		return WeaponNinja
	case PickupGun:
		return WeaponGun
	case PickupHammer:
		return WeaponHammer
	}
	return WeaponWorld
}

// Emote is the expression of a tee's eyes.
type Emote uint8

// The emotes in the order of 0.7.
const (
	EmoteNormal Emote = iota
	EmotePain
	EmoteHappy
	EmoteSurprise
	EmoteAngry
	EmoteBlink
)

// Emoticon is a picture that clients show above a tee for a moment.
type Emoticon uint8

// The emoticons in the order of 0.7.
const (
	EmoticonOop Emoticon = iota
	EmoticonExclamation
	EmoticonHearts
	EmoticonDrop
	EmoticonDotDot
	EmoticonMusic
	EmoticonSorry
	EmoticonGhost
	EmoticonSushi
	EmoticonSplattee
	EmoticonDeviltee
	EmoticonZomg
	EmoticonZzz
	EmoticonWtf
	EmoticonEyes
	EmoticonQuestion
	NumEmoticons = 16
)

// Sound is a sound effect that clients play.
type Sound uint8

// The sounds in the order of 0.7.
const (
	SoundGunFire Sound = iota
	SoundShotgunFire
	SoundGrenadeFire
	SoundHammerFire
	SoundHammerHit
	SoundNinjaFire
	SoundGrenadeExplode
	SoundNinjaHit
	SoundLaserFire
	SoundLaserBounce
	SoundWeaponSwitch
	SoundPainShort
	SoundPainLong
	SoundBodyLand
	SoundAirJump
	SoundJump
	SoundDie
	SoundSpawn
	SoundSkid
	SoundCry
	SoundHookLoop
	SoundHookAttachGround
	SoundHookAttachPlayer
	SoundHookNoAttach
	SoundPickupHealth
	SoundPickupArmor
	SoundPickupGrenade
	SoundPickupShotgun
	SoundPickupNinja
	SoundWeaponSpawn
	SoundWeaponNoAmmo
	SoundHit
	SoundChatServer
	SoundChatClient
	SoundChatHighlight
	SoundCTFDrop
	SoundCTFReturn
	SoundCTFGrabOwn
	SoundCTFGrabEnemy
	SoundCTFCapture
	SoundMenu
)

// GameMsg is a message of a fixed text that clients translate (0.7: Sv_GameMsg).
type GameMsg uint8

// The game messages in the order of 0.7, with the fields of [Event] that they use.
const (
	GameMsgTeamSwap GameMsg = iota
	GameMsgSpecInvalidID
	GameMsgTeamShuffle
	GameMsgTeamBalance
	GameMsgCTFDrop
	GameMsgCTFReturn         // Player: returned the flag, or Nobody; not sent to clients
	GameMsgTeamAll           // Value: team
	GameMsgTeamBalanceVictim // Value: new team
	GameMsgCTFGrab           // Value: team of the flag; Player: took it, not sent to clients
	GameMsgCTFCapture        // Value: team of the flag; Player: captured it; Extra: ticks since the grab
	GameMsgGamePaused        // Player: paused the game
)

// EventKind selects the fields of an [Event] that are used.
type EventKind uint8

// The events and the fields they use. All use To, the recipients.
const (
	// EvPlayerEntered: Player entered the game in Team. Flag means without a message to others. The
	// server sends Player the state of the game and of the others.
	EvPlayerEntered EventKind = iota + 1
	// EvPlayerLeft: Player left, Text is the reason. Flag means without a message to others.
	EvPlayerLeft
	// EvTeamChange: Player is now in Team and can change again at Tick. Flag means without a
	// message to players.
	EvTeamChange
	// EvChat: a chat line Text of Player in the mode Chat; Target is the recipient of a whisper.
	EvChat
	// EvKill: Player killed Target with Weapon. Player is the victim for suicides, falls, team
	// changes and leaving. It is -1 for the world, and -2-team for a player of that team who has
	// left. Value is Death.ModeSpecial.
	EvKill
	// EvPickup: Player took Pickup at Pos. Weapon is the weapon that the player is told about (0.7:
	// Sv_WeaponPickup), or WeaponWorld for none.
	EvPickup
	// EvEmoticon: Player shows emoticon Value, 0..15.
	EvEmoticon
	// EvSkinChange: Player has a new skin.
	EvSkinChange
	// EvProfileChange: the name, clan, country or skin of Player changed.
	EvProfileChange
	// EvGameInfo: a limit or the match number changed. Rules are the new rules; a later command of
	// the same tick can change them again. Value is the number of matches on the map and Extra the
	// number of the current one. On the client, none of these is set.
	EvGameInfo
	// EvServerSettings: the player slots, the team lock or another setting that clients show
	// changed. Rules are the new rules, Flag reports whether the teams are locked. On the client,
	// neither is set.
	EvServerSettings
	// EvTuneParams: the tuning changed to Tuning. On the client, Tuning is not set.
	EvTuneParams
	// EvPlayerTuning: the tuning of Player's tee is now Tuning. Flag is false if only
	// [World.PredictedTuning] changed. Clients receive this as EvTuneParams.
	EvPlayerTuning
	// EvGameMsg: the message GameMsg with its arguments in Value, Player and Extra.
	EvGameMsg
	// EvBroadcast: Text is shown in the middle of the screen. With Flag, the text gives way to the
	// texts that a bridge itself shows there, such as the time left.
	EvBroadcast
	// EvRoundStart: a match or round starts. Value is the number of rounds played in the match.
	EvRoundStart
	// EvMatchEnd: a match is over. Flag is false when the match is decided and the scoreboard
	// appears. If the map is to change, a second event with Flag true follows 10 s later. The
	// causes are CmdEndMatch, and Rules.MapRotation after the last match.
	EvMatchEnd
	// EvKick: the server must disconnect Player; Text is the reason.
	EvKick
	// EvRaceFinish: Player finished a race in Value ms. Extra is the difference to their best race
	// before, in ms. Record reports whether the time is a record.
	EvRaceFinish
	// EvCheckpoint: Player passed a checkpoint Extra ms after the start. Value is the difference to
	// their best race, in ms.
	EvCheckpoint
	// EvDDRaceTeam: Player is now in the DDRace team Value, 0..TeamSuper.
	EvDDRaceTeam
	// EvRaceRecords: the best time on the map and the best times of the players in To are now
	// known, without a finish.
	EvRaceRecords
	// EvTeamSizes: the team sizes were compared; red is Value, blue is Extra. Flag reports whether
	// the teams are being balanced now. It is not sent to clients.
	EvTeamSizes
	// EvMotd: Text is shown as the message of the day.
	EvMotd
	// EvKillFeed: clients show a kill that did not happen, with the fields of EvKill.
	EvKillFeed
	// EvConsole: Text is printed in the operators' console. Flag reports whether Text is an error.
	// Value is 1 + the index of the command in [World.Step] that printed it, or 0 without one. It
	// is not sent to clients.
	EvConsole
	// EvModOff: the mod with index Value in Config.Mods panicked and is switched off. The first
	// line of Text is the panic, the other lines are the call stack. It is not sent to clients.
	EvModOff
	// EvStore: Store is a request to the storage; see [Storage]. It is not sent to clients.
	EvStore

	// The effects: players in To who are near Pos see or hear them.

	// EvExplosion: an explosion at Pos.
	EvExplosion
	// EvSpawn: Player spawned at Pos.
	EvSpawn
	// EvHammerHit: a hammer hit at Pos.
	EvHammerHit
	// EvDeath: Player died at Pos.
	EvDeath
	// EvSound: Sound is played at Pos.
	EvSound
	// EvDamage: Target (as Player in EvKill) hit Player at Pos with Weapon. Angle is the direction
	// of the hit's origin in 1/256 radians. Value is the health lost, Extra the armour lost. Flag
	// reports whether Player hit their own tee. In DDRace the event has no damage: it shows bullets
	// that end (WeaponGun) and the seconds left of a freeze or ninja (WeaponNinja).
	EvDamage
)

// IsEffect reports whether clients receive the event in a snapshot instead of a message.
func (k EventKind) IsEffect() bool { return k >= EvExplosion }

// Event is something that happened in a tick. The comment of each [EventKind] lists the fields that
// are set.
type Event struct {
	Kind    EventKind
	Player  PlayerID
	Target  PlayerID
	Team    Team
	Chat    ChatMode
	Weapon  Weapon
	Pickup  PickupKind
	Sound   Sound
	GameMsg GameMsg
	Record  Record
	Flag    bool
	To      PlayerMask
	Value   int32
	Extra   int32
	Angle   int32
	Tick    int32
	Pos     vec.Vec2 // world units, 1/32 tile
	Text    string
	Rules   *Rules
	Tuning  *Tuning
	Store   *StoreRequest
}
