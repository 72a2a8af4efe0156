// Package ws carries datagrams in WebSocket messages, for clients in browsers, which have no
// UDP: one datagram in each binary message, with the subprotocol "binary". That is what programs
// compiled with Emscripten do with a socket for datagrams, of which the web client of DDNet is one, and
// what DDNet-Server takes if it is built for it (its src/engine/shared/websockets.cpp).
//
// A [Hub] takes connections from an HTTP server, and adds them as peers to the [transport.Conn]
// of a game server ([Hub.Join]):
//
//	hub := ws.NewHub()
//	s, err := server.New(server.Config{AddTransport: hub.Join})
//	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { hub.Serve(w, r, from) })
//
// [Dial] is for clients.
//
// # What differs from UDP
//
// A connection is reliable, so what one loses keeps back all that comes after it. What cannot be
// sent soon is dropped, as with UDP: the game sends what matters again, and old snapshots
// are of no use. A datagram without data says that a peer's connection has ended.
//
// Every web page that is open in a browser of this machine can connect to it. That must not make it
// the operator, for whom loopback addresses stand elsewhere: such peers have the address 0.0.0.0.
package ws
