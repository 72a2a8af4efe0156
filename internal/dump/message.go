package dump

import (
	"cmp"
	"strconv"

	messages "github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// message is a message of either version.
type message struct {
	body                   any // *msg6.X or *msg7.X
	name                   string
	system                 bool
	vital                  bool // must be sent in a vital chunk
	clientOnly, serverOnly bool // sent by one side only
	extraBytes             int  // number of bytes after the message
}

// decodeMessage decodes a message. It changes b. DDNet's programs send their own messages, which
// have UUIDs, over 0.7 in the form that they have in 0.6.
func (d *Decoder) decodeMessage(version int, b []byte) (message, error) {
	const uuidGame, uuidSystem = 0, 1 // the first byte of a message with a UUID
	hasUUID := len(b) > len(msg6.UUID{}) && (b[0] == uuidGame || b[0] == uuidSystem)
	if version == 6 || hasUUID {
		m, err := d.msgs6.Decode(b)
		if err != nil {
			return message{}, err
		}
		id, desc := m.ID(), m.ID().Desc()
		return message{m, id.String(), id.System(), desc.Vital, desc.Sender == messages.FromClient, desc.Sender == messages.FromServer,
			d.msgs6.TrailingBytes()}, nil
	}
	m, err := d.msgs7.Decode(b)
	if err != nil {
		return message{}, err
	}
	id, desc := m.ID(), m.ID().Desc()
	return message{m, id.String(), id.System(), desc.Vital, desc.Sender == messages.FromClient, desc.Sender == messages.FromServer, d.msgs7.TrailingBytes()},
		nil
}

// addMessage adds the fields of a message.
func (r *Record) addMessage(m any) {
	switch m := m.(type) {
	case *msg7.Input:
		r.addField("AckTick", m.AckTick)
		r.addField("IntendedTick", m.IntendedTick)
		var p msg7.PlayerInput
		if err := m.Player(&p); err != nil {
			r.addFault("%v", err)
			r.addField("Words", append([]int32(nil), m.Words[:m.Count()]...))
		} else {
			r.addField("Input", fieldsOf(&p))
		}
		r.addField("PingCorrection", m.PingCorrection)
		r.addInputSize(m.Size, m.Missing)
	case *msg6.Input:
		r.addField("AckTick", m.AckTick)
		r.addField("IntendedTick", m.IntendedTick)
		var p msg6.PlayerInput
		m.Player(&p)
		r.addField("Input", fieldsOf(&p))
		r.addInputSize(m.Size, m.Missing)
	case *msg6.SystemEx:
		r.addField("UUID", m.UUID.String())
		r.addHex(m.Data)
	case *msg6.GameEx:
		r.addField("UUID", m.UUID.String())
		r.addHex(m.Data)
	default:
		r.Fields = append(r.Fields, fieldsOf(m)...)
	}
}

// gameMsgFields returns the parameters of the message's kind by name.
func gameMsgFields(m *msg7.SvGameMsg) Fields {
	fs := Fields{{"Kind", m.Kind.String()}}
	for i, p := range m.Kind.ParamNames() {
		if p == "Team" {
			fs = append(fs, Field{p, msg7.Team(m.Params[i]).String()})
		} else {
			fs = append(fs, Field{p, m.Params[i]})
		}
	}
	return fs
}

// tuningFields returns the tuning parameters with their names in the tune command. The values are
// times 100, as on the wire. A parameter without a name has its number as name.
func tuningFields(params []int32, name func(i int) string) Fields {
	fs := Fields{}
	for i, v := range params {
		fs = append(fs, Field{cmp.Or(name(i), strconv.Itoa(i)), v})
	}
	return fs
}

// addInputSize adds the size of an input if it is unusual.
func (r *Record) addInputSize(size int32, missing int) {
	const usual = 4 * msg7.SizePlayerInput // in both versions
	if size != usual {
		r.addField("Size", size)
	}
	if missing > 0 {
		r.addField("Missing", missing)
	}
}

// clientInfoFields returns the fields of a ClientInfo with its texts decoded.
func clientInfoFields(o *msg6.ClientInfo) Fields {
	return Fields{
		{"Name", packedText(o.Name[:])}, {"Clan", packedText(o.Clan[:])}, {"Country", o.Country}, {"Skin", packedText(o.Skin[:])},
		{"UseCustomColor", o.UseCustomColor}, {"ColorBody", o.ColorBody}, {"ColorFeet", o.ColorFeet},
	}
}

// demoClientInfoFields is clientInfoFields for De_ClientInfo.
func demoClientInfoFields(o *msg7.DeClientInfo) Fields {
	fs := Fields{{"Local", o.Local}, {"Team", o.Team.String()}, {"Name", packedText(o.Name[:])}, {"Clan", packedText(o.Clan[:])}, {"Country", o.Country}}
	for i, part := range o.SkinParts {
		fs = append(fs, Field{"Skin", Fields{{"Part", packedText(part[:])}, {"UseCustomColor", o.UseCustomColors[i]}, {"Color", o.SkinColors[i]}}})
	}
	return fs
}

func packedText(ints []int32) string { return string(messages.AppendIntsToStr(nil, ints)) }

// HasName reports whether matches returns true for the name of any message or control packet, in
// either version.
func HasName(matches func(name string) bool) bool {
	for _, name := range []string{"TOKEN", "CONNECT", "CONNECTACCEPT", "ACCEPT", "KEEPALIVE", "CLOSE"} {
		if matches(name) {
			return true
		}
	}
	for id := range 1 << 16 {
		if d := msg7.ID(id).Desc(); d != nil && matches(d.Name) {
			return true
		}
		if d := msg6.ID(id).Desc(); d != nil && matches(d.Name) {
			return true
		}
	}
	return false
}
