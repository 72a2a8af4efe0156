//go:build !noudpbatch

package udp

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/transport"
)

// Captures on the machine itself may show a run as one datagram. Map downloads, which do not
// compress, are not affected.
const (
	maxSegment         = 512   // bytes of a datagram
	maxPaddableSegment = 1200  // bytes of one that is paddable; with headers less than the least MTU of IPv6
	maxPadding         = 48    // bytes, on average for the datagrams of a run
	maxSegments        = 64    // datagrams, UDP_MAX_SEGMENTS of Linux up to 6.7
	maxRun             = 65507 // bytes, those of a datagram of IPv4
	maxRefused         = 16    // runs in a row, to other addresses each time
)

// segmentControl is the control message UDP_SEGMENT of udp(7).
type segmentControl struct {
	hdr  unix.Cmsghdr
	size uint16
	_    [6]byte
}

// joinRun adds the next datagram, of n bytes, to the last run if it can.
func (out *writer) joinRun(to transport.Peer, n int, paddable bool) bool {
	if !out.canSegment || out.runs == 0 || n == 0 || to != out.lastPeer || paddable != out.lastPaddable {
		return false
	}
	h := &out.vec.headers[out.runs-1].hdr
	if h.Iovlen == maxSegments {
		return false
	}
	first := out.queued - int(h.Iovlen)
	if paddable {
		if !out.pad(first, n) {
			return false
		}
	} else if n > maxSegment || int(h.Iov.Len) != n {
		return false
	}
	h.SetIovlen(int(h.Iovlen) + 1)
	cut := &out.controls[out.runs-1]
	cut.size = uint16(h.Iov.Len)
	h.Control = (*byte)(unsafe.Pointer(cut))
	h.SetControllen(unix.CmsgSpace(2))
	return true
}

// pad makes the queued datagrams from first on as long as the longest of them, and as one of n bytes
// that follows them. It returns false, and changes nothing, if that takes too many bytes.
func (out *writer) pad(first, n int) bool {
	run := out.vec.iovecs[first:out.queued]
	size, padding := max(int(run[0].Len), n), 0
	for i := range run {
		padding += size - int(run[i].Len)
	}
	if size > maxPaddableSegment || size*(len(run)+1) > maxRun || padding > maxPadding*(len(run)+1) {
		return false
	}
	for i := range run {
		clear(out.vec.data(first+i, size)[run[i].Len:])
		run[i].SetLen(size)
	}
	return true
}

// noteRefused notes that a run was refused. The interface may not support segments; but it may also be the way to this
// peer, of which the peer itself can say that it takes only short datagrams, and others must not lose by that.
func (out *writer) noteRefused(h *unix.Msghdr) {
	at := *(*unix.RawSockaddrInet6)(unsafe.Pointer(h.Name))
	at.Port = 0
	if out.refused > 0 && at == out.lastRefused {
		return
	}
	out.lastRefused = at
	if out.refused++; out.refused == maxRefused {
		out.canSegment = false
	}
}

// noteSent notes that runs were sent.
func (out *writer) noteSent(sent []mmsghdr) {
	for i := 0; i < len(sent) && out.refused > 0; i++ {
		if sent[i].hdr.Iovlen > 1 {
			out.refused = 0
		}
	}
}

// sendSeparately sends the datagrams of a run one by one.
func (c *Conn) sendSeparately(fd uintptr, run unix.Msghdr) {
	iov := unsafe.Slice(run.Iov, run.Iovlen)
	var h [1]mmsghdr
	for i := range iov {
		h[0].hdr = unix.Msghdr{Name: run.Name, Namelen: run.Namelen, Iov: &iov[i]}
		h[0].hdr.SetIovlen(1)
		for {
			_, errno := c.sendmmsg(fd, h[:])
			if errno == unix.EINTR {
				continue
			}
			if errno == unix.EAGAIN {
				errno = unix.ENOBUFS
			}
			if errno != 0 {
				c.drop(sendDrop(errno))
			}
			break
		}
	}
}
