// Package ws carries datagrams in WebSocket messages, because clients in browsers do not have UDP.
// Each binary message is one datagram, and the subprotocol is "binary". Programs compiled with
// Emscripten, such as DDNet's web client, use their datagram sockets that way. DDNet-Server
// supports it with a build option (its src/engine/shared/websockets.cpp).
//
// A [Hub] accepts connections from an HTTP server and adds them as peers to the [transport.Conn] of
// a game server ([Hub.Join]):
//
//	hub := ws.NewHub()
//	s, err := server.New(server.Config{AddTransport: hub.Join})
//	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
//		hub.Serve(w, r, from)
//	})
//
// [Dial] is for clients.
//
// # Differences from UDP
//
// A connection is reliable, so a lost packet delays everything behind it. Datagrams that cannot be
// sent soon are dropped, as with UDP: the game resends vital data, and old snapshots are useless. A
// datagram without data means that a peer's connection has ended.
//
// Any web page open in a browser on this machine can connect. Elsewhere, loopback addresses belong
// to the operator. Such a page must not get the operator's rights, so its peer has the address
// 0.0.0.0.
package ws
