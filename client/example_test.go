package client_test

import (
	"context"
	"log"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// A client joins a server on this machine and repeats what players say.
func ExampleDial() {
	ctx := context.Background()

	c, err := client.Dial(ctx, "localhost", client.Config{Name: "echo"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for e := range c.Events(ctx) {
		chat, ok := e.(event.Chat)
		if ok && chat.From.ID != game.Nobody && chat.From.ID != c.Self() {
			c.Say(chat.From.Name + " says: " + chat.Text)
		}
	}
}
