package dump

import (
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// message is a message of either version.
type message struct {
	body           any // *msg6.X or *msg7.X
	name           string
	system         bool
	vital          bool // must be sent in a vital chunk
	client, server bool // only one side sends it
	surplus        int  // bytes that are left
}

// read reads a message of a version of the protocol. It changes b.
func (d *Decoder) read(version int, b []byte) (message, error) {
	if version == 6 {
		m, err := d.msgs6.Decode(b)
		if err != nil {
			return message{}, err
		}
		id := m.ID()
		sender := id.Desc().Sender
		return message{m, id.Name(), id.System(), id.Vital(), sender == msg6.FromClient, sender == msg6.FromServer, d.msgs6.TrailingBytes()}, nil
	}
	m, err := d.msgs7.Decode(b)
	if err != nil {
		return message{}, err
	}
	id := m.ID()
	sender := id.Desc().Sender
	return message{m, id.Name(), id.System(), id.Vital(), sender == msg7.FromClient, sender == msg7.FromServer, d.msgs7.TrailingBytes()}, nil
}

// message adds the fields of a message.
func (r *Record) message(m any) {
	switch m := m.(type) {
	case *msg7.Input:
		r.add("AckTick", m.AckTick)
		r.add("IntendedTick", m.IntendedTick)
		var p msg7.PlayerInput
		if err := m.Player(&p); err != nil {
			r.fault("%v", err)
			r.add("Words", append([]int32(nil), m.Words[:m.Count()]...))
		} else {
			r.add("Input", fieldsOf(&p))
		}
		r.add("PingCorrection", m.PingCorrection)
		r.inputSize(m.Size, m.Missing)
	case *msg6.Input:
		r.add("AckTick", m.AckTick)
		r.add("IntendedTick", m.IntendedTick)
		var p msg6.PlayerInput
		m.Player(&p)
		r.add("Input", fieldsOf(&p))
		r.inputSize(m.Size, m.Missing)
	case *msg6.SystemEx:
		r.add("UUID", m.UUID.String())
		r.raw(m.Data)
	case *msg6.GameEx:
		r.add("UUID", m.UUID.String())
		r.raw(m.Data)
	default:
		r.Fields = append(r.Fields, fieldsOf(m)...)
	}
}

// inputSize adds what is unusual about the size of an input.
func (r *Record) inputSize(size int32, missing int) {
	const usual = 4 * msg7.SizePlayerInput // in both versions
	if size != usual {
		r.add("Size", size)
	}
	if missing > 0 {
		r.add("Missing", missing)
	}
}

// fieldsOfClient lists what a ClientInfo says, its texts as such.
func fieldsOfClient(o *msg6.ClientInfo) Fields {
	text := func(ints []int32) string { return string(msg6.AppendIntsToStr(nil, ints)) }
	return Fields{
		{"Name", text(o.Name[:])}, {"Clan", text(o.Clan[:])}, {"Country", o.Country}, {"Skin", text(o.Skin[:])},
		{"UseCustomColor", o.UseCustomColor}, {"ColorBody", o.ColorBody}, {"ColorFeet", o.ColorFeet},
	}
}
