//go:build !linux || noudpbatch

package udp

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/teeyard/teeyard/transport"
)

// On systems without recvmmsg, a goroutine reads single datagrams into a bounded ring, and
// ReadBatch takes batches from it.

type slot struct {
	peer transport.Peer
	n    int
	at   int64
}

type reader struct {
	mu     sync.Mutex
	slots  []slot // ring of queued datagrams
	buf    []byte // buffers of the slots, then of the returned batch
	step   int
	head   int
	queued int
	lent   int // slots before head whose buffers the caller still reads
	signal chan struct{}
	timer  *time.Timer
}

type writer struct{}

type socket = *net.UDPConn

// ringBatches is the size of the ring in batches.
const ringBatches = 8

func (c *Conn) init(cfg Config, sock *net.UDPConn) error {
	c.sock = sock
	in := &c.in
	n := cfg.Batch * ringBatches
	// A datagram that fills the one additional byte is too long.
	in.step = cfg.MaxDatagram + 1
	in.slots = make([]slot, n)
	in.buf = make([]byte, n*in.step)
	in.signal = make(chan struct{}, 1)
	in.timer = time.NewTimer(time.Hour)
	go c.readLoop()
	return nil
}

// readLoop reads until the socket is closed.
func (c *Conn) readLoop() {
	in := &c.in
	defer in.notify()
	scratch := make([]byte, in.step)
	failed := 0
	for {
		n, peer, err := c.sock.ReadFromUDPAddrPort(scratch)
		if c.closed.Load() || errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Windows reports ICMP answers to earlier datagrams here. If the error persists, pause
			// between attempts.
			if tooLong(err) {
				c.drop(transport.DropTooLong)
			} else if failed++; failed > 64 {
				time.Sleep(10 * time.Millisecond)
			}
			continue
		}
		failed = 0
		if n > c.maxDatagram {
			c.drop(transport.DropTooLong)
			continue
		}
		in.mu.Lock()
		if in.queued+in.lent >= len(in.slots) {
			in.mu.Unlock()
			c.drop(transport.DropOverflow)
			continue
		}
		i := (in.head + in.queued) % len(in.slots)
		in.slots[i] = slot{peer: transport.Unmap(transport.Peer{AddrPort: peer}), n: n, at: transport.Monotonic()}
		copy(in.buf[i*in.step:], scratch[:n])
		in.queued++
		first := in.queued == 1
		in.mu.Unlock()
		if first {
			in.notify()
		}
	}
}

func (in *reader) notify() {
	select {
	case in.signal <- struct{}{}:
	default:
	}
}

// ReadBatch implements [transport.Conn].
func (c *Conn) ReadBatch(dst []transport.Datagram, until int64) (int, error) {
	in := &c.in
	for {
		if c.closed.Load() {
			return 0, transport.ErrClosed
		}
		if c.woken.Swap(false) {
			return 0, nil
		}
		in.mu.Lock()
		in.lent = 0
		n := min(len(dst), in.queued)
		size := 0
		for k := range n {
			i := (in.head + k) % len(in.slots)
			s := in.slots[i]
			at := i * in.step
			dst[k] = transport.Datagram{Peer: s.peer, Data: in.buf[at : at+s.n : at+in.step], ReceivedAt: s.at}
			size += s.n
		}
		in.head = (in.head + n) % len(in.slots)
		in.queued -= n
		in.lent = n
		in.mu.Unlock()
		if n > 0 {
			c.count.reads.Add(1)
			c.count.received.Add(uint64(n))
			c.count.receivedBytes.Add(uint64(size))
			return n, nil
		}
		wait := until - transport.Monotonic()
		if wait <= 0 || len(dst) == 0 {
			return 0, nil
		}
		in.timer.Reset(time.Duration(wait))
		select {
		case <-in.signal:
		case <-in.timer.C:
		}
	}
}

// Gather implements [transport.Gatherer]. Gather does nothing here.
func (c *Conn) Gather(int64) {}

// interrupt ends a wait in ReadBatch.
func (c *Conn) interrupt() { c.in.notify() }

// Send implements [transport.Conn]. Send sends the datagram at once: without sendmmsg, a queue has
// no advantage.
func (c *Conn) Send(to transport.Peer, b []byte) {
	if len(b) > c.maxDatagram {
		c.drop(transport.DropSendTooLong)
		return
	}
	if !canReach(to, c.local.Addr().Is4()) {
		c.drop(transport.DropSendUnreachable)
		return
	}
	c.count.writes.Add(1)
	if _, err := c.sock.WriteToUDPAddrPort(b, to.AddrPort); err != nil {
		c.drop(sendDrop(err))
		return
	}
	c.count.sent.Add(1)
	c.count.sentBytes.Add(uint64(len(b)))
}

// Flush implements [transport.Conn].
func (c *Conn) Flush() error {
	if c.closed.Load() {
		return transport.ErrClosed
	}
	return nil
}

func sendDrop(err error) transport.DropReason {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return transport.DropSendOther
	}
	switch errno {
	case syscall.ENOBUFS, syscall.EAGAIN, syscall.ENOMEM:
		return transport.DropSendBuffer
	case syscall.ECONNREFUSED:
		return transport.DropSendRefused
	case syscall.EPERM, syscall.EACCES:
		return transport.DropSendForbidden
	case syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.EADDRNOTAVAIL:
		return transport.DropSendUnreachable
	case syscall.EMSGSIZE:
		return transport.DropSendTooLong
	default:
		return transport.DropSendOther
	}
}

// tooLong reports whether a read failed because the datagram did not fit the buffer. This is an
// error on Windows (WSAEMSGSIZE); other systems cut the datagram silently.
func tooLong(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && (errno == syscall.EMSGSIZE || errno == 10040)
}

// batched reports whether reads move whole batches and overflow is counted exactly.
const batched = false

// kernelDrops returns 0: the number is not available on this system.
func (c *Conn) kernelDrops() uint64 { return 0 }
