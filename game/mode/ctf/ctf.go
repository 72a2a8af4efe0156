// Package ctf is capture the flag. A player scores for the team by bringing the other team's flag
// to the own flag at its stand.
package ctf

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	tileFlagRed  = 195
	tileFlagBlue = 196

	flagRadius  float32 = 14
	teeDiameter float32 = 28

	captureScore = 100 // for the team; a grab from the stand is worth 1
	captureBonus = 5   // for the carrier

	victimHadFlag = 1 // bits of Death.ModeSpecial
	killerHasFlag = 2
)

// Mode is capture the flag. It has no state; the world holds the flags.
type Mode struct{}

var (
	_ game.Mode           = Mode{}
	_ game.DeathHook      = Mode{}
	_ game.EntityHook     = Mode{}
	_ game.TickHook       = Mode{}
	_ game.FlagReturnHook = Mode{}
	_ game.BalanceRule    = Mode{}
	_ game.WinRule        = Mode{}
)

// Name returns "CTF".
func (Mode) Name() string { return "CTF" }

// Flags returns the flags for teams and for capture flags.
func (Mode) Flags() game.GameFlags { return game.GameFlagTeams | game.GameFlagFlags }

// Start does nothing.
func (Mode) Start(*game.Tx) {}

// OnEntity places the flags on their stands.
func (Mode) OnEntity(ctx *game.Ctx, tile uint8, pos vec.Vec2) {
	switch tile {
	case tileFlagRed:
		ctx.PlaceFlag(game.TeamRed, pos)
	case tileFlagBlue:
		ctx.PlaceFlag(game.TeamBlue, pos)
	}
}

var bothTeams = [2]game.Team{game.TeamRed, game.TeamBlue}

// OnDeath scores, and drops the flag of a carrier.
func (Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	mode.ScoreDeath(ctx, d, true)
	for _, t := range bothTeams {
		f, _ := ctx.Flag(t)
		if f.Carrier == game.Nobody {
			continue
		}
		if f.Carrier == d.Killer && ctx.Alive(d.Killer) {
			d.ModeSpecial |= killerHasFlag
		}
		if f.Carrier == d.Victim {
			ctx.SendGameMsg(game.GameMsgCTFDrop, 0, game.Nobody, 0)
			ctx.DropFlag(t)
			if ctx.Connected(d.Killer) && ctx.Team(d.Killer) != ctx.Team(d.Victim) {
				ctx.AddScore(d.Killer, 1)
			}
			d.ModeSpecial |= victimHadFlag
		}
	}
}

// OnFlagReturn announces the return of a flag that no player fetched.
func (Mode) OnFlagReturn(ctx *game.Ctx, _ game.Team) {
	ctx.SendGameMsg(game.GameMsgCTFReturn, 0, game.Nobody, 0)
}

// OnTick lets players take, return and capture the flags that they touch.
func (Mode) OnTick(ctx *game.Ctx) {
	if !ctx.EntitiesMoving() {
		return
	}
	for _, t := range bothTeams {
		f, ok := ctx.Flag(t)
		switch {
		case !ok:
		case f.Carrier == game.Nobody:
			touchFlag(ctx, t)
		case capture(ctx, t, &f) && ctx.CheckWin():
			return
		}
	}
	ctx.CheckWin()
}

// capture scores if the carrier of a team's flag has brought it to their own, and reports
// whether they have.
func capture(ctx *game.Ctx, t game.Team, f *game.FlagInfo) bool {
	own, ok := ctx.Flag(t ^ 1)
	if !ok || !own.AtStand || vec.Distance(f.Pos, own.Pos) >= flagRadius+teeDiameter {
		return false
	}
	ctx.AddTeamScore(t^1, captureScore)
	ctx.AddScore(f.Carrier, captureBonus)
	ctx.SendGameMsg(game.GameMsgCTFCapture, int32(t), f.Carrier, ctx.Tick()-f.GrabTick)
	ctx.ReturnFlag(game.TeamRed)
	ctx.ReturnFlag(game.TeamBlue)
	return true
}

// touchFlag gives a team's flag to an opponent who touches it, or returns it if a
// teammate does.
func touchFlag(ctx *game.Ctx, t game.Team) {
	f, _ := ctx.Flag(t)
	var near [game.MaxPlayers]game.PlayerID
	for _, id := range near[:ctx.FindCharacters(f.Pos, flagRadius, &near)] {
		// A flag that was just returned can be taken from its stand in the same tick, by an
		// opponent who was near it before and sees the stand, as in the original.
		if f, _ = ctx.Flag(t); ctx.WallBetween(f.Pos, ctx.Pos(id)) {
			continue
		}
		if ctx.Team(id) != t {
			if f.AtStand {
				ctx.AddTeamScore(t^1, 1)
			}
			ctx.GrabFlag(t, id)
			ctx.AddScore(id, 1)
			ctx.SendGameMsg(game.GameMsgCTFGrab, int32(t), id, 0)
			return
		}
		if !f.AtStand {
			ctx.AddScore(id, 1)
			ctx.SendGameMsg(game.GameMsgCTFReturn, 0, id, 0)
			ctx.ReturnFlag(t)
		}
	}
}

// CanBeMoved reports whether a player carries no flag.
func (Mode) CanBeMoved(ctx *game.Ctx, id game.PlayerID) bool {
	if !ctx.Alive(id) {
		return true
	}
	for _, t := range bothTeams {
		if f, _ := ctx.Flag(t); f.Carrier == id {
			return false
		}
	}
	return true
}

// CheckWin ends the match at the score or time limit if one team leads. In sudden death, captures
// decide.
func (Mode) CheckWin(ctx *game.Ctx) game.MatchResult {
	if !mode.TeamLimitReached(ctx) {
		return game.MatchContinues
	}
	red, blue := ctx.TeamScore(game.TeamRed), ctx.TeamScore(game.TeamBlue)
	if ctx.SuddenDeath() {
		red, blue = red/captureScore, blue/captureScore
	}
	if red == blue {
		return game.MatchTied
	}
	return game.MatchOver
}
