package teehistorian

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Header is the header of a file. The fields of a header depend on the server's version.
type Header struct {
	// JSON is the header as stored in the file. If it is empty, a Writer encodes the other fields.
	JSON []byte `json:"-"`

	Comment       string `json:"comment"`
	Version       string `json:"version"`       // "2"
	VersionMinor  string `json:"version_minor"` // "4" in DDNet 16.4
	GameUUID      string `json:"game_uuid"`
	ServerVersion string `json:"server_version"`
	StartTime     string `json:"start_time"` // RFC 3339, without the colon in the zone
	ServerName    string `json:"server_name"`
	ServerPort    string `json:"server_port"`
	GameType      string `json:"game_type"`
	MapName       string `json:"map_name"`
	MapSize       string `json:"map_size"` // bytes
	MapSHA256     string `json:"map_sha256"`
	MapCRC        string `json:"map_crc"` // hexadecimal
	// PRNG is the seed of the random numbers: "pcg-xsh-rr:" and two hexadecimal numbers of 64 bits;
	// see Seed.
	PRNG string `json:"prng_description"`
	// Config contains the server's variables that differ from their defaults, and Tuning contains
	// the tuning parameters in hundredths. Both are values from before the map's tiles were read
	// and any command ran.
	Config map[string]string `json:"config"`
	Tuning map[string]string `json:"tuning"`
	UUIDs  []string          `json:"uuids"`
}

// Seed returns the two numbers in PRNG.
func (h *Header) Seed() (seed [2]uint64, ok bool) {
	a, b, ok := strings.Cut(strings.TrimPrefix(h.PRNG, "pcg-xsh-rr:"), ":")
	if !ok || !strings.HasPrefix(h.PRNG, "pcg-xsh-rr:") {
		return seed, false
	}
	var errs [2]error
	seed[0], errs[0] = strconv.ParseUint(a, 16, 64)
	seed[1], errs[1] = strconv.ParseUint(b, 16, 64)
	return seed, errs == [2]error{}
}

// SHA256 returns the SHA-256 of the map file.
func (h *Header) SHA256() (sum [32]byte, ok bool) {
	b, err := hex.DecodeString(h.MapSHA256)
	return sum, err == nil && copy(sum[:], b) == len(sum) && len(b) == len(sum)
}

func (h *Header) parse(b []byte) error {
	if err := json.Unmarshal(b, h); err != nil {
		at := int64(0)
		if syntax, wrongType := new(json.SyntaxError), new(json.UnmarshalTypeError); errors.As(err, &syntax) {
			at = syntax.Offset
		} else if errors.As(err, &wrongType) {
			at = wrongType.Offset
		}
		return fmt.Errorf("%w: the header at byte %d: %w", ErrFormat, int64(len(magic))+at, err)
	}
	h.JSON = b
	if _, ok := h.SHA256(); !ok && h.MapSHA256 != "" {
		return fmt.Errorf("%w: the header has the map_sha256 %q, not 64 hexadecimal digits", ErrFormat, h.MapSHA256)
	}
	major, err := strconv.Atoi(h.Version)
	if err != nil || major != version {
		return fmt.Errorf("%w: %q in the header; supported is %d", ErrVersion, h.Version, version)
	}
	if h.VersionMinor == "" { // before DDNet 15
		return nil
	}
	if minor, err := strconv.Atoi(h.VersionMinor); err != nil || minor < 0 || minor > maxMinor {
		return fmt.Errorf("%w: %d.%q in the header; supported are %d.0 to %d.%d", ErrVersion, version, h.VersionMinor, version, version, maxMinor)
	}
	return nil
}
