package server

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// ErrNoMap is returned for a map that is not found.
var ErrNoMap = errors.New("map not found")

// BuiltinModes returns the mode with a name of those that come with the server.
func BuiltinModes(name string) (game.Mode, bool) {
	switch strings.ToLower(name) {
	case "dm":
		return dm.Mode{}, true
	}
	return nil, false
}

// gameMap is the map being played.
type gameMap struct {
	bridge.Map        // as announced to clients; Name is the last element of sv_map
	svMap      string // the value of sv_map
	terrain    game.Terrain
	// compatible is the map for clients that cannot read compressed tile layers; nil if it
	// has none, or if rewriting it failed with compatibleErr.
	compatible    *bridge.Map
	compatibleErr error
}

// forVersion returns the map for the clients of a version.
func (m *gameMap) forVersion(v bridge.Protocol) (*bridge.Map, error) {
	switch {
	case !v.NeedsUncompressedTiles():
		return &m.Map, nil
	case m.compatibleErr != nil:
		return nil, m.compatibleErr
	}
	return m.compatibleMap(), nil
}

// compatibleMap returns the map in the form that the most clients can read.
func (m *gameMap) compatibleMap() *bridge.Map {
	if m.compatible != nil {
		return m.compatible
	}
	return &m.Map
}

// buildCompatible sets compatible if some clients cannot read the map. It changes the parsed map.
func (m *gameMap) buildCompatible(parsed *twmap.Map) {
	if !parsed.MakeCompatible() {
		return
	}
	file, err := parsed.Bytes()
	if err != nil {
		m.compatibleErr = err
		return
	}
	compatible := gameMap{Map: m.Map}
	compatible.setFile(file)
	m.compatible = &compatible.Map
}

// setFile sets the file that clients download.
func (m *gameMap) setFile(file []byte) {
	m.compatible, m.compatibleErr = nil, nil
	m.File, m.CRC, m.SHA256 = file, crc32.ChecksumIEEE(file), sha256.Sum256(file)
}

// maxMapFile is the largest map file that is loaded; the largest in use have some 10 MB.
const maxMapFile = 64 << 20

// readMap finds and reads the map that a value of sv_map names.
func (s *Server) readMap(setting string) (gameMap, error) {
	m := gameMap{svMap: setting, Map: bridge.Map{Name: path.Base(setting), ChunksPerRequest: s.chunksPerRequest}}
	if setting == "" || !fs.ValidPath(setting) || strings.ContainsAny(setting, "\\:") {
		return m, fmt.Errorf("sv_map %q: not a map name (name one in the maps folder, without .map)", setting)
	}
	file, err := readFile(s.cfg.Files, "maps/"+setting+".map", maxMapFile)
	if errors.Is(err, fs.ErrNotExist) {
		embedded, ok := maps.Find(setting)
		if file = embedded.Data; !ok {
			return m, fmt.Errorf("sv_map %q: %w (no maps/%s.map in the storage, and not one of the embedded maps)", setting, ErrNoMap, setting)
		}
	} else if err != nil {
		return m, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	parsed, err := twmap.Parse(file)
	if err != nil {
		return m, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	layer := parsed.GameLayer()
	if layer == nil {
		return m, fmt.Errorf("sv_map %q: the map has no game layer", setting)
	}
	m.setFile(file)
	m.terrain = game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()}
	if slices.ContainsFunc(s.versions, func(d *protocolVersion) bool { return d.NeedsUncompressedTiles() }) {
		m.buildCompatible(parsed)
	}
	return m, nil
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
	return nil, fmt.Errorf("%s: more than the %d bytes allowed", name, limit)
}

// loadMap loads a map and creates a world on it.
func (s *Server) loadMap(setting string) error {
	m, err := s.readMap(setting)
	if err != nil {
		return err
	}
	gameType := s.settings.GameType
	mode, ok := s.cfg.Modes(gameType)
	if !ok {
		s.print(console.Warning, "server", fmt.Sprintf("sv_gametype '%s' is not known, playing dm", s.settings.GameType))
		gameType, mode = "dm", dm.Mode{}
	}
	s.cfg.Seed = s.cfg.Seed*6364136223846793005 + 1442695040888963407
	w, err := game.New(game.Config{
		Terrain: m.terrain, Mode: mode, Mods: s.cfg.Mods,
		Rules: s.gameRules(), Tuning: &s.tuning, Seed: s.cfg.Seed,
	})
	if err != nil {
		return fmt.Errorf("sv_map %q: %w", setting, err)
	}
	if m.compatibleErr != nil {
		s.print(console.Warning, "server", fmt.Sprintf("sv_map '%s' cannot be made fit for older clients, which have to stay out: %v", setting, m.compatibleErr))
	}
	s.print(console.Info, "server", fmt.Sprintf("maps/%s.map sha256 is %x", setting, m.SHA256))
	s.print(console.Info, "server", fmt.Sprintf("maps/%s.map crc is %08x", setting, m.CRC))
	s.endReplay(replay.EndMapChange)
	s.gameMap, s.world = m, w
	s.beginReplay(gameType, mode, s.cfg.Seed)
	clear(s.pendingCommands)
	s.pendingCommands = s.pendingCommands[:0]
	s.seats.leaving = 0
	for _, d := range s.versions {
		d.EndSnapshots()
	}
	s.observe(event.MapChange{Map: m.Name, GameType: w.ModeName()})
	return nil
}

// rotateMap sets sv_map to the map of change_map, or else to the next of sv_maprotation.
func (s *Server) rotateMap() {
	if s.nextMap != "" {
		s.settings.Map, s.nextMap = s.nextMap, ""
		return
	}
	rotation := strings.FieldsFunc(s.settings.MapRotation, func(r rune) bool { return strings.ContainsRune(";, \t", r) })
	if len(rotation) == 0 {
		return
	}
	current := slices.Index(rotation, s.settings.Map) // -1 if it is not in the rotation
	s.settings.Map = rotation[(current+1)%len(rotation)]
	s.print(console.Debug, "game", fmt.Sprintf("rotating map to %s", s.settings.Map))
}

// changeMap loads the map that sv_map names, if it is another one, and makes all clients
// load it.
func (s *Server) changeMap(now conn.Time) {
	if s.settings.Map == s.gameMap.svMap && !s.reloadMap && s.clock.tick < game.MaxTick {
		return
	}
	s.reloadMap = false
	if err := s.changeMapTo(now, s.settings.Map); err != nil {
		s.print(console.Warning, "server", fmt.Sprintf("failed to load map. mapname='%s': %v", s.settings.Map, err))
		s.settings.Map = s.gameMap.svMap
	}
}

func (s *Server) changeMapTo(now conn.Time, setting string) error {
	var spectators game.PlayerMask
	for id, c := range s.sessions {
		pid := game.PlayerID(id)
		if c == nil {
			continue
		}
		if p, seated := s.world.Player(pid); seated && c.state >= stateReady {
			if p.Team == game.TeamSpectators {
				spectators |= game.MaskOne(pid)
			}
		} else if c.wasSpectator { // still loading the previous map
			spectators |= game.MaskOne(pid)
		}
	}
	if err := s.loadMap(setting); err != nil {
		return err
	}
	s.clock.reset(now)
	s.votes.cancel()
	for id, c := range s.sessions {
		if c == nil || c.state == stateAuth {
			continue
		}
		if c.isHeld() { // the player is not in the new world
			c.setState(stateAuth)
			c.drop(conn.ReasonTimeout)
			continue
		}
		c.wasSpectator = spectators.Has(game.PlayerID(id))
		c.setState(stateConnecting)
		c.hasProfile, c.canEnter = false, false
		c.resetForMap()
		c.sendMapChange()
	}
	return nil
}
