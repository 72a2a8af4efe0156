package modhost

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// DefaultGameType is played unless the operator or the map wants another game type.
const DefaultGameType = "dm"

// Choice is the values of sv_gametype and sv_mods that count for the next map.
type Choice struct {
	GameType string // "" if sv_gametype is not set
	Mods     string
}

// Ruleset is the game type and the mods for a map.
type Ruleset struct {
	Choice

	chosen, chosenFor string           // the game type that ChooseMode has chosen, with the reason, or ""
	newMode           func() game.Mode // nil if there is none
	modeErr           error            // the reason
	mods              []namedMod
}

// namedMod is a mod of sv_mods.
type namedMod struct {
	name string
	new  func() game.Mod
}

// wanted returns the game type that the map was to have.
func (r *Ruleset) wanted() string { return cmp.Or(r.GameType, r.chosen, DefaultGameType) }

// Played returns the game type that is played.
func (r *Ruleset) Played() string {
	if r.newMode == nil {
		return DefaultGameType
	}
	return r.wanted()
}

// modNames returns the names of the mods of sv_mods.
func (r *Ruleset) modNames() []string {
	names := make([]string, len(r.mods))
	for i := range r.mods {
		names[i] = r.mods[i].name
	}
	return names
}

// Wanted returns the choice for the next map.
func (m *Mods) Wanted() Choice {
	c := Choice{GameType: m.Settings.GameType, Mods: m.Settings.Mods}
	if !m.gameTypeSet && c.GameType == DefaultGameType {
		c.GameType = ""
	}
	return c
}

// IsGameTypeSet reports whether sv_gametype was set. dm then counts on DDRace maps, too.
func (m *Mods) IsGameTypeSet() bool { return m.gameTypeSet }

// Set sets sv_gametype and sv_mods to the values of a match. isSet is what IsGameTypeSet returned
// in it.
func (m *Mods) Set(gameType, mods string, isSet bool) {
	m.Settings.GameType, m.Settings.Mods, m.gameTypeSet = gameType, mods, isSet
	if isSet {
		m.setGameType()
	}
}

// setGameType notes that sv_gametype was set.
func (m *Mods) setGameType() {
	m.gameTypeSet = true
	m.console.SaveDefault("sv_gametype")
}

// Find finds the game type and the mods of a choice for a map. Any goroutine may call it. It may
// read files.
func (m *Mods) Find(c Choice, terrain *game.Terrain) (r Ruleset, err error) {
	r.Choice = c
	if c.GameType == "" && m.cfg.ChooseMode != nil {
		r.chosen, r.chosenFor = m.cfg.ChooseMode(terrain)
	}
	r.newMode, r.modeErr = m.findMode(r.wanted())
	r.mods, err = m.findMods(c.Mods)
	return r, err
}

// errNoMode means that no mode has the name.
var errNoMode = errors.New("no such game type")

// findMode returns the constructor of a mode.
func (m *Mods) findMode(name string) (func() game.Mode, error) {
	if newMode := m.cfg.Modes.Find(name); newMode != nil {
		return newMode, nil
	}
	if m.cfg.FindMode == nil {
		return nil, errNoMode
	}
	newMode, err := m.cfg.FindMode(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = errNoMode
	}
	return newMode, err
}

// findTimeout is how long a console line waits for files: one tick.
const findTimeout = time.Second / game.TickRate

// checkGameType returns the problem with a value of sv_gametype, if that is found within
// findTimeout.
func (m *Mods) checkGameType(name string) error {
	if name == "" {
		return nil // as if it were not set
	}
	var finding later.Job[error]
	finding.Start(m.cfg.Background, func() error {
		_, err := m.findMode(name)
		return err
	})
	err, _ := finding.Wait(findTimeout)
	return err
}

// findMods finds the mods that a value of sv_mods names.
func (m *Mods) findMods(setting string) ([]namedMod, error) {
	var mods []namedMod
	for _, name := range console.SplitNames(setting) {
		if slices.ContainsFunc(mods, func(m namedMod) bool { return m.name == name }) {
			return nil, fmt.Errorf("sv_mods names %q twice", name)
		}
		if m.cfg.FindMod == nil {
			return nil, fmt.Errorf("sv_mods %q: this server has no mods", name)
		}
		newMod, err := m.cfg.FindMod(name)
		if err != nil {
			return nil, fmt.Errorf("sv_mods %q: %w", name, err)
		}
		mods = append(mods, namedMod{name, newMod})
	}
	return mods, nil
}

// MayDeclare reports whether the mode or the mods of the configuration may have variables and
// commands: all but the built-in modes may. mapMayChoose reports whether the map may be one that
// chooses the mode.
func (m *Mods) MayDeclare(mapMayChoose bool) bool {
	isBuiltin := builtin.Modes().Find(m.Settings.GameType) != nil
	return m.Settings.Mods != "" || !isBuiltin || mapMayChoose && m.cfg.ChooseMode != nil && m.Wanted().GameType == ""
}
