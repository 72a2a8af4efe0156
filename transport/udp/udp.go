package udp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/teeyard/teeyard/transport"
)

// ErrConfig is returned by [Listen] for an invalid [Config].
var ErrConfig = errors.New("udp: bad configuration")

// Config configures a socket. The zero value listens on a free port of all addresses, IPv6 and
// IPv4.
type Config struct {
	// Addr is the address to bind, without a port. If it is empty, the socket binds all addresses
	// of both families, or of the only family that the machine has. A host name is resolved.
	Addr string
	// Port is the port to bind, 0..65535; 0 picks a free one.
	Port int
	// Batch is the maximum number of datagrams per system call, 1..1024; 0 means 64. Batch
	// determines the memory: 2 × Batch × MaxDatagram bytes.
	Batch int
	// MaxDatagram is the longest datagram in bytes, 1..65535; 0 means
	// transport.MaxDatagram.
	MaxDatagram int
	// ReadBuffer and WriteBuffer are the requested sizes of the system's buffers in
	// bytes; 0 means 1 MiB. The system may grant less.
	ReadBuffer, WriteBuffer int
	// Dedicated is for a socket whose reader does little else, such as the loop of a game server.
	// Dedicated has three effects on Linux. ReadBatch waits in a system call of its own instead of
	// Go's network poller, datagrams have the time at which the system received them, and Gather
	// works. While it waits for less than maxRawWait, ReadBatch occupies a processor of Go's
	// scheduler, so a program should have only one or a few such sockets.
	Dedicated bool
}

func (c *Config) setDefaults() error {
	def := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	def(&c.Batch, 64)
	def(&c.MaxDatagram, transport.MaxDatagram)
	def(&c.ReadBuffer, 1<<20)
	def(&c.WriteBuffer, 1<<20)
	switch {
	case c.Port < 0 || c.Port > 65535:
		return fmt.Errorf("%w: port %d", ErrConfig, c.Port)
	case c.Batch < 1 || c.Batch > 1024:
		return fmt.Errorf("%w: batch of %d", ErrConfig, c.Batch)
	case c.MaxDatagram < 1 || c.MaxDatagram > 65535:
		return fmt.Errorf("%w: datagrams of %d bytes", ErrConfig, c.MaxDatagram)
	case c.ReadBuffer < 0 || c.WriteBuffer < 0:
		return fmt.Errorf("%w: negative buffer size", ErrConfig)
	}
	return nil
}

// Conn is a UDP socket. A Conn implements [transport.Conn].
type Conn struct {
	sock        socket
	local       transport.Peer
	maxDatagram int
	in          reader
	out         writer

	closed atomic.Bool
	woken  atomic.Bool
	count  counters
}

var _ transport.Conn = (*Conn)(nil)

type counters struct {
	received, receivedBytes, sent, sentBytes, reads, writes atomic.Uint64
	dropped                                                 [transport.NumDropReasons]atomic.Uint64
}

// Listen opens a socket.
func Listen(cfg Config) (*Conn, error) {
	if err := cfg.setDefaults(); err != nil {
		return nil, err
	}
	addr := &net.UDPAddr{Port: cfg.Port}
	if cfg.Addr != "" {
		ip, err := net.ResolveIPAddr("ip", unbracket(cfg.Addr))
		if err != nil {
			return nil, fmt.Errorf("udp: bind address %q: %w", cfg.Addr, err)
		}
		addr.IP, addr.Zone = ip.IP, ip.Zone
	}
	sock, err := net.ListenUDP("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("udp: listen: %w", err)
	}
	// A smaller buffer is not an error.
	_ = sock.SetReadBuffer(cfg.ReadBuffer)
	_ = sock.SetWriteBuffer(cfg.WriteBuffer)

	c := &Conn{
		local:       transport.Unmap(transport.Peer{AddrPort: sock.LocalAddr().(*net.UDPAddr).AddrPort()}),
		maxDatagram: cfg.MaxDatagram,
	}
	if err := c.init(cfg, sock); err != nil {
		sock.Close()
		return nil, err
	}
	return c, nil
}

// Now returns the time of [transport.Monotonic], in ns.
func (c *Conn) Now() int64 { return transport.Monotonic() }

// LocalAddr returns the bound address. The address is [::] or 0.0.0.0 if the socket is bound to all
// addresses.
func (c *Conn) LocalAddr() transport.Peer { return c.local }

// Stats returns the current counters.
func (c *Conn) Stats() transport.Stats {
	s := transport.Stats{
		Received: c.count.received.Load(), ReceivedBytes: c.count.receivedBytes.Load(),
		Sent: c.count.sent.Load(), SentBytes: c.count.sentBytes.Load(),
		Reads: c.count.reads.Load(), Writes: c.count.writes.Load(),
	}
	for i := range s.Dropped {
		s.Dropped[i] = c.count.dropped[i].Load()
	}
	s.Dropped[transport.DropOverflow] += c.kernelDrops()
	return s
}

// Wake makes a waiting ReadBatch return early, or the next one if none is waiting.
func (c *Conn) Wake() {
	c.woken.Store(true)
	c.interrupt()
}

// Close closes the socket.
func (c *Conn) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	err := c.sock.Close()
	c.interrupt()
	return err
}

func (c *Conn) drop(why transport.DropReason) { c.count.dropped[why].Add(1) }

// canReach reports whether the socket's address family can send to p.
func canReach(p transport.Peer, only4 bool) bool {
	return p.IsValid() && p.Port() != 0 && (!only4 || p.Addr().Unmap().Is4())
}

func peerFromIPv4(ip [4]byte, port uint16) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4(ip), port)
}
