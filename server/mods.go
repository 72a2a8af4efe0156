package server

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/lts"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
)

// NamedMode is a game mode that sv_gametype can choose.
type NamedMode struct {
	Name string           // of sv_gametype, in lower case
	New  func() game.Mode // makes the mode of a map
}

// Modes is a list of game modes.
type Modes []NamedMode

// BuiltinModes returns the modes that come with the server.
func BuiltinModes() Modes {
	return Modes{
		{"dm", func() game.Mode { return dm.Mode{} }},
		{"tdm", func() game.Mode { return tdm.Mode{} }},
		{"ctf", func() game.Mode { return ctf.Mode{} }},
		{"lms", func() game.Mode { return lms.Mode{} }},
		{"lts", func() game.Mode { return lts.Mode{} }},
		{"race", func() game.Mode { return new(race.Mode) }},
		// The original's example of a mod, under whose name tuning may be changed.
		{"mod", func() game.Mode { return dm.Mode{Title: "MOD"} }},
	}
}

// New returns a new mode with a name, and false if there is none.
func (m Modes) New(name string) (game.Mode, bool) {
	if newMode := m.find(name); newMode != nil {
		return newMode(), true
	}
	return nil, false
}

// find returns what makes the modes with a name, nil if there is none.
func (m Modes) find(name string) func() game.Mode {
	for _, known := range m {
		if strings.EqualFold(known.Name, name) {
			return known.New
		}
	}
	return nil
}

// names returns the names of all modes.
func (m Modes) names() []string {
	names := make([]string, len(m))
	for i := range m {
		names[i] = m[i].Name
	}
	return names
}

// namedMod is a mod that sv_mods names.
type namedMod struct {
	name string
	new  func() game.Mod
}

// ruleset is the game type and the mods of a world.
type ruleset struct {
	gameType, modNames string           // values of sv_gametype and sv_mods, the former as wantedGameType has it
	chosen, chosenFor  string           // the game type that ChooseMode has chosen, and what for; "" if it has not
	newMode            func() game.Mode // nil if there is none of this name
	modeErr            error            // why
	mods               []namedMod
}

// playedGameType returns the game type that is played.
func (r *ruleset) playedGameType() string {
	if r.newMode == nil {
		return defaultGameType
	}
	return cmp.Or(r.gameType, r.chosen, defaultGameType)
}

// defaultGameType is played unless the operator or the map wants another one.
const defaultGameType = "dm"

// setGameType notes that somebody has set sv_gametype: then dm is not what maps of DDRace overrule.
func (s *Server) setGameType() {
	s.gameTypeSet = true
	s.console.SaveDefault("sv_gametype")
}

// wantedGameType returns the value of sv_gametype, "" if nobody has set it.
func (s *Server) wantedGameType() string {
	if !s.gameTypeSet && s.settings.GameType == defaultGameType {
		return ""
	}
	return s.settings.GameType
}

// findRules finds what values of sv_gametype, "" if it is not set, and sv_mods name for a map. It is called by
// other goroutines, as readMap is.
func (s *Server) findRules(gameType, modNames string, terrain *game.Terrain) (r ruleset, err error) {
	r = ruleset{gameType: gameType, modNames: modNames}
	if gameType == "" && s.cfg.ChooseMode != nil {
		r.chosen, r.chosenFor = s.cfg.ChooseMode(terrain)
	}
	r.newMode, r.modeErr = s.findMode(cmp.Or(gameType, r.chosen, defaultGameType))
	r.mods, err = s.findMods(modNames)
	return r, err
}

// readRules finds the rules of a map, and reads what they have of files. It is called by other goroutines, as readMap is.
func (s *Server) readRules(m *gameMap, gameType, modNames, resetFile string) (err error) {
	if m.ruleset, err = s.findRules(gameType, modNames, &m.terrain); err == nil {
		s.readDDRaceFiles(m, resetFile)
	}
	return err
}

// errNoMode means that there is no mode of a name.
var errNoMode = errors.New("no such game type")

// findMode returns what makes the modes with a name.
func (s *Server) findMode(name string) (func() game.Mode, error) {
	if newMode := s.cfg.Modes.find(name); newMode != nil {
		return newMode, nil
	}
	if s.cfg.FindMode == nil {
		return nil, errNoMode
	}
	newMode, err := s.cfg.FindMode(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = errNoMode
	}
	return newMode, err
}

// checkGameType returns what is wrong with a value of sv_gametype, if that shows within diskTimeout.
func (s *Server) checkGameType(name string) error {
	if name == "" {
		return nil // as if it were not set
	}
	var finding later.Job[error]
	finding.Start(s.cfg.Background, func() error {
		_, err := s.findMode(name)
		return err
	})
	err, _ := finding.Wait(diskTimeout)
	return err
}

// findMods finds the mods that a value of sv_mods names. It is called by other goroutines, as
// readMap is.
func (s *Server) findMods(setting string) ([]namedMod, error) {
	var mods []namedMod
	for _, name := range splitNames(setting) {
		if slices.ContainsFunc(mods, func(m namedMod) bool { return m.name == name }) {
			return nil, fmt.Errorf("sv_mods names %q twice", name)
		}
		if s.cfg.FindMod == nil {
			return nil, fmt.Errorf("sv_mods %q: this server has no mods", name)
		}
		newMod, err := s.cfg.FindMod(name)
		if err != nil {
			return nil, fmt.Errorf("sv_mods %q: %w", name, err)
		}
		mods = append(mods, namedMod{name, newMod})
	}
	return mods, nil
}

// newMods makes the mods of a map.
func (s *Server) newMods(m *gameMap) []game.Mod {
	var mods []game.Mod
	for _, newMod := range s.cfg.Mods {
		mods = append(mods, newMod())
	}
	for _, named := range m.mods {
		m := named.new()
		s.setModLog(m)
		mods = append(mods, m)
	}
	return mods
}

// setModLog lets a mode or mod print, if it can.
func (s *Server) setModLog(m any) {
	if l, ok := m.(interface{ SetLog(func(text string)) }); ok {
		l.SetLog(func(text string) { s.print(console.Standard, "mod", text) })
	}
}

// joinMods returns the names of mods for people.
func joinMods(mods []namedMod) string {
	names := make([]string, len(mods))
	for i := range mods {
		names[i] = mods[i].name
	}
	return strings.Join(names, ", ")
}

// splitNames returns the names in a setting that lists some.
func splitNames(setting string) []string {
	return strings.FieldsFunc(setting, func(r rune) bool { return strings.ContainsRune(";, \t", r) })
}
