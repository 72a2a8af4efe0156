// Package zcatch is zCatch: whom you kill is out until you die or leave, and the last one left
// wins. One hit kills.
package zcatch

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/mods/instagib"
)

// Mode is zCatch.
type Mode struct {
	instagib.Arms
	minPlayers int32
	bonus      int32
	weapon     string
	colours    string
	state      state
}

// state is who caught whom.
type state struct {
	Catcher game.PerPlayer[int32] // 1 + the player who caught this one, 0 if nobody did
	Kills   game.PerPlayer[int32] // since the player's last death, or less those released
	Order   game.PerPlayer[int32] // who was caught later has a higher one
	Caught  int32                 // how many were, in this round
}

// New returns the mode.
func New() game.Mode { return &Mode{} }

// Name returns "zCatch".
func (*Mode) Name() string { return "zCatch" }

// Flags returns that players wait for others, as in the survival modes.
func (*Mode) Flags() game.GameFlags { return game.GameFlagSurvival }

// State returns who caught whom.
func (m *Mode) State() any { return &m.state }

// Start declares the settings.
func (m *Mode) Start(tx *game.Tx) {
	m.Declare(tx)
	tx.TextVar(game.TextVar{
		Name: "sv_spawn_weapons", Help: "Weapon of all: laser or grenade",
		Value: &m.weapon, Default: "laser", MaxLen: 15, Changed: m.rearm,
	})
	tx.IntVar(game.IntVar{
		Name: "sv_zcatch_min_players", Help: "Players without whom nobody is caught",
		Value: &m.minPlayers, Default: 3, Min: 2, Max: game.MaxPlayers,
	})
	tx.IntVar(game.IntVar{Name: "sv_bonus", Help: "Points for the last one left", Value: &m.bonus, Default: 10, Max: 100})
	tx.TextVar(game.TextVar{
		Name: "sv_zcatch_colors", Help: "Tees have the color of their kills: teetime or off",
		Value: &m.colours, Default: "teetime", MaxLen: 15, Changed: m.repaint,
	})
}

// rearm gives all the weapon that operators chose.
func (m *Mode) rearm(ctx *game.Ctx) {
	for id := range ctx.Players() {
		m.arm(ctx, id)
	}
}

func (m *Mode) arm(ctx *game.Ctx, id game.PlayerID) {
	other := game.WeaponGrenade
	if m.Weapon = game.WeaponLaser; m.weapon == "grenade" {
		m.Weapon, other = other, m.Weapon
	}
	m.Arms.OnSpawn(ctx, id)
	ctx.TakeWeapon(id, other)
}

// OnRoundStart lets all play again.
func (m *Mode) OnRoundStart(ctx *game.Ctx) {
	m.state = state{}
	m.repaint(ctx)
}

// OnSpawn gives the weapon.
func (m *Mode) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	m.arm(ctx, id)
	m.paint(ctx, id)
}

// OnEnter decides what a player who comes does until the next round.
func (m *Mode) OnEnter(ctx *game.Ctx, id game.PlayerID) { m.join(ctx, id) }

// OnTeam decides the same about one who was a spectator.
func (m *Mode) OnTeam(ctx *game.Ctx, id game.PlayerID, _ game.Team) {
	m.state.Catcher[id] = 0
	m.join(ctx, id)
}

// join lets a player play who comes in a round, if nobody was killed yet. Otherwise the one with
// the most kills has caught them.
func (m *Mode) join(ctx *game.Ctx, id game.PlayerID) {
	if ctx.Team(id) == game.TeamSpectators || ctx.InRound(id) {
		return
	}
	leader, most := game.Nobody, int32(0)
	for other := range ctx.Players() {
		if m.state.Kills[other] > most && ctx.Alive(other) {
			leader, most = other, m.state.Kills[other]
		}
	}
	if leader == game.Nobody {
		ctx.EnableRespawn(id)
		return
	}
	m.catch(ctx, id, leader)
	ctx.SayTo(leader, fmt.Sprintf("%s waits until you die", ctx.Name(id)))
}

// catch keeps a player out until another one dies.
func (m *Mode) catch(ctx *game.Ctx, id, by game.PlayerID) {
	ctx.DisableRespawn(id)
	m.state.Caught++
	m.state.Catcher[id], m.state.Order[id] = 1+int32(by), m.state.Caught
	ctx.SayTo(id, fmt.Sprintf("You are out until %s dies", ctx.Name(by)))
}

// release lets a player back who was caught.
func (m *Mode) release(ctx *game.Ctx, id game.PlayerID, why string) {
	m.state.Catcher[id] = 0
	ctx.EnableRespawn(id)
	ctx.SayTo(id, why)
}

// releaseAll lets all back whom a player caught.
func (m *Mode) releaseAll(ctx *game.Ctx, by game.PlayerID, why string) {
	for id := range ctx.Players() {
		if m.state.Catcher[id] == 1+int32(by) {
			m.release(ctx, id, why)
		}
	}
	m.state.Kills[by] = 0
}

// OnDeath scores, catches and releases.
func (m *Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	mode.ScoreDeath(ctx, d, false)
	switch {
	case d.Killer < 0 || d.Weapon == game.WeaponGame:
	case d.Killer == d.Victim:
		ctx.AddScore(d.Victim, -2) // 3 in all
	default:
		if m.state.Kills[d.Victim] > 0 {
			ctx.AddScore(d.Killer, 1) // one more
		}
		if !ctx.Warmup() && ctx.Alive(d.Killer) {
			m.catch(ctx, d.Victim, d.Killer)
			m.state.Kills[d.Killer]++
			m.paint(ctx, d.Killer)
		}
	}
	m.releaseAll(ctx, d.Victim, fmt.Sprintf("You are back because %s died", ctx.Name(d.Victim)))
}

// OnLeave releases those whom a player who leaves caught.
func (m *Mode) OnLeave(ctx *game.Ctx, id game.PlayerID) {
	m.releaseAll(ctx, id, fmt.Sprintf("You are back because %s left", ctx.Name(id)))
}

// OnSelfKill releases whom the player caught last, instead of killing them.
func (m *Mode) OnSelfKill(ctx *game.Ctx, id game.PlayerID) {
	last := game.Nobody
	for other := range ctx.Players() {
		if m.state.Catcher[other] == 1+int32(id) && (last == game.Nobody || m.state.Order[other] > m.state.Order[last]) {
			last = other
		}
	}
	if last == game.Nobody {
		return
	}
	ctx.Cancel()
	why := fmt.Sprintf("%s let you go", ctx.Name(id))
	m.release(ctx, last, why)
	ctx.SayTo(id, fmt.Sprintf("You let %s go", ctx.Name(last)))
	if m.state.Kills[id]--; m.state.Kills[id] <= 0 {
		m.releaseAll(ctx, id, why)
	}
	m.paint(ctx, id)
}

// CanStartMatch reports whether there are enough players.
func (m *Mode) CanStartMatch(ctx *game.Ctx, _ bool) bool {
	return ctx.TeamSize(game.TeamRed) >= m.minPlayers
}

// RoundOver ends the round when one player is left, who has won, or at a limit.
func (m *Mode) RoundOver(ctx *game.Ctx) bool {
	left, last := 0, game.Nobody
	for id := range ctx.Players() {
		if ctx.InRound(id) {
			left, last = left+1, id
		}
	}
	if left == 1 && m.state.Kills[last] > 0 {
		ctx.AddScore(last, m.bonus)
		ctx.Say(fmt.Sprintf("%s wins the round", ctx.Name(last)))
	}
	return left <= 1 || mode.CheckSoloWin(ctx) == game.MatchOver
}

// CheckWin ends the match with the round.
func (*Mode) CheckWin(*game.Ctx) game.MatchResult { return game.MatchOver }

// paint gives a player's tee the colour of their kills: from blue to red in 16 steps.
func (m *Mode) paint(ctx *game.Ctx, id game.PlayerID) {
	if m.colours == "off" {
		return
	}
	const (
		body, decoration, hands, feet = 0, 2, 3, 4
		saturated, lightness          = 0xff00, 87
	)
	s := ctx.Skin(id)
	for _, i := range [...]int{body, decoration, hands, feet} {
		s.UseCustomColors[i] = true
		s.PartColors[i] = max(0, 160-10*m.state.Kills[id])<<16 | saturated | lightness
	}
	ctx.SetSkin(id, s, 0)
}

// repaint paints all, or shows them in their own skins.
func (m *Mode) repaint(ctx *game.Ctx) {
	for id := range ctx.Players() {
		ctx.ClearSkin(id)
		m.paint(ctx, id)
	}
}
