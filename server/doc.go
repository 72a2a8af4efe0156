// Package server is the Teeworlds game server: it takes clients from their
// first datagram into the game and keeps them playing.
//
// The zero [Config] is a deathmatch on the embedded map on UDP port 8303:
//
//	s, err := server.New(server.Config{})
//	if err != nil {
//		return err
//	}
//	return s.Run(ctx)
//
// One goroutine, the one in [Server.Run], owns everything. Others reach it with
// [Server.Do]. Tests and simulations can drive a server themselves, without
// goroutines and on any clock: [Server.Feed] takes a datagram and
// [Server.Advance] lets time pass.
//
// The rules of the game are in package game, and how each version of the protocol
// tells of it in a bridge: a session asks its bridge.ServerSide to say things, and is
// asked through bridge.ClientMessageHandler. What remains here are the connections: admission,
// the way into the game, the map download, inputs and snapshots, the remote
// console.
package server
