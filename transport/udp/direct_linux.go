//go:build !noudpbatch

package udp

import (
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/transport"
)

// directSocket is a socket outside of Go's network poller. In the poller, each datagram wakes a
// thread, even if no goroutine waits for one.
type directSocket struct {
	fd, wakeFD int // wakeFD is an eventfd
	also       int // for which Read waits too, or -1
	canWaitRaw bool
	deadline   atomic.Int64
	mu         sync.RWMutex // locked for reading while the descriptors are in use
	closed     bool
}

// maxRawWait is the longest wait in a raw system call. Go's scheduler does not notice such a wait.
// maxRawWait is longer than a tick. During longer waits, Go may use the processor for other
// goroutines.
const maxRawWait = 25 * time.Millisecond

// newDirectSocket takes a socket out of the poller. newDirectSocket closes sock if it succeeds.
func newDirectSocket(sock *net.UDPConn) (*directSocket, error) {
	raw, err := sock.SyscallConn()
	if err != nil {
		return nil, err
	}
	// With a single processor, a raw wait would block all other goroutines.
	s := &directSocket{fd: -1, wakeFD: -1, also: -1, canWaitRaw: runtime.GOMAXPROCS(0) > 1}
	cerr := raw.Control(func(fd uintptr) { s.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if cerr != nil {
		return nil, cerr
	}
	if err == nil {
		// Without timestamps, datagrams count as received when they are read.
		_ = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
		s.wakeFD, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	}
	if err != nil {
		s.Close()
		return nil, os.NewSyscallError("socket of its own", err)
	}
	sock.Close() // the duplicate stays open
	return s, nil
}

// Control implements [syscall.RawConn].
func (s *directSocket) Control(f func(fd uintptr)) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return net.ErrClosed
	}
	f(uintptr(s.fd))
	return nil
}

// Write implements [syscall.RawConn] for functions that never wait.
func (s *directSocket) Write(f func(fd uintptr) bool) error {
	return s.Control(func(fd uintptr) { f(fd) })
}

// Read implements [syscall.RawConn].
func (s *directSocket) Read(f func(fd uintptr) bool) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return net.ErrClosed
	}
	fds := [3]unix.PollFd{{Fd: int32(s.wakeFD), Events: unix.POLLIN}, {Fd: int32(s.fd), Events: unix.POLLIN}, {Fd: int32(s.also), Events: unix.POLLIN}}
	for !f(uintptr(s.fd)) {
		if fds[2].Revents != 0 || !s.wait(fds[:], s.deadline.Load()) {
			return os.ErrDeadlineExceeded
		}
	}
	return nil
}

// sleepUntil waits until time t in ns, or until setDeadline is called.
func (s *directSocket) sleepUntil(t int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	fds := [1]unix.PollFd{{Fd: int32(s.wakeFD), Events: unix.POLLIN}}
	for !s.closed && fds[0].Revents == 0 && s.wait(fds[:], t) {
	}
}

// wait waits for one of the descriptors or for a signal. The first descriptor must be wakeFD. wait
// returns false when the time is up.
func (s *directSocket) wait(fds []unix.PollFd, until int64) bool {
	left := until - transport.Monotonic()
	if left <= 0 {
		return false
	}
	timeout := unix.NsecToTimespec(left)
	if s.canWaitRaw && left <= int64(maxRawWait) {
		// The scheduler's bookkeeping costs more than the call. For garbage collection, the
		// scheduler can still interrupt the call with a signal.
		syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)), uintptr(unsafe.Pointer(&timeout)), 0, 0, 0)
	} else {
		unix.Ppoll(fds, &timeout, nil)
	}
	if fds[0].Revents != 0 {
		var count [8]byte
		unix.Read(s.wakeFD, count[:])
	}
	return true
}

func (s *directSocket) setDeadline(t int64) {
	s.deadline.Store(t)
	if t == 0 {
		s.mu.RLock()
		defer s.mu.RUnlock()
		if !s.closed {
			one := [8]byte{1}
			unix.Write(s.wakeFD, one[:])
		}
	}
}

// Close ends a running Read, then closes the socket.
func (s *directSocket) Close() error {
	if s.wakeFD >= 0 {
		s.setDeadline(0)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	s.closed = true
	unix.Close(s.wakeFD)
	return unix.Close(s.fd)
}

// timestampControl is the control message SO_TIMESTAMPNS of socket(7).
type timestampControl struct {
	hdr  unix.Cmsghdr
	time unix.Timespec
}

// maxAge is the longest plausible time between the receipt and the read of a datagram. maxAge
// limits the effect of a change of the system's clock.
const maxAge = 100 * time.Millisecond

// age returns the time in ns between the receipt of a datagram and wallTime, in ns since 1970. age
// returns 0 if the time of receipt is unknown. length is the length of the received control
// messages.
func (c *timestampControl) age(length uint64, wallTime int64) int64 {
	if length < uint64(unsafe.Sizeof(*c)) || c.hdr.Level != unix.SOL_SOCKET || c.hdr.Type != unix.SCM_TIMESTAMPNS {
		return 0
	}
	age := wallTime - c.time.Nano()
	if age < 0 || age > int64(maxAge) {
		return 0
	}
	return age
}
