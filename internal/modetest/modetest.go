// Package modetest is game/modtest with other parameters.
package modetest

import (
	"testing"

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
