package dump

import (
	"fmt"

	"github.com/teeyard/teeyard/protocol/packet"
)

// explainPacket7 explains a packet of 0.7.
func (d *Decoder) explainPacket7(f *flow, r *Record, toServer bool, b []byte) {
	var p packet.Packet
	if err := p.Parse(b, &d.scratch); err != nil {
		r.addFault("%v", err)
		r.addHex(b)
		d.emitRecord(r)
		return
	}
	r.Token, r.HasToken = uint32(p.Token), true
	switch {
	case p.Flags&packet.FlagConnless != 0:
		r.addConnless7(&p)
	case p.Flags&packet.FlagControl != 0:
		f.explainControl7(r, toServer, &p)
	default:
		f.checkToken(r, toServer, &p)
		d.explainData(f, r, toServer, p.Ack, p.Flags, p.Chunks(), p.NumChunks)
		return
	}
	d.emitRecord(r)
}

// explainControl7 explains a control message of 0.7.
func (f *flow) explainControl7(r *Record, toServer bool, p *packet.Packet) {
	r.Kind = "control"
	f.checkToken(r, toServer, p)
	f.checkAck(r, toServer, p.Ack)
	response := func() {
		r.addField("token", fmt.Sprintf("%08x", uint32(p.ResponseToken)))
		f.setToken(toServer, p.ResponseToken)
	}
	switch id := p.ControlID(); id {
	case packet.ControlKeepAlive:
		r.Name = "KEEPALIVE"
	case packet.ControlConnect:
		r.Name = "CONNECT"
		f.connectSeen(toServer, p.ResponseToken)
		response()
		if !toServer {
			r.addFault("servers do not send CONNECT")
		}
	case packet.ControlAccept:
		r.Name = "ACCEPT"
		if toServer {
			r.addFault("clients do not send ACCEPT")
		}
	case packet.ControlClose:
		r.Name = "CLOSE"
		r.addField("reason", string(p.AppendReason(nil)))
		f.open = false
	case packet.ControlToken:
		r.Name = "TOKEN"
		response()
		if toServer && p.Token == packet.NoToken && len(p.Payload) < packet.MinTokenRequestSize {
			r.addFault("a request of %d bytes; servers answer requests of at least %d", len(p.Payload), packet.MinTokenRequestSize)
		}
	default:
		r.Name = fmt.Sprintf("control %d", id)
		r.addFault("unknown control message")
	}
	r.Ack, r.HasAck = p.Ack, true
}
