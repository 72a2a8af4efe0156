// Package modtest tests game modes and mods: [World] plays a match as a test directs it, and
// [Match] plays a random match and verifies its replay.
package modtest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
)

// Match is a match of players who act at random; every second one fights. They chat, join and
// leave, change names and teams, run the commands of the mode and its mods, set their variables,
// choose menu lines and decide votes. The zero value is two minutes of deathmatch with eight
// players on a small map.
type Match struct {
	// Mode returns a new mode; nil means deathmatch.
	Mode func() game.Mode
	// Mods return new mods, in the order in which the world calls them.
	Mods []func() game.Mod
	// Terrain is the map. If its size is zero, the match uses a small map with all pickups and no
	// flags.
	Terrain game.Terrain
	// Players is the number of players, 1 to 64; 0 means 8.
	Players int
	// Ticks is the length of the match; 0 means 6000.
	Ticks int32
	// Seed selects the random numbers: another seed gives another match.
	Seed uint64
	// Commands, if set, appends your own commands for the next tick of a world to dst.
	Commands func(w *game.World, dst []game.Command) []game.Command

	panics []string // panics of mods; see game.EvModOff
}

// VerifyReplay plays a match and fails the test if the match does not replay exactly. It replays
// the match from its log, as the command replay verify does, and from saved states, as a server
// does after a crash. A failure means that the match depends on something outside the log and the
// state of the mode and mods. One line is enough for a test:
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

// restoreTicks is the number of ticks between two restores of the state.
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

// config returns the parameters of a world with a new mode and new mods.
func (m *Match) config() game.Config {
	cfg := game.Config{Terrain: m.Terrain, Mode: m.Mode(), Rules: bots.Rules(), Seed: m.Seed}
	for _, newMod := range m.Mods {
		cfg.Mods = append(cfg.Mods, newMod())
	}
	return cfg
}

// play plays the match and returns its log. A second world runs beside it; play restores it from
// the saved state every restoreTicks.
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
	nav, err := navGraph(m.Terrain)
	if err != nil {
		return nil, fmt.Errorf("modtest: %w", err)
	}
	crowd, err := newCrowd(m.Seed, m.Players, nav)
	if err != nil {
		return nil, fmt.Errorf("modtest: %w", err)
	}
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
		events, panics := takePanics(w.Step(cmds))
		m.panics = append(m.panics, panics...)
		others, _ := takePanics(restored.Step(cmds)) // a mod that panics in Start does it again
		same := slices.EqualFunc(events, others, func(a, b game.Event) bool { return reflect.DeepEqual(a, b) })
		hash := w.Hash()
		if !same || restored.Hash() != hash {
			return nil, fmt.Errorf("modtest: tick %d: %w", w.Tick(), errState)
		}
		if err := log.tick(cmds, hash); err != nil {
			return nil, err
		}
	}
	return log, nil
}

// takePanics splits events into the match's own and the texts of panics of mods.
func takePanics(events []game.Event) (others []game.Event, panics []string) {
	for i := range events {
		if events[i].Kind == game.EvModOff {
			panics = append(panics, events[i].Text)
		} else {
			others = append(others, events[i])
		}
	}
	return others, panics
}
