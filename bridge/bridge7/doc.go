// Package bridge7 translates between the neutral vocabulary of package game
// and the 0.7 protocol.
//
// On the server [Up] turns a client's message into a command, [Announcer]
// turns events into messages, and [Scene] turns frames into snapshots.
//
// On the client [Lift] turns messages into events and snapshots into the same
// frames, and [Request] turns commands into messages; [ClientSide] does all of it for a
// client that knows no messages. Both sides are in one package
// so that one test can hold them against each other.
package bridge7
