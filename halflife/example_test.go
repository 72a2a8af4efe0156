package halflife_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/mem"
	"github.com/teeyard/teeyard/transport/udp"
)

// chessGame is a game unrelated to Half-Life.
type chessGame struct{}

func (chessGame) Info() wire.Info {
	return wire.Info{Name: "Chess Club", Map: "board", Dir: "chess", Game: "Chess", Players: 2, Max: 2, Version: "1.0"}
}

func (chessGame) Players(dst []wire.Player) []wire.Player {
	return append(dst, wire.Player{Name: "white", Score: 3, Time: 5 * time.Minute}, wire.Player{Name: "black", Score: 1})
}

func (chessGame) Rules(dst []wire.Rule) []wire.Rule {
	return append(dst, wire.Rule{Name: "clock", Value: "5+3"})
}

func (chessGame) RunRcon(_ transport.Peer, _ int, line string, print func(string), done func()) {
	print("you said " + line)
	done()
}

// A Server answers queries in the loop that reads the game's port.
func Example() {
	network := mem.New(mem.Config{}) // in a real program: udp.Listen
	conn, err := network.Listen(transport.MustParsePeer("192.168.0.1:27015"))
	if err != nil {
		log.Fatal(err)
	}
	srv, err := halflife.NewServer(halflife.ServerConfig{
		Game: chessGame{}, Console: chessGame{}, Send: conn.Send,
		Settings: halflife.Settings{Rcon: halflife.RconSettings{Passwords: []halflife.RconPassword{{Password: "gambit"}}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		forever := func(now int64) (next int64, more bool) { return now + 1e9, true }
		transport.Run(context.Background(), conn, forever, func(d transport.Datagram) {
			if wire.IsDatagram(d.Data) {
				srv.Feed(d.ReceivedAt, d.Peer, d.Data)
			}
		})
	}()

	// A client queries the server.
	ctx := context.Background()
	me, err := network.Listen(transport.MustParsePeer("192.168.0.2:0"))
	if err != nil {
		log.Fatal(err)
	}
	status, err := halflife.Query(ctx, me, conn.LocalAddr(), halflife.QueryConfig{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status.Info.Name, status.Info.Players, status.Players[0].Name, status.Rules[0])
	rcon, err := halflife.NewRconClient(me, conn.LocalAddr(), "gambit")
	if err != nil {
		log.Fatal(err)
	}
	text, err := rcon.Run(ctx, "e2 e4")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	conn.Close()
	<-over
	// Output:
	// Chess Club 2 white clock "5+3"
	// you said e2 e4
}

// The example fetches the list of a master and queries each server on it.
func ExampleFetchList() {
	ctx := context.Background()
	conn, err := udp.Listen(udp.Config{MaxDatagram: halflife.ReceiveBuffer})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	m, err := udp.Resolve(ctx, "master.example.org", halflife.DefaultMasterPort)
	if err != nil {
		log.Fatal(err)
	}
	servers, err := halflife.FetchList(ctx, conn, m, halflife.ListConfig{Filter: wire.Filter{NotEmpty: true}})
	if err != nil {
		log.Fatal(err)
	}
	err = halflife.QueryAll(ctx, conn, servers, halflife.QueryConfig{InfoOnly: true}, func(s halflife.Status, err error) {
		if err == nil {
			fmt.Println(s.Peer, s.Info.Name, s.Info.Map, s.Ping)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
}
