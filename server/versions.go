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
	"github.com/teeyard/teeyard/transport"
)

// protocolVersion is a version of the protocol that the server speaks: the bridge behind
// which its messages are, and the gate at which its clients arrive. Which versions
// there are and what tells them apart is the business of this file alone.
type protocolVersion struct {
	bridge.Protocol
	handshaker
	kinds      []packet.Kind // of datagrams from strangers that are for the gate
	roundBegun bool          // in the round of snapshots that is being made
}

// newProtocolVersions makes the versions of a server; the first is the one that operators'
// tools expect to read about first.
func newProtocolVersions(s *Server) []*protocolVersion {
	return []*protocolVersion{
		{Protocol: bridge7.NewProtocol(), handshaker: &handshaker7{srv: s}, kinds: kinds7},
		{Protocol: bridge6.NewProtocol(), handshaker: newHandshaker6(s), kinds: kinds6},
	}
}

var (
	kinds7 = []packet.Kind{packet.KindConnless7, packet.KindControl7}
	kinds6 = []packet.Kind{packet.KindConnless6, packet.KindControl6, packet.KindData}
)

// handshaker7 is the gate of 0.7. Its clients ask for a token first.
type handshaker7 struct {
	srv    *Server
	now    conn.Time
	peer   transport.Peer
	packet packet.Packet
}

func (g *handshaker7) inspect(now conn.Time, from transport.Peer, _ packet.Kind, b []byte) conn.Action {
	g.now, g.peer = now, from
	if g.packet.Parse(b, &g.srv.scratch) != nil {
		return conn.ActionIgnore
	}
	v, _ := g.srv.tokens.Inspect(now, from.Addr(), &g.packet)
	return v
}

func (g *handshaker7) sendToken() {
	g.send(packet.AppendTokenReply(g.srv.out[:0], g.packet.ResponseToken, g.srv.tokens.Token(g.now, g.peer.Addr())))
}

func (g *handshaker7) sendChallenge() {}

func (g *handshaker7) refuse(reason string) {
	g.send(packet.AppendClose(g.srv.out[:0], 0, g.packet.ResponseToken, reason))
}

func (g *handshaker7) accept(c *conn.Conn) error {
	return c.Accept(g.now, g.packet.Token, g.packet.ResponseToken)
}

func (g *handshaker7) helloState() helloState { return helloPending }

func (g *handshaker7) answerBrowser() {
	s := g.srv
	r, ok := query.ParseRequest7(g.packet.Payload)
	if !ok {
		s.count(dropInfo)
		return
	}
	s.buf = s.browserAnswers().Append(s.buf[:0], r, 0)
	g.send(packet.AppendConnless(s.out[:0], g.packet.ResponseToken, s.tokens.Token(g.now, g.peer.Addr()), s.buf))
}

func (g *handshaker7) send(b []byte) {
	g.srv.out = b
	g.srv.transport.Send(g.peer, b)
}

// handshaker6 is the gate of 0.6, where three handshakes are in use, one of them without
// any token.
type handshaker6 struct {
	srv             *Server
	now             conn.Time
	peer            transport.Peer
	datagram        []byte
	result          conn.Inspection6
	challengesUntil conn.Time // challenges may be answered
	decompressLimit limit.Bucket
	// infoBudget is what goes to browsers.
	infoBudget *query.Budget
}

func newHandshaker6(s *Server) *handshaker6 {
	return &handshaker6{srv: s, infoBudget: query.NewBudget(query.BudgetConfig{})}
}

// challengeLifetime is for how long a challenge can be answered; the number in it changes.
const challengeLifetime = 32 * time.Second

func (g *handshaker6) inspect(now conn.Time, from transport.Peer, kind packet.Kind, b []byte) conn.Action {
	g.now, g.peer, g.datagram = now, from, b
	if kind == packet.KindConnless6 {
		return conn.ActionConnless
	}
	var scratch *packet.Scratch
	if kind == packet.KindData && now < g.challengesUntil && g.decompressLimit.Take(int64(now), decompressRate, 1) {
		scratch = &g.srv.scratch
	}
	g.result = g.srv.tokens.Inspect6(now, from.AddrPort, b, scratch)
	return g.result.Action
}

func (g *handshaker6) sendToken() { g.send(g.result.AppendReply(g.srv.out[:0])) }

func (g *handshaker6) sendChallenge() {
	g.challengesUntil = g.now.Add(challengeLifetime)
	g.send(packet.AppendAccept6(g.srv.out[:0], packet.PlacedToken{}, packet.NoToken))
	g.send(g.srv.tokens.AppendChallenge(g.srv.out[:0], g.now, g.peer.AddrPort))
}

func (g *handshaker6) refuse(reason string) { g.send(g.result.AppendClose(g.srv.out[:0], reason)) }

func (g *handshaker6) accept(c *conn.Conn) error {
	return c.Accept6(g.now, g.result.Handshake, g.result.Token)
}

func (g *handshaker6) helloState() helloState {
	switch g.result.Handshake {
	case conn.HandshakeHeaderToken:
		return helloInDatagram
	case conn.HandshakeChallenged:
		return helloConsumed
	}
	return helloPending
}

// answerBrowser answers in a form that is longer than the request, and who asks proves
// nothing: the budget is all there is against floods in the name of others.
func (g *handshaker6) answerBrowser() {
	r, ok := query.ParseRequest6(g.datagram)
	if !ok {
		g.srv.count(dropInfo)
		return
	}
	a := g.srv.browserAnswers()
	if !g.infoBudget.Spend(int64(g.now), g.peer.Addr(), a.MaxSize(r.Format)) {
		g.srv.count(dropTokenless)
		return
	}
	for n := range a.NumDatagrams(r.Format) {
		g.send(a.Append(g.srv.out[:0], r, n))
	}
}

func (g *handshaker6) send(b []byte) {
	g.srv.out = b
	g.srv.transport.Send(g.peer, b)
}
