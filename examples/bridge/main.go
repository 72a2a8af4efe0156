// Command bridge joins two servers and repeats the chat of each on the other.
//
//	go run ./examples/bridge localhost:8303 localhost:8304
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: bridge HOST HOST")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	a, b := join(ctx, os.Args[1]), join(ctx, os.Args[2])
	defer a.Close()
	defer b.Close()
	go carry(ctx, a, b)
	carry(ctx, b, a)
}

func join(ctx context.Context, host string) *client.Client {
	c, err := client.Dial(ctx, host, client.Config{Name: "bridge", Reconnect: 5 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// carry repeats the chat of one server on the other.
func carry(ctx context.Context, from, to *client.Client) {
	for e := range from.Events(ctx) {
		switch e := e.(type) {
		case event.Entered: // at the beginning, and after a reconnect
			from.SetTeam(game.TeamSpectators)
		case event.Chat:
			if e.Mode == game.ChatAll && e.From.ID != game.Nobody && e.From.ID != from.Self() {
				to.Say("<" + e.From.Name + "> " + e.Text)
			}
		case event.Joined:
			if !e.Known {
				to.Say(e.Player.Name + " joined over there")
			}
		}
	}
}
