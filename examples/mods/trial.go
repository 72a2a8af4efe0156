package mods

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
)

// Trial is a mod for DDRace. Players begin with a grenade launcher and have a time limit. A
// broadcast announces the fastest race.
type Trial struct {
	seconds int32
	state   struct {
		Finishes game.PerPlayer[int32]
	}
}

// NewTrial makes the mod.
func NewTrial() game.Mod { return &Trial{} }

// State implements game.StateHook.
func (m *Trial) State() any { return &m.state }

// Start implements game.Mod.
func (m *Trial) Start(setup *game.Setup) {
	setup.IntVar(game.IntVar{Name: "trial_seconds", Help: "Seconds for a race", Value: &m.seconds, Default: 300, Min: 1, Max: 3600})
	setup.ChatCommand(game.CommandSpec{Name: "finishes", Help: "Shows how often you have finished", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		c.Reply(ctx, fmt.Sprintf("%d times", m.state.Finishes[c.Player]))
	}})
}

// OnSpawn implements game.SpawnHook. Giving a weapon counts as a cheat and ends the race, so
// OnSpawn restores the race afterwards.
func (m *Trial) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	if world := ctx.DDRace(); world != nil {
		if tee := world.AliveTee(int(id)); tee != nil {
			race := tee.Race
			ctx.Player(id).GiveWeapon(game.WeaponGrenade, -1)
			tee.Race = race
		}
	}
}

// OnTick implements game.TickHook.
func (m *Trial) OnTick(ctx *game.Ctx) {
	for p := range ctx.Players() {
		if ms, running := p.RaceTime(); running && ms > 1000*m.seconds {
			p.Say("Too slow!")
			p.Kill(game.WeaponGame)
		}
	}
}

// OnFinish implements game.FinishHook.
func (m *Trial) OnFinish(ctx *game.Ctx, f *game.RaceFinish) {
	m.state.Finishes[f.Player]++
	if f.Record == game.RecordOfAll {
		ctx.Broadcast(fmt.Sprintf("%s is the fastest: %.2f s", ctx.Player(f.Player).Name(), float64(f.Time)/1000))
	}
}
