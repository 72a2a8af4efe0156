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
func (Mode) Start(*game.Setup) {}

// OnEntity places the flags on their stands.
func (Mode) OnEntity(ctx *game.Ctx, tile uint8, pos vec.Vec2) {
	switch tile {
	case tileFlagRed:
		ctx.Flag(game.TeamRed).Place(pos)
	case tileFlagBlue:
		ctx.Flag(game.TeamBlue).Place(pos)
	}
}

var bothTeams = [2]game.Team{game.TeamRed, game.TeamBlue}

// OnDeath scores, and drops the flag of a carrier.
func (Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	killer := ctx.Player(d.Killer)
	mode.ScoreDeath(ctx, d, true)
	for _, t := range bothTeams {
		f, _ := ctx.Flag(t).Info()
		if f.Carrier == game.Nobody {
			continue
		}
		if f.Carrier == d.Killer && killer.Alive() {
			d.ModeSpecial |= killerHasFlag
		}
		if f.Carrier == d.Victim {
			ctx.Effects(game.MaskAll).GameMsg(game.GameMsgCTFDrop, 0, game.Nobody, 0)
			ctx.Flag(t).Drop()
			if killer.Connected() && killer.Team() != ctx.Player(d.Victim).Team() {
				killer.AddScore(1)
			}
			d.ModeSpecial |= victimHadFlag
		}
	}
}

// OnFlagReturn announces the return of a flag that no player fetched.
func (Mode) OnFlagReturn(ctx *game.Ctx, _ game.Team) {
	ctx.Effects(game.MaskAll).GameMsg(game.GameMsgCTFReturn, 0, game.Nobody, 0)
}

// OnTick lets players take, return and capture the flags that they touch.
func (Mode) OnTick(ctx *game.Ctx) {
	if !ctx.Match().EntitiesMoving() {
		return
	}
	for _, t := range bothTeams {
		f, ok := ctx.Flag(t).Info()
		switch {
		case !ok:
		case f.Carrier == game.Nobody:
			touchFlag(ctx, t)
		case capture(ctx, t, &f) && ctx.Match().CheckWin():
			return
		}
	}
	ctx.Match().CheckWin()
}

// capture scores if the carrier of a team's flag has brought it to their own, and reports
// whether they have.
func capture(ctx *game.Ctx, t game.Team, f *game.FlagInfo) bool {
	own, ok := ctx.Flag(t ^ 1).Info()
	if !ok || !own.AtStand || vec.Distance(f.Pos, own.Pos) >= flagRadius+teeDiameter {
		return false
	}
	ctx.Match().AddTeamScore(t^1, captureScore)
	ctx.Player(f.Carrier).AddScore(captureBonus)
	ctx.Effects(game.MaskAll).GameMsg(game.GameMsgCTFCapture, int32(t), f.Carrier, ctx.Tick()-f.GrabTick)
	ctx.Flag(game.TeamRed).Return()
	ctx.Flag(game.TeamBlue).Return()
	return true
}

// touchFlag gives a team's flag to an opponent who touches it, or returns it if a
// teammate does.
func touchFlag(ctx *game.Ctx, t game.Team) {
	f, _ := ctx.Flag(t).Info()
	for p := range ctx.PlayersNear(f.Pos, flagRadius) {
		// A flag that was just returned can be taken from its stand in the same tick, by an
		// opponent who was near it before and sees the stand, as in the original.
		if f, _ = ctx.Flag(t).Info(); ctx.Map().WallBetween(f.Pos, p.Pos()) {
			continue
		}
		if p.Team() != t {
			if f.AtStand {
				ctx.Match().AddTeamScore(t^1, 1)
			}
			ctx.Flag(t).Grab(p.ID())
			p.AddScore(1)
			ctx.Effects(game.MaskAll).GameMsg(game.GameMsgCTFGrab, int32(t), p.ID(), 0)
			return
		}
		if !f.AtStand {
			p.AddScore(1)
			ctx.Effects(game.MaskAll).GameMsg(game.GameMsgCTFReturn, 0, p.ID(), 0)
			ctx.Flag(t).Return()
		}
	}
}

// CanBeMoved reports whether a player carries no flag.
func (Mode) CanBeMoved(ctx *game.Ctx, id game.PlayerID) bool {
	if !ctx.Player(id).Alive() {
		return true
	}
	for _, t := range bothTeams {
		if f, _ := ctx.Flag(t).Info(); f.Carrier == id {
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
	red, blue := ctx.Match().TeamScore(game.TeamRed), ctx.Match().TeamScore(game.TeamBlue)
	if ctx.Match().SuddenDeath() {
		red, blue = red/captureScore, blue/captureScore
	}
	if red == blue {
		return game.MatchTied
	}
	return game.MatchOver
}
