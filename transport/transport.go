// Package transport moves datagrams between the game and the network.
//
// It defines [Datagram], [Peer], the interface [Conn], and counters. Package udp is the
// real network, package mem an in-memory one for tests.
//
// A Conn is made for a loop that reads a batch, handles it, queues answers with Send,
// sends them with one Flush, and waits for the next datagram or the next tick:
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
// Lost, refused and oversized datagrams are no errors, but counted in [Stats].
package transport

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"time"
)

// MaxDatagram is the largest datagram in bytes that the Teeworlds protocols use.
// Longer ones are dropped and counted, in both directions.
const MaxDatagram = 1400

// ErrClosed is returned by reads and flushes on a closed [Conn].
var ErrClosed = errors.New("transport: connection closed")

// Kind is the protocol by which datagrams reach a peer.
type Kind uint8

// The kinds.
const (
	UDP Kind = iota
	// WebSocket is that of package ws. Its peers have connections: a datagram without data
	// says that one has ended.
	WebSocket
)

// Peer is the address of the other side and the kind of connection. Peers are comparable.
// IPv4 addresses are never IPv4-mapped IPv6, so that a peer has the same value with
// every socket; see [Unmap].
type Peer struct {
	netip.AddrPort
	Kind Kind
}

// UDPPeer returns the peer at an address and UDP port.
func UDPPeer(addr netip.Addr, port uint16) Peer {
	return Peer{AddrPort: netip.AddrPortFrom(addr, port)}
}

// String returns the address and port. In front of those of a WebSocket it has "ws://".
func (p Peer) String() string {
	if p.Kind == WebSocket {
		return "ws://" + p.AddrPort.String()
	}
	return p.AddrPort.String()
}

// MustParsePeer returns the UDP peer at an address and port such as "[::1]:8303".
// It panics on anything else; it is for tests and constants.
func MustParsePeer(s string) Peer { return Peer{AddrPort: netip.MustParseAddrPort(s)} }

// Compare orders peers by address, then by kind.
func (p Peer) Compare(q Peer) int {
	return cmp.Or(p.AddrPort.Compare(q.AddrPort), cmp.Compare(p.Kind, q.Kind))
}

// Datagram is one received datagram.
type Datagram struct {
	// Peer is the sender.
	Peer Peer
	// Data is the content, at most MaxDatagram bytes. It is borrowed from the Conn:
	// valid, and free to be overwritten, until the next ReadBatch.
	Data []byte
	// ReceivedAt is the time of receipt in ns on the clock of the Conn (see Conn.Now).
	ReceivedAt int64
}

// Conn sends and receives datagrams on one local address.
//
// ReadBatch may be called by one goroutine at a time, and so may Send and Flush together.
// The reader and the sender may be different goroutines. All other methods may be called
// by several goroutines.
type Conn interface {
	// Now returns the current time in ns on the clock of Datagram.ReceivedAt and
	// ReadBatch. It is monotonic and has no fixed origin.
	Now() int64

	// ReadBatch fills dst with received datagrams and returns their number. If there
	// are none, it waits for one, until the time until in ns, or until Wake; it does
	// not wait if that time is in the past. At a timeout n is 0 and err is nil. The
	// only errors are ErrClosed and fatal errors of the socket.
	ReadBatch(dst []Datagram, until int64) (n int, err error)

	// Send queues a copy of b for a peer. It flushes a full queue.
	Send(to Peer, b []byte)

	// Flush sends the queue. It never waits: datagrams for which the system has no
	// room are dropped and counted. The only error is ErrClosed.
	Flush() error

	// Wake makes a waiting ReadBatch return early with n = 0, or the next one if
	// none is waiting.
	Wake()

	// LocalAddr returns the local address, with the port that was bound.
	LocalAddr() Peer

	// Stats returns the counters so far.
	Stats() Stats

	// Close drops the queue, ends a waiting ReadBatch with ErrClosed and frees the
	// address. Further calls have no effect.
	Close() error
}

// Gatherer is a [Conn] that can leave datagrams in the buffer of the system, so that those
// that arrive one by one are read as one batch.
type Gatherer interface {
	Conn

	// Gather makes the next ReadBatch return no datagram before the time until in ns,
	// unless that is later than its own or Wake is called. A Conn may ignore it. It is
	// called by the goroutine that reads.
	Gather(until int64)
}

// Padder is a [Conn] that sends several datagrams to one peer at the price of one if they have the
// same length.
type Padder interface {
	Conn

	// SendPaddable is Send for a datagram behind which the Conn may add zeros: its receiver ignores
	// what follows it.
	SendPaddable(to Peer, b []byte)
}

// DropReason is a reason why a datagram was dropped.
type DropReason uint8

// The reasons.
const (
	// DropOverflow is a received datagram for which there was no room, because the
	// reader did not keep up.
	DropOverflow DropReason = iota
	// DropTooLong is a received datagram longer than the limit.
	DropTooLong
	// DropSendTooLong is an outgoing datagram longer than the limit.
	DropSendTooLong
	// DropSendBuffer is an outgoing datagram for which the system had no room
	// (ENOBUFS, EAGAIN, ENOMEM).
	DropSendBuffer
	// DropSendRefused is an outgoing datagram that failed because of an ICMP answer to
	// an earlier one (ECONNREFUSED).
	DropSendRefused
	// DropSendForbidden is an outgoing datagram refused by a local firewall
	// (EPERM, EACCES).
	DropSendForbidden
	// DropSendUnreachable is an outgoing datagram without a route, or for an
	// address family that the socket cannot reach.
	DropSendUnreachable
	// DropSendOther is an outgoing datagram that failed in any other way.
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
	// Reads and Writes count the system calls that moved datagrams; Sent divided by
	// Writes is the mean size of a batch.
	Reads, Writes uint64
	// Dropped counts dropped datagrams by reason.
	Dropped [NumDropReasons]uint64
}

// Unmap returns p with an IPv4-mapped IPv6 address turned into plain IPv4.
func Unmap(p Peer) Peer {
	p.AddrPort = netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	return p
}

// IsLAN reports whether an address is of a local network: private, link-local or
// loopback.
func IsLAN(a netip.Addr) bool {
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}

var start = time.Now()

// Monotonic returns the time since the process started in ns. It is the clock of all
// Conns on the real network.
func Monotonic() int64 { return int64(time.Since(start)) }

// Run drives a state machine with what a Conn receives, until step reports that nothing
// is left to do. step sends what is due at the time now in ns and returns when to call
// it next; feed handles a datagram. The error is the cause of ctx, or that of the Conn.
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
