// Package transport moves datagrams between the game and the network.
//
// It defines the vocabulary only: a [Datagram], the [Conn] that yields and takes
// them, and the counters every implementation keeps. Package udp is the real
// network, package mem an in-memory one for tests.
//
// A Conn is made for a loop that owns all its state: it reads a batch, works on
// it, queues answers with Send and hands them over with one Flush, then waits for
// the next datagram or the next tick, whichever is first:
//
//	for {
//		n, err := conn.ReadBatch(batch, nextTick)
//		if err != nil {
//			return err // the connection was closed
//		}
//		for _, d := range batch[:n] {
//			feed(d.At, d.Peer, d.B)
//		}
//		if conn.Now() >= nextTick {
//			tick()
//		}
//		conn.Flush()
//	}
//
// Nothing that a peer or the network does is an error: lost, refused and oversized
// datagrams are counted in [Stats].
package transport

import (
	"cmp"
	"errors"
	"net/netip"
	"time"
)

// MaxDatagram is the largest datagram in bytes that the Teeworlds protocols use.
// Longer ones are dropped and counted, in both directions.
const MaxDatagram = 1400

// ErrClosed is returned by reads and flushes on a closed [Conn].
var ErrClosed = errors.New("transport: connection closed")

// Kind is the way by which datagrams reach a peer.
type Kind uint8

// UDP is the only kind so far, and the zero value.
const UDP Kind = 0

// Peer is the other side: its address, and the way it is reached. Peers are
// comparable. IPv4 addresses are always plain, never IPv4-mapped IPv6, so that a
// peer has one value whichever socket it came through; see [Unmap].
type Peer struct {
	netip.AddrPort
	Kind Kind
}

// UDPPeer returns the peer at an address and UDP port.
func UDPPeer(addr netip.Addr, port uint16) Peer {
	return Peer{AddrPort: netip.AddrPortFrom(addr, port)}
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
// ReadBatch may be called by one goroutine at a time, and so may Send and Flush,
// taken together; the reader and the sender may be different goroutines. All other
// methods may be called at any time by anyone.
type Conn interface {
	// Now returns the current time in ns on the clock that stamps Datagram.At and
	// that ReadBatch waits on. It is monotonic and has no fixed origin.
	Now() int64

	// ReadBatch fills dst with what has arrived and returns how many datagrams
	// that was. When nothing has arrived it waits until something does, until the
	// clock reaches the time until (ns), or until Wake; a time in the past makes
	// it poll. Running out of time is not an error: n is 0. The only errors are
	// ErrClosed and a socket broken beyond use.
	ReadBatch(dst []Datagram, until int64) (n int, err error)

	// Send queues a copy of b for to. A full queue flushes itself.
	Send(to Peer, b []byte)

	// Flush hands the queue to the network. It never waits: what the network does
	// not take at once is dropped and counted. The only error is ErrClosed.
	Flush() error

	// Wake makes a waiting ReadBatch return early with n = 0, or the next one if
	// none is waiting.
	Wake()

	// LocalAddr is the local address, with the port that was really bound.
	LocalAddr() Peer

	// Stats returns the counters so far.
	Stats() Stats

	// Close drops what is queued, ends a waiting ReadBatch with ErrClosed and
	// frees the address. Further calls have no effect.
	Close() error
}

// DropReason is a reason for which a datagram was not delivered.
type DropReason uint8

// The reasons for which datagrams are dropped.
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
	// DropSendRefused is an outgoing datagram that met an ICMP answer to an
	// earlier one (ECONNREFUSED).
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
	// Received and ReceivedBytes count what ReadBatch returned.
	Received, ReceivedBytes uint64
	// Sent and SentBytes count what the network took.
	Sent, SentBytes uint64
	// Reads and Writes count the calls into the system that moved datagrams; Sent
	// divided by Writes is the mean size of a batch.
	Reads, Writes uint64
	// Dropped counts lost datagrams by reason.
	Dropped [NumDropReasons]uint64
}

// Unmap returns p with an IPv4-mapped IPv6 address turned into plain IPv4.
func Unmap(p Peer) Peer {
	p.AddrPort = netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	return p
}

var start = time.Now()

// Monotonic returns ns since the process started. It is the clock of every Conn on
// the real network, so times of different sockets compare.
func Monotonic() int64 { return int64(time.Since(start)) }
