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
// # Pairs of connections
//
// A peer may have two connections that both carry every datagram, in both directions. A lost packet
// then delays a datagram only if both connections delay it. Each message of a pair is a number of
// two bytes, in network byte order, and a datagram. A sender numbers its datagrams from 1, and 0
// follows 65535. The receiver passes on the first copy of each, in the order of arrival, and drops
// numbers that are 2048 or more behind the newest.
//
// A client requests the subprotocols "teeyard.2" and "pair." with an id, which are 16 random bytes
// in hexadecimal. Both connections have the same id and come from the same address, or IPv6 /64.
// Clients add "binary" to the first request, for servers without pairs. The server chooses
// "teeyard.2", or "binary" for a single connection without numbers.
//
// The peer has the address of the first connection. It ends when both connections have ended, so a
// client can replace one that it lost. A third connection replaces the one that was silent for
// longer. A pair counts as one peer for all limits.
//
// [Dialer].Two opens a pair. The module web/play/static/net/socket.js does so in browsers.
//
// Any web page open in a browser on this machine can connect. Elsewhere, loopback addresses belong
// to the operator. Such a page must not get the operator's rights, so its peer has the address
// 0.0.0.0.
package ws
