package hostile

import (
	"bytes"
	"math/rand/v2"
	"sync"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// Transport is the transport of an honest server, with a Middle before each of its WebSocket peers.
type Transport struct {
	transport.Conn
	mu      sync.Mutex
	middles map[transport.Peer]*Middle
	begin   func(m *Middle)
	pending []transport.Datagram
}

// Wrap returns the Transport of a server.
func Wrap(c transport.Conn) *Transport {
	return &Transport{Conn: c, middles: map[transport.Peer]*Middle{}, begin: func(*Middle) {}}
}

// Do calls f with each Middle, also with later ones when they begin.
func (t *Transport) Do(f func(m *Middle)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin = f
	for _, m := range t.middles {
		f(m)
	}
}

// ReadBatch implements transport.Conn.
func (t *Transport) ReadBatch(dst []transport.Datagram, until int64) (int, error) {
	t.mu.Lock()
	if len(t.pending) > 0 {
		until = 0
	}
	t.mu.Unlock()
	n, err := t.Conn.ReadBatch(dst, until)
	if err != nil {
		return n, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := conn.Time(t.Now())
	for _, d := range dst[:n] {
		if m := t.middle(d); m != nil {
			m.FromClient(now, bytes.Clone(d.Data))
		} else {
			d.Data = bytes.Clone(d.Data)
			t.pending = append(t.pending, d)
		}
	}
	for _, m := range t.middles {
		m.Update(now)
	}
	n = copy(dst, t.pending)
	t.pending = append(t.pending[:0:0], t.pending[n:]...)
	return n, nil
}

// middle returns the Middle for a datagram, or nil for none.
func (t *Transport) middle(d transport.Datagram) *Middle {
	peer := d.Peer
	if peer.Kind != transport.WebSocket || len(d.Data) == 0 {
		delete(t.middles, peer)
		return nil
	}
	m := t.middles[peer]
	if m == nil {
		kind, _ := packet.Classify(d.Data)
		m = New(Config{
			V6: kind == packet.KindControl6, Rand: rand.New(rand.NewPCG(1, 2)),
			ToClient: func(b []byte) { t.Conn.Send(peer, b) },
			ToServer: func(b []byte) {
				t.pending = append(t.pending, transport.Datagram{Peer: peer, Data: bytes.Clone(b), ReceivedAt: t.Now()})
			},
		})
		t.middles[peer] = m
		t.begin(m)
	}
	return m
}

// Send implements transport.Conn.
func (t *Transport) Send(to transport.Peer, b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m := t.middles[to]; m != nil {
		m.FromServer(conn.Time(t.Now()), bytes.Clone(b))
		return
	}
	t.Conn.Send(to, b)
}
