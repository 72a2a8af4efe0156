package dump

import (
	"bytes"
	"fmt"

	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// addConnless reads the header of a connless packet, four bytes 0xff and four letters, and names
// the packet by the letters. It returns the rest.
func (r *Record) addConnless(payload []byte) (rest []byte, ok bool) {
	const id = 8
	if len(payload) < id || !bytes.Equal(payload[:4], []byte{0xff, 0xff, 0xff, 0xff}) {
		r.addFault("unknown message")
		r.addHex(payload)
		return nil, false
	}
	r.Name = string(payload[4:id])
	return payload[id:], true
}

// addConnless6 explains a connless packet of 0.6. Servers' answers consist of strings.
func (r *Record) addConnless6(p *packet.Packet6) {
	r.Kind = "connless"
	if p.Extended {
		r.addField("extra", int(p.Extra))
	}
	rest, ok := r.addConnless(p.Payload)
	if !ok {
		return
	}
	switch r.Name {
	case "gie3", "fstd":
		if len(rest) == 0 {
			r.addFault("no token: servers do not answer")
			break
		}
		r.addField("Token", int(rest[0]))
	case "inf3", "iext", "iex+":
		const most = 512
		texts := []any{}
		for len(rest) > 0 && len(texts) < most {
			text, after, whole := bytes.Cut(rest, []byte{0})
			if !whole {
				r.addFault("the last text has no end")
			}
			texts = append(texts, string(text))
			rest = after
		}
		r.addField("texts", texts)
	default:
		if len(rest) > 0 {
			r.addHex(rest)
		}
	}
}

// addConnless7 explains a connless packet of 0.7.
func (r *Record) addConnless7(p *packet.Packet) {
	r.Kind = "connless"
	r.addField("response", fmt.Sprintf("%08x", uint32(p.ResponseToken)))
	rest, ok := r.addConnless(p.Payload)
	if !ok {
		return
	}
	var u packer.Unpacker
	u.Reset(bytes.Clone(rest))
	switch r.Name {
	case "gie3":
		r.addField("Token", u.Int())
	case "inf3":
		r.addField("Token", u.Int())
		var info msg7.InfoRecord
		if err := info.Unpack(&u); err != nil {
			r.addFault("%v", err)
			break
		}
		r.Fields = append(r.Fields, fieldsOf(&info)...)
		for range info.Clients {
			var c msg7.InfoClient
			if err := c.Unpack(&u); err != nil {
				r.addFault("%v", err)
				break
			}
			r.addField("client", fieldsOf(&c))
		}
	default:
		r.addHex(rest)
		u.Reset(nil)
	}
	if err := u.Err(); err != nil && len(r.Faults) == 0 {
		r.addFault("%v", err)
	}
}
