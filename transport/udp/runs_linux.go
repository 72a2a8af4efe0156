//go:build !noudpbatch

package udp

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/transport"
)

// Limits of runs. A capture on this machine may show a run as a single datagram. Map downloads do
// not compress and are not joined.
const (
	maxSegment         = 512   // largest datagram that is not paddable, in bytes
	maxPaddableSegment = 1200  // largest paddable datagram in bytes; with headers it is below the minimum MTU of IPv6
	maxPadding         = 48    // largest average padding per datagram of a run, in bytes
	maxSegments        = 64    // datagrams per run, UDP_MAX_SEGMENTS of Linux up to 6.7
	maxRun             = 65507 // largest run in bytes, the limit of an IPv4 datagram
	maxRefused         = 16    // refused runs in a row, to changing addresses, after which no more are sent
)

// segmentControl is the control message UDP_SEGMENT of udp(7).
type segmentControl struct {
	hdr  unix.Cmsghdr
	size uint16
	_    [6]byte
}

// joinRun adds the next datagram, of n bytes, to the last run if possible, and reports whether it
// did.
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

// pad extends the queued datagrams from index first on to the length of the longest one, which may
// be the next datagram of n bytes. If that takes too many bytes, pad changes nothing and returns
// false.
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

// noteRefused records that a run was refused. The interface may not support segments, in which case
// runs are useless. But the reason can also be the path to this one peer: a peer can claim that it
// accepts only short datagrams. That must not affect other peers.
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

// noteSent records that runs were sent.
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
