// Command laserdoor is a deathmatch server with laser beams between floor and ceiling, which move
// through the map and damage the tees that they touch. It shows how to write an entity.
//
//	go run ./examples/laserdoor "sv_port 8304"
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/server"
)

// doors puts a moving laser beam wherever the map has armor.
type doors struct{ kind game.KindID }

// Start implements game.Mod.
func (m *doors) Start(setup *game.Setup) {
	m.kind = setup.AddEntityKind(game.EntityKind{Tick: tick, Draw: draw})
}

// OnEntity implements game.EntityHook.
func (m *doors) OnEntity(ctx *game.Ctx, tile uint8, pos vec.Vec2) {
	const armor = 197
	if tile == armor {
		ctx.SpawnEntity(m.kind, game.Entity{Pos: pos, Vel: vec.Vec2{X: 2}, Owner: game.Nobody})
		ctx.Cancel() // no armor there
	}
}

// tick moves a beam, turns it around at walls, and damages a tee that it touches.
func tick(ctx *game.Ctx, e *game.Entity) {
	if _, blocked := ctx.Map().Raycast(game.Ray{From: e.Pos, To: e.Pos.Add(e.Vel.Mul(8))}); blocked {
		e.Vel = e.Vel.Neg()
	}
	e.Pos = e.Pos.Add(e.Vel)
	top, bottom := ends(ctx, e)
	hit, _ := ctx.Map().Raycast(game.Ray{From: top, To: bottom, Tees: true})
	if hit.Player != game.Nobody && ctx.Tick()%5 == 0 {
		ctx.Player(hit.Player).TakeDamage(game.Damage{Attacker: game.Nobody, Weapon: game.WeaponLaser, Amount: 1, Force: e.Vel.Mul(3)})
	}
}

// draw draws a beam for all players.
func draw(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
	top, bottom := ends(ctx, e)
	d.Laser(0, top, bottom, game.MaskAll)
}

// ends returns the positions where a beam meets the ceiling and the floor.
func ends(ctx *game.Ctx, e *game.Entity) (top, bottom vec.Vec2) {
	up, _ := ctx.Map().Raycast(game.Ray{From: e.Pos, To: e.Pos.Sub(vec.Vec2{Y: 500})})
	down, _ := ctx.Map().Raycast(game.Ray{From: e.Pos, To: e.Pos.Add(vec.Vec2{Y: 500})})
	return up.Pos, down.Pos
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	s, err := server.New(server.Config{
		Commands: os.Args[1:], // console lines, such as "sv_port 8304"
		Mods:     []func() game.Mod{func() game.Mod { return &doors{} }},
	})
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("laser doors on %v", s.Addr())
	if err := s.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
