package ws

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/transport"
)

// poller serves connections in the goroutine that reads and sends datagrams, with system calls that
// do not wait. Goroutines would cost a wake-up of a thread for each message. The methods of a nil
// poller do nothing.
type poller struct {
	fd     int                 // of epoll
	events [32]unix.EpollEvent // few, so that a flood does not delay a tick

	mu      sync.Mutex
	direct  map[int32]*direct // by descriptor
	starved []*direct         // that have frames for which no buffer was free
	closed  bool
}

// newPoller returns a poller for which a Conn waits, or nil if it cannot.
func newPoller(conn transport.Conn) *poller {
	w, ok := conn.(transport.Waiter)
	if !ok {
		return nil
	}
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	if !w.AlsoWaitFor(fd) {
		unix.Close(fd)
		return nil
	}
	return &poller{fd: fd, direct: make(map[int32]*direct)}
}

// poll receives what has arrived and sends what could not be sent before.
func (p *poller) poll() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	starved := p.starved
	p.starved = p.starved[:0]
	for _, d := range starved {
		if d.fd >= 0 {
			d.take()
		}
	}
	n, _, _ := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
	if int(n) < 0 {
		return
	}
	for _, e := range p.events[:n] {
		d := p.direct[e.Fd]
		if d == nil {
			continue
		}
		if e.Events&unix.EPOLLOUT != 0 {
			d.flush()
		}
		if e.Events&^uint32(unix.EPOLLOUT) != 0 && !d.starved {
			d.receive()
		}
	}
}

// close closes all connections.
func (p *poller) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	for _, d := range p.direct {
		d.close()
		d.socket.cancel()
	}
	unix.Close(p.fd)
}

// direct is a connection that a poller serves.
type direct struct {
	poller *poller
	socket *socket
	stall  *time.Timer

	// The following are guarded by poller.mu, and changed with socket.mu.
	fd      int // -1 after the end
	starved bool

	waiting bool // the system has no room for socket.out; guarded by socket.mu
}

// serveDirectly serves a client's connection without a goroutine until it ends. It returns false if
// it cannot. begun is what the client has sent already.
func (h *Hub) serveDirectly(s *socket, conn net.Conn, begun []byte) bool {
	p := h.poller
	raw, ok := conn.(syscall.Conn)
	if p == nil || !ok || len(begun) > len(s.in.buf) {
		return false
	}
	d, err := p.add(s, raw, begun)
	if err != nil {
		return false
	}
	conn.Close() // the duplicate stays open
	<-s.ctx.Done()
	d.remove()
	return true
}

// add adds a duplicate of a connection, so that Go's own poller does not wake a thread for it.
func (p *poller) add(s *socket, conn syscall.Conn, begun []byte) (*direct, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	if cerr := raw.Control(func(f uintptr) { fd, err = unix.FcntlInt(f, unix.F_DUPFD_CLOEXEC, 0) }); cerr != nil || err != nil {
		return nil, errors.Join(cerr, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		unix.Close(fd)
		return nil, net.ErrClosed
	}
	d := &direct{poller: p, socket: s, fd: fd, stall: time.AfterFunc(time.Hour, s.cancel)}
	if err := unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP, Fd: int32(fd)}); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("epoll_ctl", err)
	}
	p.direct[int32(fd)] = d
	s.direct.Store(d)
	s.in.add(copy(s.in.space(), begun))
	d.take()
	d.flush()
	return d, nil
}

// remove closes the connection after its end.
func (d *direct) remove() {
	d.poller.mu.Lock()
	defer d.poller.mu.Unlock()
	d.close()
}

// close closes the connection. poller.mu must be locked.
func (d *direct) close() {
	d.socket.mu.Lock()
	defer d.socket.mu.Unlock()
	if d.fd < 0 {
		return
	}
	d.stall.Stop()
	delete(d.poller.direct, int32(d.fd))
	unix.Close(d.fd) // which removes it from epoll
	d.fd = -1
}

// receive reads once. The rest of a flood waits for the next poll.
func (d *direct) receive() {
	n, err := unix.Read(d.fd, d.socket.in.space())
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
	case err != nil || n == 0:
		unix.EpollCtl(d.poller.fd, unix.EPOLL_CTL_DEL, d.fd, nil) // or poll would return until remove
		d.socket.cancel()
	default:
		d.socket.in.add(n)
		d.take()
	}
}

// take handles what was read.
func (d *direct) take() {
	err := d.socket.take(false)
	d.starved = err == errStarved
	switch {
	case d.starved:
		d.poller.starved = append(d.poller.starved, d)
	case err != nil:
		d.socket.fail(err)
	}
}

// flush sends the queued datagrams, as far as the system has room for them.
func (d *direct) flush() {
	s := d.socket
	s.mu.Lock()
	done := d.fd >= 0 && d.send() && s.last
	s.mu.Unlock()
	if done {
		s.sentAll()
	}
}

// send sends queued bytes, and returns whether none are left. socket.mu must be locked.
func (d *direct) send() bool {
	s := d.socket
	rest := s.out
	for len(rest) > 0 {
		n, _, errno := syscall.RawSyscall(unix.SYS_WRITE, uintptr(d.fd), uintptr(unsafe.Pointer(&rest[0])), uintptr(len(rest)))
		switch errno {
		case 0:
			rest = rest[n:]
			s.peer.hub.queued.Add(-int64(n))
		case unix.EINTR:
		case unix.EAGAIN:
			if !d.waiting || len(rest) < len(s.out) {
				d.stall.Reset(s.peer.hub.stallTime)
			}
			s.out = s.out[:copy(s.out, rest)]
			d.await(true)
			return false
		default:
			s.out = s.out[:copy(s.out, rest)]
			s.cancel()
			return false
		}
	}
	s.out = s.out[:0]
	if cap(s.out) > 2*maxQueuedSlow {
		s.out = nil // free the memory: a download is over, or it allocates again
	}
	d.await(false)
	return true
}

// await makes poll send the rest when the system has room for it, or no longer does. socket.mu must
// be locked.
func (d *direct) await(room bool) {
	if d.waiting == room {
		return
	}
	d.waiting = room
	events := uint32(unix.EPOLLIN | unix.EPOLLRDHUP)
	d.socket.since = 0
	if room {
		events |= unix.EPOLLOUT
		d.socket.since = transport.Monotonic()
	} else {
		d.stall.Stop()
	}
	unix.EpollCtl(d.poller.fd, unix.EPOLL_CTL_MOD, d.fd, &unix.EpollEvent{Events: events, Fd: int32(d.fd)})
}
