package app

import (
	"errors"
	"fmt"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/script"
)

// Config is what a program adds to teeyard. The zero value is teeyard itself.
type Config struct {
	// Mods are mods that sv_mods can name, beside scripts. They are on, in this order, unless the
	// configuration sets sv_mods.
	Mods []Mod
	// Modes are game types that sv_gametype can name. The server plays the first one unless the
	// configuration sets sv_gametype. Teeyard's own game types stay available, but a mode here
	// replaces the one of the same name.
	Modes []Mode
	// OpenDatabase opens a database for ranks. The database may still be unreachable when
	// OpenDatabase returns. Without OpenDatabase the program has no database. The command
	// teeyard-fleet sets it.
	OpenDatabase func(DatabaseConfig) (Database, error)
	// OpenBus opens the bus of a fleet of servers. The bus may still be unreachable when OpenBus
	// returns. Without OpenBus the program's servers join no fleet. The command teeyard-fleet sets
	// it.
	OpenBus func(BusConfig) (Bus, error)
	// Commands is a pointer to a struct with more commands, as package
	// github.com/alecthomas/kong describes them, or nil. Kong calls their Run methods.
	Commands any
}

// Mod is a mod and its name in sv_mods: 1 to 64 letters, digits, _ and -. Replay logs store the
// name, so a program that renames a mod cannot verify older logs.
type Mod struct {
	Name string
	New  func() game.Mod // creates the mod for a map
}

// Mode is a game type and its name in sv_gametype, in lower case.
type Mode = mode.Named

// program is the state that the commands share.
type program struct {
	name     string // in messages and help
	modes    mode.List
	mods     map[string]func() game.Mod
	defaults []string // console lines that run before the operator's

	openDatabase func(DatabaseConfig) (Database, error) // nil if the program has no database
	openBus      func(BusConfig) (Bus, error)           // nil if the program has no bus
	commands     any                                    // more commands, or nil
}

// newProgram returns the program for a configuration, or an error if the configuration is wrong.
func newProgram(cfg Config) (*program, error) {
	p := &program{
		name: programName(), mods: map[string]func() game.Mod{}, openDatabase: cfg.OpenDatabase, openBus: cfg.OpenBus, commands: cfg.Commands,
	}
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
	p.modes = append(append(p.modes, builtin.Modes()...), ownModes...)
	return p, nil
}

// checkName returns an error for a mod or mode that operators could not name.
func checkName(name string, twice, noNew bool) error {
	switch {
	case !isModName(name):
		return fmt.Errorf("%q is not a valid name: use 1 to 64 letters, digits, _ and -", name)
	case twice:
		return fmt.Errorf("%q is listed twice", name)
	case noNew:
		return fmt.Errorf("%q has no function New", name)
	}
	return nil
}

// programName returns the name of the running program.
func programName() string {
	info, ok := debug.ReadBuildInfo()
	const module = "github.com/teeyard/teeyard"
	if !ok || info.Path == "" || info.Main.Path == module && path.Dir(info.Path) != module+"/cmd" {
		return "teeyard"
	}
	return path.Base(info.Path)
}

// verifyConfig returns the modes and mods that replay logs of this program need to run again.
func (p *program) verifyConfig() replay.VerifyConfig {
	return replay.VerifyConfig{Modes: p.modes.New, NewMode: newLoggedMode, NewMod: p.newMod}
}

// clockStart is when the program began.
var clockStart = time.Now()

// nanoseconds is a clock that stands still while the machine does, and is never 0.
func nanoseconds() int64 { return int64(time.Since(clockStart)) + 1 }

// newLoggedMode creates a mode from the script that a replay log contains.
func newLoggedMode(info replay.ModInfo) (game.Mode, error) {
	return script.NewMode(script.Config{Name: scriptPath(info.Name), Source: string(info.Source), Costs: info.Costs, Nanoseconds: nanoseconds})
}

// newMod creates a mod that a replay log names. For a script, the log contains the source.
func (p *program) newMod(info replay.ModInfo) (game.Mod, error) {
	if info.Source != nil {
		return script.New(script.Config{Name: scriptPath(info.Name), Source: string(info.Source), Costs: info.Costs, Nanoseconds: nanoseconds})
	}
	if newMod, ok := p.mods[info.Name]; ok {
		return newMod(), nil
	}
	return nil, errors.New("this program does not contain the mod")
}

// adviseOnLog adds to an error about a log what the user can do.
func adviseOnLog(err error) error {
	if errors.Is(err, replay.ErrModeUnavailable) {
		return fmt.Errorf(`%w; run the command replay of the program that recorded the log`, err)
	}
	return err
}
