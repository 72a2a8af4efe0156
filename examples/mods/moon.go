package mods

import "github.com/teeyard/teeyard/game"

// Moon has low gravity above unhookable tiles.
type Moon struct{}

// NewMoon makes the mod.
func NewMoon() game.Mod { return &Moon{} }

// Start implements game.Mod.
func (*Moon) Start(setup *game.Setup) {
	setup.TuneZone(game.TuneZone{Tile: 3, Floor: true, Tuning: map[string]float32{"gravity": 0.2}})
}

// PureTuning implements game.PurityRule: the mod changes the tuning.
func (*Moon) PureTuning() bool { return false }
