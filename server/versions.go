package server

import (
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/internal/listing"
	"github.com/teeyard/teeyard/transport"
)

// protocolVersion is a version of the protocol that the server speaks: the bridge for its
// messages and the handshake of its clients. Only this file knows which versions there
// are.
type protocolVersion struct {
	bridge.Protocol
	handshaker
	kinds      []packet.Kind // of datagrams without a session that are of this version
	roundBegun bool          // BeginSnapshots was called in this round
	joined     uint64        // clients that entered the game
}

// newProtocolVersions returns the versions of a server. The first is the one that
// operators' tools expect to be logged first.
func newProtocolVersions(l *lobby) []*protocolVersion {
	return []*protocolVersion{
		{Protocol: bridge7.NewProtocol(), handshaker: &handshaker7{unconnected: unconnected{lobby: l}}, kinds: kinds7},
		{Protocol: bridge6.NewProtocol(), handshaker: &handshaker6{unconnected: unconnected{lobby: l}}, kinds: kinds6},
	}
}

var (
	kinds7 = []packet.Kind{packet.KindConnless7, packet.KindControl7}
	kinds6 = []packet.Kind{packet.KindConnless6, packet.KindControl6, packet.KindData}
)

// lobby is the state that the handshakers of all versions share.
type lobby struct {
	transportSend func(to transport.Peer, b []byte)
	tokens        *conn.TokenIssuer
	access        *access.Control
	listing       *listing.Listing
	drops         *drops
	scratch       packet.Scratch
	sendBuf       []byte
}

// unconnected is the datagram that a handshaker inspected last.
type unconnected struct {
	*lobby
	now  conn.Time
	peer transport.Peer
}

// send sends an answer to it.
func (u *unconnected) send(b []byte) {
	u.sendBuf = b
	u.transportSend(u.peer, b)
}

// handshaker7 is the handshaker of 0.7, whose clients ask for a token first.
type handshaker7 struct {
	unconnected
	packet  packet.Packet
	infoBuf []byte
}

func (h *handshaker7) inspect(now conn.Time, peer transport.Peer, _ packet.Kind, b []byte) conn.Action {
	h.now, h.peer = now, peer
	if h.packet.Parse(b, &h.scratch) != nil {
		return conn.ActionIgnore
	}
	action, _ := h.tokens.Inspect(now, peer.Addr(), &h.packet)
	return action
}

func (h *handshaker7) sendToken() {
	h.send(packet.AppendTokenReply(h.sendBuf[:0], h.packet.ResponseToken, h.tokens.Token(h.now, h.peer.Addr())))
}

func (h *handshaker7) sendChallenge() {}

func (h *handshaker7) refuse(reason string) {
	h.send(packet.AppendClose(h.sendBuf[:0], 0, h.packet.ResponseToken, reason))
}

func (h *handshaker7) accept(c *conn.Conn) error {
	return c.Accept(h.now, h.packet.Token, h.packet.ResponseToken)
}

func (h *handshaker7) helloState() helloState { return helloPending }

func (h *handshaker7) answerBrowser() {
	r, ok := query.ParseRequest7(h.packet.Payload)
	if !ok {
		h.drops.add(dropInfo, 1)
		return
	}
	h.access.Arrivals.Prove(h.now, h.peer.Addr())
	h.infoBuf = h.listing.Reply().Append(h.infoBuf[:0], r, 0)
	h.send(packet.AppendConnless(h.sendBuf[:0], h.packet.ResponseToken, h.tokens.Token(h.now, h.peer.Addr()), h.infoBuf))
}

// handshaker6 is the handshaker of 0.6, where three handshakes are in use, one of them
// without a token.
type handshaker6 struct {
	unconnected
	datagram        []byte
	result          conn.Inspection6
	challengesUntil conn.Time // until then challenges may be answered
	decompressLimit limit.Bucket
}

// challengeLifetime is how long a challenge can be answered.
const challengeLifetime = 32 * time.Second

func (h *handshaker6) inspect(now conn.Time, peer transport.Peer, kind packet.Kind, b []byte) conn.Action {
	h.now, h.peer, h.datagram = now, peer, b
	if kind == packet.KindConnless6 {
		return conn.ActionConnless
	}
	var scratch *packet.Scratch
	if kind == packet.KindData && now < h.challengesUntil && h.decompressLimit.Take(int64(now), decompressRate, 1) {
		scratch = &h.scratch
	}
	h.result = h.tokens.Inspect6(now, peer.AddrPort, b, scratch)
	return h.result.Action
}

func (h *handshaker6) sendToken() { h.send(h.result.AppendReply(h.sendBuf[:0])) }

func (h *handshaker6) sendChallenge() {
	h.challengesUntil = h.now.Add(challengeLifetime)
	h.send(packet.AppendAccept6(h.sendBuf[:0], packet.PlacedToken{}, packet.NoToken))
	h.send(h.tokens.AppendChallenge(h.sendBuf[:0], h.now, h.peer.AddrPort))
}

func (h *handshaker6) refuse(reason string) {
	h.send(h.result.AppendClose(h.sendBuf[:0], reason))
}

func (h *handshaker6) accept(c *conn.Conn) error {
	return c.Accept6(h.now, h.result.Handshake, h.result.Token)
}

func (h *handshaker6) helloState() helloState {
	switch h.result.Handshake {
	case conn.HandshakeHeaderToken, conn.HandshakeTKEN:
		return helloInDatagram
	case conn.HandshakeChallenged:
		return helloConsumed
	}
	return helloPending
}

// answerBrowser implements handshaker.
func (h *handshaker6) answerBrowser() {
	r, ok := query.ParseRequest6(h.datagram)
	if !ok {
		h.drops.add(dropInfo, 1)
		return
	}
	a := h.listing.UnprovenReply(h.now, h.peer.Addr(), r.Format)
	if a == nil {
		h.drops.add(dropTokenless, 1)
		return
	}
	for n := range a.NumDatagrams(r.Format) {
		h.send(a.Append(h.sendBuf[:0], r, n))
	}
}
