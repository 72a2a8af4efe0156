package conn

import (
	"bytes"
	"testing"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

const (
	clientToken packet.Token = 0x01020304
	serverToken packet.Token = 0xAABBCCDD
)

// peer is a connection whose datagrams and deliveries are kept.
type peer struct {
	Conn
	sent  [][]byte
	got   []string // vital payloads as they are, others with a "~"
	react func(payload []byte)
}

func newPeer(t testing.TB, buffer int) *peer {
	p := new(peer)
	err := p.Init(Config{
		Send:         func(b []byte) { p.sent = append(p.sent, bytes.Clone(b)) },
		ResendBuffer: buffer,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *peer) Chunk(payload []byte, vital bool) {
	s := string(payload)
	if !vital {
		s = "~" + s
	}
	p.got = append(p.got, s)
	if p.react != nil {
		p.react(payload)
	}
}

// take returns what was sent since the last call.
func (p *peer) take() [][]byte {
	s := p.sent
	p.sent = nil
	return s
}

// give feeds what q has sent to p.
func (p *peer) give(now Time, q *peer) {
	for _, b := range q.take() {
		p.Feed(now, b, p)
	}
}

// connect returns a client and a server that are online.
func connect(t testing.TB, now Time, buffer int) (client, server *peer) {
	client, server = newPeer(t, buffer), newPeer(t, buffer)
	if err := client.Dial(now, clientToken); err != nil {
		t.Fatal(err)
	}
	client.take()
	client.Feed(now, packet.AppendTokenReply(nil, clientToken, serverToken), client)
	client.take()
	if err := server.Accept(now, serverToken, clientToken); err != nil {
		t.Fatal(err)
	}
	client.give(now, server)
	if err := client.Queue(now, []byte("hi"), false); err != nil {
		t.Fatal(err)
	}
	client.Flush(now)
	server.give(now, client)
	if client.State() != StateOnline || server.State() != StateOnline || len(server.got) != 1 {
		t.Fatalf("client %v, server %v", client.State(), server.State())
	}
	server.got = nil
	return client, server
}

// data makes a data packet by hand.
func data(flags packet.Flags, ack int, token packet.Token, chunks ...[]byte) []byte {
	return packet.AppendPacket(nil, flags, ack, len(chunks), token, bytes.Join(chunks, nil))
}

func vital(seq int, s string) []byte {
	return packet.AppendChunk(nil, packet.ChunkVital, seq, []byte(s))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const (
	ms = Time(time.Millisecond)
	s  = Time(time.Second)
)
