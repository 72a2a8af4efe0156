package client

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
)

// Map is a server's map.
type Map struct {
	Name    string // as the server calls it
	CRC     uint32
	SHA256  [sha256.Size]byte
	File    []byte // shared, not to be changed
	Terrain game.Terrain
	// Path is where the file is kept, "" nowhere.
	Path string

	collision *physics.Collision
}

// Maps keeps the maps of servers: the files in a folder, the last few in memory.
// Clients may share one.
type Maps struct {
	dir       string
	installed []string

	mu     sync.Mutex
	recent []*Map // newest first
}

// maxRecentMaps is how many maps stay in memory.
const maxRecentMaps = 4

// NewMaps keeps files in dir, which is made when there is one to keep. With "" they
// are in the user's cache folder, with "-" only in memory. What lies in one of the
// installed folders is not downloaded; nothing is written there. See InstalledMapDirs.
func NewMaps(dir string, installed ...string) *Maps {
	switch dir {
	case "-":
		dir = ""
	case "":
		if cache, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(cache, "teeyard", "maps")
		}
	}
	return &Maps{dir: dir, installed: installed}
}

// safeFileName is the name of a map's file: that of the map, as far as it is harmless
// everywhere, and its hash.
func mapFileName(m *bridge.MapChange) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, m.Name)
	safe = safe[:min(len(safe), 64)]
	if m.HasSHA256 {
		return fmt.Sprintf("%s_%x.map", safe, m.SHA256)
	}
	return fmt.Sprintf("%s_%08x.map", safe, m.CRC)
}

// matches tells whether the map matches the one announced.
func (m *Map) matches(a *bridge.MapChange) bool {
	return len(m.File) == a.Size && m.CRC == a.CRC && (!a.HasSHA256 || m.SHA256 == a.SHA256)
}

// find looks an announced map up, in memory and on disk; nil if it is not there or
// not what it should be.
func (s *Maps) find(a *bridge.MapChange) *Map {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.recent {
		if m.Name == a.Name && m.matches(a) {
			return m
		}
	}
	var paths []string
	if s.dir != "" {
		paths = append(paths, filepath.Join(s.dir, mapFileName(a)))
	}
	for _, dir := range s.installed {
		paths = append(paths, filepath.Join(dir, mapFileName(a)), filepath.Join(dir, a.Name+".map"))
	}
	for _, path := range paths {
		if m := readMap(path, a); m != nil {
			s.addRecent(m)
			return m
		}
	}
	return nil
}

// readMap reads a file if it is the map announced.
func readMap(path string, a *bridge.MapChange) *Map {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() != int64(a.Size) {
		return nil
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	m, err := parseMap(a.Name, file)
	if err != nil || !m.matches(a) {
		return nil
	}
	m.Path = path
	return m
}

// addDownloaded takes a downloaded map. That the disk is full is no reason not to play.
func (s *Maps) addDownloaded(a *bridge.MapChange, file []byte) (*Map, error) {
	m, err := parseMap(a.Name, file)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != "" {
		path := filepath.Join(s.dir, mapFileName(a))
		if err := writeFile(path, file); err == nil {
			m.Path = path
		}
	}
	s.addRecent(m)
	return m, nil
}

func (s *Maps) addRecent(m *Map) {
	s.recent = append([]*Map{m}, s.recent[:min(len(s.recent), maxRecentMaps-1)]...)
}

// writeFile makes a file that is there in full or not at all.
func writeFile(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".download-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func parseMap(name string, file []byte) (*Map, error) {
	parsed, err := twmap.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %w", ErrMap, name, err)
	}
	g := parsed.GameLayer()
	if g == nil {
		return nil, fmt.Errorf("%w: %q has no game layer", ErrMap, name)
	}
	m := &Map{
		Name: name, File: file, CRC: crc32.ChecksumIEEE(file), SHA256: sha256.Sum256(file),
		Terrain: game.Terrain{Width: g.Width, Height: g.Height, Tiles: g.Indices()},
	}
	if m.collision, err = physics.NewCollision(g.Width, g.Height, m.Terrain.Tiles); err != nil {
		return nil, fmt.Errorf("%w: %q: %w", ErrMap, name, err)
	}
	return m, nil
}
