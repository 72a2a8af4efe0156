package resume

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/transport"
)

// Match is a match for the store: a checksum of all, this as a line of JSON, and the state of the
// world.
type Match struct {
	Format     int
	Time       int64 // of the state, ms since 1970
	Tried      bool  // a server has continued it
	Configured Settings
	Settings   Settings
	MapSHA256  string
	Key        []byte // for hashes of addresses, KeySize bytes
	Seats      []Seat
	Requests   []Request `json:",omitempty"` // to the storage, without an answer
	GameID     string    `json:",omitempty"` // of the world, for ranks
	Checksum   uint32    // CRC-32 of World

	World []byte `json:"-"`
}

// Settings are the settings that a world depends on.
type Settings struct {
	Map, GameType, Mods string
	GameTypeSet         bool // sv_gametype is not the default
	InactiveTimeSet     bool `json:",omitempty"` // sv_inactivekick_time was set
	Rules               game.Rules
	Tuning              game.Tuning
}

// Seat is the seat of a player who may come back.
type Seat struct {
	ID      game.PlayerID
	Name    string
	Peer    transport.Peer
	Timeout uint64 `json:",omitempty"` // hash of the client's timeout code
}

// Request is a request to the storage, without the value. Names may be any bytes, unlike texts of
// JSON.
type Request struct {
	ID               int32
	Op               game.StoreOp
	Space, Key, Name []byte
	LowFirst         bool
	Limit            int32
	Rank             *game.RankRequest `json:",omitempty"`
}

// KeySize is the size of Match.Key in bytes.
const KeySize = 32

// format changes with the meaning of a match.
const format = 1

var crcTable = crc32.MakeTable(crc32.Castagnoli)

var errDamaged = errors.New("the file is damaged")

// sumPlaceholder has the length of a checksum and the space after it.
const sumPlaceholder = "00000000 "

// Append appends the match as it is stored. It sets Format and Checksum.
func (m *Match) Append(dst []byte) ([]byte, error) {
	m.Format, m.Checksum = format, crc32.Checksum(m.World, crcTable)
	head, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	at := len(dst)
	dst = append(append(append(append(dst, sumPlaceholder...), head...), '\n'), m.World...)
	copy(dst[at:], checksum(dst[at+len(sumPlaceholder):]))
	return dst, nil
}

// checksum returns the checksum of a stored match in 8 digits.
func checksum(b []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(b, crcTable)) }

// Parse is the inverse of Append.
func Parse(b []byte) (*Match, error) {
	if sum, rest, _ := bytes.Cut(b, []byte(" ")); string(sum) == checksum(rest) {
		b = rest
	} else if !bytes.HasPrefix(b, []byte("{")) { // matches of older programs have no checksum of all
		return nil, errDamaged
	}
	m := &Match{}
	head, world, found := bytes.Cut(b, []byte("\n"))
	if err := json.Unmarshal(head, m); err != nil || !found {
		return nil, errDamaged
	}
	switch m.World = world; {
	case m.Format != format:
		return nil, errors.New("the file is of another version")
	case m.Checksum != crc32.Checksum(world, crcTable) || len(m.Key) != KeySize:
		return nil, errDamaged
	}
	return m, nil
}
