package ws

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/transport"
)

// peer is a client with a WebSocket connection, or with a pair of them. Each connection of a pair
// carries all datagrams, with numbers.
type peer struct {
	hub    *Hub
	id     transport.Peer
	person netip.Prefix
	pair   *pairID // nil for a peer with one connection and without numbers
	// free contains the buffers for the peer's datagrams.
	free     chan []byte
	lastSent atomic.Int64
	over     chan struct{} // closed when the last connection has ended

	// unflushed is set if datagrams were queued since the last Flush.
	unflushed bool
	number    uint16 // of the last datagram to the peer

	heard bool // at least one datagram was received; guarded by Hub.mu

	mu      sync.Mutex
	sockets []*socket // newest last
	seen    window
}

// maxSockets is the number of connections of a pair. A third replaces one of them, because the end
// of a connection can stay unknown for long.
const maxSockets = 2

// attach adds a connection to the peer.
func (p *peer) attach() *socket {
	s := &socket{peer: p, kick: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.idle = time.AfterFunc(p.hub.idleTime, s.cancel)
	s.lastHeard.Store(transport.Monotonic())
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.sockets) == maxSockets {
		i := 0
		if p.sockets[1].lastHeard.Load() < p.sockets[0].lastHeard.Load() {
			i = 1
		}
		p.sockets[i].cancel()
		p.sockets = slices.Delete(p.sockets, i, i+1)
	}
	p.sockets = append(p.sockets, s)
	return s
}

// detach removes a connection and reports whether it was the last one.
func (p *peer) detach(s *socket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.sockets, s)
	if i < 0 {
		return false // replaced
	}
	p.sockets = slices.Delete(p.sockets, i, i+1)
	return len(p.sockets) == 0
}

// isFirst reports whether a numbered datagram is not a copy of an earlier one.
func (p *peer) isFirst(number uint16) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.first(number)
}

// queue adds a datagram to those to be sent, on all connections. queue returns false if there is no
// room on any.
func (p *peer) queue(b []byte) bool {
	now := transport.Monotonic()
	p.lastSent.Store(now)
	p.number++
	p.mu.Lock()
	defer p.mu.Unlock()
	queued := false
	for _, s := range p.sockets {
		if s.queue(now, p.number, b) {
			queued = true
		}
	}
	if queued {
		p.hub.count.sent.Add(1)
		p.hub.count.sentBytes.Add(uint64(len(b)))
	}
	return queued
}

// flush starts to send the queued datagrams.
func (p *peer) flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sockets {
		s.flush()
	}
}

// finish ends the connections after the queued datagrams are sent.
func (p *peer) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sockets {
		s.bye(errGoing)
	}
}

// cancel closes the connections at once.
func (p *peer) cancel() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sockets {
		s.cancel()
	}
}
