// Command follower joins a server and runs after the nearest tee.
//
//	go run ./examples/follower localhost
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: follower HOST")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	c, err := client.Dial(ctx, os.Args[1], client.Config{Name: "follower", Play: follow})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	select {
	case <-ctx.Done():
	case <-c.Done():
		log.Fatal(c.Err())
	}
}

// follow returns the input for a tick.
func follow(_ *client.Client, v *game.View) game.Input {
	var nearest *game.CharacterState
	for i := range v.Characters {
		c := &v.Characters[i]
		if c.Player != v.Viewer && (nearest == nil || vec.Distance(c.Pos, v.Pos) < vec.Distance(nearest.Pos, v.Pos)) {
			nearest = c
		}
	}
	if nearest == nil {
		return game.Input{}
	}
	dx, dy := int32(nearest.Pos.X-v.Pos.X), int32(nearest.Pos.Y-v.Pos.Y)
	in := game.Input{TargetX: dx, TargetY: dy, Jump: dy < -64 && v.Tick%8 < 4}
	if dx > 48 {
		in.Direction = 1
	} else if dx < -48 {
		in.Direction = -1
	}
	return in
}
