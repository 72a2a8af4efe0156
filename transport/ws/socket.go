package ws

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/teeyard/teeyard/transport"
)

const (
	// maxQueued is the maximum number of bytes that wait to be sent on a connection, enough for the
	// window of a map download.
	maxQueued = 256 << 10
	// maxQueuedSlow replaces maxQueued for a connection on which sending takes longer than
	// slowTime. maxQueuedSlow replaces maxQueued for all while maxQueuedAll bytes wait in total.
	maxQueuedSlow = 16 << 10
	slowTime      = 300 * time.Millisecond
	maxQueuedAll  = 16 << 20
	// maxWrite is the number of bytes to send with one call. It ends after a frame, so it can be
	// one frame more.
	maxWrite = 16 << 10
)

// socket is one WebSocket connection of a peer.
type socket struct {
	peer      *peer
	ctx       context.Context
	cancel    context.CancelFunc // closes the connection at once
	kick      chan struct{}      // signals that there are datagrams to send
	lastHeard atomic.Int64

	mu      sync.Mutex
	out     []byte // frames to send
	writing int    // bytes of the frames being sent
	since   int64  // time when their sending began, 0 if none are being sent
	last    bool   // end the connection after they are sent
}

// run receives and sends until the connection ends. raw is the connection below conn.
func (s *socket) run(conn *websocket.Conn, raw net.Conn) error {
	defer conn.CloseNow()
	// Without this, conn waits for the rest of a frame, however long and slow it is.
	defer context.AfterFunc(s.ctx, func() { raw.Close() })()
	conn.SetReadLimit(-1) // readMessage limits the size
	var sender sync.WaitGroup
	defer sender.Wait()
	defer s.cancel()
	sender.Go(func() {
		defer s.cancel()
		s.send(conn, raw)
	})
	bounded, _ := raw.(*boundedConn)
	hub := s.peer.hub
	idle := time.AfterFunc(hub.idleTime, s.cancel)
	defer idle.Stop()
	// refuse ends the connection and tells the peer why.
	refuse := func(code websocket.StatusCode, err error) error {
		idle.Reset(byeTime)
		conn.Close(code, err.Error())
		return fmt.Errorf("ws: %w", err)
	}
	for first := true; ; first = false {
		kind, r, err := conn.Reader(context.Background()) // ctx would cost a timer per message
		if err != nil {
			return fmt.Errorf("ws: %w", err)
		}
		if kind != websocket.MessageBinary {
			return refuse(websocket.StatusUnsupportedData, errText)
		}
		a := arrival{from: s.peer}
		select {
		case a.buf = <-s.peer.free:
		case <-s.ctx.Done():
			return fmt.Errorf("ws: %w", s.ctx.Err())
		}
		a.buf, err = readMessage(r, a.buf)
		if err != nil {
			return fmt.Errorf("ws: %w", err)
		}
		number, ok := s.unpack(&a)
		if len(a.data) > transport.MaxDatagram {
			hub.count.tooLong.Add(1)
			return refuse(websocket.StatusMessageTooBig, errTooLong)
		}
		if !ok || first && isPortMessage(a.buf) {
			s.peer.free <- a.buf
			continue
		}
		idle.Reset(hub.idleTime)
		if bounded != nil {
			bounded.read.Store(0)
		}
		a.at = transport.Monotonic()
		s.lastHeard.Store(a.at)
		if s.peer.pair != nil && !s.peer.isFirst(number) {
			s.peer.free <- a.buf
			continue
		}
		hub.arrive(a)
	}
}

// unpack sets the datagram of a message, and returns its number if the peer numbers datagrams. It
// returns false for a message without a datagram.
func (s *socket) unpack(a *arrival) (number uint16, ok bool) {
	a.data = a.buf
	if s.peer.pair != nil {
		if len(a.buf) < numberSize {
			return 0, false
		}
		number, a.data = binary.BigEndian.Uint16(a.buf), a.buf[numberSize:]
	}
	return number, len(a.data) > 0
}

var (
	errText    = errors.New("send datagrams as binary messages")
	errTooLong = errors.New("the message is longer than a datagram")
)

// maxMessage is the size in bytes of the longest message.
const maxMessage = numberSize + transport.MaxDatagram

// readMessage reads a message into buf, or into a new buffer if buf is nil. It stops after one byte
// more than maxMessage.
func readMessage(r io.Reader, buf []byte) ([]byte, error) {
	if buf == nil {
		buf = make([]byte, maxMessage+1)
	}
	buf = buf[:cap(buf)]
	n, err := io.ReadFull(r, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return buf[:n], err
}

// isPortMessage reports whether a connection's first message is the one in which Emscripten sends
// the port of its socket. This message is not a datagram.
func isPortMessage(b []byte) bool {
	return len(b) == 10 && string(b[:8]) == "\xff\xff\xff\xffport"
}

// queue adds a datagram to those to be sent. queue returns false if there is no room.
func (s *socket) queue(now int64, number uint16, b []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := maxQueued
	if s.since != 0 && now-s.since > int64(slowTime) || s.peer.hub.queued.Load() > maxQueuedAll {
		most = maxQueuedSlow
	}
	if s.last || len(s.out)+maxFrameHeader+numberSize+len(b) > most {
		return false
	}
	before := len(s.out)
	s.out = s.appendFrame(s.out, number, b)
	s.peer.hub.queued.Add(int64(len(s.out) - before))
	return true
}

// Parts of a frame's header; see RFC 6455, section 5.2.
const (
	frameBinary    = 0x82 // a whole binary message
	frameMasked    = 0x80
	frameLength16  = 126
	maxFrameHeader = 8
)

// appendFrame appends a message with a datagram.
func (s *socket) appendFrame(dst []byte, number uint16, b []byte) []byte {
	start, size := len(dst), len(b)
	if s.peer.pair != nil {
		size += numberSize
	}
	if size < frameLength16 {
		dst = append(dst, frameBinary, byte(size))
	} else {
		dst = append(dst, frameBinary, frameLength16, byte(size>>8), byte(size))
	}
	var key [4]byte
	if s.peer.hub.masked {
		binary.NativeEndian.PutUint32(key[:], rand.Uint32())
		dst[start+1] |= frameMasked
		dst = append(dst, key[:]...)
	}
	payload := len(dst)
	if s.peer.pair != nil {
		dst = binary.BigEndian.AppendUint16(dst, number)
	}
	dst = append(dst, b...)
	if s.peer.hub.masked {
		for i := range dst[payload:] {
			dst[payload+i] ^= key[i%len(key)]
		}
	}
	return dst
}

// frameSize returns the size of the first frame of b, one of appendFrame's.
func frameSize(b []byte) int {
	size, n := 2, int(b[1]&^frameMasked)
	if n == frameLength16 {
		size, n = 4, int(binary.BigEndian.Uint16(b[2:]))
	}
	if b[1]&frameMasked != 0 {
		size += 4
	}
	return size + n
}

// flush starts to send the queued datagrams.
func (s *socket) flush() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// finish ends the connection after the queued datagrams are sent.
func (s *socket) finish() {
	s.mu.Lock()
	s.last = true
	s.mu.Unlock()
	s.flush()
}

// send sends queued datagrams until the connection ends. It writes below conn, which only answers
// pings and ends the connection, each with one call that cannot be interrupted by another.
func (s *socket) send(conn *websocket.Conn, raw net.Conn) {
	stall := time.AfterFunc(time.Hour, s.cancel)
	defer stall.Stop()
	var batch []byte
	for {
		select {
		case <-s.kick:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		batch, s.out = s.out, batch[:0]
		s.writing, s.since = len(batch), transport.Monotonic()
		last := s.last
		s.mu.Unlock()
		for rest := batch; len(rest) > 0; {
			size := 0
			for size < maxWrite && size < len(rest) {
				size += frameSize(rest[size:])
			}
			stall.Reset(s.peer.hub.stallTime)
			if _, err := raw.Write(rest[:size]); err != nil {
				return
			}
			rest = rest[size:]
		}
		stall.Stop()
		s.mu.Lock()
		s.writing, s.since = 0, 0
		s.mu.Unlock()
		s.peer.hub.queued.Add(-int64(len(batch)))
		if last {
			stall.Reset(byeTime)
			conn.Close(websocket.StatusGoingAway, "")
			return
		}
		if cap(batch) > 2*maxQueuedSlow {
			batch = nil // free the memory: a download is over, or it allocates again
		}
	}
}

// discard drops the queued datagrams.
func (s *socket) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peer.hub.queued.Add(-int64(len(s.out) + s.writing))
	s.out, s.writing, s.last = nil, 0, true
}
