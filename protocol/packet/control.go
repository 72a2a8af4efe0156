package packet

import "encoding/binary"

// ControlID is the first payload byte of a control packet.
type ControlID uint8

const (
	ControlKeepAlive    ControlID = 0 // header only
	ControlConnect      ControlID = 1 // from the client; in 0.7 with its token
	ControlAccept       ControlID = 2 // from the server, answers CONNECT; named CONNECTACCEPT in 0.6
	ControlClientAccept ControlID = 3 // from the client, answers CONNECTACCEPT; named ACCEPT in 0.6, missing in 0.7
	ControlClose        ControlID = 4 // with a reason
	ControlToken        ControlID = 5 // 0.7: request or reply with the sender's token
)

// MinTokenRequestSize is the smallest payload, in bytes after decompression, of a token request
// that servers answer. The padding prevents servers from answering with more bytes than they
// received.
const MinTokenRequestSize = 512

// MaxCloseReason is the length of the longest reason that a receiver keeps, in bytes.
const MaxCloseReason = 127

// AppendControl appends a control packet that consists only of its id. Control packets are not
// compressed.
func AppendControl(dst []byte, ack int, token Token, id ControlID) []byte {
	return append(AppendHeader(dst, FlagControl, ack, 0, token), byte(id))
}

// AppendConnect appends the message with which a client opens a connection: the server's token, the
// client's own token, and padding.
func AppendConnect(dst []byte, token, own Token) []byte {
	return appendPadded(AppendControl(dst, 0, token, ControlConnect), own)
}

// AppendTokenRequest appends the message that requests the receiver's token: no token in the
// header, the sender's own token, and padding.
func AppendTokenRequest(dst []byte, own Token) []byte {
	return appendPadded(AppendControl(dst, 0, NoToken, ControlToken), own)
}

// AppendTokenReply appends the answer to a token request: the requester's token in the header, and
// the sender's own token.
func AppendTokenReply(dst []byte, token, own Token) []byte {
	dst = AppendControl(dst, 0, token, ControlToken)
	return binary.BigEndian.AppendUint32(dst, uint32(own))
}

// AppendClose appends the message that ends a connection. The reason ends at its first NUL; an
// empty reason is left out. The reason is cut to fit a datagram, although receivers keep only
// MaxCloseReason bytes.
func AppendClose(dst []byte, ack int, token Token, reason string) []byte {
	return appendReason(AppendControl(dst, ack, token, ControlClose), reason, MaxPayload-2)
}

func appendReason(dst []byte, reason string, limit int) []byte {
	if reason == "" {
		return dst
	}
	for i := 0; i < len(reason) && i < limit && reason[i] != 0; i++ {
		dst = append(dst, reason[i])
	}
	return append(dst, 0)
}

func appendPadded(dst []byte, own Token) []byte {
	var rest [MinTokenRequestSize]byte
	binary.BigEndian.PutUint32(rest[:], uint32(own))
	return append(dst, rest[:]...)
}

// ControlID returns the id of the control message. ParsePayload must have accepted p as a control
// packet.
func (p *Packet) ControlID() ControlID { return ControlID(p.Payload[0]) }

// AppendReason appends the reason of a CLOSE message as a receiver keeps it. The reason ends at its
// NUL or after MaxCloseReason bytes. The highest bit of each byte is cleared, and control
// characters are replaced by spaces.
func (p *Packet) AppendReason(dst []byte) []byte {
	raw := p.Payload[1:]
	for i := 0; i < len(raw) && i < MaxCloseReason && raw[i] != 0; i++ {
		dst = append(dst, max(raw[i]&0x7f, ' '))
	}
	return dst
}
