// Package mods holds small example mods in Go. The pages in docs/mod explain them.
package mods

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
)

// Bounty rewards players who end a streak of kills.
type Bounty struct {
	state struct {
		Streak game.PerPlayer[int32] // kills since the player's last death
	}
}

// NewBounty makes the mod.
func NewBounty() game.Mod { return &Bounty{} }

// Start implements game.Mod.
func (m *Bounty) Start(*game.Setup) {}

// State implements game.StateHook.
func (m *Bounty) State() any { return &m.state }

// OnDeath implements game.DeathHook.
func (m *Bounty) OnDeath(ctx *game.Ctx, d *game.Death) {
	streak := m.state.Streak[d.Victim]
	m.state.Streak[d.Victim] = 0
	if d.Killer < 0 || d.Killer == d.Victim {
		return
	}
	m.state.Streak[d.Killer]++
	if streak >= 3 {
		killer, victim := ctx.Player(d.Killer), ctx.Player(d.Victim)
		killer.AddScore(streak)
		ctx.Say(fmt.Sprintf("%s gets %d points for %s", killer.Name(), streak, victim.Name()))
	}
}
