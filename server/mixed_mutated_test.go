package server

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// urchin is a 0.6 client that keeps the server's tokens and sequence numbers, and no
// other rule.
type urchin struct {
	l          *lab
	peer       transport.Peer
	how        conn.Handshake
	guard      packet.PlacedToken
	seq, taken int // of our vital chunks: sent, and taken by the server
	ack        int
	scratch    packet.Scratch
}

func (u *urchin) receive(b []byte) {
	var p packet.Packet6
	if p.Parse(b, &u.scratch) != nil {
		u.l.tb.Fatalf("the server sent %x", b)
	}
	if p.Flags&packet.FlagControl != 0 {
		if p.ControlID() == packet.ControlAccept && u.guard == (packet.PlacedToken{}) {
			u.guard = p.HandshakeToken()
		}
		return
	}
	u.taken = p.Ack
	var c packet.Chunk
	for it := p.Chunks(); it.Next(&c); {
		if c.Flags&packet.ChunkVital != 0 && c.Seq == (u.ack+1)&packet.SeqMask {
			u.ack = c.Seq
		}
	}
}

// connect asks for a seat. A client of 0.6.5 gets it with its first word.
func (u *urchin) connect() {
	place := packet.TokenInTrailer
	if u.how == conn.HandshakeHeaderToken {
		place = packet.TokenInHeader
	}
	u.l.feed(u.peer, packet.AppendConnect6(nil, place, 5))
	if u.guard.Place != place {
		u.l.tb.Fatalf("%v: answered with %+v", u.how, u.guard)
	}
	if place == packet.TokenInTrailer {
		u.l.feed(u.peer, packet.AppendControl6(nil, 0, u.guard, packet.ControlClientAccept))
	}
}

// say sends vital messages, one in a datagram.
func (u *urchin) say(ms ...msg6.Message) {
	for _, m := range ms {
		u.seq = (u.seq + 1) & packet.SeqMask
		u.l.feed(u.peer, packet.AppendPacket6(nil, 0, u.ack, 1, u.guard, packet.AppendChunk6(nil, packet.ChunkVital, u.seq, m.Append(nil))))
	}
}

func (u *urchin) session() *session { return u.l.srv.sessionByPeer[u.peer] }

// realPackets6 are the datagrams that a real client of 0.6 sent.
func realPackets6(tb testing.TB) []real {
	var out []real
	var scratch packet.Scratch
	for _, d := range golden.Datagrams(tb, golden.Join6) {
		var p packet.Packet6
		if !d.ToServer || p.Parse(d.B, &scratch) != nil || p.Flags&(packet.FlagControl|packet.FlagConnless) != 0 {
			continue
		}
		r := real{raw: d.B}
		var c packet.Chunk
		for it := p.Chunks(); it.Next(&c); {
			r.chunks = append(r.chunks, realChunk{c.Flags&packet.ChunkVital != 0, bytes.Clone(c.Data)})
		}
		out = append(out, r)
	}
	if len(out) < 300 {
		tb.Fatalf("only %d datagrams in the capture", len(out))
	}
	return out
}

// seeds6 are messages of which the capture has none.
var seeds6 = []msg6.Message{
	&msg6.RequestMapData{Chunk: 3}, &msg6.RconAuth{Password: []byte("adminpw")}, &msg6.RconCmd{Command: []byte("status; say x; tunes; bans")},
	&msg6.Ping{}, &msg6.PingReply{}, &msg6.WhatIs{}, &msg6.ItIs{}, &msg6.PingEx{}, &msg6.ClSay{Message: []byte("/w victim psst")},
	&msg6.ClSay{Team: true, Message: []byte("hello\x1b\n")}, &msg6.ClSay{Message: []byte(`/w "victim" psst`)}, &msg6.ClSay{Message: []byte("/c again")},
	&msg6.ClSay{Message: []byte("/ready")}, &msg6.ClSetTeam{Team: -1}, &msg6.ClSetTeam{}, &msg6.ClSetSpectatorMode{SpectatorID: -1},
	&msg6.ClSetSpectatorMode{SpectatorID: 3}, &msg6.ClKill{}, &msg6.ClEmoticon{Emoticon: 3}, &msg6.ClVote{Vote: 1},
	&msg6.ClCallVote{Type: []byte("kick"), Value: []byte("1")}, &msg6.ClChangeInfo{Look: msg6.PlayerLook{Name: []byte("other"), Skin: []byte("coala")}},
	&msg6.EnterGame{}, &msg6.ClIsDDNetLegacy{Version: 16040},
}

// next makes a damaged datagram that has the right token and sequence.
func (u *urchin) next(m *mutator, seeds [][]byte) []byte {
	r := m.rand
	m.payload = m.payload[:0]
	n := 0
	put := func(vital bool, data []byte) {
		data = bytes.Clone(data)
		if r.IntN(3) > 0 {
			data = m.bits(data)
		}
		if len(m.payload)+len(data) > 1200 {
			return
		}
		flags, seq := packet.ChunkFlags(0), 0
		if vital {
			u.seq = (u.seq + 1) & packet.SeqMask
			flags, seq = packet.ChunkVital, u.seq
		}
		m.payload = packet.AppendChunk6(m.payload, flags, seq, data)
		n++
	}
	for _, c := range m.packets[r.IntN(len(m.packets))].chunks {
		put(c.vital, c.data)
	}
	switch r.IntN(8) {
	case 0:
		for _, c := range m.packets[r.IntN(len(m.packets))].chunks {
			put(c.vital, c.data)
		}
	case 1, 2, 3:
		for range 1 + r.IntN(3) {
			put(r.IntN(8) > 0, seeds[r.IntN(len(seeds))])
		}
	case 4:
		m.payload = m.bits(m.payload)
		n = max(n+r.IntN(3)-1, 0)
	}
	var flags packet.Flags
	switch r.IntN(256) {
	case 0: // any control message
		flags, n = packet.FlagControl, r.IntN(8)/7
		m.payload = append(m.payload[:0], byte(r.IntN(7)))
		for range r.IntN(3) * 4 {
			m.payload = append(m.payload, byte(r.Uint32()))
		}
	case 1, 2, 3, 4:
		flags = packet.FlagResend
	}
	ack := u.ack
	if r.IntN(64) == 0 {
		ack = r.IntN(packet.SeqSpace)
	}
	b := packet.AppendPacket6(nil, flags, ack, n, u.guard, m.payload)
	if r.IntN(8) == 0 {
		b = m.bits(b)
	}
	return b
}

// TestMutatedPackets6 does with clients of 0.6 what TestMutatedPackets does with those
// of 0.7, releases of DDNet and others.
func TestMutatedPackets6(t *testing.T) {
	total := 200_000
	if v, err := strconv.Atoi(os.Getenv("TEEYARD_MUTATIONS")); err == nil {
		total = v
	}
	if testenv.Race {
		total /= 10
	}
	l := newLab(t, nil, "sv_vanilla_antispoof 0")
	m := newMutator(t, 6)
	m.packets = realPackets6(t)
	var seeds [][]byte
	for _, msg := range seeds6 {
		seeds = append(seeds, msg.Append(nil))
	}
	const clients = 6
	var us [clients]*urchin
	out := l.out
	l.out = func(to transport.Peer, b []byte) {
		for _, u := range us {
			if u != nil && u.peer == to {
				u.receive(b)
				return
			}
		}
		out(to, b)
	}
	port, sessions, playing, early := 1000, 0, 0, uint64(0)
	for fed := range total {
		i := fed % clients
		if u := us[i]; u == nil || u.session() == nil {
			port = 1000 + (port-999)%60000
			us[i] = &urchin{l: l, peer: local(port), how: []conn.Handshake{conn.HandshakeTKEN, conn.HandshakeHeaderToken}[sessions%2]}
			sessions++
			u = us[i]
			u.connect()
			if sessions/2%2 == 0 {
				u.say(&msg6.ClientVer{Version: 16040})
			}
			steps := []msg6.Message{&msg6.Info{NetVersion: []byte(msg6.NetVersion)}, &msg6.Ready{},
				&msg6.ClStartInfo{Look: msg6.PlayerLook{Name: []byte("victim")}}, &msg6.EnterGame{}}
			u.say(steps[:min(i+1, len(steps))]...) // sessions are attacked at all stages
		}
		u := us[i]
		if c := u.session(); c != nil && c.state == stateInGame {
			playing++
		}
		b := u.next(m, seeds)
		func() {
			defer func() {
				if e := recover(); e != nil {
					t.Fatalf("datagram %d, %x: %v", fed, b, e)
				}
			}()
			l.feed(u.peer, b)
		}()
		u.seq = u.taken // what was lost is not waited for
		if c := u.session(); c != nil {
			c.allowed = allowances{} // see what is behind
		}
		if fed%64 == 0 {
			l.step(1)
		}
		if fed == total/4 {
			l.log.Reset()
			early = heap()
		}
		if l.log.Len() > 1<<20 {
			l.log.Reset()
		}
	}
	l.log.Reset()
	late := heap()
	t.Logf("%d mutated datagrams on %d sessions, %d%% while playing; heap %d -> %d KB; drops %v",
		total, sessions, 100*playing/total, early>>10, late>>10, l.srv.Drops())
	if late > early+16<<20 {
		t.Errorf("heap grew from %d to %d bytes", early, late)
	}
	if playing < total/4 || l.srv.Drops()["message"] == 0 {
		t.Errorf("%d of %d datagrams were for players; drops %v", playing, total, l.srv.Drops())
	}
	if sessions < total/4000 {
		t.Errorf("only %d sessions", sessions)
	}
	if len(l.srv.sessionByPeer) > clients {
		t.Errorf("%d sessions for %d clients", len(l.srv.sessionByPeer), clients)
	}
	q := l.play(ip(1), "newcomer")
	l.step(50)
	if q.ids[msg7.IDSnapSingle]+q.ids[msg7.IDSnap] == 0 {
		t.Error("no snapshots for a newcomer")
	}
	checkSeats(t, l.srv)
}
