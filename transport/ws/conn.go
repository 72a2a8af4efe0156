package ws

import (
	"time"

	"github.com/teeyard/teeyard/transport"
)

// Join returns a Conn that sends and receives the datagrams of conn and of the hub's peers. A hub
// can join only one Conn. Call Join before Serve.
func (h *Hub) Join(conn transport.Conn) transport.Conn {
	h.wake = conn.Wake
	j := &joined{Conn: conn, hub: h}
	j.gatherer, _ = conn.(transport.Gatherer)
	j.padder, _ = conn.(transport.Padder)
	h.poller = newPoller(conn)
	return j
}

// joined is a Conn together with a hub.
type joined struct {
	transport.Conn
	gatherer transport.Gatherer // nil if Conn does not implement it
	padder   transport.Padder   // nil if Conn does not implement it
	hub      *Hub

	lent        []arrival // arrivals whose buffers the last ReadBatch returned
	gatherUntil int64
	unflushed   []*peer
}

// Gather implements [transport.Gatherer].
func (c *joined) Gather(until int64) { c.gatherUntil = until }

// ReadBatch implements [transport.Conn].
func (c *joined) ReadBatch(dst []transport.Datagram, until int64) (n int, err error) {
	for _, a := range c.lent {
		a.from.free <- a.data
	}
	clear(c.lent)
	c.lent = c.lent[:0]
	if g := min(c.gatherUntil, until); g > 0 && c.gatherer != nil {
		c.gatherUntil = 0
		c.gatherer.Gather(g)
		n, err = c.Conn.ReadBatch(dst, g)
		c.hub.poller.poll()
		n += c.hub.take(dst[n:], &c.lent)
		if n > 0 || err != nil || c.Now() < g { // or woken
			return n, err
		}
	}
	c.hub.poller.poll()
	// Take half a batch only, so that neither kind of peer can block the other.
	if n = c.hub.take(dst[:(len(dst)+1)/2], &c.lent); n > 0 {
		const now = 0 // in the past, so ReadBatch does not wait
		m, err := c.Conn.ReadBatch(dst[n:], now)
		return n + m, err
	}
	c.hub.waiting.Store(true)
	if n = c.hub.take(dst, &c.lent); n == 0 {
		n, err = c.Conn.ReadBatch(dst, until)
	}
	c.hub.waiting.Store(false)
	c.hub.poller.poll()
	n += c.hub.take(dst[n:], &c.lent)
	return n, err
}

// SendPaddable implements [transport.Padder].
func (c *joined) SendPaddable(to transport.Peer, b []byte) {
	if to.Kind == transport.WebSocket || c.padder == nil {
		c.Send(to, b)
		return
	}
	c.padder.SendPaddable(to, b)
}

// Send implements [transport.Conn].
func (c *joined) Send(to transport.Peer, b []byte) {
	if to.Kind != transport.WebSocket {
		c.Conn.Send(to, b)
		return
	}
	switch p := c.hub.find(to); {
	case len(b) > transport.MaxDatagram:
		c.hub.count.tooLong.Add(1)
	case p == nil:
		c.hub.count.unreachable.Add(1)
	case !p.queue(b):
		c.hub.count.noRoom.Add(1)
	case !p.unflushed:
		p.unflushed = true
		c.unflushed = append(c.unflushed, p)
	}
}

// Flush implements [transport.Conn].
func (c *joined) Flush() error {
	for _, p := range c.unflushed {
		p.unflushed = false
		p.flush()
	}
	clear(c.unflushed)
	c.unflushed = c.unflushed[:0]
	return c.Conn.Flush()
}

// Stats implements [transport.Conn].
func (c *joined) Stats() transport.Stats {
	s, n := c.Conn.Stats(), &c.hub.count
	s.Received += n.received.Load()
	s.ReceivedBytes += n.receivedBytes.Load()
	s.Sent += n.sent.Load()
	s.SentBytes += n.sentBytes.Load()
	s.Dropped[transport.DropTooLong] += n.tooLong.Load()
	s.Dropped[transport.DropSendBuffer] += n.noRoom.Load()
	s.Dropped[transport.DropSendUnreachable] += n.unreachable.Load()
	return s
}

// Close implements [transport.Conn]. Close ends the connections of the hub after their queued
// datagrams are sent. Peers acknowledge the end; a connection that breaks before that may lose
// datagrams.
func (c *joined) Close() error {
	c.hub.close()
	for end := time.Now().Add(c.hub.closeTime); c.hub.Peers() > 0 && time.Now().Before(end); {
		c.hub.poller.poll()
		time.Sleep(time.Millisecond)
	}
	defer c.hub.poller.close()
	return c.Conn.Close()
}
