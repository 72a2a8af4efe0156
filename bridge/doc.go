// Package bridge makes the server and the client independent of the protocol version. The package
// defines the vocabulary in which they exchange messages and snapshots.
//
// A [ServerSide] translates between the server and one client. A [ClientSide] translates between
// the client and a server. Packages bridge6 and bridge7 implement both, for 0.6 and 0.7; no other
// package deals with the messages of a version. Messages from a client reach the server through its
// [ClientMessageHandler]. Messages from a server reach the client through its
// [ServerMessageHandler].
//
// A method that sends a message is named Send plus the name of the message or its content. The
// method that handles the message at the other end is named On plus the same name.
//
// The package has no sockets, clocks or connections: messages go to a [Sender]. The code that
// bridge6 and bridge7 share is in bridge/internal.
//
// The bridge decodes all messages, also those about the connection: login, map download and rcon.
// Otherwise the server and the client would contain each of them once per version. A message for
// many clients is encoded for each of them, because that costs little. World.Frame is encoded once
// per tick for all viewers, in quantised numbers that all versions share.
package bridge
