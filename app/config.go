package app

import (
	"errors"
	"fmt"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/script"
	"github.com/teeyard/teeyard/server"
)

// Config is what a program has besides all of teeyard. The zero value is teeyard itself.
type Config struct {
	// Mods are mods that sv_mods can name, as it can name scripts. They are on, in this order,
	// unless the configuration sets sv_mods.
	Mods []Mod
	// Modes are game types that sv_gametype can name. The first is played unless the
	// configuration sets sv_gametype. Those of teeyard are there too, unless one here
	// has the same name.
	Modes []Mode
	// OpenDatabase opens a database for ranks, which need not be there yet; nil has none. Command
	// teeyard-mariadb has one.
	OpenDatabase func(DatabaseConfig) (Database, error)
}

// Mod is a mod with its name in sv_mods, which has 1 to 64 letters, digits, _ and -. Replay
// logs have the name, too: who changes it cannot verify older ones.
type Mod struct {
	Name string
	New  func() game.Mod // makes the mod of a map
}

// Mode is a game type with its name in sv_gametype, in lower case.
type Mode = server.NamedMode

// program is what the commands share.
type program struct {
	name     string // for messages and help
	modes    server.Modes
	mods     map[string]func() game.Mod
	defaults []string // console lines that come before those of the operator

	openDatabase func(DatabaseConfig) (Database, error) // nil if there are none
}

// newProgram checks a configuration.
func newProgram(cfg Config) (*program, error) {
	p := &program{name: programName(), mods: map[string]func() game.Mod{}, openDatabase: cfg.OpenDatabase}
	var names []string
	for _, m := range cfg.Mods {
		if err := checkName(m.Name, p.mods[m.Name] != nil, m.New == nil); err != nil {
			return nil, fmt.Errorf("app.Config.Mods: %w", err)
		}
		p.mods[m.Name] = m.New
		names = append(names, m.Name)
	}
	for _, m := range cfg.Modes {
		_, twice := p.modes.New(m.Name)
		if err := checkName(m.Name, twice, m.New == nil); err != nil {
			return nil, fmt.Errorf("app.Config.Modes: %w", err)
		}
		p.modes = append(p.modes, m)
	}
	if len(names) > 0 {
		p.defaults = append(p.defaults, "sv_mods "+strings.Join(names, ","))
	}
	if len(cfg.Modes) > 0 {
		p.defaults = append(p.defaults, "sv_gametype "+cfg.Modes[0].Name)
	}
	p.modes = append(append(p.modes, server.BuiltinModes()...), ownModes...)
	return p, nil
}

// checkName returns an error for a mod or mode that operators could not name.
func checkName(name string, twice, noNew bool) error {
	switch {
	case !modName.MatchString(name):
		return fmt.Errorf("%q is no name: it has 1 to 64 letters, digits, _ and -", name)
	case twice:
		return fmt.Errorf("%q is there twice", name)
	case noNew:
		return fmt.Errorf("%q has no function New", name)
	}
	return nil
}

// programName returns the name of a program that was built with this package.
func programName() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Path == "" || info.Main.Path == "github.com/teeyard/teeyard" {
		return "teeyard"
	}
	return path.Base(info.Path)
}

// verifyConfig returns what the logs of this program's matches are run with.
func (p *program) verifyConfig() replay.VerifyConfig {
	return replay.VerifyConfig{Modes: p.modes.New, NewMode: newLoggedMode, NewMod: p.newMod}
}

// nanoseconds is a clock.
func nanoseconds() int64 { return time.Now().UnixNano() }

// newLoggedMode makes a mode of a replay log that is a script.
func newLoggedMode(info replay.ModInfo) (game.Mode, error) {
	return script.NewMode(script.Config{Name: scriptPath(info.Name), Source: string(info.Source), Costs: info.Costs, Nanoseconds: nanoseconds})
}

// newMod makes a mod of a replay log, which has the sources of scripts.
func (p *program) newMod(info replay.ModInfo) (game.Mod, error) {
	if info.Source != nil {
		return script.New(script.Config{Name: scriptPath(info.Name), Source: string(info.Source), Costs: info.Costs, Nanoseconds: nanoseconds})
	}
	if newMod, ok := p.mods[info.Name]; ok {
		return newMod(), nil
	}
	return nil, errors.New("this program has no such mod")
}

// adviseOnLog adds to an error of a log what to do about it.
func adviseOnLog(err error) error {
	if errors.Is(err, replay.ErrModeUnavailable) {
		return fmt.Errorf(`%w; use the program that recorded it, which has the command "replay" as well`, err)
	}
	return err
}
