package server

import (
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// dialect is a version of the protocol that the server speaks: the bridge behind
// which its messages are, and the gate at which its clients arrive. Which versions
// there are and what tells them apart is the business of this file alone.
type dialect struct {
	bridge.Version
	gate
	kinds []packet.Kind // of datagrams from strangers that are for the gate
	begun bool          // in the round of snapshots that is being made
}

// newDialects makes the versions of a server; the first is the one that operators'
// tools expect to read about first.
func newDialects(s *Server) []*dialect {
	return []*dialect{
		{Version: bridge7.NewVersion(), gate: &gate7{srv: s}, kinds: kinds7},
		{Version: bridge6.NewVersion(), gate: newGate6(s), kinds: kinds6},
	}
}

var (
	kinds7 = []packet.Kind{packet.KindConnless7, packet.KindControl7}
	kinds6 = []packet.Kind{packet.KindConnless6, packet.KindControl6, packet.KindData}
)

// gate7 is the gate of 0.7. Its clients ask for a token first.
type gate7 struct {
	srv  *Server
	now  conn.Time
	from transport.Peer
	p    packet.Packet
}

func (g *gate7) judge(now conn.Time, from transport.Peer, _ packet.Kind, b []byte) conn.Verdict {
	g.now, g.from = now, from
	if g.p.Parse(b, &g.srv.scratch) != nil {
		return conn.Ignore
	}
	v, _ := g.srv.tokens.Judge(now, from.Addr(), &g.p)
	return v
}

func (g *gate7) reply() {
	g.send(packet.AppendTokenReply(g.srv.out[:0], g.p.Response, g.srv.tokens.Token(g.now, g.from.Addr())))
}

func (g *gate7) challenge() {}

func (g *gate7) refuse(reason string) {
	g.send(packet.AppendClose(g.srv.out[:0], 0, g.p.Response, reason))
}

func (g *gate7) accept(c *conn.Conn) error { return c.Accept(g.now, g.p.Token, g.p.Response) }

func (g *gate7) opening() opening { return openWaits }

func (g *gate7) inform() {
	s := g.srv
	r, ok := query.ParseRequest7(g.p.Payload)
	if !ok {
		s.count(dropInfo)
		return
	}
	s.buf = s.answers().Append(s.buf[:0], r, 0)
	g.send(packet.AppendConnless(s.out[:0], g.p.Response, s.tokens.Token(g.now, g.from.Addr()), s.buf))
}

func (g *gate7) send(b []byte) {
	g.srv.out = b
	g.srv.net.Send(g.from, b)
}

// gate6 is the gate of 0.6, where three handshakes are in use, one of them without
// any token.
type gate6 struct {
	srv    *Server
	now    conn.Time
	from   transport.Peer
	b      []byte
	judged conn.Judgement
	until  conn.Time // challenges may be answered
	looks  allowance
	// informs is what goes to browsers.
	informs *query.Budget
}

func newGate6(s *Server) *gate6 {
	return &gate6{srv: s, informs: query.NewBudget(query.BudgetConfig{})}
}

// lookRate is for datagrams that may be the answer to a challenge: each has to be
// decompressed to know.
var lookRate = rate{burst: 256, interval: 4 * time.Millisecond}

// answerTime is for how long a challenge can be answered; the number in it changes.
const answerTime = 32 * time.Second

func (g *gate6) judge(now conn.Time, from transport.Peer, kind packet.Kind, b []byte) conn.Verdict {
	g.now, g.from, g.b = now, from, b
	if kind == packet.KindConnless6 {
		return conn.Connless
	}
	var scratch *packet.Scratch
	if kind == packet.KindData && now < g.until && g.looks.take(now, lookRate) {
		scratch = &g.srv.scratch
	}
	g.judged = g.srv.tokens.Judge6(now, from, b, scratch)
	return g.judged.Verdict
}

func (g *gate6) reply() { g.send(g.judged.AppendReply(g.srv.out[:0])) }

func (g *gate6) challenge() {
	g.until = g.now.Add(answerTime)
	g.send(packet.AppendAccept6(g.srv.out[:0], packet.Guard{}, packet.NoToken))
	g.send(g.srv.tokens.AppendChallenge(g.srv.out[:0], g.now, g.from))
}

func (g *gate6) refuse(reason string) { g.send(g.judged.AppendClose(g.srv.out[:0], reason)) }

func (g *gate6) accept(c *conn.Conn) error {
	return c.Accept6(g.now, g.judged.Handshake, g.judged.Token)
}

func (g *gate6) opening() opening {
	switch g.judged.Handshake {
	case conn.HeaderToken:
		return openSpeaks
	case conn.Challenged:
		return openGreeted
	}
	return openWaits
}

// inform answers in a form that is longer than the request, and who asks proves
// nothing: the budget is all there is against floods in the name of others.
func (g *gate6) inform() {
	r, ok := query.ParseRequest6(g.b)
	if !ok {
		g.srv.count(dropInfo)
		return
	}
	a := g.srv.answers()
	if !g.informs.Spend(int64(g.now), g.from.Addr(), a.Size(r.Form)) {
		g.srv.count(dropUnproven)
		return
	}
	for n := range a.Len(r.Form) {
		g.send(a.Append(g.srv.out[:0], r, n))
	}
}

func (g *gate6) send(b []byte) {
	g.srv.out = b
	g.srv.net.Send(g.from, b)
}
