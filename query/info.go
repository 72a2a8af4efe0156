package query

import (
	"strings"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/packer"
)

// Info describes a server as browsers see it.
//
// Texts from the network are safe to show: valid UTF-8 without control characters.
type Info struct {
	// Version is the version of the server program. Browsers require it to begin with their own
	// version, so the encoders put "0.6↔" or "0.7↔" before other texts.
	Version string
	// Name is the server's name. Hostname is in 0.7 only and may be empty.
	Name, Hostname string
	// Map is the base name of the map.
	Map string
	// MapCRC and MapSize (bytes) are 0 if unknown. Format7 and FormatPlain6 do not carry them. HTTP
	// masters use MapSHA256 instead of the CRC.
	MapCRC  uint32
	MapSize uint32
	// MapSHA256 is the hash of the map file, all zeros if unknown. Only HTTP masters have this
	// field.
	MapSHA256 [32]byte
	// GameType is the name of the mode, such as DM.
	GameType string
	// Password reports whether joining needs a password.
	Password bool
	// TimeScore reports whether scores are times in seconds or NoTime. Otherwise scores are points.
	// In 0.6 it is derived from GameType, as in DDNet's client.
	TimeScore bool
	// SkillLevel is 0 casual, 1 normal or 2 competitive. Only the 0.7 format has it.
	SkillLevel int
	// NumPlayers and MaxPlayers count players. NumClients and MaxClients count players and
	// spectators. Each is in the range 0 to MaxListed.
	NumPlayers, MaxPlayers int
	NumClients, MaxClients int
	// Clients lists the clients. A server lists all NumClients of them. In received infos some may
	// be missing.
	Clients []Client
}

// Client is a player or spectator on a server.
type Client struct {
	// Name and Clan have up to 15 and 11 bytes in most formats.
	Name, Clan string
	// Country is an ISO 3166-1 numeric code, -1 for none.
	Country int32
	// Score is in points, or in seconds if Info.TimeScore is set.
	Score int32
	// Spectator reports whether the client is a spectator.
	Spectator bool
	// Bot reports whether the client is a bot. Only the 0.7 format marks bots.
	Bot bool
	// AFK reports whether the client is away from the keyboard. Only HTTP masters have this field.
	AFK bool
}

// NoTime is the Score of a client without a time if Info.TimeScore is set.
const NoTime = -1

// MaxListed is the maximum number of clients in a list. This limits the memory that a server can
// make a client use.
const MaxListed = 1024

// Maximum lengths of texts in bytes, for formats that limit them.
const (
	maxVersion    = 32
	maxName       = 64
	maxHostname   = 128
	maxMap        = 32
	maxGameType   = 16
	maxClientName = 15
	maxClan       = 11
)

// appendVersion appends a version. If the version does not begin with the release, appendVersion
// puts the release before it. Clients of that release require it.
func appendVersion(dst []byte, release, version string) []byte {
	start := len(dst)
	if !strings.HasPrefix(version, release) {
		dst = append(append(dst, release...), "↔"...)
	}
	return appendText(dst, version, maxVersion-(len(dst)-start))
}

// appendText appends a NUL-terminated text: the part of s before its first NUL, at most limit
// bytes, without cutting a character.
func appendText(dst []byte, s string, limit int) []byte {
	s, _, _ = strings.Cut(s, "\x00")
	s = safetext.Truncate(s, max(limit, 0))
	return append(append(dst, s...), 0)
}

// safeText makes a text from the network safe to show. It also removes leading white space and
// invisible characters.
func safeText[T string | []byte](text T) string {
	return string(packer.SanitizeStrict.Sanitize([]byte(safetext.Line(text))))
}

// isTimeMode reports whether the name of a game type means that scores are times.
func isTimeMode(gameType string) bool {
	lower := strings.ToLower(gameType)
	return strings.Contains(lower, "race") || strings.Contains(lower, "fastcap")
}

// noTime6 is the score that 0.6 and HTTP masters use for no time.
const noTime6 = -9999

// scoreTo6 returns the score for 0.6, where times are negative.
func (i *Info) scoreTo6(c *Client) int32 {
	switch {
	case !i.TimeScore:
		return c.Score
	case c.Score == NoTime:
		return noTime6
	}
	return -c.Score
}

// scoreFrom6 is the inverse of scoreTo6.
func (i *Info) scoreFrom6(v int32) int32 {
	switch {
	case !i.TimeScore || v > 0 || v == -1<<31:
		return v
	case v == noTime6:
		return NoTime
	}
	return -v
}

// wireCounts returns NumPlayers, MaxPlayers, NumClients and MaxClients in the order of the wire.
// The counts are limited and made consistent, since browsers hide servers with inconsistent counts.
func (i *Info) wireCounts(clients, limit int) (n [4]int) {
	n[2] = min(max(clients, 0), limit)
	n[3] = min(max(i.MaxClients, n[2]), limit)
	n[0] = min(max(i.NumPlayers, 0), n[2])
	n[1] = min(max(i.MaxPlayers, n[0]), n[3])
	return n
}

// clientCount returns the number of clients.
func (i *Info) clientCount() int { return min(max(i.NumClients, len(i.Clients)), MaxListed) }
