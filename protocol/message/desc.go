package message

// Sender is the side that sends a message.
type Sender uint8

const (
	// FromNobody is for reserved ids, and for messages that exist only in demos.
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
	Name     string // the original's name
	Doc      string // what the message is for
	Sender   Sender
	Vital    bool // sent in a vital chunk; receivers ignore it in other chunks
	Flush    bool // the packet is sent as soon as it contains the message
	NoRecord bool // left out of demos; set for 0.7 only
	Reserved bool // named by the original but never used
	// Extension is the name from which the UUID is made, such as ping@ddnet.tw. Extension is "" for
	// messages without a UUID.
	Extension string
}
