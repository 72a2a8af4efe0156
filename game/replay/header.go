package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/teeyard/teeyard/game"
)

// Errors of this package, wrapped with details.
var (
	// ErrFormat means that the file is not a log, or that it has an unknown version of the format.
	ErrFormat = errors.New("replay: not a replay log")
	// ErrTruncated means that the log has no end, for example because the server was killed. All
	// ticks before are valid.
	ErrTruncated = errors.New("replay: log is cut off")
	// ErrCorrupt means that a block is damaged. All ticks before are valid.
	ErrCorrupt = errors.New("replay: log is damaged")
	// ErrTooLarge means that a tick or header exceeds the limits of the format.
	ErrTooLarge = errors.New("replay: too large")
	// ErrModeUnavailable means that the mode or mods of the match are not available.
	ErrModeUnavailable = errors.New("replay: mode or mods not available")
	// ErrMismatch means that the run differs from the recorded match.
	ErrMismatch = errors.New("replay: the run differs from the recording")
	// ErrPanic means that the world panicked. The log of a crash ends this way.
	ErrPanic = errors.New("replay: the world panicked")
)

// Header is the parameters of a world and a description of the match. With it a log
// needs no other file.
type Header struct {
	// Program is the name and version of the recording program. Another version can have different
	// rules, so its run can differ.
	Program string
	// StartTime is when the world was created, in milliseconds since 1970 UTC.
	StartTime int64
	// Map is the map's name, MapSHA256 the hash of the whole map file.
	Map       string
	MapSHA256 [sha256.Size]byte
	// GameType is the name by which the mode was requested (sv_gametype), ModeName the
	// mode's own name, ModeType its Go type; see [TypeName]. ModeSource is the source of a
	// [Sourcer], nil for others.
	GameType   string
	ModeName   string
	ModeType   string
	ModeSource []byte
	// Mods are the mods in order.
	Mods []ModInfo
	// Costs is the version of the costs of script calls, or 0 without scripts; see [Coster].
	Costs uint16

	// Terrain, Rules, Tuning and Seed are the values in game.Config.
	Terrain game.Terrain
	Rules   game.Rules
	Tuning  game.Tuning
	Seed    uint64

	// Variables are the variables of the mode and mods, in their order, with their values in
	// game.Config.
	Variables []Variable

	// IdleTicks is the number of ticks without commands before the log starts, since
	// there is nothing to record before the first player joins. 0..MaxIdleTicks.
	IdleTicks int32

	// State, if set, is the state that World.AppendState returned after StateTick. The log
	// continues from this state instead of a new world, and IdleTicks, Rules, Tuning and Seed have
	// no effect.
	State     []byte
	StateTick int32
}

// TickBefore returns the number of the tick before the first of the log.
func (h *Header) TickBefore() int32 {
	if h.State != nil {
		return h.StateTick
	}
	return h.IdleTicks
}

// ModInfo describes a mod of a match.
type ModInfo struct {
	Name   string // by which it was requested (sv_mods), "" for a mod that the program always has
	Type   string // its Go type; see [TypeName]
	Source []byte // that of a [Sourcer], nil for others
	Costs  int    // Header.Costs, for VerifyConfig
}

// Variable is a variable of a mode or mod with its value when the match began.
type Variable struct{ Name, Value string }

// Sourcer is a mode or mod made from a source text, such as a script. Logs contain the text.
type Sourcer interface{ Source() []byte }

// Coster is a mode or mod whose calls have costs, such as a script. The costs decide when it
// reaches its limits, and they differ between versions. A log therefore contains the version; a log
// without it has version 1.
type Coster interface{ Costs() int }

// MaxIdleTicks is the maximum of Header.IdleTicks: the ticks of a day.
const MaxIdleTicks = 24 * 60 * 60 * game.TickRate

// TypeName returns the Go type of a mode or mod, with its import path.
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

// SetMode stores the mode and mods in the header, the mods without names. gameType is the requested
// name of the mode (sv_gametype).
func (h *Header) SetMode(gameType string, mode game.Mode, mods []game.Mod) {
	h.GameType, h.ModeName, h.ModeType = gameType, mode.Name(), TypeName(mode)
	h.ModeSource, h.Mods, h.Costs = nil, h.Mods[:0], 0
	h.setCosts(mode)
	if s, ok := mode.(Sourcer); ok {
		h.ModeSource = s.Source()
	}
	for _, m := range mods {
		h.setCosts(m)
		info := ModInfo{Type: TypeName(m)}
		if s, ok := m.(Sourcer); ok {
			info.Source = s.Source()
		}
		h.Mods = append(h.Mods, info)
	}
}

func (h *Header) setCosts(m any) {
	if c, ok := m.(Coster); ok {
		h.Costs = max(h.Costs, uint16(c.Costs()))
	}
}

// SetVariables stores the values of the variables of a new world.
func (h *Header) SetVariables(w *game.World) {
	h.Variables = h.Variables[:0]
	for _, v := range w.Variables() {
		h.Variables = append(h.Variables, Variable{v.Name, v.Value})
	}
}

// The limits of a header.
const (
	maxMods    = 256
	maxText    = 4096 // of each text in a header
	maxTexts   = 5 + 2*maxMods + 2*game.MaxVariables
	maxSources = 8 << 20 // of mode and mods
)

func (h *Header) validate() error {
	n, sources := max(len(h.Program), len(h.Map), len(h.GameType), len(h.ModeName), len(h.ModeType)), len(h.ModeSource)
	for _, m := range h.Mods {
		n = max(n, len(m.Name), len(m.Type))
		sources += len(m.Source)
	}
	for _, v := range h.Variables {
		n = max(n, len(v.Name), len(v.Value))
	}
	switch {
	case len(h.Variables) > game.MaxVariables:
		return fmt.Errorf("%w: %d variables", ErrTooLarge, len(h.Variables))
	case n > maxText, len(h.Mods) > maxMods, sources > maxSources:
		return fmt.Errorf("%w: text or mods of the header", ErrTooLarge)
	case h.IdleTicks < 0, h.IdleTicks > MaxIdleTicks:
		return fmt.Errorf("%w: %d idle ticks", ErrTooLarge, h.IdleTicks)
	case len(h.State) > maxState:
		return fmt.Errorf("%w: a state of %d bytes", ErrTooLarge, len(h.State))
	case h.State != nil && (h.StateTick < 0 || h.StateTick > game.MaxTick):
		return fmt.Errorf("%w: a state of tick %d", ErrTooLarge, h.StateTick)
	}
	if err := h.Terrain.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
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
		dst = appendText(dst, m.Name)
		dst = appendText(dst, m.Type)
		dst = appendText(dst, string(m.Source))
	}
	dst = binary.LittleEndian.AppendUint64(dst, h.Seed)
	dst = appendInt(dst, h.IdleTicks)
	dst = appendRules(dst, &h.Rules)
	dst = appendTuning(dst, &h.Tuning)
	dst = appendTerrain(dst, &h.Terrain)
	dst = binary.AppendUvarint(dst, uint64(len(h.Variables)))
	for _, v := range h.Variables {
		dst = appendText(dst, v.Name)
		dst = appendText(dst, v.Value)
	}
	if h.version() > 3 {
		dst = binary.AppendUvarint(dst, uint64(h.Costs))
		dst = appendBool(dst, h.ModeSource != nil)
	}
	if h.ModeSource != nil {
		dst = appendText(dst, string(h.ModeSource))
	}
	return dst
}

// version returns the first version of the format that has all of the header.
func (h *Header) version() byte {
	switch {
	case h.Costs > 1:
		return 4
	case h.ModeSource != nil:
		return 3
	}
	return 2
}

// parse is the inverse of append, for all versions of the format. The header does not refer to b.
func (h *Header) parse(b []byte, version byte) error {
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
		var m ModInfo
		if version == 1 {
			m.Type = s.readText()
		} else {
			m.Name, m.Type = s.readText(), s.readText()
			m.Source = bytes.Clone(s.readBytes())
		}
		h.Mods = append(h.Mods, m)
	}
	h.Seed = s.uint64()
	h.IdleTicks = s.int()
	s.readRules(&h.Rules)
	s.readTuning(&h.Tuning)
	s.readTerrain(&h.Terrain, version)
	h.Variables = nil
	if version > 1 {
		for range min(s.uvarint(), game.MaxVariables+1) {
			if s.failed {
				break
			}
			h.Variables = append(h.Variables, Variable{s.readText(), s.readText()})
		}
	}
	h.ModeSource, h.Costs = nil, 0
	hasSource := version == 3
	if version > 3 {
		costs := s.uvarint()
		if h.Costs = uint16(costs); uint64(h.Costs) != costs {
			s.fail()
		}
		hasSource = s.byte() == 1
	}
	if hasSource {
		h.ModeSource = append([]byte{}, s.readBytes()...)
	}
	if h.Costs == 0 && h.hasSources() {
		h.Costs = 1 // from before logs named it
	}
	if s.failed || len(s.b) != 0 || h.validate() != nil {
		return fmt.Errorf("%w: header", ErrCorrupt)
	}
	return nil
}

func (h *Header) hasSources() bool {
	return h.ModeSource != nil || slices.ContainsFunc(h.Mods, func(m ModInfo) bool { return len(m.Source) > 0 })
}

// appendState appends the payload of the block with the state.
func (h *Header) appendState(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.StateTick))
	return append(dst, h.State...)
}

// parseState is the inverse of appendState.
func (h *Header) parseState(b []byte) error {
	if len(b) < 4 || binary.LittleEndian.Uint32(b) > game.MaxTick {
		return fmt.Errorf("%w: state", ErrCorrupt)
	}
	h.StateTick = int32(binary.LittleEndian.Uint32(b))
	h.State = append([]byte{}, b[4:]...)
	return nil
}
