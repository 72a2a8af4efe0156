package packet

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// tkenMagic marks the messages of DDNet's handshake.
const tkenMagic = "TKEN"

// minConnect65 is the smallest payload, after the id, of a CONNECT in the format of 0.6.5.
const minConnect65 = 512

// AppendControl6 appends a control packet that consists only of its id. Control packets are not
// compressed. ControlClientAccept with a token in the trailer is DDNet's ACCEPT.
func AppendControl6(dst []byte, ack int, token PlacedToken, id ControlID) []byte {
	return appendTrailer(append(AppendHeader6(dst, FlagControl, ack, 0, token), byte(id)), token)
}

// AppendConnect6 appends the message with which a client opens a connection, in the format of
// programs that place tokens as given. own is the client's token. The token is sent only for
// TokenInHeader; that format is padded and has no token in its header yet.
func AppendConnect6(dst []byte, place TokenPlace, own Token) []byte {
	dst = append(AppendHeader6(dst, FlagControl, 0, 0, PlacedToken{}), byte(ControlConnect))
	switch place {
	case TokenInTrailer:
		dst = append(dst, tkenMagic...)
		dst = binary.BigEndian.AppendUint32(dst, uint32(NoToken))
	case TokenInHeader:
		var padded [minConnect65]byte
		binary.BigEndian.PutUint32(padded[4:], uint32(own))
		dst = append(dst, padded[:]...)
	}
	return dst
}

// AppendAccept6 appends CONNECTACCEPT, the server's answer to a CONNECT, in the same format. token
// is the connection's token from now on. peer is the client's token; it is sent only for
// TokenInHeader.
func AppendAccept6(dst []byte, token PlacedToken, peer Token) []byte {
	headerToken := PlacedToken{}
	if token.Place == TokenInHeader {
		headerToken = PlacedToken{TokenInHeader, peer}
	}
	dst = append(AppendHeader6(dst, FlagControl, 0, 0, headerToken), byte(ControlAccept))
	switch token.Place {
	case TokenInTrailer:
		dst = append(dst, tkenMagic...)
		fallthrough
	case TokenInHeader:
		dst = binary.BigEndian.AppendUint32(dst, uint32(token.Token))
	}
	return dst
}

// AppendClose6 appends the message that ends a connection. The reason ends at its first NUL; an
// empty reason is left out. The reason is cut to fit a datagram, although receivers keep only 127
// or 255 bytes.
func AppendClose6(dst []byte, ack int, token PlacedToken, reason string) []byte {
	dst = append(AppendHeader6(dst, FlagControl, ack, 0, token), byte(ControlClose))
	return appendTrailer(appendReason(dst, reason, MaxPayload6-2), token)
}

func appendTrailer(dst []byte, token PlacedToken) []byte {
	if token.Place == TokenInTrailer {
		dst = binary.BigEndian.AppendUint32(dst, uint32(token.Token))
	}
	return dst
}

// ControlID returns the id of the control message. ParseHeader must have accepted p as a control
// packet.
func (p *Packet6) ControlID() ControlID { return ControlID(p.Payload[0]) }

// HandshakeToken returns the token in a CONNECT, CONNECTACCEPT or ACCEPT, with the place where the
// sender puts tokens. Call it before CutTrailer.
//
// A CONNECT contains the client's token with TokenInHeader, and NoToken with TokenInTrailer. A
// CONNECTACCEPT contains the server's token. An ACCEPT returns it in DDNet's trailer. TokenAbsent
// means that the message has no token.
func (p *Packet6) HandshakeToken() PlacedToken {
	b := p.Payload
	token := func(at int) Token { return Token(binary.BigEndian.Uint32(b[at:])) }
	switch id := p.ControlID(); {
	case (id == ControlConnect || id == ControlAccept) && len(b) >= 9 && string(b[1:5]) == tkenMagic:
		return PlacedToken{TokenInTrailer, token(5)}
	case id == ControlConnect && len(b) >= 1+minConnect65:
		return PlacedToken{TokenInHeader, token(5)}
	case id == ControlAccept && p.HasToken && len(b) >= 5:
		return PlacedToken{TokenInHeader, token(1)}
	case id == ControlClientAccept && len(b) >= 5:
		return PlacedToken{TokenInTrailer, token(1)}
	}
	return PlacedToken{TokenAbsent, NoToken}
}

// AppendReason appends the reason of a CLOSE message as a receiver keeps it. Call it after
// CutTrailer. The reason ends at its NUL or after MaxCloseReason bytes, and control characters are
// replaced by spaces. In a text that is not UTF-8, the highest bit of each byte is cleared.
func (p *Packet6) AppendReason(dst []byte) []byte {
	raw, _, _ := bytes.Cut(p.Payload[1:], []byte{0})
	if len(raw) > MaxCloseReason {
		n := MaxCloseReason
		for n > MaxCloseReason-utf8.UTFMax && !utf8.RuneStart(raw[n]) {
			n--
		}
		raw = raw[:n]
	}
	if !utf8.Valid(raw) {
		for _, b := range raw {
			dst = append(dst, max(b&0x7f, ' '))
		}
		return dst
	}
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			dst = append(dst, ' ')
		} else {
			dst = append(dst, raw[:n]...)
		}
		raw = raw[n:]
	}
	return dst
}
