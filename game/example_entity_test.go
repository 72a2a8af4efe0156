package game_test

import (
	"fmt"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/vec"
)

// balls is a mod with a ball that falls and bounces. Clients see the ball as a shield.
type balls struct{ ball game.KindID }

func (m *balls) Start(setup *game.Setup) {
	m.ball = setup.AddEntityKind(game.EntityKind{
		Tick: func(ctx *game.Ctx, e *game.Entity) {
			e.Vel.Y += 0.5
			before := e.Vel.Y
			ctx.Map().MoveBox(&e.Pos, &e.Vel, vec.Vec2{X: 20, Y: 20}, 0.8)
			if before > 0 && e.Vel.Y < 0 {
				e.Data[0]++ // bounces
				ctx.Effects(game.MaskAll).Sound(e.Pos, game.SoundHookAttachGround)
			}
		},
		Draw: func(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
			d.Pickup(0, game.PickupArmor, e.Pos, game.MaskAll)
		},
		Reset: func(ctx *game.Ctx, e *game.Entity) {
			e.Pos, e.Vel = e.To, vec.Vec2{} // back to where it was
		},
	})
	for pos := range setup.Map().FindTiles(198) { // above the hearts of the map
		setup.SpawnEntity(m.ball, game.Entity{Pos: pos, To: pos})
	}
}

// A mod defines a kind of entity in Start, and makes as many of it as it likes.
func ExampleEntityKind() {
	m := &balls{}
	w, err := game.New(game.Config{
		Terrain: bots.ParseMap(
			"##############",
			"#     h      #",
			"#            #",
			"#  S         #",
			"##############",
		),
		Mode: dm.Mode{}, Mods: []game.Mod{m}, Rules: game.DefaultRules(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 4 {
		for range 10 {
			w.Step(nil)
		}
		for _, p := range w.Frame().Pickups {
			if p.Kind == game.PickupArmor {
				fmt.Printf("tick %d: the ball is at %d, %d\n", w.Tick(), p.X, p.Y)
			}
		}
	}
	// Output:
	// tick 10: the ball is at 208, 75
	// tick 20: the ball is at 208, 94
	// tick 30: the ball is at 208, 68
	// tick 40: the ball is at 208, 93
}
