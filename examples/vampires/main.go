// Command vampires is teeyard with a mod that heals the attacker of every hit. It has all commands
// of teeyard and shows how to write a mod.
//
//	go run ./examples/vampires serve "sv_port 8304"
package main

import (
	"github.com/teeyard/teeyard/app"
	"github.com/teeyard/teeyard/game"
)

// vampires heals players who hit others.
type vampires struct{}

// newVampires makes the mod. The server calls it for every map.
func newVampires() game.Mod { return vampires{} }

// Start implements game.Mod.
func (vampires) Start(*game.Setup) {}

// OnDamageTaken implements game.DamageTakenHook.
func (vampires) OnDamageTaken(ctx *game.Ctx, d *game.Damage) {
	if d.Attacker >= 0 && d.Attacker != d.Victim {
		ctx.Player(d.Attacker).Heal(1)
	}
}

func main() {
	app.Main(app.Config{Mods: []app.Mod{{Name: "vampires", New: newVampires}}})
}
