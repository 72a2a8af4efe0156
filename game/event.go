package game

import (
	"math/bits"

	"github.com/teeyard/teeyard/game/vec"
)

// PlayerMask is a set of players, bit n for PlayerID n.
type PlayerMask uint64

// MaskAll is the set of all players.
const MaskAll PlayerMask = ^PlayerMask(0)

// MaskOne returns the set of one player; for Nobody it is empty.
func MaskOne(id PlayerID) PlayerMask {
	if id < 0 {
		return 0
	}
	return 1 << uint(id)
}

// Has reports whether id is in the set.
func (m PlayerMask) Has(id PlayerID) bool { return id >= 0 && m&(1<<uint(id)) != 0 }

// IsPublic reports whether everybody is in the set, or everybody but one, who knows anyway:
// then those without a seat may know too.
func (m PlayerMask) IsPublic() bool { return bits.OnesCount64(uint64(^m)) <= 1 }

// Weapon is a weapon, or a negative value for another cause of death.
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
	// Those of DDRace, which take a weapon away. To clients that do not know them they are armor.
	PickupArmorShotgun
	PickupArmorGrenade
	PickupArmorNinja
	PickupArmorLaser
)

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

// Sound is a sound that clients play.
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

// GameMsg is a message with a fixed meaning that clients translate (0.7: Sv_GameMsg).
type GameMsg uint8

// The game messages in the order of 0.7, with the fields of Event they use.
const (
	GameMsgTeamSwap GameMsg = iota
	GameMsgSpecInvalidID
	GameMsgTeamShuffle
	GameMsgTeamBalance
	GameMsgCTFDrop
	GameMsgCTFReturn         // Player: who did it, or Nobody; not sent to clients
	GameMsgTeamAll           // Value: team
	GameMsgTeamBalanceVictim // Value: new team
	GameMsgCTFGrab           // Value: team of the flag, Player: who has it, not sent to clients
	GameMsgCTFCapture        // Value: team of the flag, Player, Extra: ticks since the grab
	GameMsgGamePaused        // Player
)

// EventKind selects the fields of an [Event] that are used.
type EventKind uint8

// The events and the fields they use. All use To, the recipients.
const (
	// EvPlayerEntered: Player entered the game in Team; Flag reports whether silently.
	// The session sends that player the state of the game and of the others.
	EvPlayerEntered EventKind = iota + 1
	// EvPlayerLeft: Player left; Text is the reason, Flag reports whether silently.
	EvPlayerLeft
	// EvTeamChange: Player is now in Team and can change again at Tick; Flag reports
	// whether silently.
	EvTeamChange
	// EvChat: a chat line of Player for Target with mode Chat and content Text.
	EvChat
	// EvKill: Player killed Target with Weapon. Player is the victim for suicides,
	// falls, team changes and leaving, Nobody for the world, and -2-team for a player
	// of that team who left. Value is the mode's special flags.
	EvKill
	// EvPickup: Player took Pickup at Pos. Weapon is the weapon to announce to them
	// (0.7: Sv_WeaponPickup), or WeaponWorld for none.
	EvPickup
	// EvEmoticon: Player shows emoticon Value, 0..15.
	EvEmoticon
	// EvSkinChange: Player has a new skin.
	EvSkinChange
	// EvProfileChange: Player has another name, clan, country or skin.
	EvProfileChange
	// EvGameInfo: the limits or the match number changed. Rules are those of now, which
	// may change again in the same tick, Value is the number of matches on the map and
	// Extra that of this one. On the client, none of these is set.
	EvGameInfo
	// EvServerSettings: player slots, team lock or another setting that clients show
	// changed. Rules are those of now; Flag reports whether teams are locked. On the
	// client, neither is set.
	EvServerSettings
	// EvTuneParams: the tuning changed to Tuning, which is not set on the client.
	EvTuneParams
	// EvPlayerTuning: the tuning of Player's tee is now Tuning. Flag is false if only
	// [World.PredictedTuning] changed. On the client this is EvTuneParams.
	EvPlayerTuning
	// EvGameMsg: GameMsg with Value, Player and Extra.
	EvGameMsg
	// EvBroadcast: Text is shown in the middle of the screen; Flag reports whether it gives way
	// to what a version has to show there.
	EvBroadcast
	// EvRoundStart: a match or round starts; Value is the number of rounds played in
	// the match.
	EvRoundStart
	// EvMatchEnd: a match is over. Flag is false when it is decided and the scoreboard
	// appears. If a new map is due, by CmdEndMatch or by Rules.MapRotation after the
	// last match, a second event with Flag true follows 10 s later.
	EvMatchEnd
	// EvKick: the session must disconnect Player; Text is the reason.
	EvKick
	// EvRaceFinish: Player finished a race in Value ms, Extra ms more than in their best
	// race before. Record is whether it is the best time now.
	EvRaceFinish
	// EvCheckpoint: Player is at a checkpoint of a race, Extra ms after the start, Value ms
	// later than in their best race.
	EvCheckpoint
	// EvRaceTeam: Player is now in the DDRace team Value, 0..TeamSuper.
	EvRaceTeam
	// EvRaceRecords: the best times of all, or those of players in To, are known now.
	EvRaceRecords
	// EvTeamSizes: the sizes of the teams were compared, red is Value and blue Extra. Flag
	// reports whether they are being balanced now. No client is told.
	EvTeamSizes
	// EvMotd: Text is shown as the message of the day.
	EvMotd
	// EvKillFeed: clients are shown a kill that is none, with the fields of EvKill.
	EvKillFeed
	// EvConsole: Text is for the console of the operators, and Flag reports whether it says that something
	// failed. Value is 1 + the index of the command of [World.Step] that printed it, 0 if none did. No client is told.
	EvConsole
	// EvModOff: the mod with the index Value in Config.Mods panicked and is switched off. Text
	// says so, and in further lines where it panicked. No client is told.
	EvModOff
	// EvStore asks the storage for Store; see [Storage]. No client is told.
	EvStore

	// The effects: players in To who are near Pos see or hear them.

	// EvExplosion at Pos.
	EvExplosion
	// EvSpawn of Player at Pos.
	EvSpawn
	// EvHammerHit at Pos.
	EvHammerHit
	// EvDeath of Player at Pos.
	EvDeath
	// EvSound: Sound is played at Pos.
	EvSound
	// EvDamage: Player was hit at Pos by Target (as Player of EvKill) with Weapon.
	// Angle (radians * 256) is the direction it came from, Value the health lost,
	// Extra the armour lost; Flag reports whether it was self-inflicted. In DDRace it is only seen: bullets
	// that end (WeaponGun), and the seconds of a freeze or ninja (WeaponNinja).
	EvDamage
)

// IsEffect reports whether the event is sent in a snapshot and not as a message.
func (k EventKind) IsEffect() bool { return k >= EvExplosion }

// Event is something that happened in a tick.
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
