package gamemap

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/modhost"
)

// Map is a map that was read.
type Map struct {
	// Map is the file with the most features. Its Name is the last element of Setting.
	bridge.Map
	// Setting is the value of sv_map.
	Setting string
	// Terrain contains the settings of operators before the map's own settings.
	Terrain game.Terrain
	// Collision is the collision of Terrain.
	Collision *physics.Collision
	// Rules are the game type and the mods that were found for the map.
	Rules modhost.Ruleset

	ownSettings []string // of the map, without settings of operators
	operator    operatorFiles
	// compatible is the map for clients that cannot read compressed tile layers. It is nil if the
	// map has none, or if rewriting it failed with compatibleErr.
	compatible    *bridge.Map
	compatibleErr error
	// modern is the map from modernFolder for all other clients. It is nil if there is none, or if
	// modernErr says why it cannot be used.
	modern    *bridge.Map
	modernErr error
}

// modernFolder is the folder in which DDNet's servers have maps that contain all images. Clients
// may have other images of the same names.
const modernFolder = "maps7"

// Format describes the maps that a client can read.
type Format interface{ NeedsUncompressedTiles() bool }

// For returns the file for the clients of a format.
func (m *Map) For(f Format) (*bridge.Map, error) {
	switch {
	case !f.NeedsUncompressedTiles():
		return m.Modern(), nil
	case m.compatibleErr != nil:
		return nil, m.compatibleErr
	}
	return m.Compatible(), nil
}

// Compatible returns the file that the most clients can read.
func (m *Map) Compatible() *bridge.Map {
	if m.compatible != nil {
		return m.compatible
	}
	return &m.Map
}

// Modern returns the file for clients that read compressed tile layers.
func (m *Map) Modern() *bridge.Map {
	if m.modern != nil {
		return m.modern
	}
	return &m.Map
}

// withFile returns a map with another file.
func withFile(m bridge.Map, file []byte) bridge.Map {
	m.File, m.CRC, m.SHA256 = file, crc32.ChecksumIEEE(file), sha256.Sum256(file)
	return m
}

// makeCompatible sets compatible if some clients cannot read the map.
func (m *Map) makeCompatible() {
	file, err := twmap.Compatible(m.File)
	if err != nil {
		m.compatibleErr = err
	} else if file != nil {
		compatible := withFile(m.Map, file)
		m.compatible = &compatible
	}
}

// HasSum reports whether the file has a SHA-256 in hexadecimal digits, with the map's own settings
// or with the settings from its file.
func (m *Map) HasSum(sha256 string) bool {
	changed := m.operator.changed
	return hex.EncodeToString(m.SHA256[:]) == sha256 || changed != nil && hex.EncodeToString(changed.SHA256[:]) == sha256
}

// operatorFiles are the files of operators for a DDRace map.
type operatorFiles struct {
	resetFile string // the name, "" for none
	reset     []byte
	resetErr  error
	// configured is how many settings of the terrain come from the configuration. Those of the
	// reset file follow, and then the map's own.
	configured int
	// changed is the map with the settings of its own file, nil if it has none. err says why that
	// file cannot be used.
	changed *Map
	err     error
}

// readOperatorFiles reads the files that operators may have for a map. They count if the game type
// is DDRace. Other goroutines call it.
func (m *Maps) readOperatorFiles(to *Map, resetFile string) {
	o := &to.operator
	if o.resetFile = resetFile; resetFile != "" {
		o.reset, o.resetErr = console.ReadFile(m.cfg.Files, resetFile)
	}
	content, err := readFile(m.cfg.Files, settingsFile(to.Setting), console.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	lines := fileLines(content)
	if err == nil && slices.Equal(lines, to.ownSettings) {
		return
	}
	var file []byte
	if err == nil {
		file, err = twmap.WithSettings(to.File, lines)
	}
	if o.err = err; err != nil {
		return
	}
	o.changed = &Map{Map: withFile(to.Map, file), ownSettings: lines}
	if m.cfg.AnyNeedsUncompressedTiles {
		o.changed.makeCompatible()
	}
}

// settingsFile returns the name of the file with the settings of a map.
func settingsFile(setting string) string { return "maps/" + setting + ".cfg" }

// fileLines returns the lines of a file, without their ends.
func fileLines(content []byte) (lines []string) {
	for line := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines
}

// UseSettingsFile replaces the settings of the map by its file of settings, if it has one. The
// error says why that file is not used.
func (m *Map) UseSettingsFile() error {
	if c := m.operator.changed; c != nil {
		m.Map, m.compatible, m.compatibleErr, m.ownSettings = c.Map, c.compatible, c.compatibleErr, c.ownSettings
	}
	if err := m.operator.err; err != nil {
		return fmt.Errorf("map '%s' keeps its own settings, and %s is not used: %w", m.Setting, settingsFile(m.Setting), err)
	}
	return nil
}

// ResetFile returns the file that is executed before each DDRace map. The name is "" if there is no
// such file.
func (m *Map) ResetFile() (name string, content []byte, err error) {
	o := &m.operator
	if errors.Is(o.resetErr, fs.ErrNotExist) {
		return "", nil, nil
	}
	return o.resetFile, o.reset, o.resetErr
}

// PutBefore puts settings of operators before the map's own: some from the configuration, and then
// the others from the reset file.
func (m *Map) PutBefore(lines []string, configured int) {
	m.operator.configured = configured
	m.Terrain.Settings = slices.Concat(lines, m.ownSettings)
}

// faultText returns the line about a fault of a DDRace world.
func (m *Map) faultText(f ddrace.Fault) string {
	switch {
	case !f.IsSetting() || f.Setting >= len(m.Terrain.Settings)-len(m.ownSettings):
		return fmt.Sprintf("sv_map '%s': %s", m.Setting, f)
	case f.Setting < m.operator.configured:
		return fmt.Sprintf("in the configuration, not in the map: %s", f.What)
	default:
		return fmt.Sprintf("in %s, not in the map: %s", m.operator.resetFile, f.What)
	}
}

// Report prints warnings about a map and the new world on it, and the hashes of its file.
func (m *Maps) Report(read *Map, w *game.World) {
	warn := func(format string, args ...any) { m.print(console.Warning, fmt.Sprintf(format, args...)) }
	for _, f := range w.DDRaceFaults().List {
		warn("%s", read.faultText(f))
	}
	if more := w.DDRaceFaults().More; more > 0 {
		warn("sv_map '%s' has %d more tiles and settings like these", read.Setting, more)
	}
	if w.GameFlags()&(game.GameFlagRace|game.GameFlagDDRace) == game.GameFlagRace && !race.HasCourse(read.Terrain) {
		warn("sv_map '%s' has no start and finish for a race; the map yardrun has both", read.Setting)
	}
	if read.compatibleErr != nil {
		warn("sv_map '%s' cannot be converted for older clients, so they cannot join: %v", read.Setting, read.compatibleErr)
	}
	if read.modernErr != nil {
		warn("%s/%s.map is not used, so newer clients may see different images: %v", modernFolder, read.Setting, read.modernErr)
	}
	m.print(console.Info, fmt.Sprintf("%s sha256 is %x", mapFile(read.Setting), read.SHA256))
	m.print(console.Info, fmt.Sprintf("%s crc is %08x", mapFile(read.Setting), read.CRC))
}
