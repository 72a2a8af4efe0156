package packet

// DropReason is the reason why a datagram, or the rest of one, was dropped. A DropReason is an
// error, and a small number that can index a counter. Using it as an error does not allocate.
type DropReason uint8

const (
	DropNone            DropReason = iota // not dropped
	DropTooShort                          // shorter than its header
	DropTooLong                           // longer than a datagram or payload may be
	DropConnlessVersion                   // connectionless packet of an unknown version
	DropUnknownProtocol                   // not the beginning of a known protocol
	DropBadHuffman                        // payload cannot be decompressed
	DropBadControl                        // malformed or unknown control message
	DropBadChunk                          // chunk runs past the end of the payload
	DropBadToken                          // wrong token, or none
	DropBadAck                            // acks a chunk that was not sent
	DropWrongState                        // unexpected in the connection's state
	DropConnless                          // connectionless packet passed to a connection
	DropNoPadding                         // token request too short to be answered
	DropUnknownFlags                      // flags that 0.6 does not have
	DropEmpty                             // 0.6 packet without chunks and resend request
	DropOtherVersion                      // packet of the other version on a connection

	// NumDropReasons is the number of reasons, including DropNone.
	NumDropReasons int = iota
)

var dropReasonNames = [NumDropReasons]string{
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

// String returns a short lower-case text for counters and logs.
func (d DropReason) String() string {
	if int(d) < NumDropReasons {
		return dropReasonNames[d]
	}
	return "unknown reason"
}

// Error implements error.
func (d DropReason) Error() string { return "packet: " + d.String() }
