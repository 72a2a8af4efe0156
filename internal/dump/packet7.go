package dump

import (
	"fmt"

	"github.com/teeyard/teeyard/protocol/packet"
)

// packet7 explains a packet of 0.7.
func (d *Decoder) packet7(f *flow, r *Record, toServer bool, b []byte) {
	var p packet.Packet
	if err := p.Parse(b, &d.scratch); err != nil {
		r.fault("%v", err)
		r.raw(b)
		d.out(r)
		return
	}
	r.Token, r.HasToken = uint32(p.Token), true
	switch {
	case p.Flags&packet.FlagConnless != 0:
		d.connless7(r, &p)
	case p.Flags&packet.FlagControl != 0:
		d.control7(f, r, toServer, &p)
	default:
		f.check(r, toServer, &p)
		f.ack(r, toServer, p.Ack)
		r.Ack, r.HasAck = p.Ack, true
		r.Resend = p.Flags&packet.FlagResend != 0
		r.Compressed = p.Flags&packet.FlagCompressed != 0
		d.chunks(f, r, toServer, p.Chunks(), p.NumChunks)
	}
}

// control7 explains a control message.
func (d *Decoder) control7(f *flow, r *Record, toServer bool, p *packet.Packet) {
	r.Kind = "control"
	f.check(r, toServer, p)
	f.ack(r, toServer, p.Ack)
	id := p.ControlID()
	response := func() {
		r.add("token", fmt.Sprintf("%08x", uint32(p.ResponseToken)))
		f.handOut(toServer, p.ResponseToken)
	}
	switch id {
	case packet.ControlKeepAlive:
		r.Name = "KEEPALIVE"
	case packet.ControlConnect:
		r.Name = "CONNECT"
		f.connect(toServer, p.ResponseToken)
		response()
		if !toServer {
			r.fault("servers do not send CONNECT")
		}
	case packet.ControlAccept:
		r.Name = "ACCEPT"
		if toServer {
			r.fault("clients do not send ACCEPT")
		}
	case packet.ControlClose:
		r.Name = "CLOSE"
		r.add("reason", string(p.AppendReason(nil)))
		f.open = false
	case packet.ControlToken:
		r.Name = "TOKEN"
		response()
		if toServer && p.Token == packet.NoToken && len(p.Payload) < packet.MinTokenRequestSize {
			r.fault("a request of %d bytes; servers answer from %d on", len(p.Payload), packet.MinTokenRequestSize)
		}
	default:
		r.Name = fmt.Sprintf("control %d", id)
		r.fault("unknown control message")
	}
	r.Ack, r.HasAck = p.Ack, true
	d.out(r)
}
