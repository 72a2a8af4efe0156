package ws

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/teeyard/teeyard/transport"
)

const (
	// maxQueued is how many bytes wait to be sent to a peer, as those of a download's window.
	maxQueued = 256 << 10
	// maxQueuedSlow is that for a peer to which sending takes longer than slowTime, and for all
	// while maxQueuedAll wait to be sent.
	maxQueuedSlow = 16 << 10
	slowTime      = 300 * time.Millisecond
	maxQueuedAll  = 16 << 20
)

// peer is one connection.
type peer struct {
	hub    *Hub
	id     transport.Peer
	person netip.Prefix
	cancel context.CancelFunc // closes the connection at once
	// free are the buffers for what the peer sends.
	free     chan []byte
	heard    bool          // a datagram has come
	kick     chan struct{} // there is something to send
	lastSent atomic.Int64
	// unflushed says that there is something to send since the last Flush.
	unflushed bool

	mu      sync.Mutex
	out     []byte // datagrams to be sent, each with its length in two bytes before it
	writing int    // bytes of those that are being sent
	since   int64  // when they began to be sent, 0 if none are
	last    bool   // the connection ends when they are sent
}

// run receives and sends until the connection ends. Raw is what conn runs over.
func (p *peer) run(ctx context.Context, conn *websocket.Conn, raw net.Conn) error {
	defer conn.CloseNow()
	// conn alone would wait for the rest of a frame, however long it is and however slowly it comes.
	defer context.AfterFunc(ctx, func() { raw.Close() })()
	conn.SetReadLimit(-1) // readMessage has one
	bounded, _ := raw.(*boundedConn)
	var sender sync.WaitGroup
	defer sender.Wait()
	defer p.cancel()
	sender.Go(func() {
		defer p.cancel()
		p.send(ctx, conn)
	})
	idle := time.AfterFunc(p.hub.idleTime, p.cancel)
	defer idle.Stop()
	for first := true; ; first = false {
		kind, r, err := conn.Reader(ctx)
		if err != nil {
			return fmt.Errorf("ws: %w", err)
		}
		if kind != websocket.MessageBinary {
			idle.Reset(byeTime)
			conn.Close(websocket.StatusUnsupportedData, "datagrams are binary messages")
			return errors.New("ws: a message is text")
		}
		var buf []byte
		select {
		case buf = <-p.free:
		case <-ctx.Done():
			return fmt.Errorf("ws: %w", ctx.Err())
		}
		if buf, err = readMessage(r, buf); err != nil {
			if errors.Is(err, errTooLong) {
				p.hub.count.tooLong.Add(1)
				idle.Reset(byeTime)
				conn.Close(websocket.StatusMessageTooBig, err.Error())
			}
			return fmt.Errorf("ws: %w", err)
		}
		if len(buf) == 0 || first && isPortMessage(buf) {
			p.free <- buf
			continue
		}
		idle.Reset(p.hub.idleTime)
		if bounded != nil {
			bounded.read.Store(0)
		}
		p.hub.mu.Lock()
		p.heard = true
		p.hub.unread = append(p.hub.unread, arrival{p, buf, transport.Monotonic()})
		p.hub.mu.Unlock()
		p.hub.wakeReader()
	}
}

// queue adds a datagram to those to be sent. It reports false if there is no room.
func (p *peer) queue(b []byte) bool {
	now := transport.Monotonic()
	p.lastSent.Store(now)
	p.mu.Lock()
	defer p.mu.Unlock()
	most := maxQueued
	if p.since != 0 && now-p.since > int64(slowTime) || p.hub.queued.Load() > maxQueuedAll {
		most = maxQueuedSlow
	}
	if p.last || len(p.out)+2+len(b) > most {
		return false
	}
	p.out = append(binary.BigEndian.AppendUint16(p.out, uint16(len(b))), b...)
	p.hub.queued.Add(int64(2 + len(b)))
	return true
}

// flush has what is queued sent.
func (p *peer) flush() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// finish ends the connection when what is queued is sent.
func (p *peer) finish() {
	p.mu.Lock()
	p.last = true
	p.mu.Unlock()
	p.flush()
}

// send sends what is queued until ctx ends.
func (p *peer) send(ctx context.Context, conn *websocket.Conn) {
	stall := time.AfterFunc(time.Hour, p.cancel)
	defer stall.Stop()
	var batch []byte
	for {
		select {
		case <-p.kick:
		case <-ctx.Done():
			return
		}
		p.mu.Lock()
		batch, p.out = p.out, batch[:0]
		p.writing, p.since = len(batch), transport.Monotonic()
		last := p.last
		p.mu.Unlock()
		for rest := batch; len(rest) > 0; {
			size := int(binary.BigEndian.Uint16(rest))
			stall.Reset(p.hub.stallTime)
			if err := conn.Write(ctx, websocket.MessageBinary, rest[2:2+size]); err != nil {
				return
			}
			p.hub.count.sent.Add(1)
			p.hub.count.sentBytes.Add(uint64(size))
			rest = rest[2+size:]
		}
		stall.Stop()
		p.mu.Lock()
		p.writing, p.since = 0, 0
		p.mu.Unlock()
		p.hub.queued.Add(-int64(len(batch)))
		if last {
			stall.Reset(byeTime)
			conn.Close(websocket.StatusGoingAway, "")
			return
		}
		if cap(batch) > 2*maxQueuedSlow {
			batch = nil // a download is over, or goes on
		}
	}
}

// discard drops what is queued, and returns how many bytes had not been sent.
func (p *peer) discard() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.out) + p.writing
	p.out, p.writing, p.last = nil, 0, true
	return n
}
