package query

import (
	"strings"
	"unicode/utf8"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/packer"
)

// Info describes a server as browsers see it.
//
// Texts that came from the network are valid UTF-8 without control characters, so
// they can be printed on a terminal.
type Info struct {
	// Version of the server program. Browsers want it to begin with their own
	// version, so the encoders put "0.6↔" or "0.7↔" before any other.
	Version string
	// Name is what the list shows; Hostname (0.7 only) may be empty.
	Name, Hostname string
	// Map is the base name of the map.
	Map string
	// MapCRC and MapSize (bytes) are 0 if unknown. 0.7 and the plain 0.6 forms do
	// not carry them, HTTP masters prefer the hash.
	MapCRC  uint32
	MapSize uint32
	// MapSHA256 is the hash of the map's file, in HTTP masters only. All zero
	// means unknown.
	MapSHA256 [32]byte
	// GameType is the name of the mode, as DM.
	GameType string
	// Password tells that entering needs one.
	Password bool
	// TimeScore tells that scores are times in s, NoTime where there is none;
	// otherwise they are points. 0.6 does not say it: it is taken from the name of
	// the mode there, as DDNet's client does.
	TimeScore bool
	// SkillLevel is 0 casual, 1 normal, 2 competitive; 0.7 only.
	SkillLevel int
	// NumPlayers of MaxPlayers play; NumClients of MaxClients are there, those
	// who watch included. Each is at least 0 and at most MaxListed.
	NumPlayers, MaxPlayers int
	NumClients, MaxClients int
	// Clients lists them. A server lists all of NumClients; of what is received
	// some may be missing.
	Clients []Client
}

// Client is somebody on a server.
type Client struct {
	// Name and Clan, up to 15 and 11 bytes in most forms.
	Name, Clan string
	// Country is an ISO 3166-1 numeric code, -1 for none.
	Country int32
	// Score is points, or s if Info.TimeScore.
	Score int32
	// Spectator watches; others play.
	Spectator bool
	// Bot is no human; 0.7 only.
	Bot bool
	// AFK is away from the keyboard; HTTP masters only.
	AFK bool
}

// NoTime is the Score of a client without a time, where scores are times.
const NoTime = -1

// MaxListed is how many clients are listed at most. It bounds what a server can
// make an asker keep.
const MaxListed = 1024

// Limits of texts in bytes, where a form has them.
const (
	maxVersion    = 32
	maxName       = 64
	maxHostname   = 128
	maxMap        = 32
	maxGameType   = 16
	maxClientName = 15
	maxClan       = 11
)

// appendVersion returns a version as clients of a release want it: the release first.
func appendVersion(dst []byte, release, version string) []byte {
	start := len(dst)
	if !strings.HasPrefix(version, release) {
		dst = append(append(dst, release...), "↔"...)
	}
	return appendText(dst, version, maxVersion-(len(dst)-start))
}

// appendText appends a text up to its first NUL, at most limit bytes of it and
// never half a character, and a NUL. Unlike its sister for bytes in package packer
// it needs no copy of a string.
func appendText(dst []byte, s string, limit int) []byte {
	if n := strings.IndexByte(s, 0); n >= 0 {
		s = s[:n]
	}
	if limit = max(limit, 0); len(s) > limit {
		n := limit
		for n > 0 && n > limit-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return append(append(dst, s...), 0)
}

// safeText makes a text of the network one that is safe to show, without spaces or
// what looks like them at its beginning.
func safeText[T string | []byte](text T) string {
	return string(packer.SanitizeStrict.Sanitize([]byte(safetext.Line(text))))
}

// isTimeMode tells whether the name of a mode says that scores are times.
func isTimeMode(gameType string) bool {
	lower := strings.ToLower(gameType)
	return strings.Contains(lower, "race") || strings.Contains(lower, "fastcap")
}

// The value that stands for no time in 0.6 and in HTTP masters.
const noTime6 = -9999

// scoreTo6 is the score as 0.6 has it, where less time is more score.
func (i *Info) scoreTo6(c *Client) int32 {
	switch {
	case !i.TimeScore:
		return c.Score
	case c.Score == NoTime:
		return noTime6
	}
	return -c.Score
}

// scoreFrom6 is the way back.
func (i *Info) scoreFrom6(v int32) int32 {
	switch {
	case !i.TimeScore || v > 0 || v == -1<<31:
		return v
	case v == noTime6:
		return NoTime
	}
	return -v
}

// wireCounts returns the four counts in the order of the wire: players, places to
// play, clients, places. They are put right where they contradict each other, and
// limited, since browsers hide servers otherwise.
func (i *Info) wireCounts(clients, limit int) (n [4]int) {
	n[2] = min(max(clients, 0), limit)
	n[3] = min(max(i.MaxClients, n[2]), limit)
	n[0] = min(max(i.NumPlayers, 0), n[2])
	n[1] = min(max(i.MaxPlayers, n[0]), n[3])
	return n
}

// clientCount is how many clients there are.
func (i *Info) clientCount() int { return min(max(i.NumClients, len(i.Clients)), MaxListed) }
