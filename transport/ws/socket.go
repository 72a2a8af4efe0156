package ws

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
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
	idle      *time.Timer        // calls cancel
	lastHeard atomic.Int64

	// One goroutine receives and uses these.
	in     input // of a client
	begun  bool  // a message was received
	broken bool  // the rest is not parsed
	pinged limit.Bucket

	// kick signals that there are datagrams to send, if a goroutine sends them. Otherwise direct
	// sends them.
	kick   chan struct{}
	direct atomic.Pointer[direct]

	mu      sync.Mutex
	out     []byte // frames to send
	writing int    // bytes of the frames being sent
	since   int64  // time when their sending began, 0 if none are being sent
	last    bool   // end the connection after they are sent
	answer  bool   // their last frame answers one that ended the connection
}

// errStarved means that a datagram waits for a free buffer.
var errStarved = errors.New("no free buffer")

// take handles the frames that were received from a client. If wait is false, take does not wait
// for a free buffer.
func (s *socket) take(wait bool) error {
	for !s.broken {
		var buf []byte
		select {
		case buf = <-s.peer.free:
		default:
			if !wait {
				return errStarved
			}
			select {
			case buf = <-s.peer.free:
			case <-s.ctx.Done():
				return s.ctx.Err()
			}
		}
		kind, payload, err := s.in.next()
		used := false
		switch {
		case err != nil:
		case kind == kindBinary:
			used, err = s.receive(buf, payload)
		case kind == kindPing && !s.pinged.Take(transport.Monotonic(), pingRate, 1):
			err = errors.New("too many pings")
		case kind == kindPing:
			s.control(kindPong, payload)
		case kind == kindClose:
			err = errClosed
		}
		if !used {
			s.peer.free <- buf
		}
		if err != nil || kind == kindNone {
			return err
		}
	}
	s.in.parsed = s.in.filled
	if s.in.unheard > maxWithoutMessage {
		return errNoMessage
	}
	return nil
}

// errClosed means that the peer has ended the connection.
var errClosed = errors.New("the peer ended the connection")

// receive hands a message to the hub. It returns whether it used buf, an arrival's buffer or nil.
func (s *socket) receive(buf, message []byte) (used bool, err error) {
	first := !s.begun
	s.begun = true
	hub, p, data := s.peer.hub, s.peer, message
	var number uint16
	if p.pair != nil {
		if len(message) < numberSize {
			return false, nil
		}
		number, data = binary.BigEndian.Uint16(message), message[numberSize:]
	}
	if len(data) > transport.MaxDatagram {
		return false, errTooLong
	}
	if len(data) == 0 || first && isPortMessage(message) {
		return false, nil
	}
	s.idle.Reset(hub.idleTime)
	s.in.unheard = 0
	now := transport.Monotonic()
	s.lastHeard.Store(now)
	if p.pair != nil && !p.isFirst(number) {
		return false, nil
	}
	if buf == nil {
		buf = make([]byte, 0, transport.MaxDatagram)
	}
	hub.arrive(arrival{p, append(buf[:0], data...), now})
	return true, nil
}

// isPortMessage reports whether a connection's first message is the one in which Emscripten sends
// the port of its socket. This message is not a datagram.
func isPortMessage(b []byte) bool {
	return len(b) == 10 && string(b[:8]) == "\xff\xff\xff\xffport"
}

// fail ends the connection because of an error of take. The peer is told the reason if it can be.
func (s *socket) fail(err error) {
	var c *closeError
	switch {
	case errors.As(err, &c):
		if c == errTooLong {
			s.peer.hub.count.tooLong.Add(1)
		}
		s.broken = true
		s.in.parsed = s.in.filled
		s.bye(c)
	case errors.Is(err, errClosed):
		s.broken = true
		s.mu.Lock()
		s.answer = true
		s.mu.Unlock()
		if !s.bye(errNormal) {
			s.cancel()
		}
	default:
		s.cancel()
	}
}

// queue adds a datagram to those to be sent. queue returns false if there is no room.
func (s *socket) queue(now int64, number uint16, b []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := maxQueued
	if s.since != 0 && now-s.since > int64(slowTime) || s.peer.hub.queued.Load() > maxQueuedAll {
		most = maxQueuedSlow
	}
	if s.last || len(s.out)+maxHeader+numberSize+len(b) > most {
		return false
	}
	var head [numberSize]byte
	n := 0
	if s.peer.pair != nil {
		binary.BigEndian.PutUint16(head[:], number)
		n = numberSize
	}
	s.appendFrame(kindBinary, head[:n], b)
	return true
}

// appendFrame adds a frame to those to be sent. s.mu must be locked.
func (s *socket) appendFrame(kind byte, number, data []byte) {
	before := len(s.out)
	s.out = appendFrame(s.out, s.peer.hub.masked, kind, number, data)
	s.peer.hub.queued.Add(int64(len(s.out) - before))
}

// control sends a control frame.
func (s *socket) control(kind byte, payload []byte) {
	s.mu.Lock()
	if !s.last && len(s.out) < maxQueuedSlow {
		s.appendFrame(kind, nil, payload)
	}
	s.mu.Unlock()
	s.flush()
}

// bye ends the connection after the queued datagrams are sent. It returns false if it was called
// before.
func (s *socket) bye(e *closeError) bool {
	s.mu.Lock()
	first := !s.last
	if first && !s.peer.hub.masked {
		s.appendFrame(kindClose, nil, e.payload())
	}
	s.last = true
	s.mu.Unlock()
	s.flush()
	return first
}

// sentAll is called when the last frame is sent. The peer has some time to read it.
func (s *socket) sentAll() {
	s.mu.Lock()
	answer := s.answer
	s.mu.Unlock()
	if answer {
		s.cancel()
		return
	}
	s.idle.Reset(byeTime)
}

// flush starts to send the queued datagrams.
func (s *socket) flush() {
	if d := s.direct.Load(); d != nil {
		d.flush()
		return
	}
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// discard drops the queued datagrams.
func (s *socket) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peer.hub.queued.Add(-int64(len(s.out) + s.writing))
	s.out, s.writing, s.last = nil, 0, true
}

// stream serves a client's connection with two goroutines until it ends. begun is what the client
// has sent already.
func (s *socket) stream(raw net.Conn, begun []byte) error {
	defer context.AfterFunc(s.ctx, func() { raw.Close() })()
	var sender sync.WaitGroup
	defer sender.Wait()
	defer s.cancel()
	sender.Go(func() { s.send(raw, s.sentAll) })
	for {
		n := copy(s.in.space(), begun)
		begun = begun[n:]
		if n == 0 {
			var err error
			if n, err = raw.Read(s.in.space()); err != nil {
				return fmt.Errorf("ws: %w", err)
			}
		}
		s.in.add(n)
		if err := s.take(true); err != nil {
			s.fail(err)
		}
	}
}

// send sends queued datagrams until the connection ends. After the last ones it calls bye.
func (s *socket) send(raw net.Conn, bye func()) {
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
				s.cancel()
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
			bye()
			return
		}
		if cap(batch) > 2*maxQueuedSlow {
			batch = nil // free the memory: a download is over, or it allocates again
		}
	}
}
