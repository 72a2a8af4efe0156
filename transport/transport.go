// Package transport moves datagrams between the game and the network.
//
// It defines [Datagram], [Peer], the interface [Conn], and counters. Package udp implements the
// real network, and package mem an in-memory network for tests.
//
// A Conn is made for a loop like this. The loop reads a batch, handles it, queues answers with
// Send, sends them with one Flush, and waits for the next datagram or tick:
//
//	for {
//		n, err := conn.ReadBatch(batch, nextTick)
//		if err != nil {
//			return err // the connection was closed
//		}
//		for _, d := range batch[:n] {
//			feed(d.ReceivedAt, d.Peer, d.Data)
//		}
//		if conn.Now() >= nextTick {
//			tick()
//		}
//		conn.Flush()
//	}
//
// Lost, refused and oversized datagrams are not errors. [Stats] counts them.
package transport

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"time"
)

// MaxDatagram is the size in bytes of the largest datagram of the Teeworlds protocols. Longer ones
// are dropped and counted, in both directions.
const MaxDatagram = 1400

// ErrClosed is returned by reads and flushes on a closed [Conn].
var ErrClosed = errors.New("transport: connection closed")

// Kind is the protocol that carries the datagrams of a peer.
type Kind uint8

// Kinds of peers.
const (
	UDP Kind = iota
	// WebSocket is the protocol of package ws. A peer of this kind has a connection. A datagram
	// without data means that it has ended.
	WebSocket
)

// Peer is the address of the other side and the kind of its connection. Peers are comparable. IPv4
// addresses are never IPv4-mapped IPv6 addresses, so a peer has the same value with every socket;
// see [Unmap].
type Peer struct {
	netip.AddrPort
	Kind Kind
}

// UDPPeer returns the peer at an address and UDP port.
func UDPPeer(addr netip.Addr, port uint16) Peer {
	return Peer{AddrPort: netip.AddrPortFrom(addr, port)}
}

// String returns the address and port, after "ws://" for a WebSocket.
func (p Peer) String() string {
	if p.Kind == WebSocket {
		return "ws://" + p.AddrPort.String()
	}
	return p.AddrPort.String()
}

// MustParsePeer returns the UDP peer at an address and port such as "[::1]:8303". MustParsePeer
// panics if s has another form. Use it only in tests and for constants.
func MustParsePeer(s string) Peer { return Peer{AddrPort: netip.MustParseAddrPort(s)} }

// Compare orders peers by address, then by kind.
func (p Peer) Compare(q Peer) int {
	return cmp.Or(p.AddrPort.Compare(q.AddrPort), cmp.Compare(p.Kind, q.Kind))
}

// Datagram is one received datagram.
type Datagram struct {
	// Peer is the sender.
	Peer Peer
	// Data is the content, at most MaxDatagram bytes. Data is borrowed from the Conn until the next
	// ReadBatch, and may be overwritten.
	Data []byte
	// ReceivedAt is the time of receipt in ns on the clock of the Conn; see Conn.Now.
	ReceivedAt int64
}

// Conn sends and receives datagrams on one local address.
//
// Only one goroutine at a time may call ReadBatch, and only one at a time may call Send and Flush.
// The reader and the sender may be different goroutines. All other methods may be called by several
// goroutines.
type Conn interface {
	// Now returns the current time in ns on the clock of Datagram.ReceivedAt and ReadBatch. The
	// clock is monotonic and has no fixed origin.
	Now() int64

	// ReadBatch fills dst with received datagrams and returns their number. If there are none, it
	// waits for one until the time until, in ns, or until Wake is called. ReadBatch does not wait
	// if until is in the past. At a timeout n is 0 and err is nil, and sometimes before, after an
	// event that brought no datagram. The only errors are ErrClosed and fatal errors of the socket.
	ReadBatch(dst []Datagram, until int64) (n int, err error)

	// Send queues a copy of b for a peer. If the queue is full, Send flushes it.
	Send(to Peer, b []byte)

	// Flush sends the queue. Flush never waits: datagrams that the system has no room for are
	// dropped and counted. The only error is ErrClosed.
	Flush() error

	// Wake makes a waiting ReadBatch return early with n = 0, or the next one if none is waiting.
	Wake()

	// LocalAddr returns the local address with the bound port.
	LocalAddr() Peer

	// Stats returns the current counters.
	Stats() Stats

	// Close drops the queue, ends a waiting ReadBatch with ErrClosed and frees the address. Further
	// calls have no effect.
	Close() error
}

// Gatherer is a [Conn] that can leave datagrams in the system's buffer. Datagrams that arrive one
// by one are then read in a single batch.
type Gatherer interface {
	Conn

	// Gather makes the next ReadBatch return no datagrams before the time until, in ns. Gather has
	// no effect beyond ReadBatch's own deadline, or after Wake is called. A Conn may ignore it.
	// Call it from the goroutine that reads.
	Gather(until int64)
}

// Waiter is a [Conn] whose ReadBatch can also wait for a file descriptor of the system.
type Waiter interface {
	Conn

	// AlsoWaitFor makes a waiting ReadBatch return early with n = 0 when fd has something to read,
	// until Close. It returns false if the Conn cannot. Call it before the first ReadBatch.
	AlsoWaitFor(fd int) bool
}

// Padder is a [Conn] that sends several datagrams of the same length to one peer at the cost of
// one.
type Padder interface {
	Conn

	// SendPaddable is Send for a datagram that the Conn may extend by zeros, because its receiver
	// ignores them.
	SendPaddable(to Peer, b []byte)
}

// DropReason is the reason why a datagram was dropped.
type DropReason uint8

// Reasons why datagrams are dropped.
const (
	// DropOverflow means that there was no room for a received datagram, because the reader did not
	// keep up.
	DropOverflow DropReason = iota
	// DropTooLong means that a received datagram is longer than the limit.
	DropTooLong
	// DropSendTooLong means that an outgoing datagram is longer than the limit.
	DropSendTooLong
	// DropSendBuffer means that the system had no room for an outgoing datagram (ENOBUFS, EAGAIN,
	// ENOMEM).
	DropSendBuffer
	// DropSendRefused means that an outgoing datagram failed because of an ICMP answer to an
	// earlier one (ECONNREFUSED).
	DropSendRefused
	// DropSendForbidden means that a local firewall refused an outgoing datagram (EPERM, EACCES).
	DropSendForbidden
	// DropSendUnreachable means that there is no route for an outgoing datagram, or that the socket
	// cannot reach its address family.
	DropSendUnreachable
	// DropSendOther means that an outgoing datagram failed in any other way.
	DropSendOther

	// NumDropReasons is the number of reasons.
	NumDropReasons
)

var dropNames = [NumDropReasons]string{
	"overflow", "too_long", "send_too_long", "send_buffer",
	"send_refused", "send_forbidden", "send_unreachable", "send_other",
}

// String returns the reason in lower case with underscores, as used for metrics.
func (d DropReason) String() string {
	if d < NumDropReasons {
		return dropNames[d]
	}
	return "unknown"
}

// Stats are the counters of a [Conn] since it was opened.
type Stats struct {
	// Received and ReceivedBytes count datagrams that ReadBatch returned.
	Received, ReceivedBytes uint64
	// Sent and SentBytes count datagrams that the system accepted.
	Sent, SentBytes uint64
	// Reads and Writes count the system calls that moved datagrams. Sent divided by Writes is the
	// mean size of a batch.
	Reads, Writes uint64
	// Dropped counts dropped datagrams by reason.
	Dropped [NumDropReasons]uint64
}

// Unmap returns p with an IPv4-mapped IPv6 address converted to IPv4.
func Unmap(p Peer) Peer {
	p.AddrPort = netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	return p
}

// IsLAN reports whether an address belongs to a local network: private, link-local or loopback.
func IsLAN(a netip.Addr) bool {
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}

var start = time.Now()

// Monotonic returns the time since the process started, in ns. All Conns on the real network use
// this clock.
func Monotonic() int64 { return int64(time.Since(start)) }

// Run drives a state machine with the datagrams that a Conn receives, until step reports that
// nothing is left to do. step sends the datagrams due at time now, in ns, and returns the time of
// its next call. feed handles a received datagram. The error is the cause of ctx, or the error of
// the Conn.
func Run(ctx context.Context, c Conn, step func(now int64) (next int64, more bool), feed func(Datagram)) error {
	defer context.AfterFunc(ctx, c.Wake)()
	batch := make([]Datagram, 64)
	for ctx.Err() == nil {
		next, more := step(c.Now())
		if err := c.Flush(); err != nil {
			return err
		}
		if !more {
			return nil
		}
		n, err := c.ReadBatch(batch, next)
		if err != nil {
			return err
		}
		for _, d := range batch[:n] {
			feed(d)
		}
	}
	return context.Cause(ctx)
}
