package conn

import (
	"net/netip"

	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// Inspection6 is what Judge6 says about a 0.6 datagram.
type Inspection6 struct {
	// Action is Ignore, Reply, Admit or Unproven.
	Action Action
	// Drop is why it is Ignore; otherwise DropNone.
	Drop packet.DropReason
	// Handshake is the one that the datagram is part of, unless the verdict is
	// Ignore.
	Handshake Handshake
	// Token is the one for the client, with Reply or Admit and TKEN or
	// HandshakeHeaderToken; otherwise packet.NoToken.
	Token packet.Token

	client packet.Token // 0.6.5's CONNECT has one
}

// Inspect6 decides about a 0.6 datagram from an address without a connection; connless
// ones are not for it (packet.DropConnless). It keeps nothing.
//
// scratch is for what may be the answer to a challenge: such a datagram has to be
// decompressed before it can be known. It costs more than all others, and everybody
// can send it; nil spares it, for a server that sends no challenges or has looked at
// enough of them. No other datagram is decompressed.
//
// A datagram that acks something is from a connection that has ended: nothing was
// sent to this address that it could ack. The answer to a challenge is the exception.
func (t *TokenIssuer) Inspect6(now Time, from netip.AddrPort, b []byte, scratch *packet.Scratch) Inspection6 {
	var p packet.Packet6
	if err := p.ParseHeader(b); err != nil {
		return ignore(err.(packet.DropReason))
	}
	control := p.Flags&packet.FlagControl != 0
	switch {
	case p.Flags&packet.FlagConnless != 0:
		return ignore(packet.DropConnless)
	case p.HasToken:
		return t.judge65(now, from, &p)
	case control && p.ControlID() == packet.ControlConnect:
		return t.judgeConnect(now, from, &p)
	case control && p.ControlID() == packet.ControlClientAccept:
		g := p.HandshakeToken()
		switch {
		case g.Place != packet.TokenInTrailer:
			return ignore(packet.DropWrongState)
		case !t.valid(tokenTKEN, now, from, g.Token):
			return ignore(packet.DropBadToken)
		case p.Ack != 0:
			return ignore(packet.DropBadAck)
		}
		return Inspection6{Action: ActionAccept, Handshake: HandshakeTKEN, Token: g.Token}
	case control || scratch == nil:
		return ignore(packet.DropWrongState)
	}
	if p.ParsePayload(scratch) != nil {
		return ignore(packet.DropBadHuffman)
	}
	if !t.answersChallenge(now, from, &p) {
		return ignore(packet.DropWrongState)
	}
	return Inspection6{Action: ActionAccept, Handshake: HandshakeChallenged, Token: packet.NoToken}
}

func ignore(why packet.DropReason) Inspection6 {
	return Inspection6{Action: ActionIgnore, Drop: why, Token: packet.NoToken}
}

func (t *TokenIssuer) judgeConnect(now Time, from netip.AddrPort, p *packet.Packet6) Inspection6 {
	g := p.HandshakeToken()
	switch g.Place {
	case packet.TokenInTrailer:
		return Inspection6{Action: ActionReplyToken, Handshake: HandshakeTKEN, Token: t.at(tokenTKEN, epoch(now), from)}
	case packet.TokenInHeader:
		return Inspection6{Action: ActionReplyToken, Handshake: HandshakeHeaderToken, Token: t.at(token65, epoch(now), from), client: g.Token}
	}
	return Inspection6{Action: ActionChallenge, Handshake: HandshakePlain, Token: packet.NoToken}
}

// judge65 admits 0.6.5 clients by the first packet that has their token.
func (t *TokenIssuer) judge65(now Time, from netip.AddrPort, p *packet.Packet6) Inspection6 {
	switch {
	case !t.valid(token65, now, from, p.Token):
		return ignore(packet.DropBadToken)
	case p.Ack != 0:
		return ignore(packet.DropBadAck)
	case p.Flags&packet.FlagControl != 0 && p.ControlID() != packet.ControlKeepAlive:
		return ignore(packet.DropWrongState)
	}
	return Inspection6{Action: ActionAccept, Handshake: HandshakeHeaderToken, Token: p.Token}
}

// AppendReply appends the answer for a Reply: CONNECTACCEPT, never longer than the
// CONNECT.
func (j *Inspection6) AppendReply(dst []byte) []byte {
	return packet.AppendAccept6(dst, j.guard(), j.client)
}

// AppendClose appends the CLOSE that refuses the client, in the form that it
// understands. It can be longer than what the client has sent; after an Admit the
// address is proved.
func (j *Inspection6) AppendClose(dst []byte, reason string) []byte {
	g := j.guard()
	switch {
	case j.Action != ActionReplyToken:
	case g.Place == packet.TokenInHeader:
		g.Token = j.client
	default:
		// The client does not know of a trailer yet.
		g = packet.PlacedToken{}
	}
	return packet.AppendClose6(dst, 0, g, reason)
}

func (j *Inspection6) guard() packet.PlacedToken {
	switch {
	case j.Token == packet.NoToken:
	case j.Handshake == HandshakeTKEN:
		return packet.PlacedToken{Place: packet.TokenInTrailer, Token: j.Token}
	case j.Handshake == HandshakeHeaderToken:
		return packet.PlacedToken{Place: packet.TokenInHeader, Token: j.Token}
	}
	return packet.PlacedToken{}
}

// System messages of 0.6 that a challenge consists of, as they begin on the wire.
const (
	sys6MapChange = 2<<1 | 1
	sys6MapData   = 3<<1 | 1
	sys6ConReady  = 4<<1 | 1
	sys6SnapEmpty = 6<<1 | 1
	sys6Input     = 16<<1 | 1
)

// Teeworlds 0.6's dm1, which every client has.
const (
	dm1CRC  = 0xf2159e6e - 1<<32
	dm1Size = 5805
)

// AppendChallenge appends the packet that makes a client without token prove its
// address; send packet.AppendAccept6(nil, packet.PlacedToken{}, 0) before it, as the answer
// to the CONNECT. It has six vital chunks: MAP_CHANGE, MAP_DATA, CON_READY and three
// SNAPEMPTY, the last one with a tick that is a secret of the address. The client loads
// the map, which is dm1, and acks that tick in its first INPUT, by which Judge6 knows
// it. The ticks rise, as in 0.6.5's challenge: DDNet's has the same three times, of
// which some clients take only the first and never send INPUT. A password cannot be asked for on this way:
// what the client has sent by then, INFO included, was ignored.
//
// It has about 75 bytes, so it is larger than the CONNECT of 4 bytes by design: limit
// how many are sent in a second.
func (t *TokenIssuer) AppendChallenge(dst []byte, now Time, from netip.AddrPort) []byte {
	tick := int32(t.at(tokenTick, epoch(now), from))
	var buf [128]byte
	var msg [32]byte
	payload, seq := buf[:0], 0
	chunk := func(data []byte) {
		seq++
		payload = packet.AppendChunk6(payload, packet.ChunkVital, seq, data)
	}
	b := append(packer.AppendInt(msg[:0], sys6MapChange), "dm1\x00"...)
	b = packer.AppendInt(b, dm1CRC)
	chunk(packer.AppendInt(b, dm1Size))
	// The last part of a map without data, which old clients wait for.
	b = packer.AppendInt(msg[:0], sys6MapData)
	chunk(packer.AppendInts(b, []int32{1, 0, 0, 0}))
	chunk(packer.AppendInt(msg[:0], sys6ConReady))
	for i := tick - 2; i <= tick; i++ {
		b = packer.AppendInt(msg[:0], sys6SnapEmpty)
		b = packer.AppendInt(b, i)
		chunk(packer.AppendInt(b, i+1)) // against the empty snapshot of tick -1
	}
	return packet.AppendPacket6(dst, 0, 0, seq, packet.PlacedToken{}, payload)
}

// answersChallenge reports whether one of the chunks is an INPUT that acks the tick
// of the address.
func (t *TokenIssuer) answersChallenge(now Time, from netip.AddrPort, p *packet.Packet6) bool {
	var c packet.Chunk
	for it := p.Chunks(); it.Next(&c); {
		var u packer.Unpacker
		u.Reset(c.Data)
		if u.Int() != sys6Input {
			continue
		}
		if tick := u.Int(); u.Err() == nil && tick > 0 {
			return t.valid(tokenTick, now, from, packet.Token(tick))
		}
	}
	return false
}
