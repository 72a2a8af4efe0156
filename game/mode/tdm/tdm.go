// Package tdm is team deathmatch: the teams share their kills.
package tdm

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
)

// Mode is team deathmatch. It has no state.
type Mode struct{}

var (
	_ game.Mode      = Mode{}
	_ game.DeathHook = Mode{}
	_ game.WinRule   = Mode{}
)

// Name returns "TDM".
func (Mode) Name() string { return "TDM" }

// Flags returns that there are teams.
func (Mode) Flags() game.GameFlags { return game.GameFlagTeams }

// Start does nothing.
func (Mode) Start(*game.Setup) {}

// OnDeath scores for the killer and their team, and makes the victim wait.
func (Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	killer, victim := ctx.Player(d.Killer), ctx.Player(d.Victim)
	mode.ScoreDeath(ctx, d, true)
	if d.Killer >= 0 && d.Weapon != game.WeaponGame {
		n := int32(1)
		if killer.Team() == victim.Team() {
			n = -1
		}
		ctx.Match().AddTeamScore(killer.Team(), n)
	}
	victim.DelayRespawn(game.TickRate * ctx.Rules().RespawnDelayTDM)
}

// CheckWin ends the match at the score or time limit if one team leads.
func (Mode) CheckWin(ctx *game.Ctx) game.MatchResult {
	switch {
	case !mode.TeamLimitReached(ctx):
		return game.MatchContinues
	case ctx.Match().TeamScore(game.TeamRed) == ctx.Match().TeamScore(game.TeamBlue):
		return game.MatchTied
	}
	return game.MatchOver
}
