// Command rcon runs commands on a server's remote console and prints the output.
//
//	RCON_PASSWORD=secret go run ./examples/rcon localhost status "say hello"
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: rcon HOST COMMAND...")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	c, err := client.Dial(ctx, os.Args[1], client.Config{Name: "rcon", RconPassword: os.Getenv("RCON_PASSWORD"), NoMap: true})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

login:
	for e := range c.Events(ctx) {
		switch e := e.(type) {
		case event.RconAuth:
			break login
		case event.RconLine: // before the login only errors
			log.Fatal(e.Text)
		}
	}
	for _, command := range os.Args[2:] {
		lines, err := c.RconRun(ctx, command)
		if err != nil {
			log.Fatal(err)
		}
		for _, line := range lines {
			fmt.Println(line)
		}
	}
}
