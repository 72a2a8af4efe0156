package replay

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/teeyard/teeyard/game"
)

// Errors of this package, wrapped with details.
var (
	// ErrFormat means that the file is not a log, or has another version of the
	// format.
	ErrFormat = errors.New("replay: not a replay log")
	// ErrTruncated means that the log ends within a block, as after the server was
	// killed. Everything before is valid.
	ErrTruncated = errors.New("replay: log is cut off")
	// ErrCorrupt means that a block is damaged. Everything before is valid.
	ErrCorrupt = errors.New("replay: log is damaged")
	// ErrTooLarge means that a tick or header exceeds the limits of the format.
	ErrTooLarge = errors.New("replay: too large")
	// ErrModeUnavailable means that the mode or mods of the match are not available.
	ErrModeUnavailable = errors.New("replay: mode or mods not available")
	// ErrMismatch means that the run differs from the recorded match.
	ErrMismatch = errors.New("replay: the run differs from the recording")
	// ErrPanic means that the world panicked, which is how the log of a crash ends.
	ErrPanic = errors.New("replay: the world panicked")
)

// Header is the parameters of a world and a description of the match. With it a log
// needs no other file.
type Header struct {
	// Program is the name and version of the recording program. Another version can
	// have other rules, so that the run differs.
	Program string
	// StartTime is when the world was created, in milliseconds since 1970 UTC.
	StartTime int64
	// Map is the map's name, MapSHA256 the hash of the whole map file.
	Map       string
	MapSHA256 [sha256.Size]byte
	// GameType is the name by which the mode was requested (sv_gametype), ModeName the
	// mode's own name, ModeType and Mods are the Go types of the mode and of the mods
	// in order; see [TypeName].
	GameType string
	ModeName string
	ModeType string
	Mods     []string

	// Terrain, Rules, Tuning and Seed are those of game.Config.
	Terrain game.Terrain
	Rules   game.Rules
	Tuning  game.Tuning
	Seed    uint64

	// IdleTicks is the number of ticks without commands before the log starts, since
	// there is nothing to record before the first player joins. 0..MaxIdleTicks.
	IdleTicks int32
}

// MaxIdleTicks is the maximum of Header.IdleTicks: the ticks of a day.
const MaxIdleTicks = 24 * 60 * 60 * game.TickRate

// TypeName returns the type of a mode or mod with its import path.
func TypeName(v any) string {
	t := reflect.TypeOf(v)
	if t == nil {
		return ""
	}
	star := ""
	if t.Kind() == reflect.Pointer {
		star, t = "*", t.Elem()
	}
	return star + t.PkgPath() + "." + t.Name()
}

// SetMode stores mode and mods in the header. gameType is the name by which the mode
// is requested.
func (h *Header) SetMode(gameType string, mode game.Mode, mods []game.Mod) {
	h.GameType, h.ModeName, h.ModeType = gameType, mode.Name(), TypeName(mode)
	h.Mods = h.Mods[:0]
	for _, m := range mods {
		h.Mods = append(h.Mods, TypeName(m))
	}
}

// The limits of a header.
const (
	maxTiles = 1 << 24 // the maximum of game.New
	maxMods  = 256
	maxText  = 4096 // of each text in a header
)

func (h *Header) validate() error {
	n := len(h.Program)
	for _, s := range append([]string{h.Map, h.GameType, h.ModeName, h.ModeType}, h.Mods...) {
		n = max(n, len(s))
	}
	t := &h.Terrain
	switch {
	case n > maxText, len(h.Mods) > maxMods:
		return fmt.Errorf("%w: text or mods of the header", ErrTooLarge)
	case h.IdleTicks < 0, h.IdleTicks > MaxIdleTicks:
		return fmt.Errorf("%w: %d idle ticks", ErrTooLarge, h.IdleTicks)
	case t.Width <= 0, t.Height <= 0, t.Width > maxTiles/t.Height, len(t.Tiles) != t.Width*t.Height:
		return fmt.Errorf("%w: terrain of %d x %d", ErrTooLarge, t.Width, t.Height)
	}
	return nil
}

func (h *Header) append(dst []byte) []byte {
	dst = appendText(dst, h.Program)
	dst = binary.AppendVarint(dst, h.StartTime)
	dst = appendText(dst, h.Map)
	dst = append(dst, h.MapSHA256[:]...)
	dst = appendText(dst, h.GameType)
	dst = appendText(dst, h.ModeName)
	dst = appendText(dst, h.ModeType)
	dst = binary.AppendUvarint(dst, uint64(len(h.Mods)))
	for _, m := range h.Mods {
		dst = appendText(dst, m)
	}
	dst = binary.LittleEndian.AppendUint64(dst, h.Seed)
	dst = appendInt(dst, h.IdleTicks)
	dst = appendRules(dst, &h.Rules)
	dst = appendTuning(dst, &h.Tuning)
	dst = binary.AppendUvarint(dst, uint64(h.Terrain.Width))
	dst = binary.AppendUvarint(dst, uint64(h.Terrain.Height))
	return append(dst, h.Terrain.Tiles...)
}

// parse is the inverse of append. The tiles refer to b.
func (h *Header) parse(b []byte) error {
	s := fieldReader{b: b}
	h.Program = s.readText()
	h.StartTime = s.varint()
	h.Map = s.readText()
	copy(h.MapSHA256[:], s.raw(len(h.MapSHA256)))
	h.GameType, h.ModeName, h.ModeType = s.readText(), s.readText(), s.readText()
	h.Mods = nil
	for range min(s.uvarint(), maxMods+1) {
		if s.failed {
			break
		}
		h.Mods = append(h.Mods, s.readText())
	}
	h.Seed = s.uint64()
	h.IdleTicks = s.int()
	s.readRules(&h.Rules)
	s.readTuning(&h.Tuning)
	w, ht := s.uvarint(), s.uvarint()
	if s.failed || w == 0 || ht == 0 || w > maxTiles || ht > maxTiles/w {
		return fmt.Errorf("%w: header", ErrCorrupt)
	}
	h.Terrain = game.Terrain{Width: int(w), Height: int(ht), Tiles: s.raw(int(w * ht))}
	if s.failed || len(s.b) != 0 {
		return fmt.Errorf("%w: header", ErrCorrupt)
	}
	if h.validate() != nil {
		return fmt.Errorf("%w: header", ErrCorrupt)
	}
	return nil
}
