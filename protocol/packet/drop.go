package packet

// Drop says why a datagram, or the rest of one, was not taken. It is an error;
// as a small number it also serves as the index of a counter. Making one does
// not allocate.
type Drop uint8

const (
	DropNone     Drop = iota // not dropped
	DropShort                // shorter than its header
	DropLong                 // longer than a datagram or payload may be
	DropVersion              // connless packet of an unknown version
	DropUnknown              // no protocol begins like this
	DropHuffman              // payload cannot be decompressed
	DropControl              // malformed or unknown control message
	DropChunk                // chunk runs past the end of the payload
	DropToken                // wrong token, or none
	DropAck                  // acks what was never sent
	DropState                // not expected in the connection's state
	DropConnless             // connless packet given to a connection
	DropPadding              // token request too short to be answered
	DropFlags                // flags that 0.6 does not have
	DropEmpty                // 0.6 packet without chunks that asks for nothing
	DropOther                // packet of the other version on a connection

	// NumDrops is the number of reasons, DropNone included.
	NumDrops int = iota
)

var dropText = [NumDrops]string{
	"not dropped",
	"too short",
	"too long",
	"unknown connless version",
	"unknown protocol",
	"cannot be decompressed",
	"bad control message",
	"bad chunk",
	"wrong token",
	"impossible ack",
	"unexpected in this state",
	"connless packet on a connection",
	"token request without padding",
	"unknown flags",
	"packet without content",
	"packet of the other version",
}

// String returns a short lower-case reason, for counters and logs.
func (d Drop) String() string {
	if int(d) < NumDrops {
		return dropText[d]
	}
	return "unknown reason"
}

// Error implements error.
func (d Drop) Error() string { return "packet: " + d.String() }
