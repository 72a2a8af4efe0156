package msg7

// Identity of the protocol and its limits.
const (
	// NetVersion is the string that a client must send in INFO.
	NetVersion = "0.7 802f1be60a05665f"
	// ClientVersion is the release number that 0.7.5 sends in INFO.
	ClientVersion = 0x0705

	// TicksPerSecond is the length of a second in ticks.
	TicksPerSecond = 50
	// MaxClients is the number of client ids.
	MaxClients = 64

	// MaxName, MaxClan and MaxSkinPart are the numbers of bytes that 0.7.5 keeps of a name, a clan
	// and the name of a skin part. Longer ones are cut on sending. The later development version
	// allows 16, 12 and 24 code points; these are accepted.
	MaxName     = 15
	MaxClan     = 11
	MaxSkinPart = 23

	// MaxVoteDescription is the largest number of bytes of a vote option's text.
	MaxVoteDescription = 63
	// MaxVoteReason is the largest number of bytes of a vote's reason.
	MaxVoteReason = 15
	// VoteOptionsPerMessage is the largest number of options that the original server sends in one
	// Sv_VoteOptionListAdd.
	VoteOptionsPerMessage = 21

	// MapChunkSize is the number of bytes in a MAP_DATA of the original server.
	MapChunkSize = 1384
	// MaxSnapPart is the largest number of bytes in a SNAP or SNAPSINGLE.
	MaxSnapPart = 900
	// MaxSnapParts is the largest number of parts of a snapshot.
	MaxSnapParts = 64
)
