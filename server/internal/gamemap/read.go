package gamemap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/server/internal/modhost"
)

// ErrNoMap is returned if the server does not find a map.
var ErrNoMap = errors.New("map not found")

// errStuckDisk is returned if the disk does not answer.
var errStuckDisk = errors.New("the disk does not answer")

// maxFile is the largest map file that is read, in bytes. The largest in use have some 10 MB.
const maxFile = 64 << 20

// Read reads the map of sv_map, and waits for the disk.
func (m *Maps) Read() (*Map, error) {
	return m.read(m.Settings.Map, m.cfg.Rules.Wanted(), m.Settings.ResetFile)
}

// read reads a map with its rules and the files of operators. Other goroutines call it.
func (m *Maps) read(setting string, wanted modhost.Choice, resetFile string) (*Map, error) {
	read, err := m.readMap(setting)
	if err != nil {
		return nil, err
	}
	if read.Rules, err = m.cfg.Rules.Find(wanted, &read.Terrain); err != nil {
		return nil, err
	}
	m.readOperatorFiles(read, resetFile)
	return read, nil
}

// readMap finds and reads the map that a value of sv_map names.
func (m *Maps) readMap(setting string) (*Map, error) {
	if err := checkName(setting); err != nil {
		return nil, err
	}
	file, err := readFile(m.cfg.Files, mapFile(setting), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		embedded, ok := maps.Find(setting)
		if file = embedded.Data; !ok {
			return nil, fmt.Errorf("sv_map %q: %w: no %s in the storage, and no embedded map of this name", setting, ErrNoMap, mapFile(setting))
		}
	} else if err != nil {
		return nil, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	// Images and other layers stay compressed: of a file of 1 MB they can be 150 MB.
	parsed, err := twmap.Config{GameOnly: true}.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	read := &Map{
		Map: bridge.Map{
			Name: path.Base(setting), ChunksPerRequest: m.chunksPerRequest,
			File: file, CRC: parsed.CRC, SHA256: parsed.SHA256,
		},
		Setting: setting,
	}
	if read.Terrain, err = parsed.Terrain(); err != nil {
		return nil, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	read.ownSettings = read.Terrain.Settings
	if read.Collision, err = physics.NewCollision(read.Terrain.Width, read.Terrain.Height, read.Terrain.Tiles); err != nil {
		return nil, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	if m.cfg.AnyNeedsUncompressedTiles {
		read.makeCompatible()
	}
	read.modern, read.modernErr = m.readModern(read)
	return read, nil
}

// readModern reads the map in modernFolder. It may differ from the map in its images, but not in
// its tiles.
func (m *Maps) readModern(of *Map) (*bridge.Map, error) {
	file, err := readFile(m.cfg.Files, modernFolder+"/"+of.Setting+".map", maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	parsed, err := twmap.Config{GameOnly: true}.Parse(file)
	if err != nil {
		return nil, err
	}
	terrain, err := parsed.Terrain()
	if err != nil {
		return nil, err
	}
	if terrain.Settings = of.Terrain.Settings; !reflect.DeepEqual(terrain, of.Terrain) {
		return nil, fmt.Errorf("its tiles differ from %s", mapFile(of.Setting))
	}
	modern := withFile(of.Map, file)
	return &modern, nil
}

// mapFile returns the name of the file of a map.
func mapFile(setting string) string { return "maps/" + setting + ".map" }

// checkName returns an error for a value of sv_map that can name no map.
func checkName(setting string) error {
	if setting == "" || !fs.ValidPath(setting) || strings.ContainsAny(setting, "\\:") {
		return fmt.Errorf("sv_map %q: not a map name (name one in the maps folder, without .map)", setting)
	}
	return nil
}

// Has reports whether there is a map that a value of sv_map names. Any goroutine may call it.
func (m *Maps) Has(setting string) bool {
	if checkName(setting) != nil {
		return false
	}
	if _, err := fs.Stat(m.cfg.Files, mapFile(setting)); !errors.Is(err, fs.ErrNotExist) {
		return true // changing to it says what is wrong with it
	}
	_, embedded := maps.Find(setting)
	return embedded
}

// readFile reads a file of at most limit bytes.
func readFile(files fs.FS, name string, limit int64) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	if info.Size() <= limit {
		// The limit holds even if the file grows while it is read.
		buf := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
		n, err := buf.ReadFrom(io.LimitReader(f, limit+1))
		if err != nil || n <= limit {
			return buf.Bytes(), err
		}
	}
	return nil, fmt.Errorf("%s: larger than the %d bytes allowed", name, limit)
}
