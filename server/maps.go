package server

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/server/modhost"
)

// ErrNoMap is returned if the server does not find a map.
var ErrNoMap = errors.New("map not found")

// gameMap is a map that was read.
type gameMap struct {
	bridge.Map        // as announced to clients; Name is the last element of sv_map
	svMap      string // the value of sv_map
	terrain    game.Terrain
	collision  *physics.Collision // of terrain
	ruleset    modhost.Ruleset    // that sv_gametype and sv_mods named when the map was read
	// ownSettings are those of the map, of which terrain has more, and config is what operators have for it.
	ownSettings []string
	config      mapConfig
	// compatible is the map for clients that cannot read compressed tile layers; nil if it
	// has none, or if rewriting it failed with compatibleErr.
	compatible    *bridge.Map
	compatibleErr error
	// modern is the map from modernMaps for all other clients; nil if there is none, or if it is not
	// this map, as modernErr says.
	modern    *bridge.Map
	modernErr error
}

// modernMaps is the folder in which DDNet's servers have maps with all images in them, for clients whose own
// images of the same names are other ones.
const modernMaps = "maps7"

// forVersion returns the map for the clients of a version.
func (m *gameMap) forVersion(v interface{ NeedsUncompressedTiles() bool }) (*bridge.Map, error) {
	switch {
	case !v.NeedsUncompressedTiles():
		return m.modernMap(), nil
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

// modernMap returns the map for clients that read compressed tile layers.
func (m *gameMap) modernMap() *bridge.Map {
	if m.modern != nil {
		return m.modern
	}
	return &m.Map
}

// setFile sets the file that clients download.
func (m *gameMap) setFile(file []byte) {
	m.compatible, m.compatibleErr, m.modern, m.modernErr = nil, nil, nil, nil
	m.File, m.CRC, m.SHA256 = file, crc32.ChecksumIEEE(file), sha256.Sum256(file)
}

// maxMapFile is the largest map file that is loaded; the largest in use have some 10 MB.
const maxMapFile = 64 << 20

// readMap finds and reads the map that a value of sv_map names. It is called by other
// goroutines, and uses nothing that New does not set for good.
func (s *Server) readMap(setting string) (*gameMap, error) {
	if err := checkMapName(setting); err != nil {
		return nil, err
	}
	file, err := readFile(s.cfg.Files, mapFile(setting), maxMapFile)
	if errors.Is(err, fs.ErrNotExist) {
		embedded, ok := maps.Find(setting)
		if file = embedded.Data; !ok {
			return nil, errNoMap(setting)
		}
	} else if err != nil {
		return nil, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	// Images and other layers stay compressed: of a file of 1 MB they can be 150 MB.
	parsed, err := twmap.Config{GameOnly: true}.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	terrain, err := Terrain(parsed)
	if err != nil {
		return nil, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	m := &gameMap{
		Map: bridge.Map{
			Name: path.Base(setting), ChunksPerRequest: s.chunksPerRequest,
			File: file, CRC: parsed.CRC, SHA256: parsed.SHA256,
		},
		svMap:   setting,
		terrain: terrain, ownSettings: terrain.Settings,
	}
	if m.collision, err = physics.NewCollision(m.terrain.Width, m.terrain.Height, m.terrain.Tiles); err != nil {
		return nil, fmt.Errorf("sv_map %q: %w", setting, err)
	}
	if slices.ContainsFunc(s.versions, func(d *protocolVersion) bool { return d.NeedsUncompressedTiles() }) {
		m.buildCompatible()
	}
	m.modern, m.modernErr = s.readModern(m)
	return m, nil
}

// readModern returns the map in modernMaps, which may have other images, but is played as the map is.
func (s *Server) readModern(m *gameMap) (*bridge.Map, error) {
	file, err := readFile(s.cfg.Files, modernMaps+"/"+m.svMap+".map", maxMapFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	parsed, err := twmap.Config{GameOnly: true}.Parse(file)
	if err != nil {
		return nil, err
	}
	terrain, err := Terrain(parsed)
	if err != nil {
		return nil, err
	}
	if terrain.Settings = m.terrain.Settings; !reflect.DeepEqual(terrain, m.terrain) {
		return nil, fmt.Errorf("its tiles differ from %s", mapFile(m.svMap))
	}
	modern := gameMap{Map: m.Map}
	modern.setFile(file)
	return &modern.Map, nil
}

// buildCompatible sets compatible if some clients cannot read the map.
func (m *gameMap) buildCompatible() {
	file, err := twmap.Compatible(m.File)
	if err != nil {
		m.compatibleErr = err
	} else if file != nil {
		compatible := gameMap{Map: m.Map}
		compatible.setFile(file)
		m.compatible = &compatible.Map
	}
}

// mapFile returns the name of the file of a map.
func mapFile(setting string) string { return "maps/" + setting + ".map" }

// checkMapName returns an error for a value of sv_map that can name no map.
func checkMapName(setting string) error {
	if setting == "" || !fs.ValidPath(setting) || strings.ContainsAny(setting, "\\:") {
		return fmt.Errorf("sv_map %q: not a map name (name one in the maps folder, without .map)", setting)
	}
	return nil
}

func errNoMap(setting string) error {
	return fmt.Errorf("sv_map %q: %w: no %s in the storage, and no embedded map of this name", setting, ErrNoMap, mapFile(setting))
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

// newWorld creates a world, or that of the match that goes on.
func (s *Server) newWorld(cfg game.Config) (*game.World, error) {
	s.watchdog.begin(0)
	defer s.watchdog.end()
	if saved := s.resume.from; saved != nil {
		return game.Restore(cfg, saved.World)
	}
	return game.New(cfg)
}

// startWorld creates a world on a map.
func (s *Server) startWorld(m *gameMap) error {
	made := s.mods.Make(&m.ruleset, m.svMap)
	isDDRace := made.Mode.Flags()&game.GameFlagDDRace != 0
	s.beginDDRace(m, isDDRace)
	s.cfg.Seed = s.cfg.Seed*6364136223846793005 + 1442695040888963407
	cfg := game.Config{
		Terrain: m.terrain, Collision: m.collision, Mode: made.Mode, Mods: made.Mods,
		Rules: s.rules.For(m.ruleset.Played(), isDDRace, s.settings.MapRotation != ""), Tuning: &s.tuning, Seed: s.cfg.Seed,
		Variables: s.mods.Values(),
	}
	w, err := s.newWorld(cfg)
	if err == nil {
		err = s.mods.Check(w)
	}
	if err != nil {
		return fmt.Errorf("sv_map %q: %w", m.svMap, err)
	}
	if pure := physics.DefaultTuning(); w.Rules().PureTuning && s.tuning != pure {
		s.print(console.Warning, "server", impureTuning)
		s.tuning = pure
	}
	s.reportOverruled(m, w)
	for _, f := range w.DDRaceFaults().List {
		text := fmt.Sprintf("sv_map '%s': %s", m.svMap, f)
		if f.IsSetting() && f.Setting < len(m.terrain.Settings)-len(m.ownSettings) {
			text = fmt.Sprintf("in the configuration, not in the map: %s", f.What)
			if f.Setting >= m.config.configured {
				text = fmt.Sprintf("in %s, not in the map: %s", m.config.resetFile, f.What)
			}
		}
		s.print(console.Warning, "server", text)
	}
	if more := w.DDRaceFaults().More; more > 0 {
		s.print(console.Warning, "server", fmt.Sprintf("sv_map '%s' has %d more tiles and settings like these", m.svMap, more))
	}
	if w.GameFlags()&(game.GameFlagRace|game.GameFlagDDRace) == game.GameFlagRace && !race.HasCourse(m.terrain) {
		s.print(console.Warning, "server", fmt.Sprintf("sv_map '%s' has no start and finish for a race; the map yardrun has both", m.svMap))
	}
	if m.compatibleErr != nil {
		s.print(console.Warning, "server", fmt.Sprintf("sv_map '%s' cannot be converted for older clients, so they cannot join: %v", m.svMap, m.compatibleErr))
	}
	if m.modernErr != nil {
		s.print(console.Warning, "server", fmt.Sprintf("%s/%s.map is not used, so newer clients may see different images: %v", modernMaps, m.svMap, m.modernErr))
	}
	s.print(console.Info, "server", fmt.Sprintf("%s sha256 is %x", mapFile(m.svMap), m.SHA256))
	s.print(console.Info, "server", fmt.Sprintf("%s crc is %08x", mapFile(m.svMap), m.CRC))
	s.mods.Begin(w, made, s.resume.from != nil)
	s.record.End()
	s.gameMap, s.world = m, w
	s.votes.Begin(w)
	s.storage.Begin(s.resume.gameID())
	s.beginRecording(&cfg)
	clear(s.pendingCommands)
	s.pendingCommands = s.pendingCommands[:0]
	s.lines.lose("the map has changed")
	s.mods.Offer()
	s.seats.leaving, s.seats.quiet = 0, 0
	for id := range s.seats.farewells {
		s.logFarewell(game.PlayerID(id))
	}
	for _, d := range s.versions {
		d.EndSnapshots()
	}
	s.observe(event.MapChange{Map: m.Name, GameType: w.ModeName()})
	s.beginBroadcast()
	return nil
}

// mapChange is what is planned after the current map. A map is read beside the game, and
// the game changes to it between two ticks when it is ready. Of several that are asked for,
// the last one counts.
type mapChange struct {
	load    *mapLoad // the last one, nil if there is none
	reload  bool     // the file of this map is to be read again
	restart bool     // this map is to get a new world
	// asked is the map of change_map until it is ready, next afterwards, when the match
	// ends for it. likely is the one that the rotation has next, while the scoreboard at
	// the end of a match is shown.
	asked, next, likely string
	// voted is the map that a vote has asked for, whose players are told if it cannot be loaded.
	voted string
}

// mapLoad is a map that is being read.
type mapLoad struct {
	setting   string         // the value of sv_map
	choice    modhost.Choice // of the game type and the mods
	began     conn.Time      // when it was asked for
	reading   later.Job[loadedMap]
	loadedMap // once it is ready
}

// loadedMap is a map, or why it could not be read.
type loadedMap struct {
	gameMap *gameMap
	err     error
}

// ready reports whether the map was read, or could not be.
func (l *mapLoad) ready() bool { return l.waitReady(0) }

// waitReady is ready that waits up to a time.
func (l *mapLoad) waitReady(limit time.Duration) bool {
	if m, read := l.reading.Wait(limit); read {
		l.loadedMap = m
	}
	return !l.reading.Running()
}

const (
	// loadPatience is how long another map waits for one that is being read, and
	// maxLoadTime how long a map may take.
	loadPatience = 5 * time.Second
	maxLoadTime  = 30 * time.Second
	// maxMapReads is how many maps are read at once, of which all but one hang.
	maxMapReads = 4
)

// loadMap begins to read a map.
func (s *Server) loadMap(now conn.Time, setting string) *mapLoad {
	l := &mapLoad{setting: setting, choice: s.mods.Wanted(), began: now}
	if !s.mapReads.Enter() {
		l.fail(errStuckDisk)
		return l
	}
	choice, resetFile, done := l.choice, s.settings.ResetFile, l.reading.Begin()
	s.cfg.Background(func() {
		m, err := s.readMap(setting)
		if err == nil {
			err = s.readRules(m, choice, resetFile)
		}
		s.mapReads.Leave()
		done(loadedMap{m, err})
		s.transport.Wake()
	})
	return l
}

// fail ends a load.
func (l *mapLoad) fail(err error) {
	l.reading, l.err = later.Job[loadedMap]{}, fmt.Errorf("sv_map %q: %w", l.setting, err)
}

// waitForLoad reports whether a load is still being waited for. One that has taken too long
// is given up: it may never end.
func (c *mapChange) waitForLoad(now conn.Time, wanted string) bool {
	l := c.load
	if l == nil || l.ready() {
		return false
	}
	limit := loadPatience
	if wanted == "" || wanted == l.setting {
		limit = maxLoadTime
	}
	if now < l.began.Add(limit) {
		return true
	}
	l.fail(errStuckDisk)
	return false
}

// wantedMap returns the map that has to be ready, "" for none, and whether the game is to
// change to it at once.
func (s *Server) wantedMap() (setting string, atOnce bool) {
	c := &s.mapChange
	if c.reload || s.settings.Map != s.gameMap.svMap {
		return s.settings.Map, true
	}
	return cmp.Or(c.asked, c.next, c.likely), false
}

// changeMap goes on with what is planned after the current map.
func (s *Server) changeMap(now conn.Time) {
	c := &s.mapChange
	if c.restart || s.clock.tick >= game.MaxTick {
		c.restart = false
		if m := s.gameMap; m.ruleset.Choice != s.mods.Wanted() {
			s.rereadMap()
		} else if err := s.switchMap(now, m); err != nil {
			s.print(console.Warning, "server", err.Error())
		}
	}
	setting, atOnce := s.wantedMap()
	switch {
	case c.waitForLoad(now, setting):
		return // one at a time
	case setting == "" && !atOnce:
		c.load = nil
		return
	case c.load == nil || c.load.setting != setting || c.load.choice != s.mods.Wanted():
		if c.load = s.loadMap(now, setting); !c.load.ready() {
			return
		}
	}
	l := c.load
	switch {
	case atOnce:
		c.load, c.reload = nil, false
		err := l.err
		if err == nil {
			err = s.switchMap(now, l.gameMap)
		}
		if err != nil {
			s.print(console.Warning, "server", fmt.Sprintf("failed to load map. mapname='%s': %v", setting, err))
			s.mapVoteFailed(setting)
			s.settings.Map = s.gameMap.svMap
			if s.hasMapListReaders() {
				s.readMapList() // it may be gone
			}
			return
		}
		*c = mapChange{}
	case c.asked == "": // it waits for the end of the match
	case l.err != nil:
		s.print(console.Warning, "server", fmt.Sprintf("change_map: %v", l.err))
		s.mapVoteFailed(setting)
		c.load, c.asked = nil, ""
	default:
		c.next, c.asked = setting, ""
		s.queueCommand(game.Command{Kind: game.CmdEndMatch, Player: game.Nobody, Target: game.Nobody})
	}
}

// mapVoteFailed has players told, if a vote has asked for a map, that it could not be loaded.
func (s *Server) mapVoteFailed(setting string) {
	if c := &s.mapChange; c.voted != "" && c.voted == setting {
		c.voted = ""
		s.votes.HadNoEffect()
	}
}

// changeMapAfterMatch makes a map the next one, instead of the next in the rotation, and
// ends the match when it is ready. It returns what is wrong with the map if that shows
// within diskTimeout; what shows later is printed.
func (s *Server) changeMapAfterMatch(setting string) error {
	if err := checkMapName(setting); err != nil {
		return err
	}
	if c := &s.mapChange; c.load == nil || c.load.ready() {
		l := s.loadMap(s.now, setting)
		if l.waitReady(diskTimeout) && l.err != nil {
			return l.err
		}
		c.load = l
	}
	s.settings.Map, s.mapChange.reload = s.gameMap.svMap, false // this was asked for before
	s.mapChange.asked = setting
	return nil
}

// rereadMap makes the game start again on what the file of the map has now.
func (s *Server) rereadMap() {
	c := &s.mapChange
	if c.reload = true; c.load != nil && c.load.ready() {
		c.load = nil
	}
}

// prepareRotation has the map read that the rotation is likely to come to.
func (s *Server) prepareRotation() {
	s.mapChange.likely = ""
	if next := s.nextInRotation(); next != s.gameMap.svMap {
		s.mapChange.likely = next
	}
}

// rotateMap sets sv_map to the map of change_map, or else to the next of sv_maprotation.
func (s *Server) rotateMap() {
	c := &s.mapChange
	if next := cmp.Or(c.asked, c.next, s.nextInRotation()); next != "" {
		s.settings.Map, c.asked, c.next = next, "", ""
		s.print(console.Debug, "game", fmt.Sprintf("rotating map to %s", next))
	}
}

// nextMap returns the map that follows after this match, "" for the same one.
func (s *Server) nextMap() string {
	return cmp.Or(s.mapChange.asked, s.mapChange.next, s.nextInRotation())
}

// nextInRotation returns the map after this one in sv_maprotation, "" if that is empty.
func (s *Server) nextInRotation() string {
	rotation := splitNames(s.settings.MapRotation)
	if len(rotation) == 0 {
		return ""
	}
	current := slices.Index(rotation, s.settings.Map) // -1 if it is not in the rotation
	return rotation[(current+1)%len(rotation)]
}

// switchMap starts the game on a map and makes all clients load it.
func (s *Server) switchMap(now conn.Time, m *gameMap) error {
	s.votes.AnnounceResults() // of the vote for this map
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
	if err := s.startWorld(m); err != nil {
		return err
	}
	s.clock.reset(now)
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
