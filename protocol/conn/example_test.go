package conn_test

import (
	"fmt"
	"net/netip"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
)

// printer prints the payloads that a connection delivers.
type printer string

func (p printer) Chunk(payload []byte, vital bool) {
	fmt.Printf("%s got %q, vital %v\n", p, payload, vital)
}

// Example joins a client and a server without a network.
func Example() {
	var now conn.Time
	address := netip.MustParseAddr("127.0.0.1")
	tokens, err := conn.NewTokenIssuer(nil)
	if err != nil {
		panic(err)
	}

	var toServer, toClient [][]byte
	client, err := conn.New(conn.Config{Send: func(b []byte) {
		toServer = append(toServer, append([]byte(nil), b...))
	}})
	if err != nil {
		panic(err)
	}
	answer := func(b []byte) { toClient = append(toClient, append([]byte(nil), b...)) }
	server, err := conn.New(conn.Config{Send: answer})
	if err != nil {
		panic(err)
	}

	client.Dial(now, 0x01020304)
	for range 4 {
		for _, b := range toServer {
			if server.State() != conn.StateOffline {
				server.Feed(now, b, printer("server"))
				continue
			}
			var p packet.Packet
			if p.Parse(b, new(packet.Scratch)) != nil {
				continue
			}
			switch verdict, _ := tokens.Inspect(now, address, &p); verdict {
			case conn.ActionReplyToken:
				answer(packet.AppendTokenReply(nil, p.ResponseToken, tokens.Token(now, address)))
			case conn.ActionAccept:
				server.Accept(now, p.Token, p.ResponseToken)
			}
		}
		toServer = nil
		for _, b := range toClient {
			client.Feed(now, b, printer("client"))
		}
		toClient = nil
		if client.State() == conn.StateOnline && server.State() == conn.StatePending {
			client.Queue(now, []byte("hello"), true)
			client.Flush(now)
		}
	}
	fmt.Println(client.State(), server.State())

	// Output:
	// server got "hello", vital true
	// online online
}
