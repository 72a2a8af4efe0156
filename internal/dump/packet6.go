package dump

import (
	"fmt"

	"github.com/teeyard/teeyard/protocol/packet"
)

// guard6 is what is known of the token of a connection of 0.6.
type guard6 struct {
	packet.PlacedToken
	known bool
	// again: a CONNECT came while the connection was open. It begins anew only if
	// the handshake goes on.
	again bool
}

var placeNames = map[packet.TokenPlace]string{packet.TokenAbsent: "none", packet.TokenInTrailer: "trailer", packet.TokenInHeader: "header"}

// packet6 explains a packet of 0.6.
func (d *Decoder) packet6(f *flow, r *Record, toServer bool, b []byte) {
	var p packet.Packet6
	if err := p.Parse(b, &d.scratch); err != nil {
		r.fault("%v", err)
		r.raw(b)
		d.out(r)
		return
	}
	switch {
	case p.Flags&packet.FlagConnless != 0:
		d.connless6(r, &p)
	case p.Flags&packet.FlagControl != 0:
		d.control6(f, r, toServer, &p)
	default:
		f.guard.learn(&p)
		f.guard.check(r, &p)
		f.ack(r, toServer, p.Ack)
		r.Ack, r.HasAck = p.Ack, true
		r.Resend = p.Flags&packet.FlagResend != 0
		r.Compressed = p.Flags&packet.FlagCompressed != 0
		d.chunks(f, r, toServer, p.Chunks(), p.NumChunks)
	}
}

// control6 explains a control message of 0.6.
func (d *Decoder) control6(f *flow, r *Record, toServer bool, p *packet.Packet6) {
	r.Kind = "control"
	f.ack(r, toServer, p.Ack)
	g := &f.guard
	offer := p.HandshakeToken()
	switch id := p.ControlID(); id {
	case packet.ControlConnect:
		r.Name = "CONNECT"
		r.add("tokens", placeNames[offer.Place])
		if offer.Place == packet.TokenInHeader {
			r.add("token", fmt.Sprintf("%08x", uint32(offer.Token)))
		}
		if !toServer {
			r.fault("servers do not send CONNECT")
			break
		}
		if g.again = f.open; !f.open {
			*g = guard6{}
			f.begin()
		}
	case packet.ControlAccept:
		r.Name = "CONNECTACCEPT"
		r.add("tokens", placeNames[offer.Place])
		if offer.Place != packet.TokenAbsent {
			r.add("token", fmt.Sprintf("%08x", uint32(offer.Token)))
		}
		if toServer {
			r.fault("clients do not send CONNECTACCEPT")
			break
		}
		// DDNet's client still has to return the token.
		if g.again && offer.Place != packet.TokenInTrailer {
			f.begin()
			g.again = false
		}
		g.PlacedToken, g.known = offer, true
	case packet.ControlClientAccept:
		r.Name = "ACCEPT"
		if !toServer {
			r.fault("servers do not send ACCEPT")
			break
		}
		g.learn(p)
		g.check(r, p)
		if g.again {
			f.begin()
			g.again = false
		}
	case packet.ControlKeepAlive:
		r.Name = "KEEPALIVE"
		g.learn(p)
		g.check(r, p)
	case packet.ControlClose:
		r.Name = "CLOSE"
		g.learn(p)
		g.check(r, p)
		r.add("reason", string(p.AppendReason(nil)))
		f.open = false
	default:
		r.Name = fmt.Sprintf("control %d", id)
		r.fault("unknown control message")
	}
	r.Ack, r.HasAck = p.Ack, true
	d.out(r)
}

// learn finds out where the token is if the handshake is not in the capture.
func (g *guard6) learn(p *packet.Packet6) {
	if g.known {
		return
	}
	rest := 0
	switch {
	case p.HasToken:
		g.PlacedToken, g.known = packet.PlacedToken{Place: packet.TokenInHeader, Token: p.Token}, true
		return
	case p.Flags&packet.FlagControl != 0 && p.ControlID() != packet.ControlClose:
		rest = len(p.Payload) - 1
	case p.Flags&packet.FlagControl != 0:
		// A reason ends with a NUL, and the token follows it.
		n := len(p.Payload) - 1
		if n == packet.TokenTrailerSize && p.Payload[n] != 0 || n > packet.TokenTrailerSize && p.Payload[n-packet.TokenTrailerSize] == 0 {
			rest = packet.TokenTrailerSize
		}
	default:
		it := p.Chunks()
		for c := (packet.Chunk{}); it.Next(&c); {
		}
		if it.Err() != nil {
			return
		}
		rest = len(it.Rest())
	}
	switch rest {
	case 0:
		g.PlacedToken, g.known = packet.PlacedToken{Token: packet.NoToken}, true
	case packet.TokenTrailerSize:
		q := *p
		if token, ok := q.CutTrailer(); ok {
			g.PlacedToken, g.known = packet.PlacedToken{Place: packet.TokenInTrailer, Token: token}, true
		}
	}
}

// check cuts off the token, if it is behind the chunks, and compares it with that of
// the connection.
func (g *guard6) check(r *Record, p *packet.Packet6) {
	token, has := p.Token, p.HasToken
	if g.known && g.Place == packet.TokenInTrailer {
		token, has = p.CutTrailer()
	}
	if has {
		r.Token, r.HasToken = uint32(token), true
	}
	switch {
	case !g.known:
	case p.HasToken && g.Place != packet.TokenInHeader:
		r.fault("a token in the header, which the handshake does not have there")
	case !has && g.Place != packet.TokenAbsent:
		r.fault("no token; that of the connection is %08x", uint32(g.Token))
	case has && token != g.Token:
		r.fault("token %08x, but that of the connection is %08x", uint32(token), uint32(g.Token))
	}
}
