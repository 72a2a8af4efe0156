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
