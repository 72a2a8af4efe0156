// Package lms is last man standing: all against all. A player who dies waits for the next round.
package lms

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
)

// Mode is last man standing. It has no state.
type Mode struct{ mode.Survival }

var (
	_ game.Mode      = Mode{}
	_ game.DeathHook = Mode{}
	_ game.SpawnHook = Mode{}
	_ game.WinRule   = Mode{}
	_ game.RoundRule = Mode{}
)

// Name returns "LMS".
func (Mode) Name() string { return "LMS" }

// Flags returns the flag for one life per round.
func (Mode) Flags() game.GameFlags { return game.GameFlagSurvival }

// OnDeath scores.
func (Mode) OnDeath(ctx *game.Ctx, d *game.Death) { mode.ScoreDeath(ctx, d, false) }

// RoundOver ends the round if at most one player is left; that player gets a point. At the time
// limit all remaining players get a point.
func (Mode) RoundOver(ctx *game.Ctx) bool {
	timeUp := mode.TimeLimitReached(ctx)
	left, last := 0, game.Nobody
	for p := range ctx.Players() {
		if p.InRound() {
			left, last = left+1, p.ID()
			if timeUp {
				p.AddScore(1)
			}
		}
	}
	if timeUp {
		return true
	}
	if left == 1 {
		ctx.Player(last).AddScore(1)
	}
	return left <= 1
}

// CheckWin ends the match at the score or time limit if one player leads.
func (Mode) CheckWin(ctx *game.Ctx) game.MatchResult { return mode.CheckSoloWin(ctx) }
