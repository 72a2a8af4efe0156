package msg6

// Identity of the protocol and its limits.
const (
	// NetVersion is what a client must send in INFO, exactly.
	NetVersion = "0.6 626fce9a778df4d4"
	// CrashmePlx is the RCON_CMD with which DDNet's client, without rcon rights,
	// reports that it supports 64 clients. It is not meant for a console.
	CrashmePlx = "crashmeplx"

	// TicksPerSecond is the length of a second in ticks.
	TicksPerSecond = 50
	// MaxClients is the number of client ids of DDNet up to 18.x; messages with
	// higher ids are refused.
	MaxClients = 64
	// MaxClientsVanilla is the number of client ids of Teeworlds 0.6. It must not be
	// sent higher ids, and neither must DDNet before VersionDDNetOld.
	MaxClientsVanilla = 16

	// MaxName, MaxClan and MaxSkin are the largest lengths of a name, a clan and the
	// name of a skin in a ClientInfo, in bytes.
	MaxName = 15
	MaxClan = 11
	MaxSkin = 23

	// VoteOptionsPerMessage is how many options fit into one Sv_VoteOptionListAdd.
	VoteOptionsPerMessage = 15
	// MaxVoteTimeout is the longest time of a vote in s; longer ones are refused.
	MaxVoteTimeout = 60

	// TuneParamsVanilla is the number of parameters in the Sv_TuneParams of
	// Teeworlds 0.6, and TuneParamsDDNet in that of DDNet 16.4; later
	// releases append more.
	TuneParamsVanilla = 33
	TuneParamsDDNet   = 45

	// MapChunkSize is the number of bytes in a MAP_DATA.
	MapChunkSize = 896
	// MaxSnapPart is the largest number of bytes in a SNAP or SNAPSINGLE.
	MaxSnapPart = 900
	// MaxSnapParts is the largest number of parts of a snapshot for DDNet, and
	// MaxSnapPartsVanilla for Teeworlds 0.6.
	MaxSnapParts        = 64
	MaxSnapPartsVanilla = 31
)

// CapabilitiesVersion is the version of CAPABILITIES with all CapabilityFlags.
const CapabilitiesVersion = 5

// GameInfoVersion is the version of GameInfoEx that DDNet 16.4 sends.
const GameInfoVersion = 8

// Versions of DDNet's client in CLIENTVER and Cl_IsDDNetLegacy: the release times 1000.
// They determine what servers may send to a client.
const (
	VersionNone               = -1    // sent none
	VersionVanilla            = 0     // Teeworlds 0.6
	VersionDDRace             = 1     // DDRace, 16 client ids
	VersionDDNetOld           = 2     // 64 client ids
	VersionWhisper            = 217   // whispers have a ChatMode of their own
	VersionAntiPingProjectile = 604   // a Projectile may have the fields of a DDRaceProjectile
	VersionGameTick           = 10042 // a race's time is in GameInfo
	VersionEarly              = 13020 // sends CLIENTVER before INFO
	VersionMsgLegacy          = 15040 // needs no legacy messages; DDRaceProjectile
	VersionSpectatorsTeam     = 16000 // spectators are in no DDRace team
	VersionWeaponShields      = 16010 // PickupArmorShotgun to PickupArmorLaser
	VersionNewHUD             = 16020 // shows freeze and jumps from DDNetCharacter
	VersionMultiLaser         = 16040 // DDNetLaser
	VersionEntityNetObjs      = 16200 // DDNetProjectile, DDNetPickup, EntityEx
	VersionRedirect           = 17020 // REDIRECT
	VersionCommandInfo        = 18000 // Sv_CommandInfo, Sv_RaceFinish
	VersionReconnect          = 18090 // RECONNECT, MAP_RELOAD
	VersionSpecCam            = 18090 // DDNetSpectatorInfo, PlayerFlagSpecCam
	VersionMax128             = 19000 // 128 client ids
	VersionPreInput           = 19040 // Sv_PreInput
	VersionMapBestTime        = 19070 // MapBestTime
	VersionTeams128           = 20000 // 128 DDRace teams
)
