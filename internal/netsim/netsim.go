// Package netsim is a network in virtual time. A seed decides which datagrams it loses, delays,
// repeats and reorders. Tests run whole matches over it, faster than real time and the same way
// every time.
//
// Everything happens in the goroutine that calls [Net.Step] or [Net.Run]. Datagrams are delivered
// and timers run in the order of their time, and at equal times in the order of their creation. An
// endpoint is a [mem.Conn] on the virtual clock. Code that does no I/O of its own receives
// datagrams through [Net.Handle] instead.
package netsim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/mem"
)

// ErrConfig is returned for a [Config] or [Link] with values that make no sense.
var ErrConfig = errors.New("netsim: bad configuration")

// Link is the quality of one direction between two hosts. The zero value is an
// ideal link: immediate and reliable.
type Link struct {
	// Loss is the probability, from 0 to 1, that a datagram is lost.
	Loss float64
	// Duplicate is the probability, from 0 to 1, that a datagram that was not lost arrives twice.
	// Each copy has its own delay.
	Duplicate float64
	// Delay is the least delay of a datagram.
	Delay time.Duration
	// Jitter is the range of the random time added to Delay, evenly distributed.
	Jitter time.Duration
	// Late is the probability, from 0 to 1, that a datagram takes LateBy longer than others. Later
	// datagrams then overtake it.
	Late   float64
	LateBy time.Duration
	// InOrder prevents Jitter from reordering datagrams.
	InOrder bool
	// Rate is the bandwidth in bytes per second; 0 is unlimited.
	Rate int
	// Queue is how many bytes may wait for a link with a Rate; more are lost. 0 means 65536.
	Queue int
}

func (l Link) check() error {
	switch {
	case !(l.Loss >= 0 && l.Loss <= 1), !(l.Duplicate >= 0 && l.Duplicate <= 1), !(l.Late >= 0 && l.Late <= 1):
		return fmt.Errorf("%w: probability out of 0..1 in %+v", ErrConfig, l)
	case l.Delay < 0, l.Jitter < 0, l.LateBy < 0, l.Rate < 0, l.Queue < 0,
		l.Delay > time.Hour, l.Jitter > time.Hour, l.LateBy > time.Hour:
		return fmt.Errorf("%w: value out of range in %+v", ErrConfig, l)
	}
	return nil
}

// Config is the configuration of a [Net]. The zero value is an ideal network.
type Config struct {
	// Seed determines all randomness. The randomness of a link does not depend on the traffic of
	// other links.
	Seed uint64
	// Link is the quality of every link that SetLink does not change.
	Link Link
	// InFlight is how many datagrams may be in flight; more are lost. 0 means 65536.
	InFlight int
}

// Stats counts datagrams by their fate.
type Stats struct {
	// Sent is the number of datagrams handed to the network, and SentBytes their total size.
	Sent, SentBytes uint64
	// Delivered is the number that reached an endpoint or a handler, including duplicates.
	Delivered uint64
	// Lost is the number lost at random. Queued is the number dropped because a queue was full, or
	// because too many datagrams were in flight.
	Lost, Queued uint64
	// Duplicated is the number that arrived twice.
	Duplicated uint64
	// Reordered is the number delivered after a datagram that was sent later on the same link.
	Reordered uint64
	// Unreachable is the number without a receiver, or whose receiver had no room.
	Unreachable uint64
}

func (s *Stats) add(o *Stats) {
	s.Sent += o.Sent
	s.SentBytes += o.SentBytes
	s.Delivered += o.Delivered
	s.Lost += o.Lost
	s.Queued += o.Queued
	s.Duplicated += o.Duplicated
	s.Reordered += o.Reordered
	s.Unreachable += o.Unreachable
}

type hosts struct{ from, to netip.Addr }

// path is the state of one direction between two hosts.
type path struct {
	link   Link
	rng    *rand.Rand
	free   int64 // time at which the bandwidth is free again
	last   int64 // latest arrival so far, for InOrder
	sent   uint64
	newest uint64 // the newest datagram delivered so far
	stats  Stats
}

// Net is the network. It is not safe for use by several goroutines.
type Net struct {
	cfg      Config
	now      int64
	queue    events
	inFlight int
	mem      *mem.Network
	paths    map[hosts]*path
	links    map[hosts]Link
	handlers map[transport.Peer]func(now int64, from transport.Peer, b []byte)
	arrivals map[transport.Peer]func(now int64)
	conns    map[transport.Peer]*mem.Conn
	nowhere  Stats
	free     [][]byte
}

// New returns a network without endpoints, at time 0.
func New(cfg Config) (*Net, error) {
	if err := cfg.Link.check(); err != nil {
		return nil, err
	}
	if cfg.InFlight < 0 {
		return nil, fmt.Errorf("%w: %d datagrams in flight", ErrConfig, cfg.InFlight)
	}
	if cfg.InFlight == 0 {
		cfg.InFlight = 1 << 16
	}
	n := &Net{
		cfg:      cfg,
		paths:    make(map[hosts]*path),
		links:    make(map[hosts]Link),
		handlers: make(map[transport.Peer]func(int64, transport.Peer, []byte)),
		arrivals: make(map[transport.Peer]func(int64)),
		conns:    make(map[transport.Peer]*mem.Conn),
	}
	n.mem = mem.New(mem.Config{Clock: n.Now, Link: func(_ int64, from, to transport.Peer, b []byte) { n.Send(from, to, b) }})
	return n, nil
}

// Now returns the virtual time in ns.
func (n *Net) Now() int64 { return n.now }

// Listen makes an endpoint. Its reads never wait, so [Net.Every] or [Net.OnArrival] must run its
// owner.
func (n *Net) Listen(addr transport.Peer) (*mem.Conn, error) {
	c, err := n.mem.Listen(addr)
	if err == nil {
		n.conns[c.LocalAddr()] = c
	}
	return c, err
}

// OnArrival runs f after each datagram that reached the endpoint addr. An address has only one f;
// nil removes it.
func (n *Net) OnArrival(addr transport.Peer, f func(now int64)) {
	n.arrivals[addr] = f
}

// Handle makes f receive the datagrams to addr, in place of an endpoint. The slice b is valid only
// during the call. A nil f removes the handler.
func (n *Net) Handle(addr transport.Peer, f func(now int64, from transport.Peer, b []byte)) {
	if f == nil {
		delete(n.handlers, addr)
		return
	}
	n.handlers[addr] = f
}

// SetLink sets the quality of the link from one host to another from now on. It does not change
// datagrams in flight.
func (n *Net) SetLink(from, to netip.Addr, l Link) error {
	if err := l.check(); err != nil {
		return err
	}
	key := hosts{from, to}
	n.links[key] = l
	if p := n.paths[key]; p != nil {
		p.link = l
	}
	return nil
}

// Stats returns the counters of the whole network.
func (n *Net) Stats() Stats {
	s := n.nowhere
	for _, p := range n.paths {
		s.add(&p.stats)
	}
	return s
}

// LinkStats returns the counters of the link from one host to another.
func (n *Net) LinkStats(from, to netip.Addr) Stats {
	if p := n.paths[hosts{from, to}]; p != nil {
		return p.stats
	}
	return Stats{}
}

// InFlight returns how many datagrams are in flight.
func (n *Net) InFlight() int { return n.inFlight }

// path returns the state of a link. The link's randomness comes from the seed and the two
// addresses, so that it does not depend on the time of its first use.
func (n *Net) path(from, to netip.Addr) *path {
	key := hosts{from, to}
	p := n.paths[key]
	if p == nil {
		l, ok := n.links[key]
		if !ok {
			l = n.cfg.Link
		}
		h := fnv.New64a()
		a, b := from.As16(), to.As16()
		h.Write(a[:])
		h.Write(b[:])
		h.Write(binary.LittleEndian.AppendUint64(nil, n.cfg.Seed))
		p = &path{link: l, rng: rand.New(rand.NewPCG(n.cfg.Seed, h.Sum64()))}
		n.paths[key] = p
	}
	return p
}

// Send hands a copy of b to the network. Endpoints do so in their Flush.
func (n *Net) Send(from, to transport.Peer, b []byte) {
	if n.handlers[to] == nil && n.conns[to] == nil {
		n.nowhere.Sent++
		n.nowhere.SentBytes += uint64(len(b))
		n.nowhere.Unreachable++
		return
	}
	p := n.path(from.Addr(), to.Addr())
	p.stats.Sent++
	p.stats.SentBytes += uint64(len(b))
	p.sent++
	// Both numbers are drawn for every datagram, so that changing one probability does not change
	// the other's results.
	lost, twice := p.rng.Float64() < p.link.Loss, p.rng.Float64() < p.link.Duplicate
	if lost {
		p.stats.Lost++
		return
	}
	copies := 1
	if twice {
		p.stats.Duplicated++
		copies = 2
	}
	for range copies {
		n.carry(p, from, to, b)
	}
}

func (n *Net) carry(p *path, from, to transport.Peer, b []byte) {
	at := n.now
	if r := int64(p.link.Rate); r > 0 {
		limit := int64(p.link.Queue)
		if limit == 0 {
			limit = 1 << 16
		}
		begin := max(n.now, p.free)
		cost := (int64(len(b))*int64(time.Second) + r - 1) / r
		// The bytes that wait are those that the link carries until it is free.
		if wait := time.Duration(begin-n.now).Seconds() * float64(r); wait+float64(len(b)) > float64(limit) {
			p.stats.Queued++
			return
		}
		p.free = begin + cost
		at = p.free
	}
	at += int64(p.link.Delay)
	if p.link.Jitter > 0 {
		at += p.rng.Int64N(int64(p.link.Jitter) + 1)
	}
	if p.link.Late > 0 && p.rng.Float64() < p.link.Late {
		at += int64(p.link.LateBy)
	}
	if p.link.InOrder {
		at = max(at, p.last)
	}
	p.last = max(p.last, at)
	if n.inFlight >= n.cfg.InFlight {
		p.stats.Queued++
		return
	}
	var buf []byte
	if k := len(n.free); k > 0 {
		buf, n.free = n.free[k-1], n.free[:k-1]
	}
	n.inFlight++
	n.queue.push(event{at: at, path: p, nth: p.sent, from: from, to: to, b: append(buf[:0], b...)})
}

func (n *Net) deliver(e *event) {
	n.inFlight--
	p := e.path
	ok := true
	if h := n.handlers[e.to]; h != nil {
		h(n.now, e.from, e.b)
	} else {
		ok = n.mem.Deliver(e.from, e.to, e.b)
	}
	n.free = append(n.free, e.b)
	if !ok {
		p.stats.Unreachable++
		return
	}
	p.stats.Delivered++
	if e.nth < p.newest {
		p.stats.Reordered++
	}
	p.newest = max(p.newest, e.nth)
	if f := n.arrivals[e.to]; f != nil {
		f(n.now)
	}
}
