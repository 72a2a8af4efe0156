// Package lts is last team standing: team against team. A player who dies waits for the next round.
package lts

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
)

// Mode is last team standing. It has no state.
type Mode struct{ mode.Survival }

var (
	_ game.Mode      = Mode{}
	_ game.DeathHook = Mode{}
	_ game.SpawnHook = Mode{}
	_ game.WinRule   = Mode{}
	_ game.RoundRule = Mode{}
)

// Name returns "LTS".
func (Mode) Name() string { return "LTS" }

// Flags returns the flags for teams and for one life per round.
func (Mode) Flags() game.GameFlags { return game.GameFlagTeams | game.GameFlagSurvival }

// OnDeath scores.
func (Mode) OnDeath(ctx *game.Ctx, d *game.Death) { mode.ScoreDeath(ctx, d, true) }

// RoundOver ends the round if a team has no player left; the other team gets a point. If no player
// is left, or at the time limit, both teams get a point.
func (Mode) RoundOver(ctx *game.Ctx) bool {
	var left [2]int
	for p := range ctx.Players() {
		if p.InRound() {
			left[p.Team()]++
		}
	}
	tie := left[0]+left[1] == 0 || mode.TimeLimitReached(ctx)
	over := tie
	for _, t := range [2]game.Team{game.TeamRed, game.TeamBlue} {
		if tie || left[t^1] == 0 {
			ctx.Match().AddTeamScore(t, 1)
			over = true
		}
	}
	return over
}

// CheckWin ends the match at the score or time limit, even if the teams are equal.
func (Mode) CheckWin(ctx *game.Ctx) game.MatchResult {
	if mode.TeamLimitReached(ctx) {
		return game.MatchOver
	}
	return game.MatchContinues
}
