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
	sock *udp.Conn
	peer transport.Peer
}

// Dial joins a server and returns when the client is in the game. The address is
// "host" or "host:port". ctx is for the way in only; Close ends the client.
//
// The error wraps ErrClosed if the server refused or was not there, ErrMap for a
// map that cannot be used, udp.ErrAddress, or what ended ctx.
func Dial(ctx context.Context, address string, cfg Config) (*Client, error) {
	peer, err := udp.Resolve(ctx, address, DefaultPort)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	sock, err := udp.Listen(udp.Config{Addr: cfg.LocalAddr, Batch: 8, ReadBuffer: 1 << 18, WriteBuffer: 1 << 17})
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
	first := make(chan error, 1)
	go c.run(first)
	select {
	case err := <-first:
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

// run is the life of a client. It tells first when the way into the game is over.
func (c *Client) run(first chan<- error) {
	n := c.network
	defer close(c.done)
	defer n.sock.Close()
	batch := make([]transport.Datagram, 8)
	joining := true
	for {
		c.flush()
		k, err := n.sock.ReadBatch(batch, int64(c.NextStep(conn.Time(n.sock.Now()))))
		for _, d := range batch[:k] {
			if d.Peer == n.peer {
				c.Feed(conn.Time(d.At), d.B)
			}
		}
		c.Step(conn.Time(n.sock.Now()))
		c.mu.Lock()
		over, in, failed := c.closed || err != nil, c.entered, c.session.Err()
		c.mu.Unlock()
		switch {
		case joining && in:
			joining = false
			first <- nil
		case joining && failed != nil:
			first <- failed
			over = true
		case joining && over:
			first <- ErrClosed
		}
		if over {
			c.flush()
			c.deliverEvents()
			return
		}
	}
}

// flush sends what waits.
func (c *Client) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.network != nil {
		c.network.sock.Flush()
	}
}

// Close leaves the server, which is told at once, and ends the client. It does not
// wait for that; see Done.
func (c *Client) Close() {
	c.mu.Lock()
	if c.network != nil {
		c.now = conn.Time(c.network.sock.Now())
	}
	c.disconnect()
	if c.network != nil {
		c.network.sock.Flush() // the program may end before the goroutine does
	}
	c.mu.Unlock()
	if c.network != nil {
		c.network.sock.Wake()
	} else {
		c.deliverEvents()
	}
}

// Done is closed when a client that Dial made has ended, by Close or because the
// connection ended and it is not to reconnect.
func (c *Client) Done() <-chan struct{} { return c.done }
