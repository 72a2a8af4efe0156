// Package server is the Teeworlds game server.
//
// The zero [Config] is a deathmatch on the embedded map on UDP port 8303:
//
//	s, err := server.New(server.Config{})
//	if err != nil {
//		return err
//	}
//	return s.Run(ctx)
//
// The goroutine that calls [Server.Run] owns the server. Other goroutines reach it through
// [Server.Do]. Tests and simulations can drive a server without goroutines and on any clock:
// [Server.Feed] takes a datagram, and [Server.Advance] lets time pass.
//
// [Config.Observers] see each tick with its events. These are the events of package event; package
// client delivers them too.
//
// Package game has the rules of the game, and package bridge the messages of each version of the
// protocol: a session calls its bridge.ServerSide to send messages, and that calls the session for
// those that arrive. This package has the loop and the sessions: admission, the login, inputs,
// snapshots and the remote console. Votes, maps, recordings and other concerns are packages below
// it.
package server
