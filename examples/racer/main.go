// Command racer joins a server with DDRace, looks for a way through its map, and runs it.
//
//	go run ./examples/racer localhost
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/teeyard/teeyard/bot/route"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: racer HOST")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	ways, runner := make(chan *route.Way), route.NewRunner(1)
	play := func(c *client.Client, v *game.View) game.Input {
		select {
		case way := <-ways:
			runner.SetWay(way)
		default:
		}
		in := runner.NextInput(v)
		if runner.WantsRestart() { // at the end of its way, or stuck
			c.Kill()
		}
		return in
	}
	// Clients of 0.7 get less data about tees in DDRace.
	c, err := client.Dial(ctx, os.Args[1], client.Config{Name: "racer", Version: client.Version06, Play: play})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	go find(ctx, c.Map(), ways)

	for e := range c.Events(ctx) {
		if chat, ok := e.(event.Chat); ok && chat.From.ID < 0 {
			log.Print(chat.Text) // from the server, which also announces finishes
		}
	}
	if ctx.Err() == nil {
		log.Fatal(c.Err())
	}
}

// find searches for a way to the finish. It sends ways that lead farther and farther.
func find(ctx context.Context, m *client.Map, ways chan<- *route.Way) {
	f, err := route.NewFinder(route.Config{Terrain: m.Terrain})
	if err != nil {
		log.Fatal(err)
	}
	for over := false; !over && ctx.Err() == nil; {
		var way *route.Way
		if way, over = f.Run(5000); way != nil {
			log.Printf("a way of %d s, to the finish: %v", way.Ticks()/game.TickRate, way.Finished())
			ways <- way
		}
	}
}
