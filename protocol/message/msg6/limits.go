package msg6

// Identity of the protocol and its limits.
const (
	// NetVersion is the string that a client must send in INFO.
	NetVersion = "0.6 626fce9a778df4d4"
	// CrashmePlx is an RCON_CMD. With it, a DDNet client without rcon access reports that it
	// supports 64 clients. Do not pass it to a console.
	CrashmePlx = "crashmeplx"

	// TicksPerSecond is the length of a second in ticks.
	TicksPerSecond = 50
	// MaxClients is the number of client ids in DDNet before VersionMax128. Do not send higher ids
	// to it.
	MaxClients = 64
	// MaxClientsVanilla is the number of client ids in Teeworlds 0.6. Do not send higher ids to it,
	// or to DDNet before VersionDDNetOld.
	MaxClientsVanilla = 16

	// MaxName, MaxClan and MaxSkin are the largest lengths of a name, a clan and the name of a skin
	// in a ClientInfo, in bytes.
	MaxName = 15
	MaxClan = 11
	MaxSkin = 23

	// VoteOptionsPerMessage is the largest number of options in one Sv_VoteOptionListAdd.
	VoteOptionsPerMessage = 15
	// MaxVoteTimeout is the longest time of a vote in s. Longer times are rejected.
	MaxVoteTimeout = 60

	// TuneParamsVanilla and TuneParamsDDNet are the number of parameters in Sv_TuneParams of
	// Teeworlds 0.6 and of DDNet 16.4. Later releases append more.
	TuneParamsVanilla = 33
	TuneParamsDDNet   = 45

	// MapChunkSize is the number of bytes in a MAP_DATA.
	MapChunkSize = 896
	// MaxSnapPart is the largest number of bytes in a SNAP or SNAPSINGLE.
	MaxSnapPart = 900
	// MaxSnapParts and MaxSnapPartsVanilla are the largest number of parts of a snapshot for DDNet
	// and for Teeworlds 0.6.
	MaxSnapParts        = 64
	MaxSnapPartsVanilla = 31
)

// CapabilitiesVersion is the version of CAPABILITIES that has all CapabilityFlags.
const CapabilitiesVersion = 5

// GameInfoVersion is the version of GameInfoEx that DDNet 16.4 sends. GameInfoVersionTeamSizes is
// that of DDNet 20.1, which has all fields.
const (
	GameInfoVersion          = 8
	GameInfoVersionTeamSizes = 13
)
