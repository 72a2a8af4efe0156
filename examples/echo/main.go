// Command echo joins a server and repeats the chat lines of other players.
//
//	go run ./examples/echo localhost
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: echo HOST")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	c, err := client.Dial(ctx, os.Args[1], client.Config{Name: "echo"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	for e := range c.Events(ctx) {
		chat, ok := e.(event.Chat)
		if !ok || chat.From.ID == game.Nobody || chat.From.ID == c.Self() {
			continue
		}
		if chat.Mode == game.ChatWhisper {
			c.Whisper(chat.From.ID, chat.Text)
		} else {
			c.Say(chat.From.Name + " says: " + chat.Text)
		}
	}
}
