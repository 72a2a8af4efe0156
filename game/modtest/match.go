// Package modtest is for the tests of modes and mods.
package modtest

import (
	"errors"
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
)

// Match is a match of players who do everything at random: they play, chat, come and go, change
// names and teams, run the commands of the mode and its mods, set their variables, choose lines of menus and
// decide votes. The zero value is two minutes of a deathmatch of eight on a small map.
type Match struct {
	// Mode makes the mode; nil is deathmatch.
	Mode func() game.Mode
	// Mods make the mods, in order.
	Mods []func() game.Mod
	// Terrain is the map; one without a size is a small one with all pickups and no flags.
	Terrain game.Terrain
	// Players is the number of players, 1 to 64; 0 means 8.
	Players int
	// Ticks is the length of the match; 0 means 6000.
	Ticks int32
	// Seed makes another match.
	Seed uint64
	// Commands, if set, appends commands to those of the next tick of a world.
	Commands func(w *game.World, dst []game.Command) []game.Command

	panics []string // of mods, see game.EvModOff
}

// VerifyReplay plays a match and fails the test unless the match can be played again: from its log, as
// replay verify does, and from saved states, as a server does that goes on after a crash. Otherwise
// something changes the match that is neither in the log nor in the state of the mode and the
// mods. One line is enough for a test:
//
//	modtest.Match{Mods: []func() game.Mod{New}}.VerifyReplay(t)
func (m Match) VerifyReplay(t T) {
	t.Helper()
	if err := m.verify(); err != nil {
		t.Error(err)
	}
	for _, text := range m.panics {
		t.Errorf("modtest: %s", text)
	}
}

var (
	errLog = errors.New("the match goes on differently when it is played again from its log: the mode or a mod uses something besides " +
		"the world, its state and Tx.Rand, such as a clock, a package variable or the order of a map")
	errState = errors.New("the match goes on differently from a saved state: the mode or a mod has something that matters and is not in its State, or uses " +
		"a clock, a package variable or the order of a map")
)

// restoreTicks is how often the state is saved and restored.
const restoreTicks = 5 * game.TickRate

func (m *Match) verify() error {
	if m.Players == 0 {
		m.Players = 8
	}
	if m.Ticks == 0 {
		m.Ticks = 6000
	}
	if m.Terrain.Width == 0 {
		m.Terrain = bots.Arena()
	}
	if m.Mode == nil {
		m.Mode = func() game.Mode { return dm.Mode{} }
	}
	log, err := m.play()
	if err != nil {
		return err
	}
	return log.verify(m.Mode, m.Mods)
}

// config returns the parameters of a world, with a mode and mods of its own.
func (m *Match) config() game.Config {
	cfg := game.Config{Terrain: m.Terrain, Mode: m.Mode(), Rules: bots.Rules(), Seed: m.Seed}
	for _, newMod := range m.Mods {
		cfg.Mods = append(cfg.Mods, newMod())
	}
	return cfg
}

// play plays the match, beside another world that is restored from its state now and then, and
// returns the log.
func (m *Match) play() (*matchLog, error) {
	cfg := m.config()
	w, err := game.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("modtest: %w", err)
	}
	log, err := newLog(w, &cfg)
	if err != nil {
		return nil, err
	}
	var restored *game.World
	crowd := newCrowd(m.Seed, m.Players)
	for range m.Ticks {
		if w.Tick()%restoreTicks == 0 {
			if restored, err = game.Restore(m.config(), w.AppendState(nil)); err != nil {
				return nil, fmt.Errorf("modtest: tick %d: %w", w.Tick(), err)
			}
		}
		cmds := crowd.commands(w)
		if m.Commands != nil {
			cmds = m.Commands(w, cmds)
		}
		for _, e := range w.Step(cmds) {
			if e.Kind == game.EvModOff {
				m.panics = append(m.panics, e.Text)
			}
		}
		restored.Step(cmds)
		hash := w.Hash()
		if restored.Hash() != hash {
			return nil, fmt.Errorf("modtest: tick %d: %w", w.Tick(), errState)
		}
		if err := log.tick(cmds, hash); err != nil {
			return nil, err
		}
	}
	return log, nil
}
