package rank

import (
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/recordfile"
)

// ID identifies an entry.
type ID [16]byte

// Kind is a kind of entry.
type Kind uint8

// The kinds of entries with their numbers in the file. The comments list the fields that they use
// besides ID and When.
const (
	// Finish is a finish of a player, or of a team if Team is set.
	Finish Kind = iota + 1
	// SetPoints sets the points of Names[0] from an import: Points.
	SetPoints
	// SetMap describes a map: Map, Server, Text (the mapper), Points, Stars. The field When is the
	// release date of the map.
	SetMap
	// Save stores the state of a team: Map, Code, Text, Names, Server.
	Save
	// Load loads and removes a save: Map, Code, SaveID.
	Load
	// delivered records that the Remote named Text has all entries up to the one with the ID
	// SaveID.
	delivered
	numKinds
)

// Entry is a record of a journal, such as a finish.
type Entry struct {
	ID   ID
	Kind Kind
	When int64 // seconds since 1970, 0 if unknown

	Map         string
	Server      string
	Names       []string
	Team        bool
	Time        int32   // ms
	Checkpoints []int32 // ms when each was passed, 0 for missed ones
	GameID      string  // UUID of the world
	DDNet7      bool    // run on one of DDNet's own 0.7 servers; only in old rows of DDNet

	// Log names the replay log that contains the run, from tick Begin to tick End.
	Log        string
	Begin, End int32

	Code string
	// SaveID is the UUID of a save. For a team rank from DDNet's tables it is the team's ID in
	// hexadecimal.
	SaveID string
	Text   string

	Points, Stars int32
}

// maxEntry limits the bytes of an encoded entry.
const maxEntry = game.MaxSave + game.MaxPlayers*(game.MaxStoreName+2) + 2048

// valid reports whether the values of the entry are within their limits.
func (e *Entry) valid() bool {
	if e.Kind == 0 || e.Kind >= numKinds || len(e.Names) > game.MaxPlayers || len(e.Checkpoints) > game.MaxCheckpoints || len(e.Text) > game.MaxSave {
		return false
	}
	for _, n := range e.Names {
		if len(n) > game.MaxStoreName {
			return false
		}
	}
	if e.Kind == Finish && (len(e.Names) == 0 || e.Time <= 0) || e.Kind == SetPoints && len(e.Names) == 0 {
		return false
	}
	return len(e.Map) <= 2*game.MaxStoreName && len(e.Server) <= game.MaxStoreName && len(e.GameID) <= game.MaxStoreName &&
		len(e.Log) <= 4*game.MaxStoreName && len(e.Code) <= 2*game.MaxStoreName && len(e.SaveID) <= game.MaxStoreName
}

// TeamID returns the ID of the team rank for a team finish. An entry from DDNet's tables keeps the
// ID there.
func (e *Entry) TeamID() ID {
	if b, err := hex.DecodeString(e.SaveID); err == nil && len(b) == len(e.ID) {
		return ID(b)
	}
	return e.ID
}

// append appends the entry as a record. Numbers are varints, and texts follow their length.
func (e *Entry) append(dst []byte) []byte {
	at := len(dst)
	dst = recordfile.Begin(dst)
	dst = append(dst, e.ID[:]...)
	flags := byte(0)
	if e.Team {
		flags |= 1
	}
	if e.DDNet7 {
		flags |= 2
	}
	dst = append(dst, byte(e.Kind), flags)
	for _, n := range e.numbers() {
		dst = binary.AppendVarint(dst, *n)
	}
	for _, n := range e.ints() {
		dst = binary.AppendVarint(dst, int64(*n))
	}
	for _, s := range e.texts() {
		dst = appendText(dst, *s)
	}
	dst = binary.AppendUvarint(dst, uint64(len(e.Names)))
	for _, n := range e.Names {
		dst = appendText(dst, n)
	}
	return recordfile.End(appendCheckpoints(dst, e.Checkpoints), at)
}

func (e *Entry) numbers() []*int64 { return []*int64{&e.When} }
func (e *Entry) ints() []*int32 {
	return []*int32{&e.Time, &e.Begin, &e.End, &e.Points, &e.Stars}
}
func (e *Entry) texts() []*string {
	return []*string{&e.Map, &e.Server, &e.GameID, &e.Log, &e.Code, &e.SaveID, &e.Text}
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// appendCheckpoints appends the times up to the last one that is not 0.
func appendCheckpoints(dst []byte, times []int32) []byte {
	n := len(times)
	for n > 0 && times[n-1] == 0 {
		n--
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	for _, t := range times[:n] {
		dst = binary.AppendVarint(dst, int64(t))
	}
	return dst
}

// parse reads the body of a record. It reports whether the body is a valid entry.
func (e *Entry) parse(body []byte) bool {
	d := decoder{b: body}
	copy(e.ID[:], d.raw(uint64(len(e.ID))))
	kind := d.raw(2)
	if kind == nil {
		return false
	}
	e.Kind, e.Team, e.DDNet7 = Kind(kind[0]), kind[1]&1 != 0, kind[1]&2 != 0
	for _, n := range e.numbers() {
		*n = d.varint()
	}
	for _, n := range e.ints() {
		*n = d.int32()
	}
	for _, s := range e.texts() {
		*s = string(d.raw(d.uvarint()))
	}
	if n := d.uvarint(); n > game.MaxPlayers {
		return false
	} else if n > 0 {
		e.Names = make([]string, n)
	}
	for i := range e.Names {
		e.Names[i] = string(d.raw(d.uvarint()))
	}
	e.Checkpoints = d.checkpoints()
	return !d.failed && len(d.b) == 0 && e.valid()
}

// decoder reads the encoding of append. After a failure it returns zeros.
type decoder struct {
	b      []byte
	failed bool
}

func (d *decoder) raw(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.failed, d.b = true, nil
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	d.raw(uint64(n)) // a negative length counts as too long
	if n <= 0 {
		d.failed = true
		return 0
	}
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	d.raw(uint64(n))
	if n <= 0 {
		d.failed = true
		return 0
	}
	return v
}

func (d *decoder) int32() int32 {
	v := d.varint()
	if v < math.MinInt32 || v > math.MaxInt32 {
		d.failed = true
	}
	return int32(v)
}

func (d *decoder) checkpoints() []int32 {
	n := d.uvarint()
	if n == 0 || n > game.MaxCheckpoints {
		d.failed = d.failed || n > 0
		return nil
	}
	times := make([]int32, n)
	for i := range times {
		times[i] = d.int32()
	}
	return times
}
