package server

import (
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// old is a 0.6 client that has what the server sends thrown away.
type old struct {
	l    *lab
	conn conn.Conn
	in   [][]byte
}

func (o *old) Chunk([]byte, bool) {}

func (o *old) read() {
	for len(o.in) > 0 {
		b := o.in[0]
		o.in = o.in[1:]
		o.conn.Feed(o.l.now, b, o)
	}
}

func (o *old) say(ms ...msg6.Message) {
	for _, m := range ms {
		o.conn.Queue(o.l.now, m.Append(nil), true)
	}
	o.conn.Flush(o.l.now)
	o.read()
}

// FuzzOldClient sends arbitrary chunks from a 0.6 client on any step of its way, and
// the same bytes as a datagram of a stranger.
func FuzzOldClient(f *testing.F) {
	for i, m := range []msg6.Message{
		&msg6.Info{NetVersion: []byte(msg6.NetVersion)}, &msg6.ClientVer{Version: 16040}, &msg6.Ready{}, &msg6.EnterGame{},
		&msg6.RequestMapData{Chunk: 3}, &msg6.RconAuth{Password: []byte("adminpw")}, &msg6.RconCmd{Command: []byte("status")},
		&msg6.ClSay{Message: []byte("/w \"x\" hello")}, &msg6.ClSetTeam{Team: -1}, &msg6.ClSetSpectatorMode{SpectatorID: 3},
		&msg6.ClStartInfo{}, &msg6.ClChangeInfo{}, &msg6.ClKill{}, &msg6.ClEmoticon{Emoticon: 2}, &msg6.ClVote{Vote: 1},
		&msg6.ClCallVote{Type: []byte("kick"), Value: []byte("0")}, &msg6.PingEx{}, &msg6.WhatIs{}, &msg6.Input{Size: 40, AckTick: 3},
	} {
		f.Add(uint8(i), m.Append(nil))
	}
	for i, d := range golden.Datagrams(f, golden.Join6) {
		if i%211 == 0 {
			f.Add(uint8(i), d.B)
		}
	}
	l := newLab(f, nil)
	port := 1000
	f.Fuzz(func(t *testing.T, stage uint8, b []byte) {
		if len(b) > packet.MaxDatagram {
			return
		}
		l.tb = t
		port = 1000 + (port-999)%60000
		o, peer := &old{l: l}, local(port)
		l.out = func(_ transport.Peer, b []byte) { o.in = append(o.in, append([]byte(nil), b...)) }
		if err := o.conn.Init(conn.Config{Send: func(b []byte) { l.feed(peer, b) }}); err != nil {
			t.Fatal(err)
		}
		if err := o.conn.Dial6(l.now, []conn.Handshake{conn.HandshakeTKEN, conn.HandshakeHeaderToken}[stage>>7], 9); err != nil {
			t.Fatal(err)
		}
		o.read()
		if stage&1 != 0 {
			o.say(&msg6.ClientVer{Version: int32(stage) << 7})
		}
		for i, m := range []msg6.Message{
			&msg6.Info{NetVersion: []byte(msg6.NetVersion)}, &msg6.Ready{}, &msg6.ClStartInfo{Look: msg6.PlayerLook{Name: []byte("fuzz")}}, &msg6.EnterGame{},
		} {
			if int(stage>>1&7) > i {
				o.say(m)
			}
		}
		l.step(1)
		o.read()
		vital := stage&0x40 != 0
		if len(b) > 0 && len(b) <= packet.MaxChunkSize6 {
			o.conn.Queue(l.now, b, vital)
			o.conn.Queue(l.now, b[:len(b)/2], vital)
			o.conn.Flush(l.now)
			o.read()
		}
		l.feed(peer, b)
		l.feed(local(port+1), b)
		l.step(2)
		o.read()
		for _, p := range []transport.Peer{peer, local(port + 1)} {
			if c := l.srv.sessionByPeer[p]; c != nil {
				c.drop("")
			}
		}
		l.step(2)
		checkSeats(t, l.srv)
		l.log.Reset()
	})
}
