package dump

import (
	"bytes"
	"fmt"

	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// connless names a packet outside of connections by the four letters behind its four
// bytes 0xff. It returns what follows.
func (r *Record) connless(payload []byte) (rest []byte, ok bool) {
	const id = 8
	if len(payload) < id || !bytes.Equal(payload[:4], []byte{0xff, 0xff, 0xff, 0xff}) {
		r.fault("no message that is known")
		r.raw(payload)
		return nil, false
	}
	r.Name = string(payload[4:id])
	return payload[id:], true
}

// connless6 explains a packet of 0.6 outside of connections. Answers of servers are
// made of texts.
func (d *Decoder) connless6(r *Record, p *packet.Packet6) {
	r.Kind = "connless"
	if p.Extended {
		r.add("extra", int(p.Extra))
	}
	rest, ok := r.connless(p.Payload)
	if !ok {
		d.out(r)
		return
	}
	switch r.Name {
	case "gie3", "fstd":
		if len(rest) == 0 {
			r.fault("no token: servers do not answer")
			break
		}
		r.add("Token", int(rest[0]))
	case "inf3", "iext", "iex+":
		const most = 512
		texts := []any{}
		for len(rest) > 0 && len(texts) < most {
			text, after, whole := bytes.Cut(rest, []byte{0})
			if !whole {
				r.fault("the last text does not end")
			}
			texts = append(texts, string(text))
			rest = after
		}
		r.add("texts", texts)
	default:
		if len(rest) > 0 {
			r.raw(rest)
		}
	}
	d.out(r)
}

// connless7 explains a packet of 0.7 outside of connections.
func (d *Decoder) connless7(r *Record, p *packet.Packet) {
	r.Kind = "connless"
	r.add("response", fmt.Sprintf("%08x", uint32(p.ResponseToken)))
	rest, ok := r.connless(p.Payload)
	if !ok {
		d.out(r)
		return
	}
	var u packer.Unpacker
	u.Reset(append([]byte(nil), rest...))
	switch r.Name {
	case "gie3":
		r.add("Token", u.Int())
	case "inf3":
		r.add("Token", u.Int())
		var info msg7.InfoRecord
		if err := info.Unpack(&u); err != nil {
			r.fault("%v", err)
			break
		}
		r.Fields = append(r.Fields, fieldsOf(&info)...)
		for range info.Clients {
			var c msg7.InfoClient
			if err := c.Unpack(&u); err != nil {
				r.fault("%v", err)
				break
			}
			r.add("client", fieldsOf(&c))
		}
	default:
		r.raw(rest)
		u.Reset(nil)
	}
	if err := u.Err(); err != nil && len(r.Faults) == 0 {
		r.fault("%v", err)
	}
	d.out(r)
}
