// Package mem implements a network in memory. The network's [transport.Conn]s reach each other by
// address without sockets. Tests run servers and clients over it.
//
// With a virtual clock (Config.Clock), reads never wait. A single goroutine can then drive both
// ends of a connection, and every run is the same. Without one, the network uses the real clock and
// reads wait, so a server for the real network runs on it unchanged.
//
// A [Link] carries all datagrams. Package netsim uses one to lose, delay and duplicate them.
package mem

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/teeyard/teeyard/transport"
)

// ErrInUse is returned by [Network.Listen] for an address that is taken.
var ErrInUse = errors.New("mem: address in use")

// ErrAddress is returned by [Network.Listen] for an invalid or unspecified address.
var ErrAddress = errors.New("mem: bad address")

// Link is called for every datagram sent, with the time in ns on the network's clock. Link decides
// when, how often and whether to call [Network.Deliver]. b is borrowed until the call returns.
type Link func(now int64, from, to transport.Peer, b []byte)

// Config configures a [Network]. The zero value is an ideal network on the real clock.
type Config struct {
	// Clock, if set, returns the time of a virtual clock in ns. Reads then never wait.
	Clock func() int64
	// Link, if set, carries the datagrams.
	Link Link
	// Queue is the maximum number of datagrams that wait for the reader of an endpoint. More are
	// dropped. 0 means 1024.
	Queue int
}

// Network connects endpoints. The methods of Network may be called by several goroutines.
type Network struct {
	cfg Config

	mu    sync.Mutex
	conns map[transport.Peer]*Conn
	port  uint16
}

// New returns a network without endpoints.
func New(cfg Config) *Network {
	if cfg.Queue <= 0 {
		cfg.Queue = 1024
	}
	return &Network{cfg: cfg, conns: make(map[transport.Peer]*Conn), port: 49152}
}

// Now returns the time on the network's clock, in ns.
func (n *Network) Now() int64 {
	if n.cfg.Clock != nil {
		return n.cfg.Clock()
	}
	return transport.Monotonic()
}

// Listen adds an endpoint. Port 0 picks a free port, in ascending order.
func (n *Network) Listen(addr transport.Peer) (*Conn, error) {
	addr = transport.Unmap(addr)
	if !addr.Addr().IsValid() || addr.Addr().IsUnspecified() {
		return nil, fmt.Errorf("%w: %v", ErrAddress, addr)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if addr.Port() == 0 {
		for range 1 << 14 {
			addr = transport.UDPPeer(addr.Addr(), n.port)
			if n.port++; n.port == 0 {
				n.port = 49152
			}
			if n.conns[addr] == nil {
				break
			}
		}
	}
	if n.conns[addr] != nil {
		return nil, fmt.Errorf("%w: %v", ErrInUse, addr)
	}
	c := &Conn{net: n, local: addr, ready: make(chan struct{}, 1)}
	n.conns[addr] = c
	return c, nil
}

// Deliver adds a copy of b, sent by from, to the queue of the endpoint to. Deliver reports whether
// the endpoint exists and has room.
func (n *Network) Deliver(from, to transport.Peer, b []byte) bool {
	n.mu.Lock()
	c := n.conns[to]
	n.mu.Unlock()
	return c != nil && c.enqueue(from, b)
}

// Conn is an endpoint. A Conn implements [transport.Conn].
type Conn struct {
	net   *Network
	local transport.Peer
	ready chan struct{}

	mu          sync.Mutex
	received    []datagram // received datagrams, from index head on
	head        int
	lent        []datagram // datagrams returned by the last ReadBatch
	readBuffers [][]byte   // buffers to reuse
	woken       bool
	closed      bool
	stats       transport.Stats

	unflushed   []datagram // queued by Send; only the sender uses it
	sendBuffers [][]byte
}

var _ transport.Conn = (*Conn)(nil)

type datagram struct {
	peer transport.Peer
	b    []byte
	at   int64
}

func copyToBuffer(free *[][]byte, b []byte) []byte {
	var buf []byte
	if k := len(*free); k > 0 {
		buf, *free = (*free)[k-1], (*free)[:k-1]
	}
	return append(buf[:0], b...)
}

func (c *Conn) enqueue(from transport.Peer, b []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	if len(c.received)-c.head >= c.net.cfg.Queue {
		c.stats.Dropped[transport.DropOverflow]++
		return false
	}
	if c.head == len(c.received) {
		c.received, c.head = c.received[:0], 0
	}
	c.received = append(c.received, datagram{from, copyToBuffer(&c.readBuffers, b), c.net.Now()})
	c.signal()
	return true
}

func (c *Conn) signal() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// Now returns the time on the network's clock, in ns.
func (c *Conn) Now() int64 { return c.net.Now() }

// LocalAddr returns the address of the endpoint.
func (c *Conn) LocalAddr() transport.Peer { return c.local }

// ReadBatch implements [transport.Conn]. On a virtual clock it never waits.
func (c *Conn) ReadBatch(dst []transport.Datagram, until int64) (int, error) {
	var timer *time.Timer
	for {
		n, done, err := c.read(dst)
		if done || c.net.cfg.Clock != nil {
			return n, err
		}
		wait := until - c.Now()
		if wait <= 0 || len(dst) == 0 {
			return 0, nil
		}
		if timer == nil {
			timer = time.NewTimer(time.Duration(wait))
			defer timer.Stop()
		}
		select {
		case <-c.ready:
		case <-timer.C:
			timer = nil
		}
	}
}

// read takes datagrams from the queue. done reports whether ReadBatch must not wait.
func (c *Conn) read(dst []transport.Datagram) (n int, done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.lent {
		c.readBuffers = append(c.readBuffers, d.b)
	}
	c.lent = c.lent[:0]
	if c.closed {
		return 0, true, transport.ErrClosed
	}
	if c.woken {
		c.woken = false
		return 0, true, nil
	}
	n = min(len(dst), len(c.received)-c.head)
	if n == 0 {
		return 0, false, nil
	}
	for i, d := range c.received[c.head : c.head+n] {
		dst[i] = transport.Datagram{Peer: d.peer, Data: d.b, ReceivedAt: d.at}
		c.lent = append(c.lent, d)
		c.stats.Received++
		c.stats.ReceivedBytes += uint64(len(d.b))
	}
	c.head += n
	c.stats.Reads++
	// Keep the queue from growing if the reader never empties it.
	if c.head > c.net.cfg.Queue {
		c.received = c.received[:copy(c.received, c.received[c.head:])]
		c.head = 0
	}
	return n, true, nil
}

// maxQueued is the number of queued datagrams at which Send flushes.
const maxQueued = 64

// Send implements [transport.Conn].
func (c *Conn) Send(to transport.Peer, b []byte) {
	if len(b) > transport.MaxDatagram {
		c.drop(transport.DropSendTooLong)
		return
	}
	if !to.IsValid() || to.Port() == 0 {
		c.drop(transport.DropSendUnreachable)
		return
	}
	c.unflushed = append(c.unflushed, datagram{peer: transport.Unmap(to), b: copyToBuffer(&c.sendBuffers, b)})
	if len(c.unflushed) == maxQueued {
		_ = c.Flush()
	}
}

func (c *Conn) drop(r transport.DropReason) {
	c.mu.Lock()
	c.stats.Dropped[r]++
	c.mu.Unlock()
}

// Flush implements [transport.Conn]. Datagrams to addresses without an endpoint are lost,
// as on a real network.
func (c *Conn) Flush() error {
	c.mu.Lock()
	closed := c.closed
	if !closed && len(c.unflushed) > 0 {
		c.stats.Writes++
		for _, d := range c.unflushed {
			c.stats.Sent++
			c.stats.SentBytes += uint64(len(d.b))
		}
	}
	c.mu.Unlock()
	for _, d := range c.unflushed {
		if !closed {
			if link := c.net.cfg.Link; link != nil {
				link(c.net.Now(), c.local, d.peer, d.b)
			} else {
				c.net.Deliver(c.local, d.peer, d.b)
			}
		}
		c.sendBuffers = append(c.sendBuffers, d.b)
	}
	c.unflushed = c.unflushed[:0]
	if closed {
		return transport.ErrClosed
	}
	return nil
}

// Wake implements [transport.Conn].
func (c *Conn) Wake() {
	c.mu.Lock()
	c.woken = true
	c.mu.Unlock()
	c.signal()
}

// Stats returns the current counters.
func (c *Conn) Stats() transport.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Pending returns the number of datagrams that wait to be read.
func (c *Conn) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.received) - c.head
}

// Close removes the endpoint from the network.
func (c *Conn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.net.mu.Lock()
	if c.net.conns[c.local] == c {
		delete(c.net.conns, c.local)
	}
	c.net.mu.Unlock()
	c.signal()
	return nil
}
