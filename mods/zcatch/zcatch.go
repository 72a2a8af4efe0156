// Package zcatch is the game type zCatch. One hit kills. A killed player is out until the killer
// dies or leaves. The last player left wins.
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
	colors     string
	state      state
}

// state holds which player caught whom.
type state struct {
	Catcher game.PerPlayer[int32] // 1 + the player who caught this one, 0 if not caught
	Kills   game.PerPlayer[int32] // since the player's last death, minus released players
	Order   game.PerPlayer[int32] // increases with the time of the catch
	Caught  int32                 // number of catches in this round
}

// New returns a new zCatch mode.
func New() game.Mode { return &Mode{} }

// Name returns "zCatch".
func (*Mode) Name() string { return "zCatch" }

// Flags returns GameFlagSurvival: caught players wait as in the survival modes.
func (*Mode) Flags() game.GameFlags { return game.GameFlagSurvival }

// State returns which player caught whom.
func (m *Mode) State() any { return &m.state }

// Start declares the settings.
func (m *Mode) Start(setup *game.Setup) {
	m.Declare(setup)
	setup.TextVar(game.TextVar{
		Name: "sv_spawn_weapons", Help: "Weapon of all players: laser or grenade",
		Value: &m.weapon, Default: "laser", MaxLen: 15, Changed: m.rearm,
	})
	setup.IntVar(game.IntVar{
		Name: "sv_zcatch_min_players", Help: "Least number of players for catching",
		Value: &m.minPlayers, Default: 3, Min: 2, Max: game.MaxPlayers,
	})
	setup.IntVar(game.IntVar{Name: "sv_bonus", Help: "Points for the last one left", Value: &m.bonus, Default: 10, Max: 100})
	setup.TextVar(game.TextVar{
		Name: "sv_zcatch_colors", Help: "Tees have the color of their kills: teetime or off",
		Value: &m.colors, Default: "teetime", MaxLen: 15, Changed: m.repaint,
	})
}

// rearm gives all players the weapon that the operator chose.
func (m *Mode) rearm(ctx *game.Ctx) {
	for p := range ctx.Players() {
		m.arm(ctx, p.ID())
	}
}

func (m *Mode) arm(ctx *game.Ctx, id game.PlayerID) {
	other := game.WeaponGrenade
	if m.Weapon = game.WeaponLaser; m.weapon == "grenade" {
		m.Weapon, other = other, m.Weapon
	}
	m.Arms.OnSpawn(ctx, id)
	ctx.Player(id).TakeWeapon(other)
}

// OnRoundStart lets all players play again.
func (m *Mode) OnRoundStart(ctx *game.Ctx) {
	m.state = state{}
	m.repaint(ctx)
}

// OnSpawn gives the weapon.
func (m *Mode) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	m.arm(ctx, id)
	m.paint(ctx, id)
}

// OnEnter lets a new player play, or makes them wait.
func (m *Mode) OnEnter(ctx *game.Ctx, id game.PlayerID) { m.join(ctx, id) }

// OnTeam does the same for a player who was a spectator.
func (m *Mode) OnTeam(ctx *game.Ctx, id game.PlayerID, _ game.Team) {
	m.state.Catcher[id] = 0
	m.join(ctx, id)
}

// join lets a player who joins during a round play, if no player has been killed yet. Otherwise the
// player counts as caught by the player with the most kills.
func (m *Mode) join(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	if p.Team() == game.TeamSpectators || p.InRound() {
		return
	}
	leader, most := game.Nobody, int32(0)
	for other := range ctx.Players() {
		if m.state.Kills[other.ID()] > most && other.Alive() {
			leader, most = other.ID(), m.state.Kills[other.ID()]
		}
	}
	if leader == game.Nobody {
		p.EnableRespawn()
		return
	}
	m.catch(ctx, id, leader)
	ctx.Player(leader).Say(fmt.Sprintf("%s waits until you die", p.Name()))
}

// catch keeps a player out until the player by dies or leaves.
func (m *Mode) catch(ctx *game.Ctx, id, by game.PlayerID) {
	p := ctx.Player(id)
	p.DisableRespawn()
	m.state.Caught++
	m.state.Catcher[id], m.state.Order[id] = 1+int32(by), m.state.Caught
	p.Say(fmt.Sprintf("You are out until %s dies", ctx.Player(by).Name()))
}

// release lets a caught player play again.
func (m *Mode) release(ctx *game.Ctx, id game.PlayerID, why string) {
	p := ctx.Player(id)
	m.state.Catcher[id] = 0
	p.EnableRespawn()
	p.Say(why)
}

// releaseAll releases all players whom a player caught.
func (m *Mode) releaseAll(ctx *game.Ctx, by game.PlayerID, why string) {
	for p := range ctx.Players() {
		if m.state.Catcher[p.ID()] == 1+int32(by) {
			m.release(ctx, p.ID(), why)
		}
	}
	m.state.Kills[by] = 0
}

// OnDeath scores, catches the victim and releases the victim's own catches.
func (m *Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	victim, killer := ctx.Player(d.Victim), ctx.Player(d.Killer)
	mode.ScoreDeath(ctx, d, false)
	switch {
	case d.Killer < 0 || d.Weapon == game.WeaponGame:
	case d.Killer == d.Victim:
		victim.AddScore(-2) // minus 3 in all
	default:
		if m.state.Kills[d.Victim] > 0 {
			killer.AddScore(1) // a second point
		}
		if !ctx.Match().Warmup() && killer.Alive() {
			m.catch(ctx, d.Victim, d.Killer)
			m.state.Kills[d.Killer]++
			m.paint(ctx, d.Killer)
		}
	}
	m.releaseAll(ctx, d.Victim, fmt.Sprintf("You are back because %s died", victim.Name()))
}

// OnLeave releases all players whom the leaving player caught.
func (m *Mode) OnLeave(ctx *game.Ctx, id game.PlayerID) {
	m.releaseAll(ctx, id, fmt.Sprintf("You are back because %s left", ctx.Player(id).Name()))
}

// OnSelfKill releases the player's last catch instead of killing the player.
func (m *Mode) OnSelfKill(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	last := game.Nobody
	for other := range ctx.Players() {
		if m.state.Catcher[other.ID()] == 1+int32(id) && (last == game.Nobody || m.state.Order[other.ID()] > m.state.Order[last]) {
			last = other.ID()
		}
	}
	if last == game.Nobody {
		return
	}
	ctx.Cancel()
	why := fmt.Sprintf("%s let you go", p.Name())
	m.release(ctx, last, why)
	p.Say(fmt.Sprintf("You let %s go", ctx.Player(last).Name()))
	if m.state.Kills[id]--; m.state.Kills[id] <= 0 {
		m.releaseAll(ctx, id, why)
	}
	m.paint(ctx, id)
}

// CanStartMatch reports whether there are enough players.
func (m *Mode) CanStartMatch(ctx *game.Ctx, _ bool) bool {
	return ctx.TeamSize(game.TeamRed) >= m.minPlayers
}

// RoundOver ends the round when one player, the winner, is left, or at a limit.
func (m *Mode) RoundOver(ctx *game.Ctx) bool {
	left, last := 0, game.Nobody
	for p := range ctx.Players() {
		if p.InRound() {
			left, last = left+1, p.ID()
		}
	}
	if left == 1 && m.state.Kills[last] > 0 {
		ctx.Player(last).AddScore(m.bonus)
		ctx.Say(fmt.Sprintf("%s wins the round", ctx.Player(last).Name()))
	}
	return left <= 1 || mode.CheckSoloWin(ctx) == game.MatchOver
}

// CheckWin ends the match with the round.
func (*Mode) CheckWin(*game.Ctx) game.MatchResult { return game.MatchOver }

// paint colors a player's tee by their kills, from blue to red in 16 steps.
func (m *Mode) paint(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	if m.colors == "off" {
		return
	}
	const (
		body, decoration, hands, feet = 0, 2, 3, 4
		saturated, lightness          = 0xff00, 87
	)
	s := p.Skin()
	for _, i := range [...]int{body, decoration, hands, feet} {
		s.UseCustomColors[i] = true
		s.PartColors[i] = max(0, 160-10*m.state.Kills[id])<<16 | saturated | lightness
	}
	p.SetSkin(s, 0)
}

// repaint colors the tees of all players, or restores their own skins.
func (m *Mode) repaint(ctx *game.Ctx) {
	for p := range ctx.Players() {
		p.ClearSkin()
		m.paint(ctx, p.ID())
	}
}
