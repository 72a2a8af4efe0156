package packet

// DropReason says why a datagram, or the rest of one, was not taken. It is an error;
// as a small number it also serves as the index of a counter. Making one does
// not allocate.
type DropReason uint8

const (
	DropNone            DropReason = iota // not dropped
	DropTooShort                          // shorter than its header
	DropTooLong                           // longer than a datagram or payload may be
	DropConnlessVersion                   // connless packet of an unknown version
	DropUnknownProtocol                   // no protocol begins like this
	DropBadHuffman                        // payload cannot be decompressed
	DropBadControl                        // malformed or unknown control message
	DropBadChunk                          // chunk runs past the end of the payload
	DropBadToken                          // wrong token, or none
	DropBadAck                            // acks what was never sent
	DropWrongState                        // not expected in the connection's state
	DropConnless                          // connless packet given to a connection
	DropNoPadding                         // token request too short to be answered
	DropUnknownFlags                      // flags that 0.6 does not have
	DropEmpty                             // 0.6 packet without chunks that asks for nothing
	DropOtherVersion                      // packet of the other version on a connection

	// NumDropReasons is the number of reasons, DropNone included.
	NumDropReasons int = iota
)

var dropText = [NumDropReasons]string{
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
func (d DropReason) String() string {
	if int(d) < NumDropReasons {
		return dropText[d]
	}
	return "unknown reason"
}

// Error implements error.
func (d DropReason) Error() string { return "packet: " + d.String() }
