// Package modetest is game/modtest with other parameters, and with bots.
package modetest

import (
	"testing"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
)

// World is a world of a test.
type World = modtest.World

// ParseMap is modtest.ParseMap.
func ParseMap(tiles map[byte]uint8, rows ...string) game.Terrain {
	return modtest.ParseMap(tiles, rows...)
}

// New is modtest.New. Rules can be changed by edit.
func New(t testing.TB, mode game.Mode, terrain game.Terrain, variables map[string]string, edit func(*game.Rules)) *World {
	t.Helper()
	r := game.DefaultRules()
	r.MaxClients, r.PlayerSlots, r.SpamProtection = game.MaxPlayers, game.MaxPlayers, false
	if edit != nil {
		edit(&r)
	}
	return modtest.New(t, game.Config{Mode: mode, Terrain: terrain, Rules: r, Variables: variables, Seed: 7})
}

// Count is modtest.Count.
func Count(events []game.Event, kind game.EventKind) int { return modtest.Count(events, kind) }

// Bots lets n bots, of the best skill, enter and play on a terrain that is also that of the world,
// and returns the events.
func Bots(w *World, terrain game.Terrain, n, ticks int) []game.Event {
	w.T.Helper()
	nav, err := bot.NewNavGraph(terrain, nil)
	if err != nil {
		w.T.Fatal(err)
	}
	bots := make([]*bot.Bot, n)
	for id := range bots {
		if bots[id], err = bot.New(bot.Config{Nav: nav, Skill: bot.MaxSkill, Seed: uint64(id)}); err != nil {
			w.T.Fatal(err)
		}
		w.Enter(game.PlayerID(id))
	}
	var all []game.Event
	for range ticks {
		var cmds []game.Command
		for id, b := range bots {
			v := w.View(game.PlayerID(id))
			in := b.NextInput(&v)
			cmds = append(cmds,
				game.Command{Kind: game.CmdDirectInput, Player: game.PlayerID(id), Input: in},
				game.Command{Kind: game.CmdInput, Player: game.PlayerID(id), Input: in})
		}
		all = append(all, w.Step(cmds)...) // not Do, whose inputs are those of the test
	}
	return all
}
