// Command vampires is a deathmatch server on which every hit heals the attacker. It shows
// how to write a mod.
//
//	go run ./examples/vampires "sv_port 8304"
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	s, err := server.New(server.Config{
		Commands: os.Args[1:], // console lines, such as "sv_port 8304"
		Mods:     []func() game.Mod{newVampires},
	})
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("vampires on %v", s.Addr())
	if err := s.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
