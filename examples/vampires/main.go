// Command vampires is teeyard with a mod: every hit heals the attacker. It shows how to write a
// mod, and has all the commands of teeyard.
//
//	go run ./examples/vampires serve "sv_port 8304"
package main

import (
	"github.com/teeyard/teeyard/app"
	"github.com/teeyard/teeyard/game"
)

// vampires heals those who hurt somebody else.
type vampires struct{}

// newVampires makes the mod of a world; every map gets a new one.
func newVampires() game.Mod { return vampires{} }

// Start implements game.Mod.
func (vampires) Start(*game.Tx) {}

// OnDamageTaken implements game.DamageTakenHook.
func (vampires) OnDamageTaken(ctx *game.Ctx, d *game.Damage) {
	if d.Attacker != d.Victim {
		ctx.Heal(d.Attacker, 1)
	}
}

func main() {
	app.Main(app.Config{Mods: []app.Mod{{Name: "vampires", New: newVampires}}})
}
