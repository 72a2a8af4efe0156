package client

import (
	"context"
	"fmt"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// network is the socket of a client that runs itself.
type network struct {
	sock transport.Conn
	peer transport.Peer
}

// Dial joins a server and returns when the client is in the game. The address is a game server's
// address in a form that transport.ParseAddress reads, or in the form that Config.Dial expects. A
// scheme that names a protocol version selects it. ctx applies to joining only; Close ends the
// client.
//
// The error wraps ErrClosed if the server rejected the client, ErrNoAnswer if it does not answer,
// ErrMap if the map is unusable, udp.ErrAddress, or the cause of ctx's end.
func Dial(ctx context.Context, address string, cfg Config) (*Client, error) {
	if err := cfg.setVersion(address); err != nil {
		return nil, err
	}
	dial := cfg.Dial
	if dial == nil {
		dial = cfg.dialUDP
	}
	sock, peer, err := dial(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	cfg.Send = func(b []byte) { sock.Send(peer, b) }
	c, err := New(cfg)
	if err != nil {
		sock.Close()
		return nil, err
	}
	c.network = &network{sock: sock, peer: peer}
	if err := c.Connect(conn.Time(sock.Now())); err != nil {
		sock.Close()
		return nil, err
	}
	joined := make(chan error, 1)
	go c.run(joined)
	select {
	case err := <-joined:
		if err != nil {
			c.Close()
			return nil, err
		}
		return c, nil
	case <-ctx.Done():
		c.Close()
		return nil, fmt.Errorf("client: joining %s: %w", address, context.Cause(ctx))
	}
}

// dialUDP opens a UDP socket for a server.
func (cfg *Config) dialUDP(ctx context.Context, address string) (transport.Conn, transport.Peer, error) {
	peer, err := udp.Resolve(ctx, address, DefaultPort)
	if err != nil {
		return nil, peer, err
	}
	sock, err := udp.Listen(udp.Config{Addr: cfg.LocalAddr, Batch: 8, ReadBuffer: 1 << 18, WriteBuffer: 1 << 17})
	return sock, peer, err
}

// run runs the client until it ends. It first sends whether the client joined the game.
func (c *Client) run(joined chan<- error) {
	n := c.network
	defer close(c.done)
	defer n.sock.Close()
	batch := make([]transport.Datagram, 8)
	joining := true
	for {
		c.flush()
		k, err := n.sock.ReadBatch(batch, int64(c.NextStepTime(conn.Time(n.sock.Now()))))
		for _, d := range batch[:k] {
			if d.Peer == n.peer && len(d.Data) > 0 {
				c.Feed(conn.Time(d.ReceivedAt), d.Data)
			}
		}
		c.Step(conn.Time(n.sock.Now()))
		c.mu.Lock()
		over, in, failed := c.closed || err != nil, c.entered, c.session.Err()
		c.mu.Unlock()
		switch {
		case joining && in:
			joining = false
			joined <- nil
		case joining && failed != nil:
			joined <- failed
			over = true
		case joining && over:
			joined <- ErrClosed
		}
		if over {
			c.flush()
			c.deliverEvents()
			return
		}
	}
}

// flush sends queued datagrams.
func (c *Client) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.network != nil {
		c.network.sock.Flush()
	}
}

// Close tells the server that the client leaves, and ends the client. It does not wait for the end;
// see Done. If Config.Dial sends in the background, as transport/ws does, and the program exits
// before Done is closed, the server may not receive the message.
func (c *Client) Close() { c.Leave("") }

// Leave is Close with a reason for the server. Teeyard and teeworlds-server 0.7.5 ignore the
// reason; other servers may show it to players. (CLOSE)
func (c *Client) Leave(reason string) {
	c.mu.Lock()
	if c.network != nil {
		c.now = conn.Time(c.network.sock.Now())
	}
	c.disconnect(reason)
	if c.network != nil {
		c.network.sock.Flush() // the program may exit before the goroutine sends
	}
	c.mu.Unlock()
	if c.network != nil {
		c.network.sock.Wake()
	} else {
		c.deliverEvents()
	}
}

// Done is closed when a client from Dial has ended: after Close, or because the connection ended
// and Config.Reconnect is 0.
func (c *Client) Done() <-chan struct{} { return c.done }
