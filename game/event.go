package game

import "github.com/teeyard/teeyard/game/vec"

// PlayerMask is a set of players, bit n for PlayerID n.
type PlayerMask uint64

// MaskAll is the mask of all seats.
const MaskAll PlayerMask = ^PlayerMask(0)

// MaskOne is the mask of one player; Nobody gives the empty mask.
func MaskOne(id PlayerID) PlayerMask {
	if id < 0 {
		return 0
	}
	return 1 << uint(id)
}

// Has reports whether id is in the set.
func (m PlayerMask) Has(id PlayerID) bool { return id >= 0 && m&(1<<uint(id)) != 0 }

// Weapon is a weapon, or below zero another cause of death.
type Weapon int8

// The weapons in the order of 0.7, and the other causes of death.
const (
	WeaponGame    Weapon = -3 // team change, leaving
	WeaponSelf    Weapon = -2 // the kill command
	WeaponWorld   Weapon = -1 // death tiles, leaving the map
	WeaponHammer  Weapon = 0
	WeaponGun     Weapon = 1
	WeaponShotgun Weapon = 2
	WeaponGrenade Weapon = 3
	WeaponLaser   Weapon = 4
	WeaponNinja   Weapon = 5
	NumWeapons           = 6
)

// PickupKind is a thing to pick up.
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
)

// Emote is the look of a tee's eyes.
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

// Sound is a sound of the clients' set.
type Sound uint8

// The sounds of the clients in the order of 0.7.
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

// GameMsg is a line that clients word themselves (0.7: Sv_GameMsg).
type GameMsg uint8

// The notices in the order of 0.7.
const (
	GameMsgTeamSwap GameMsg = iota
	GameMsgSpecInvalidID
	GameMsgTeamShuffle
	GameMsgTeamBalance
	GameMsgCTFDrop
	GameMsgCTFReturn
	GameMsgTeamAll           // Value: team
	GameMsgTeamBalanceVictim // Value: new team
	GameMsgCTFGrab           // Value: team of the flag
	GameMsgCTFCapture        // Value: team of the flag, Player, Extra: ticks since the grab
	GameMsgGamePaused        // Player
)

// EventKind tells which fields of an [Event] count.
type EventKind uint8

// The events. To tells whom an event concerns; the fields below count besides.
const (
	// EvPlayerEntered: Player came into the game, in Team; Flag silent. The session
	// tells him of the game and of the others.
	EvPlayerEntered EventKind = iota + 1
	// EvPlayerLeft: Player left, Text the reason, Flag silent.
	EvPlayerLeft
	// EvTeamChange: Player is now in Team, Tick when he may change again, Flag silent.
	EvTeamChange
	// EvChat: Player (author), Target, Chat, Text.
	EvChat
	// EvKill: Player (killer; the victim himself for suicides, falls, team
	// changes and leaving; Nobody the world; -2-team the side of a player who
	// left it), Target (victim), Weapon, Value (the mode's special bits).
	EvKill
	// EvPickup: Player took Pickup at Pos. Weapon is the weapon that is to be
	// announced to him (0.7: Sv_WeaponPickup), or WeaponWorld for none.
	EvPickup
	// EvEmoticon: Player, Value 0..15.
	EvEmoticon
	// EvSkinChange: Player has a new skin.
	EvSkinChange
	// EvGameInfo: limits or the match number changed.
	EvGameInfo
	// EvServerSettings: slots, team lock or another of the rules clients show changed.
	EvServerSettings
	// EvTuneParams: the tuning changed.
	EvTuneParams
	// EvGameMsg: Notice, Value, Player, Extra.
	EvGameMsg
	// EvBroadcast: Text.
	EvBroadcast
	// EvRoundStart: a match or round begins, Value the rounds before in it.
	EvRoundStart
	// EvMatchEnd: a match is over. Flag is false when that is decided and the
	// scoreboard goes up; a second event with Flag true follows 10 s later if
	// a new map is due then: by CmdEndMatch, or by Rules.MapRotation after the
	// last match.
	EvMatchEnd
	// EvKick: the rules ask the session to drop Player; Text is the reason.
	EvKick

	// The effects: seen or heard at Pos by those in To who are near.

	// EvExplosion at Pos.
	EvExplosion
	// EvSpawn of Player at Pos.
	EvSpawn
	// EvHammerHit at Pos.
	EvHammerHit
	// EvDeath of Player at Pos.
	EvDeath
	// EvSound: Sound at Pos.
	EvSound
	// EvDamage: Player was hit at Pos; Angle (rad*256) the way it came, Value
	// health lost, Extra armour lost, Flag self-inflicted. Target is who did it,
	// as Player of EvKill, with Weapon.
	EvDamage
)

// IsEffect reports whether the event is seen or heard in the world rather than
// told: it belongs into a snapshot.
func (k EventKind) IsEffect() bool { return k >= EvExplosion }

// Event is one thing that happened in a tick.
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
	Flag    bool
	To      PlayerMask
	Value   int32
	Extra   int32
	Angle   int32
	Tick    int32
	Pos     vec.Vec2 // world units, 1/32 tile
	Text    string
}
