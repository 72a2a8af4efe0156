package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// ChurnConfig describes clients that join and leave.
type ChurnConfig struct {
	// Server is the address of a server on the loopback network.
	Server transport.Peer
	// Rate is how many clients start to join per second.
	Rate int
	// Concurrent is the largest number of clients at the same time.
	Concurrent int
	// Until is the state in which a client leaves: client.Loading (connected), client.Entering
	// (allowed to enter) or client.Playing.
	Until client.State
	// Patience is how long a client waits to reach Until. 0 means 2 s.
	Patience time.Duration
	// Addr returns the address of client k, counted from 0. If it is nil, clients use addresses
	// from 127.16.0.0 on.
	Addr func(k int) string
}

// ChurnStats counts clients by their result.
type ChurnStats struct {
	// Started is the number of clients that sent a first datagram.
	Started int
	// Left is the number of clients that reached the state Until and left.
	Left int
	// Refused is the number of clients whose connection the server closed, for example because it
	// was full.
	Refused int
	// Lost is the number of clients that did not reach Until in time.
	Lost int
}

// Churn makes clients join and leave until ctx ends. Each has its own address, since servers ban
// clients that leave within a second.
func Churn(ctx context.Context, cfg ChurnConfig) (ChurnStats, error) {
	if cfg.Patience == 0 {
		cfg.Patience = 2 * time.Second
	}
	if cfg.Addr == nil {
		cfg.Addr = func(k int) string { return fmt.Sprintf("127.%d.%d.%d", 16+k>>16, k>>8&255, k&255) }
	}
	var begun, left, refused, lost atomic.Int64
	start := time.Now()
	var wait sync.WaitGroup
	errs := make(chan error, cfg.Concurrent)
	for range cfg.Concurrent {
		wait.Go(func() {
			c, err := newChurnClient(&cfg)
			if err != nil {
				errs <- err
				return
			}
			for ctx.Err() == nil {
				// Client k starts k/Rate seconds after the beginning.
				k := begun.Add(1) - 1
				at := start.Add(time.Duration(k) * time.Second / time.Duration(cfg.Rate))
				select {
				case <-ctx.Done():
					begun.Add(-1)
					return
				case <-time.After(time.Until(at)):
				}
				ok, err := c.joinAndLeave(int(k), &cfg)
				switch {
				case err != nil:
					errs <- err
					return
				case ok:
					left.Add(1)
				case c.Err() != nil:
					refused.Add(1)
				default:
					lost.Add(1)
				}
			}
		})
	}
	wait.Wait()
	close(errs)
	s := ChurnStats{Started: int(begun.Load()), Left: int(left.Load()), Refused: int(refused.Load()), Lost: int(lost.Load())}
	return s, <-errs
}

// connection is a session with a socket that the caller drives step by step.
type connection struct {
	*client.Session
	server transport.Peer
	sock   *udp.Conn
	batch  []transport.Datagram
}

// newConnection returns a connection to a server. It sets cfg.Send.
func newConnection(server transport.Peer, batch int, cfg client.SessionConfig) (*connection, error) {
	c := &connection{server: server, batch: make([]transport.Datagram, batch)}
	cfg.Send = func(d []byte) { c.sock.Send(server, d) }
	var err error
	if c.Session, err = client.NewSession(cfg); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	return c, nil
}

// open opens a new socket and starts to connect.
func (c *connection) open(cfg udp.Config) (err error) {
	if c.sock, err = udp.Listen(cfg); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	if err := c.Dial(conn.Time(c.sock.Now())); err != nil {
		c.sock.Close()
		return fmt.Errorf("load: %w", err)
	}
	c.sock.Flush()
	return nil
}

// step waits for datagrams, handles them and returns the time.
func (c *connection) step(wait time.Duration) (conn.Time, error) {
	n, err := c.sock.ReadBatch(c.batch, c.sock.Now()+int64(wait))
	if err != nil {
		return 0, fmt.Errorf("load: %w", err)
	}
	for _, d := range c.batch[:n] {
		c.Feed(conn.Time(d.ReceivedAt), d.Data)
	}
	now := conn.Time(c.sock.Now())
	c.Step(now)
	c.sock.Flush()
	return now, nil
}

// leave leaves the server and closes the socket.
func (c *connection) leave() {
	c.Close(conn.Time(c.sock.Now()))
	c.sock.Flush()
	c.sock.Close()
}

func newChurnClient(cfg *ChurnConfig) (*connection, error) {
	return newConnection(cfg.Server, 4, client.SessionConfig{
		Name:       "visitor",
		HasMap:     func(*bridge.MapChange) bool { return true },
		Token:      func() packet.Token { return packet.Token(rand.Uint32() &^ (1 << 31)) },
		OnSnapshot: func(int32, *snapshot.Snapshot) {},
	})
}

// joinAndLeave joins and leaves once as client k. It reports whether the client reached the state
// Until.
func (c *connection) joinAndLeave(k int, cfg *ChurnConfig) (bool, error) {
	if err := c.open(udp.Config{Addr: cfg.Addr(k), Batch: 4, ReadBuffer: 1 << 16, WriteBuffer: 1 << 16}); err != nil {
		return false, err
	}
	defer c.leave()
	for end := time.Now().Add(cfg.Patience); time.Now().Before(end) && c.State() != client.Offline; {
		if _, err := c.step(min(cfg.Patience, 100*time.Millisecond)); err != nil || c.State() >= cfg.Until {
			return err == nil, err
		}
	}
	return false, nil
}
