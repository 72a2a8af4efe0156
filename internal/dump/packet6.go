package dump

import (
	"fmt"

	"github.com/teeyard/teeyard/protocol/packet"
)

// tokenState6 is the token of a 0.6 connection.
type tokenState6 struct {
	packet.PlacedToken
	known bool
	// reconnecting means that a CONNECT came while the connection was open. The connection is reset
	// only if the handshake continues.
	reconnecting bool
}

var placeNames = map[packet.TokenPlace]string{packet.TokenAbsent: "none", packet.TokenInTrailer: "trailer", packet.TokenInHeader: "header"}

// explainPacket6 explains a packet of 0.6.
func (d *Decoder) explainPacket6(f *flow, r *Record, toServer bool, b []byte) {
	var p packet.Packet6
	if err := p.Parse(b, &d.scratch); err != nil {
		r.addFault("%v", err)
		r.addHex(b)
		d.emitRecord(r)
		return
	}
	switch {
	case p.Flags&packet.FlagConnless != 0:
		r.addConnless6(&p)
	case p.Flags&packet.FlagControl != 0:
		f.explainControl6(r, toServer, &p)
	default:
		f.token6.update(&p)
		f.token6.check(r, &p)
		d.explainData(f, r, toServer, p.Ack, p.Flags, p.Chunks(), p.NumChunks)
		return
	}
	d.emitRecord(r)
}

// explainControl6 explains a control message of 0.6.
func (f *flow) explainControl6(r *Record, toServer bool, p *packet.Packet6) {
	r.Kind = "control"
	f.checkAck(r, toServer, p.Ack)
	g := &f.token6
	offer := p.HandshakeToken()
	switch id := p.ControlID(); id {
	case packet.ControlConnect:
		r.Name = "CONNECT"
		r.addField("tokens", placeNames[offer.Place])
		if offer.Place == packet.TokenInHeader {
			r.addField("token", fmt.Sprintf("%08x", uint32(offer.Token)))
		}
		if !toServer {
			r.addFault("servers do not send CONNECT")
			break
		}
		if g.reconnecting = f.open; !f.open {
			*g = tokenState6{}
			f.reset()
		}
	case packet.ControlAccept:
		r.Name = "CONNECTACCEPT"
		r.addField("tokens", placeNames[offer.Place])
		if offer.Place != packet.TokenAbsent {
			r.addField("token", fmt.Sprintf("%08x", uint32(offer.Token)))
		}
		if toServer {
			r.addFault("clients do not send CONNECTACCEPT")
			break
		}
		// DDNet's client still has to return the token.
		if g.reconnecting && offer.Place != packet.TokenInTrailer {
			f.reset()
			g.reconnecting = false
		}
		g.PlacedToken, g.known = offer, true
	case packet.ControlClientAccept:
		r.Name = "ACCEPT"
		if !toServer {
			r.addFault("servers do not send ACCEPT")
			break
		}
		g.update(p)
		g.check(r, p)
		if g.reconnecting {
			f.reset()
			g.reconnecting = false
		}
	case packet.ControlKeepAlive:
		r.Name = "KEEPALIVE"
		g.update(p)
		g.check(r, p)
	case packet.ControlClose:
		r.Name = "CLOSE"
		g.update(p)
		g.check(r, p)
		r.addField("reason", string(p.AppendReason(nil)))
		f.open = false
	default:
		r.Name = fmt.Sprintf("control %d", id)
		r.addFault("unknown control message")
	}
	r.Ack, r.HasAck = p.Ack, true
}

// update finds the place of the token if the capture lacks the handshake.
func (g *tokenState6) update(p *packet.Packet6) {
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
		// A reason ends with a NUL, and the token comes after it.
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

// check removes a token after the chunks and compares it with the connection's token.
func (g *tokenState6) check(r *Record, p *packet.Packet6) {
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
		r.addFault("a token in the header, but the handshake has it elsewhere")
	case !has && g.Place != packet.TokenAbsent:
		r.addFault("no token; the connection's token is %08x", uint32(g.Token))
	case has && token != g.Token:
		r.addFault("token %08x, but the connection's token is %08x", uint32(token), uint32(g.Token))
	}
}
