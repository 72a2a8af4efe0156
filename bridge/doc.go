// Package bridge is the seam between the versions of the protocol and everything
// else: what a server and a client say to each other, without how it is said.
//
// A [ServerSide] speaks one version with one client, for the server; a [ClientSide] speaks it
// with a server, for the client. Both are made by the packages below this one, one
// for each version, which alone know its messages. The server tells its Hosts what
// happened and hears of requests through [ClientMessageHandler]; the client asks through its
// Guest and hears through [ServerMessageHandler].
//
// Nothing here knows sockets, clocks or connections: a [Sender] takes the messages.
package bridge

// Sender takes the messages that a Host or a Guest writes.
type Sender interface {
	// Queue adds a message to the packet under construction; it is borrowed until
	// Queue returns.
	Queue(payload []byte, vital bool)
	// FlushSoon asks that what was queued leaves when the datagram being read is done
	// with, without waiting for more.
	FlushSoon()
}

// Settings are the settings that clients show. (0.7: Sv_ServerSettings)
type Settings struct {
	VoteKick     bool  // players may call votes to kick
	VoteKickMin  int32 // players needed for that
	VoteSpectate bool  // players may call votes to move to the spectators
	TeamsLocked  bool
	TeamBalance  bool
	PlayerSlots  int32 // how many may play at once
}

// VoteKind is what a vote is about, or how it ended.
type VoteKind uint8

// The kinds. VoteNone tells a newcomer that no vote runs.
const (
	VoteNone VoteKind = iota
	VoteOption
	VoteKick
	VoteSpectate
	VoteAborted
	VotePassed
	VoteFailed
)

// CommandInfo is one that a server offers, in its remote console or in the chat.
type CommandInfo struct {
	Name   string
	Params string // s string, i integer, f float, r rest of the line, ? optional
	Help   string
}
