// Package dm is deathmatch: everybody against everybody, a point per kill.
package dm

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
)

// Mode is deathmatch. The zero value is ready to be used, by any number of
// worlds.
type Mode struct{}

var (
	_ game.Mode      = Mode{}
	_ game.DeathHook = Mode{}
	_ game.WinRule   = Mode{}
)

// Name is "DM".
func (Mode) Name() string { return "DM" }

// Flags are none.
func (Mode) Flags() game.GameFlags { return 0 }

// Start does nothing.
func (Mode) Start(*game.Tx) {}

// OnDeath scores.
func (Mode) OnDeath(ctx *game.Ctx, d *game.Death) { mode.ScoreDeath(ctx, d, false) }

// CheckWin ends the match at the score or time limit, if somebody leads.
func (Mode) CheckWin(ctx *game.Ctx) game.MatchResult { return mode.CheckSoloWin(ctx) }
