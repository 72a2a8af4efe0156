package mods

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
)

// Lottery gives a random player a prize from time to time, and counts the prizes of each name.
type Lottery struct {
	seconds int32
	draw    game.Timer
	state   struct {
		Asked int32 // the last request for the winners
		By    game.PlayerID
	}
}

// NewLottery makes the mod.
func NewLottery() game.Mod { return &Lottery{} }

// State implements game.StateHook.
func (m *Lottery) State() any { return &m.state }

// Start implements game.Mod.
func (m *Lottery) Start(setup *game.Setup) {
	setup.IntVar(game.IntVar{Name: "lottery_seconds", Help: "Seconds between two prizes", Value: &m.seconds, Default: 30, Min: 1, Max: 600})
	m.draw = setup.Timer(m.give)
	setup.After(m.draw, m.seconds*game.TickRate, game.Nobody)
	setup.ChatCommand(game.CommandSpec{Name: "winners", Params: "?i[how many]", Help: "Shows who won most", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		n := c.Int(0)
		if n < 1 {
			n = 3
		}
		m.state.Asked, m.state.By = ctx.Storage("lottery").Top("wins", n, false), c.Player
	}})
	setup.ConsoleCommand(game.CommandSpec{Name: "lottery_draw", Help: "Gives a prize now", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		ctx.After(m.draw, 1, game.Nobody)
		c.Reply(ctx, "a prize is on its way")
	}})
}

// give gives a prize to a random player with a living tee.
func (m *Lottery) give(ctx *game.Ctx, _ game.PlayerID) {
	ctx.After(m.draw, m.seconds*game.TickRate, game.Nobody)
	var alive []game.Player
	for p := range ctx.Players() {
		if p.Alive() {
			alive = append(alive, p)
		}
	}
	if len(alive) == 0 {
		return
	}
	winner := alive[ctx.Rand(len(alive))]
	winner.GiveArmor(10)
	ctx.Broadcast(winner.Name() + " wins")
	ctx.Storage("lottery").Add("wins", game.Row{Name: winner.Name(), Score: 1})
}

// OnStored implements game.StorageHook.
func (m *Lottery) OnStored(ctx *game.Ctx, a *game.StoreAnswer) {
	if a.Space != "lottery" || a.ID != m.state.Asked || a.Err != "" {
		return
	}
	for i, row := range a.Rows {
		ctx.Player(m.state.By).Say(fmt.Sprintf("%d. %s (%d)", i+1, row.Name, row.Score))
	}
}
