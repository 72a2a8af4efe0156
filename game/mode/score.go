// Package mode contains code that the built-in modes share. It only uses the public
// API of package game, as any mode can.
package mode

import "github.com/teeyard/teeyard/game"

// ScoreDeath is the basic scoring of the built-in modes: one point for a kill, minus
// one for a suicide, a team kill or a fall. Team changes, leaving and kills by players
// who left do not count.
func ScoreDeath(ctx *game.Ctx, d *game.Death, teams bool) {
	victim, killer := ctx.Player(d.Victim), ctx.Player(d.Killer)
	switch {
	case d.Killer < 0 || d.Weapon == game.WeaponGame:
	case d.Killer == d.Victim:
		victim.AddScore(-1)
	case teams && killer.Team() == victim.Team():
		killer.AddScore(-1)
	default:
		killer.AddScore(1)
	}
}

// TimeLimitReached reports whether the time limit is reached.
func TimeLimitReached(ctx *game.Ctx) bool {
	limit := ctx.Rules().TimeLimit
	return limit > 0 && ctx.Match().Ticks() >= limit*60*game.TickRate
}

// CheckSoloWin is the win rule of modes without teams: at a limit the leader wins,
// unless two lead. Spectators keep their scores and count too; a negative score never
// leads.
func CheckSoloWin(ctx *game.Ctx) game.MatchResult {
	top, leaders := int32(0), 0
	for p := range ctx.Players() {
		switch s := p.Score(); {
		case s > top:
			top, leaders = s, 1
		case s == top:
			leaders++
		}
	}
	limit := ctx.Rules().ScoreLimit
	if (limit == 0 || top < limit) && !TimeLimitReached(ctx) {
		return game.MatchContinues
	}
	if leaders != 1 {
		return game.MatchTied
	}
	return game.MatchOver
}

// TeamLimitReached reports whether a team has reached the score limit, or the time is
// over.
func TeamLimitReached(ctx *game.Ctx) bool {
	limit := ctx.Rules().ScoreLimit
	return limit > 0 && max(ctx.Match().TeamScore(game.TeamRed), ctx.Match().TeamScore(game.TeamBlue)) >= limit || TimeLimitReached(ctx)
}

// Survival is the part that modes with one life per round share; they embed it.
type Survival struct{}

// Start does nothing.
func (Survival) Start(*game.Setup) {}

// OnSpawn gives the weapons of the round, and the only life of the round.
func (Survival) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	p.GiveWeapon(game.WeaponShotgun, 10)
	p.GiveWeapon(game.WeaponGrenade, 10)
	p.GiveWeapon(game.WeaponLaser, 5)
	p.DisableRespawn()
}
