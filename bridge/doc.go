// Package bridge separates the server and the client from the versions of the
// protocol: it is the vocabulary in which they exchange messages and snapshots.
//
// A [ServerSide] translates for the server what it exchanges with one client, and a
// [ClientSide] translates for the client what it exchanges with a server. Packages
// bridge6 and bridge7 implement both for 0.6 and 0.7; nobody else knows the messages.
// The server learns what a client sent through its [ClientMessageHandler], the client
// what the server sent through its [ServerMessageHandler].
//
// Methods that send messages are called Send and the name of the message or of what it
// carries; the method that handles the message on the other side is called On and the
// same name.
//
// Nothing here knows sockets, clocks or connections: messages go to a [Sender].
//
// [ClientState], [DeadReckoner], [SharedItems], [CharacterItem] and [EffectItems] are
// what the implementations have in common.
package bridge
