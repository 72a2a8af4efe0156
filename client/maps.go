package client

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/atomicfile"
)

// Map is a server's map.
type Map struct {
	Name    string // the server's name for the map
	CRC     uint32
	SHA256  [sha256.Size]byte
	File    []byte // shared; must not be changed
	Terrain game.Terrain
	// Path is the name of the file, or "" if it is not stored.
	Path string

	collision *physics.Collision
	// ddrace returns the map for predictions on DDRace servers; nil if the map is unsuitable.
	ddrace func() *game.DDRacePredictionMap
}

// Maps stores servers' maps: files in a folder, and the last few in memory. Clients may share one.
type Maps struct {
	dir       string
	installed []string

	mu     sync.Mutex
	recent []*Map // newest first
}

// maxRecentMaps is the number of maps that stay in memory. maxRecentBytes limits the size of all
// but the newest.
const (
	maxRecentMaps  = 4
	maxRecentBytes = 64 << 20
)

// NewMaps returns a Maps that stores files in dir, which is created for the first file. "" means a
// folder in the user's cache folder, and "-" keeps maps in memory only. Maps in the installed
// folders are not downloaded, and nothing is written there; see InstalledMapDirs.
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

// mapFileName returns the file name of a map: the map's name, reduced to harmless characters, and
// its hash.
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

// matches reports whether m is the announced map.
func (m *Map) matches(a *bridge.MapChange) bool {
	return len(m.File) == a.Size && m.CRC == a.CRC && (!a.HasSHA256 || m.SHA256 == a.SHA256)
}

// find returns an announced map from memory or disk, or nil if it is in neither.
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

// Add adds a map that the program has, so that clients do not download it. The file must not be
// changed afterwards. The error wraps ErrMap if the map is unreadable.
func (s *Maps) Add(name string, file []byte) error {
	m, err := parseMap(name, file)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addRecent(m)
	return nil
}

// readMap reads a map file. It returns nil if the file is not the announced map.
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

// addDownloaded adds a downloaded map. If the file cannot be written, the map is kept in memory
// only.
func (s *Maps) addDownloaded(a *bridge.MapChange, file []byte) (*Map, error) {
	m, err := parseMap(a.Name, file)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != "" {
		path := filepath.Join(s.dir, mapFileName(a))
		if os.MkdirAll(s.dir, 0o755) == nil && atomicfile.Write(path, file) == nil {
			m.Path = path
		}
	}
	s.addRecent(m)
	return m, nil
}

func (s *Maps) addRecent(m *Map) {
	s.recent = append([]*Map{m}, s.recent[:min(len(s.recent), maxRecentMaps-1)]...)
	sum := 0
	for i, m := range s.recent {
		if sum += m.memory(); i > 0 && sum > maxRecentBytes {
			clear(s.recent[i:])
			s.recent = s.recent[:i]
			return
		}
	}
}

// memory estimates the memory of a map, in bytes: the file, and several layers with some bytes per
// tile.
func (m *Map) memory() int { return len(m.File) + 8*m.Terrain.Width*m.Terrain.Height }

// maxDecoded returns the limit for the decoded data, in bytes, of an untrusted map file of n bytes.
// Known maps decode to at most 25 times their file size. The first constant is for large maps that
// are empty.
func maxDecoded(n int) int { return min(16<<20+64*n, 256<<20) }

func parseMap(name string, file []byte) (*Map, error) {
	// Images stay compressed: decoded, the images of a 1 MB file can take 150 MB.
	parsed, err := twmap.Config{GameOnly: true, MaxDecoded: maxDecoded(len(file))}.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %w", ErrMap, name, err)
	}
	g := parsed.GameLayer()
	if g == nil {
		return nil, fmt.Errorf("%w: %q has no game layer", ErrMap, name)
	}
	m := &Map{Name: name, File: file, CRC: parsed.CRC, SHA256: parsed.SHA256}
	if m.Terrain, err = parsed.Terrain(); err != nil { // DDNet's layers are damaged
		m.Terrain = game.Terrain{Width: g.Width, Height: g.Height, Tiles: g.Indices()}
	}
	m.ddrace = sync.OnceValue(func() *game.DDRacePredictionMap {
		p, err := game.NewDDRacePredictionMap(&m.Terrain)
		if err != nil {
			return nil
		}
		return p
	})
	if m.collision, err = physics.NewCollision(g.Width, g.Height, m.Terrain.Tiles); err != nil {
		return nil, fmt.Errorf("%w: %q: %w", ErrMap, name, err)
	}
	return m, nil
}
