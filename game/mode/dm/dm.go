// Package dm is deathmatch: all against all, one point per kill.
package dm

import (
	"cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
)

// Mode is deathmatch. The zero value is ready to use in any number of worlds.
type Mode struct {
	// Title is the name of the mode for browsers, "" for "DM".
	Title string
}

var (
	_ game.Mode      = Mode{}
	_ game.DeathHook = Mode{}
	_ game.WinRule   = Mode{}
)

// Name returns Title or "DM".
func (m Mode) Name() string { return cmp.Or(m.Title, "DM") }

// Flags returns no flags.
func (Mode) Flags() game.GameFlags { return 0 }

// Start does nothing.
func (Mode) Start(*game.Setup) {}

// OnDeath scores.
func (Mode) OnDeath(ctx *game.Ctx, d *game.Death) { mode.ScoreDeath(ctx, d, false) }

// CheckWin ends the match at the score or time limit if one player leads.
func (Mode) CheckWin(ctx *game.Ctx) game.MatchResult { return mode.CheckSoloWin(ctx) }
