package packet

import "encoding/binary"

// ControlID is the first payload byte of a control packet.
type ControlID uint8

const (
	ControlKeepAlive    ControlID = 0 // both ways, carries an ack
	ControlConnect      ControlID = 1 // client; in 0.7 it carries its token
	ControlAccept       ControlID = 2 // server, answers Connect; 0.6: CONNECTACCEPT
	ControlClientAccept ControlID = 3 // client, answers Accept; 0.6's ACCEPT, not in 0.7
	ControlClose        ControlID = 4 // both ways, carries a reason
	ControlToken        ControlID = 5 // 0.7: request or reply, carries the sender's token
)

// MinTokenRequestSize is the payload size in bytes, after decompression, from which a
// token request is answered. The padding keeps servers from answering with more
// than they were sent.
const MinTokenRequestSize = 512

// MaxCloseReason is the longest reason that a receiver keeps, in bytes.
const MaxCloseReason = 127

// AppendControl appends a control packet. Such packets are never compressed.
func AppendControl(dst []byte, ack int, token Token, id ControlID) []byte {
	return append(AppendHeader(dst, FlagControl, ack, 0, token), byte(id))
}

// AppendConnect appends the message by which a client opens a connection, with
// the server's token, its own one, and padding.
func AppendConnect(dst []byte, token, own Token) []byte {
	return appendPadded(AppendControl(dst, 0, token, ControlConnect), own)
}

// AppendTokenRequest appends the message that asks for the receiver's token: no
// token in the header, the sender's own one, and padding.
func AppendTokenRequest(dst []byte, own Token) []byte {
	return appendPadded(AppendControl(dst, 0, NoToken, ControlToken), own)
}

// AppendTokenReply appends the answer to a token request: the requester's token
// in the header and the sender's own one.
func AppendTokenReply(dst []byte, token, own Token) []byte {
	dst = AppendControl(dst, 0, token, ControlToken)
	return binary.BigEndian.AppendUint32(dst, uint32(own))
}

// AppendClose appends the message that ends a connection. The reason ends at its
// first NUL; an empty one is left out. It is cut where it would not fit a
// datagram, though receivers keep only MaxCloseReason bytes.
func AppendClose(dst []byte, ack int, token Token, reason string) []byte {
	dst = AppendControl(dst, ack, token, ControlClose)
	if reason == "" {
		return dst
	}
	for i := 0; i < len(reason) && i < MaxPayload-2 && reason[i] != 0; i++ {
		dst = append(dst, reason[i])
	}
	return append(dst, 0)
}

func appendPadded(dst []byte, own Token) []byte {
	var rest [MinTokenRequestSize]byte
	binary.BigEndian.PutUint32(rest[:], uint32(own))
	return append(dst, rest[:]...)
}

// ControlID returns which control message p is. p must be a control packet that
// Open has accepted.
func (p *Packet) ControlID() ControlID { return ControlID(p.Payload[0]) }

// AppendReason appends the reason of a CLOSE message as a receiver keeps it: up to
// its NUL or MaxCloseReason bytes, the highest bit of each byte cleared, and control
// characters replaced by spaces.
func (p *Packet) AppendReason(dst []byte) []byte {
	raw := p.Payload[1:]
	for i := 0; i < len(raw) && i < MaxCloseReason && raw[i] != 0; i++ {
		dst = append(dst, max(raw[i]&0x7f, ' '))
	}
	return dst
}
