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
	// maxQueued is the maximum number of bytes that wait to be sent to a peer, enough for the
	// window of a map download.
	maxQueued = 256 << 10
	// maxQueuedSlow replaces maxQueued for a peer to which sending takes longer than slowTime.
	// maxQueuedSlow replaces maxQueued for all peers while maxQueuedAll bytes wait in total.
	maxQueuedSlow = 16 << 10
	slowTime      = 300 * time.Millisecond
	maxQueuedAll  = 16 << 20
)

// peer is one WebSocket connection.
type peer struct {
	hub    *Hub
	id     transport.Peer
	person netip.Prefix
	cancel context.CancelFunc // closes the connection at once
	// free contains the buffers for the peer's datagrams.
	free     chan []byte
	heard    bool          // at least one datagram was received
	kick     chan struct{} // signals that there are datagrams to send
	lastSent atomic.Int64
	// unflushed is set if datagrams were queued since the last Flush.
	unflushed bool

	mu      sync.Mutex
	out     []byte // datagrams to send, each after its length in two bytes
	writing int    // bytes of the datagrams being sent
	since   int64  // time when their sending began, 0 if none are being sent
	last    bool   // end the connection after they are sent
}

// run receives and sends until the connection ends. raw is the connection below conn.
func (p *peer) run(ctx context.Context, conn *websocket.Conn, raw net.Conn) error {
	defer conn.CloseNow()
	// Without this, conn waits for the rest of a frame, however long and slow it is.
	defer context.AfterFunc(ctx, func() { raw.Close() })()
	conn.SetReadLimit(-1) // readMessage limits the size
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
			conn.Close(websocket.StatusUnsupportedData, "send datagrams as binary messages")
			return errors.New("ws: the peer sent a text message")
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

// queue adds a datagram to those to be sent. queue returns false if there is no room.
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

// flush starts to send the queued datagrams.
func (p *peer) flush() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// finish ends the connection after the queued datagrams are sent.
func (p *peer) finish() {
	p.mu.Lock()
	p.last = true
	p.mu.Unlock()
	p.flush()
}

// send sends queued datagrams until ctx ends.
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
			batch = nil // free the memory: a download is over, or it allocates again
		}
	}
}

// discard drops the queued datagrams and returns the number of unsent bytes.
func (p *peer) discard() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.out) + p.writing
	p.out, p.writing, p.last = nil, 0, true
	return n
}
