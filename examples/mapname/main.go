// Command mapname connects to a Teeworlds 0.7 server with package protocol alone and prints the
// name of its map.
//
//	go run ./examples/mapname localhost:8303
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
)

// login handles the messages of the server.
type login struct {
	decoder msg7.Decoder
	mapName string
}

// Chunk implements conn.Handler.
func (l *login) Chunk(payload []byte, _ bool) {
	m, err := l.decoder.Decode(payload)
	if err != nil {
		return // a message that the package does not know
	}
	if m, ok := m.(*msg7.MapChange); ok {
		l.mapName = string(m.Name)
	}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: mapname HOST:PORT")
	}
	socket, err := net.Dial("udp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	start := time.Now()
	now := func() conn.Time { return conn.Time(time.Since(start)) }
	c, err := conn.New(conn.Config{Send: func(b []byte) { socket.Write(b) }})
	if err != nil {
		log.Fatal(err)
	}
	c.Dial(now(), packet.Token(rand.Uint32()>>1))

	l, asked := login{}, false
	buf := make([]byte, packet.MaxDatagram)
	for l.mapName == "" && c.State() != conn.StateError {
		socket.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if n, err := socket.Read(buf); err == nil {
			c.Feed(now(), buf[:n], &l)
		}
		if c.State() == conn.StateOnline && !asked {
			info := msg7.Info{NetVersion: []byte(msg7.NetVersion), ClientVersion: 0x0705}
			c.Queue(now(), info.Append(nil), true)
			c.Flush(now())
			asked = true
		}
		c.Update(now()) // resends, keep-alives, timeouts
	}
	fmt.Println(l.mapName, c.Reason())
	c.Close(now(), "")
}
