package modtest

import (
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// Stage is a mod with which a test changes tees: [World.Place], [World.SetHealth] and
// [World.GiveWeapon] need it in the Mods of the Config. They run its console commands, so that a
// replay of the match changes the tees, too.
type Stage struct{}

// NewStage returns a Stage, for [World.Replay].
func NewStage() game.Mod { return Stage{} }

const (
	placeCommand  = "modtest_place"
	healthCommand = "modtest_health"
	weaponCommand = "modtest_weapon"
)

// Start implements [game.Mod].
func (Stage) Start(setup *game.Setup) {
	add := func(name, params string, run func(p game.Player, c *game.CommandCall)) {
		setup.ConsoleCommand(game.CommandSpec{Name: name, Params: params, Run: func(ctx *game.Ctx, c *game.CommandCall) {
			run(ctx.Player(game.PlayerID(c.Int(0))), c)
		}})
	}
	add(placeCommand, "i[id] f[x] f[y]", func(p game.Player, c *game.CommandCall) {
		p.SetPos(vec.Vec2{X: c.Float(1), Y: c.Float(2)})
		p.SetVel(vec.Vec2{})
	})
	add(healthCommand, "i[id] i[health] i[armor]", func(p game.Player, c *game.CommandCall) {
		p.SetHealth(c.Int(1))
		p.SetArmor(c.Int(2))
	})
	add(weaponCommand, "i[id] i[weapon] i[ammo]", func(p game.Player, c *game.CommandCall) {
		weapon := game.Weapon(c.Int(1))
		p.GiveWeapon(weapon, c.Int(2))
		p.SetAmmo(weapon, c.Int(2))
	})
}

// Place moves the tee of a player to a position, in units, and stops it. It takes a tick.
func (w *World) Place(id game.PlayerID, pos vec.Vec2) {
	w.T.Helper()
	w.change(id, placeCommand, pos.X, pos.Y)
}

// SetHealth sets the health of a player's tee, 1..10, and its armour, 0..10. It takes a tick.
func (w *World) SetHealth(id game.PlayerID, health, armor int32) {
	w.T.Helper()
	w.change(id, healthCommand, health, armor)
}

// GiveWeapon gives a player's tee a weapon with the given rounds, 1..10, or -1 for unlimited ones.
// It takes a tick.
func (w *World) GiveWeapon(id game.PlayerID, weapon game.Weapon, ammo int32) {
	w.T.Helper()
	w.change(id, weaponCommand, int(weapon), ammo)
}

// change runs a command of stage for a player who must have a living tee.
func (w *World) change(id game.PlayerID, command string, args ...any) {
	w.T.Helper()
	if !slices.ContainsFunc(w.cfg.Mods, func(m game.Mod) bool { _, ok := m.(Stage); return ok }) {
		w.T.Fatal("modtest: add modtest.Stage{} to the Mods of the Config to change tees")
	}
	w.Tee(id) // fails without one
	texts := []string{fmt.Sprint(id)}
	for _, arg := range args {
		texts = append(texts, fmt.Sprint(arg))
	}
	w.step([]game.Command{game.ConsoleCommand(game.Nobody, command, texts...)})
}
