// Package bridge7 translates between the neutral vocabulary of package game
// and the 0.7 protocol.
//
// On the server [Up] turns a client's message into a command, [Announcer]
// turns events into messages, and [Scene] turns frames into snapshots.
package bridge7
