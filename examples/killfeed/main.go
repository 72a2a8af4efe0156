// Command killfeed is a deathmatch server that prints who joins, leaves and kills. It shows how to
// embed a server and observe it.
//
//	go run ./examples/killfeed "sv_port 8304"
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/server"
)

// observe prints the events of a tick.
func observe(t *server.Tick) {
	for _, e := range t.Events {
		switch e := e.(type) {
		case event.Joined:
			fmt.Printf("%s joined, %d players\n", e.Player.Name, t.World.NumPlaying())
		case event.Left:
			fmt.Printf("%s left\n", e.Player.Name)
		case event.Kill:
			if e.Killer.ID != e.Victim.ID { // no fall, suicide or change of team
				fmt.Printf("%s killed %s with the %v\n", e.Killer.Name, e.Victim.Name, e.Weapon)
			}
		}
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	s, err := server.New(server.Config{
		Commands:  os.Args[1:], // console lines, such as "sv_port 8304"
		Observers: []server.Observer{server.ObserverFunc(observe)},
	})
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("server on %v", s.Addr())
	if err := s.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
