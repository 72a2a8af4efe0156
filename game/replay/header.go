package replay

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/teeyard/teeyard/game"
)

// Errors of this package. They come wrapped with what was wrong and where.
var (
	// ErrFormat: this is no log, or one of another version of the format.
	ErrFormat = errors.New("replay: not a replay log")
	// ErrTruncated: the log ends within a block, as that of a server that was
	// killed may. All before was good.
	ErrTruncated = errors.New("replay: log is cut off")
	// ErrCorrupt: a block is damaged. All before was good.
	ErrCorrupt = errors.New("replay: log is damaged")
	// ErrTooLarge: a tick or header has more in it than a log can hold.
	ErrTooLarge = errors.New("replay: too large")
	// ErrModeUnavailable: the match was played with a mode or with mods that are not here.
	ErrModeUnavailable = errors.New("replay: mode or mods not available")
	// ErrMismatch: the match went another way than when it was recorded.
	ErrMismatch = errors.New("replay: the run differs from the recording")
	// ErrPanic: the world could not go on. A log that ends so is a bug report.
	ErrPanic = errors.New("replay: the world panicked")
)

// Header is what a world was made of, and what people want to know of it. With
// it a log needs no other file.
type Header struct {
	// Program names the program and version that recorded. Other versions may
	// have other rules, so that the run differs.
	Program string
	// StartTime is when the world was made, in milliseconds since 1970 UTC.
	StartTime int64
	// Map is the map's name and MapSHA256 that of the whole map file.
	Map       string
	MapSHA256 [sha256.Size]byte
	// GameType is how the mode was asked for (sv_gametype), ModeName what it calls
	// itself, ModeType and Mods the Go types of the mode and of the mods in order;
	// see [TypeName].
	GameType string
	ModeName string
	ModeType string
	Mods     []string

	// Terrain, Rules, Tuning and Seed are those of game.Config.
	Terrain game.Terrain
	Rules   game.Rules
	Tuning  game.Tuning
	Seed    uint64

	// IdleTicks is how many ticks the world made without any command before the log
	// begins: until somebody comes there is nothing to record. 0..MaxIdleBytes.
	IdleTicks int32
}

// MaxIdleBytes is the largest Header.Idle: the ticks of a day.
const MaxIdleTicks = 24 * 60 * 60 * game.TickRate

// TypeName identifies the type of a mode or mod, by import path.
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

// SetMode notes mode and mods in the header. gameType is the name that the mode
// can be asked for by.
func (h *Header) SetMode(gameType string, mode game.Mode, mods []game.Mod) {
	h.GameType, h.ModeName, h.ModeType = gameType, mode.Name(), TypeName(mode)
	h.Mods = h.Mods[:0]
	for _, m := range mods {
		h.Mods = append(h.Mods, TypeName(m))
	}
}

// Limits of a header.
const (
	maxTiles = 1 << 24 // what game.New takes
	maxMods  = 256
	maxText  = 4096 // of one text in a header
)

func (h *Header) validate() error {
	n := len(h.Program)
	for _, s := range append([]string{h.Map, h.GameType, h.ModeName, h.ModeType}, h.Mods...) {
		n = max(n, len(s))
	}
	t := &h.Terrain
	switch {
	case n > maxText, len(h.Mods) > maxMods:
		return fmt.Errorf("%w: texts of a header", ErrTooLarge)
	case h.IdleTicks < 0, h.IdleTicks > MaxIdleTicks:
		return fmt.Errorf("%w: %d idle ticks", ErrTooLarge, h.IdleTicks)
	case t.Width <= 0, t.Height <= 0, t.Width > maxTiles/t.Height, len(t.Tiles) != t.Width*t.Height:
		return fmt.Errorf("%w: a terrain of %d x %d", ErrTooLarge, t.Width, t.Height)
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

// parse reads what append wrote. The tiles are borrowed from b.
func (h *Header) parse(b []byte) error {
	s := fieldReader{b: b}
	h.Program = s.text()
	h.StartTime = s.varint()
	h.Map = s.text()
	copy(h.MapSHA256[:], s.raw(len(h.MapSHA256)))
	h.GameType, h.ModeName, h.ModeType = s.text(), s.text(), s.text()
	h.Mods = nil
	for range min(s.uvarint(), maxMods+1) {
		if s.failed {
			break
		}
		h.Mods = append(h.Mods, s.text())
	}
	h.Seed = s.uint64()
	h.IdleTicks = s.int()
	s.rules(&h.Rules)
	s.tuning(&h.Tuning)
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
