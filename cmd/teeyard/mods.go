package main

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/server"
)

// gameModes are the modes of sv_gametype.
var gameModes = server.BuiltinModes()

// gameMods are the mods of sv_mods that the program has.
var gameMods = map[string]func() game.Mod{}

// findMod returns what makes a mod that sv_mods names.
func findMod(name string) (func() game.Mod, error) {
	if newMod, ok := gameMods[name]; ok {
		return newMod, nil
	}
	return nil, fmt.Errorf("there is no mod of this name")
}

// newMod makes a mod of a replay log.
func newMod(info replay.ModInfo) (game.Mod, error) {
	found, err := findMod(info.Name)
	if err != nil {
		return nil, err
	}
	return found(), nil
}
