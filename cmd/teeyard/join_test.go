package main

import (
	"context"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport/udp"
)

// freePorts gives a script a UDP port for its server, as $PORT, and one where
// nobody listens, as $NOBODY.
func freePorts(env *testscript.Env) error {
	for _, name := range []string{"PORT", "NOBODY", "SPARE"} {
		port, err := peers.FreePort()
		if err != nil {
			return err
		}
		env.Setenv(name, strconv.Itoa(port))
	}
	return nil
}

// recorder is a printer that passes events on.
type recorder struct {
	printer
	events chan client.Event
}

func (r recorder) event(e client.Event) { r.events <- e }

// TestWatchesAgain: who came to watch watches after a reconnect, too.
func TestWatchesAgain(t *testing.T) {
	sock, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Transport: sock, Commands: []string{"sv_map testbox; sv_spamprotection 0"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- s.Run(ctx) }()

	in, typed := io.Pipe()
	defer typed.Close()
	out := recorder{events: make(chan client.Event, 1024)}
	join := joinCmd{Host: sock.LocalAddr().String(), Name: "observer", Protocol: "any", Again: 100 * time.Millisecond, Cache: "-"}
	joined := make(chan error, 1)
	go func() { joined <- join.follow(ctx, in, out) }()

	watching, back := 0, false
	for watching < 2 {
		select {
		case e := <-out.events:
			switch e := e.(type) {
			case client.TeamChange:
				if e.Player.Name == "observer" && e.Player.Team == game.TeamSpectators {
					watching++
					s.Do(ctx, func() { s.Execute("kick 0 out") })
				}
			case client.Disconnected:
				back = e.Again != 0
			}
		case err := <-joined:
			t.Fatalf("it ended, having watched %d times: %v", watching, err)
		case <-ctx.Done():
			t.Fatalf("watched %d times, came back: %v", watching, back)
		}
	}
	if !back {
		t.Error("it was not thrown out")
	}
	stop()
	<-joined
	<-served
}
