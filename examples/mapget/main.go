// Command mapget downloads a server's map into the current folder.
//
//	go run ./examples/mapget localhost
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: mapget HOST")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	c, err := client.Dial(ctx, os.Args[1], client.Config{
		Name: "mapget",
		Maps: client.NewMaps("."),
		OnEvent: func(_ *client.Client, e event.Event) {
			if d, ok := e.(event.Download); ok {
				fmt.Printf("\r%s: %d of %d bytes", d.Map, d.Done, d.Size)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	m := c.Map()
	fmt.Printf("\n%s is %d by %d tiles, in %s\n", m.Name, m.Terrain.Width, m.Terrain.Height, m.Path)
}
