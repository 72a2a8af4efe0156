package packet

import (
	"encoding/binary"
	"unicode/utf8"
)

// magic6 marks DDNet's handshake with tokens.
const magic6 = "TKEN"

// minConnect65 is the least size of the payload by which 0.6.5's CONNECT is known,
// after the message's number.
const minConnect65 = 512

// AppendControl6 appends a control packet with its number alone. Such packets are
// never compressed. With a guard in the trailer and Confirm it is DDNet's ACCEPT.
func AppendControl6(dst []byte, ack int, g PlacedToken, id ControlID) []byte {
	return appendTrailer(append(AppendHeader6(dst, FlagControl, ack, 0, g), byte(id)), g)
}

// AppendConnect6 appends the message by which a client opens a connection, in the
// form of the programs that put tokens in the given place. own is the client's
// token, which only TokenInHeader sends; that form is padded and has no token in its
// header yet.
func AppendConnect6(dst []byte, place TokenPlace, own Token) []byte {
	dst = append(AppendHeader6(dst, FlagControl, 0, 0, PlacedToken{}), byte(ControlConnect))
	switch place {
	case TokenInTrailer:
		dst = append(dst, magic6...)
		dst = binary.BigEndian.AppendUint32(dst, uint32(NoToken))
	case TokenInHeader:
		var rest [minConnect65]byte
		binary.BigEndian.PutUint32(rest[4:], uint32(own))
		dst = append(dst, rest[:]...)
	}
	return dst
}

// AppendAccept6 appends the server's answer to a CONNECT, CONNECTACCEPT, of the same
// form: g is what the connection shall use from now on. peer is the client's token,
// which only TokenInHeader sends.
func AppendAccept6(dst []byte, g PlacedToken, peer Token) []byte {
	head := PlacedToken{}
	if g.Place == TokenInHeader {
		head = PlacedToken{TokenInHeader, peer}
	}
	dst = append(AppendHeader6(dst, FlagControl, 0, 0, head), byte(ControlAccept))
	switch g.Place {
	case TokenInTrailer:
		dst = append(dst, magic6...)
		fallthrough
	case TokenInHeader:
		dst = binary.BigEndian.AppendUint32(dst, uint32(g.Token))
	}
	return dst
}

// AppendClose6 appends the message that ends a connection. The reason ends at its
// first NUL; an empty one is left out. It is cut where it would not fit a datagram,
// though receivers keep 127 or 255 bytes.
func AppendClose6(dst []byte, ack int, g PlacedToken, reason string) []byte {
	dst = append(AppendHeader6(dst, FlagControl, ack, 0, g), byte(ControlClose))
	if reason != "" {
		for i := 0; i < len(reason) && i < MaxPayload6-2 && reason[i] != 0; i++ {
			dst = append(dst, reason[i])
		}
		dst = append(dst, 0)
	}
	return appendTrailer(dst, g)
}

func appendTrailer(dst []byte, g PlacedToken) []byte {
	if g.Place == TokenInTrailer {
		dst = binary.BigEndian.AppendUint32(dst, uint32(g.Token))
	}
	return dst
}

// ControlID returns which control message p is. p must be a control packet that
// ParseHeader has accepted.
func (p *Packet6) ControlID() ControlID { return ControlID(p.Payload[0]) }

// HandshakeToken reads the handshake of a CONNECT, CONNECTACCEPT or ACCEPT before its trailer
// is cut: where its sender puts tokens, and the token in it.
//
// A CONNECT has the client's token with TokenInHeader and NoToken with TokenInTrailer; a
// CONNECTACCEPT the server's; an ACCEPT returns it as DDNet's trailer. Nowhere means
// a message without token.
func (p *Packet6) HandshakeToken() PlacedToken {
	b := p.Payload
	token := func(at int) Token { return Token(binary.BigEndian.Uint32(b[at:])) }
	switch id := p.ControlID(); {
	case (id == ControlConnect || id == ControlAccept) && len(b) >= 9 && string(b[1:5]) == magic6:
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

// AppendReason appends the reason of a CLOSE message, after its trailer was cut, as a
// receiver keeps it: up to its NUL or MaxCloseReason bytes, with control characters
// replaced by spaces. Text that is not UTF-8 loses the highest bit of each byte.
func (p *Packet6) AppendReason(dst []byte) []byte {
	raw := p.Payload[1:]
	for i, b := range raw {
		if b == 0 {
			raw = raw[:i]
			break
		}
	}
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
