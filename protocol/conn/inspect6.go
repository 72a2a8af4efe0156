package conn

import (
	"net/netip"

	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// Inspection6 is the result of inspecting a 0.6 datagram.
type Inspection6 struct {
	// Action is ActionIgnore, ActionReplyToken, ActionAccept or ActionChallenge.
	Action Action
	// Drop is the reason if Action is ActionIgnore, and otherwise DropNone.
	Drop packet.DropReason
	// Handshake is the handshake that the datagram belongs to. Handshake is not set for
	// ActionIgnore.
	Handshake Handshake
	// Token is the client's token. Token is set for ActionReplyToken and ActionAccept with
	// HandshakeTKEN or HandshakeHeaderToken, and otherwise packet.NoToken.
	Token packet.Token

	clientToken packet.Token // the client's token in the CONNECT of 0.6.5
}

// Inspect6 decides how to react to a 0.6 datagram from an address without a connection. Inspect6
// drops connectionless datagrams as packet.DropConnless, and keeps no state.
//
// scratch is memory to decompress a datagram that may answer a challenge. This is by far the most
// expensive step, and any sender can cause it. Pass nil to skip it: if the server sends no
// challenges, or has decompressed enough. No other datagram is decompressed.
//
// A datagram with an ack is dropped: no chunk was sent to this address yet. Such a datagram belongs
// to a connection that has ended. The answer to a challenge is the exception.
func (t *TokenIssuer) Inspect6(now Time, from netip.AddrPort, b []byte, scratch *packet.Scratch) Inspection6 {
	var p packet.Packet6
	if err := p.ParseHeader(b); err != nil {
		return ignored(dropReason(err))
	}
	isControl := p.Flags&packet.FlagControl != 0
	switch {
	case p.Flags&packet.FlagConnless != 0:
		return ignored(packet.DropConnless)
	case p.HasToken:
		return t.inspectHeaderToken(now, from, &p)
	case isControl && p.ControlID() == packet.ControlConnect:
		return t.inspectConnect(now, from, &p)
	case isControl && p.ControlID() == packet.ControlClientAccept:
		token := p.HandshakeToken()
		switch {
		case token.Place != packet.TokenInTrailer:
			return ignored(packet.DropWrongState)
		case !t.isValid(now, kindTKEN, from, token.Token):
			return ignored(packet.DropBadToken)
		case p.Ack != 0:
			return ignored(packet.DropBadAck)
		}
		return Inspection6{Action: ActionAccept, Handshake: HandshakeTKEN, Token: token.Token}
	case isControl:
		return ignored(packet.DropWrongState)
	}
	if token := firstChunkToken(p); p.Ack == 0 && t.isValid(now, kindTKEN, from, token) {
		// DDNet's client sends ACCEPT only once. The ACCEPT was lost, or this packet overtook it.
		return Inspection6{Action: ActionAccept, Handshake: HandshakeTKEN, Token: token}
	}
	if scratch == nil {
		return ignored(packet.DropWrongState)
	}
	if p.ParsePayload(scratch) != nil {
		return ignored(packet.DropBadHuffman)
	}
	if !t.answersChallenge(now, from, &p) {
		return ignored(packet.DropWrongState)
	}
	return Inspection6{Action: ActionAccept, Handshake: HandshakeChallenged, Token: packet.NoToken}
}

// firstChunkToken returns the token in the trailer of an uncompressed packet that contains the
// first vital chunk of a connection. For other packets it returns packet.NoToken.
func firstChunkToken(p packet.Packet6) packet.Token {
	if p.Flags&packet.FlagCompressed != 0 {
		return packet.NoToken
	}
	token, ok := p.CutTrailer()
	var c packet.Chunk
	if chunks := p.Chunks(); !ok || !chunks.Next(&c) || c.Flags&packet.ChunkVital == 0 || c.Seq != 1 {
		return packet.NoToken
	}
	return token
}

func ignored(reason packet.DropReason) Inspection6 {
	return Inspection6{Action: ActionIgnore, Drop: reason, Token: packet.NoToken}
}

func (t *TokenIssuer) inspectConnect(now Time, from netip.AddrPort, p *packet.Packet6) Inspection6 {
	token := p.HandshakeToken()
	switch token.Place {
	case packet.TokenInTrailer:
		return Inspection6{Action: ActionReplyToken, Handshake: HandshakeTKEN, Token: t.issue(now, kindTKEN, from)}
	case packet.TokenInHeader:
		return Inspection6{Action: ActionReplyToken, Handshake: HandshakeHeaderToken, Token: t.issue(now, kindHeader, from), clientToken: token.Token}
	}
	return Inspection6{Action: ActionChallenge, Handshake: HandshakePlain, Token: packet.NoToken}
}

// inspectHeaderToken accepts a 0.6.5 client on its first packet with the server's token.
func (t *TokenIssuer) inspectHeaderToken(now Time, from netip.AddrPort, p *packet.Packet6) Inspection6 {
	switch {
	case !t.isValid(now, kindHeader, from, p.Token):
		return ignored(packet.DropBadToken)
	case p.Ack != 0:
		return ignored(packet.DropBadAck)
	case p.Flags&packet.FlagControl != 0 && p.ControlID() != packet.ControlKeepAlive:
		return ignored(packet.DropWrongState)
	}
	return Inspection6{Action: ActionAccept, Handshake: HandshakeHeaderToken, Token: p.Token}
}

// AppendReply appends the answer for ActionReplyToken, a CONNECTACCEPT. The answer is never longer
// than the CONNECT.
func (i *Inspection6) AppendReply(dst []byte) []byte {
	return packet.AppendAccept6(dst, i.Handshake.placeToken(i.Token), i.clientToken)
}

// AppendClose appends the CLOSE that refuses the client, in the format that the client understands.
// The CLOSE can be longer than the client's datagram. After ActionAccept that is safe, because the
// address is proved.
func (i *Inspection6) AppendClose(dst []byte, reason string) []byte {
	token := i.Handshake.placeToken(i.Token)
	if i.Action == ActionReplyToken {
		token = packet.PlacedToken{} // the client does not use a trailer yet
		if i.Handshake == HandshakeHeaderToken {
			token = i.Handshake.placeToken(i.clientToken)
		}
	}
	return packet.AppendClose6(dst, 0, token, reason)
}

// Ids of the 0.6 system messages in a challenge, as on the wire.
const (
	sys6MapChange = 2<<1 | 1
	sys6MapData   = 3<<1 | 1
	sys6ConReady  = 4<<1 | 1
	sys6SnapEmpty = 6<<1 | 1
	sys6Input     = 16<<1 | 1
)

// The map dm1 of Teeworlds 0.6. Every client has it.
const (
	dm1CRC  = 0xf2159e6e - 1<<32
	dm1Size = 5805
)

// AppendChallenge appends the packet that makes a client without a token prove its address. Before
// it, send packet.AppendAccept6(nil, packet.PlacedToken{}, 0) as the answer to the CONNECT.
//
// The challenge consists of six vital chunks: MAP_CHANGE, MAP_DATA, CON_READY and three SNAPEMPTY.
// The tick of the last SNAPEMPTY is a secret of the address. The client loads the map, dm1, and
// acks that tick in its first INPUT. Inspect6 recognises the tick. The three ticks ascend, as in
// 0.6.5's challenge. DDNet's challenge repeats one tick, and some clients then accept only the
// first SNAPEMPTY and never send INPUT. This handshake cannot request a password, because it
// ignores the messages that the client has sent so far, INFO included.
//
// The packet has about 75 bytes and answers a CONNECT of 4 bytes, so limit the number of challenges
// per second.
func (t *TokenIssuer) AppendChallenge(dst []byte, now Time, from netip.AddrPort) []byte {
	tick := int32(t.issue(now, kindChallenge, from))
	var payloadBuffer [128]byte
	var message [32]byte
	payload, seq := payloadBuffer[:0], 0
	appendChunk := func(data []byte) {
		seq++
		payload = packet.AppendChunk6(payload, packet.ChunkVital, seq, data)
	}
	b := append(packer.AppendInt(message[:0], sys6MapChange), "dm1\x00"...)
	b = packer.AppendInt(b, dm1CRC)
	appendChunk(packer.AppendInt(b, dm1Size))
	// An empty last part of the map: old clients wait for it.
	b = packer.AppendInt(message[:0], sys6MapData)
	appendChunk(packer.AppendInts(b, []int32{1, 0, 0, 0}))
	appendChunk(packer.AppendInt(message[:0], sys6ConReady))
	for _, i := range [...]int32{tick - 2, tick - 1, tick} {
		b = packer.AppendInt(message[:0], sys6SnapEmpty)
		b = packer.AppendInt(b, i)
		appendChunk(packer.AppendInt(b, i+1)) // relative to the empty snapshot of tick -1
	}
	return packet.AppendPacket6(dst, 0, 0, seq, packet.PlacedToken{}, payload)
}

// answersChallenge reports whether one of the chunks is an INPUT that acks the secret tick of the
// address.
func (t *TokenIssuer) answersChallenge(now Time, from netip.AddrPort, p *packet.Packet6) bool {
	var c packet.Chunk
	for it := p.Chunks(); it.Next(&c); {
		var u packer.Unpacker
		u.Reset(c.Data)
		if u.Int() != sys6Input {
			continue
		}
		if tick := u.Int(); u.Err() == nil && tick > 0 {
			return t.isValid(now, kindChallenge, from, packet.Token(tick))
		}
	}
	return false
}
