package message

// Sender is the side that sends a message.
type Sender uint8

const (
	// FromNobody is for messages that only demos have, and for reserved ids.
	FromNobody Sender = iota
	// FromClient is for messages from client to server.
	FromClient
	// FromServer is for messages from server to client.
	FromServer
	// FromBoth is for messages that either side sends.
	FromBoth
)

// Desc describes a type of message.
type Desc struct {
	Name     string // in the original
	Doc      string // what it is for
	Sender   Sender
	Vital    bool // sent in a vital chunk; receivers ignore it in others
	Flush    bool // the packet is sent as soon as the message is in it
	NoRecord bool // left out of demos; set for 0.7 only
	Reserved bool // named by the original but never used
	// Extension is the name from which the UUID is made, such as ping@ddnet.tw; ""
	// for messages without UUID.
	Extension string
}
