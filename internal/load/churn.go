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

// ChurnConfig says how clients come and go.
type ChurnConfig struct {
	// Server is the address of a server on the loopback network.
	Server transport.Peer
	// Rate is how many clients start to join per second.
	Rate int
	// Concurrent is the maximum number of clients at the same time.
	Concurrent int
	// Until is when a client leaves: in client.Loading (connected), client.Entering (told
	// to enter) or client.Playing.
	Until client.State
}

// ChurnStats counts the clients by how they ended.
type ChurnStats struct {
	// Started is how many sent a first datagram.
	Started int
	// Left is how many reached the state Until and left.
	Left int
	// Refused is how many the server closed the connection of, for example because it was
	// full.
	Refused int
	// Lost is how many did not reach Until within two seconds.
	Lost int
}

// Churn lets clients join and leave until ctx ends. Each has an address of its own, since
// servers ban those who leave within a second.
func Churn(ctx context.Context, cfg ChurnConfig) (ChurnStats, error) {
	var begun, left, refused, lost atomic.Int64
	start := time.Now()
	var wait sync.WaitGroup
	errs := make(chan error, cfg.Concurrent)
	for range cfg.Concurrent {
		wait.Add(1)
		go func() {
			defer wait.Done()
			v, err := newChurnClient(&cfg)
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
				ok, err := v.joinAndLeave(int(k))
				switch {
				case err != nil:
					errs <- err
					return
				case ok:
					left.Add(1)
				case v.Err() != nil:
					refused.Add(1)
				default:
					lost.Add(1)
				}
			}
		}()
	}
	wait.Wait()
	close(errs)
	s := ChurnStats{Started: int(begun.Load()), Left: int(left.Load()), Refused: int(refused.Load()), Lost: int(lost.Load())}
	return s, <-errs
}

// churnClient is a client that joins again and again, each time from another address.
type churnClient struct {
	*client.Session
	cfg   *ChurnConfig
	sock  *udp.Conn
	batch [4]transport.Datagram
}

func newChurnClient(cfg *ChurnConfig) (*churnClient, error) {
	v := &churnClient{cfg: cfg}
	c, err := client.NewSession(client.SessionConfig{
		Name:       "visitor",
		Send:       func(d []byte) { v.sock.Send(cfg.Server, d) },
		HasMap:     func(*bridge.MapChange) bool { return true },
		Token:      func() packet.Token { return packet.Token(rand.Uint32() &^ (1 << 31)) },
		OnSnapshot: func(int32, *snapshot.Snapshot) {},
	})
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	v.Session = c
	return v, nil
}

// joinAndLeave joins and leaves once, as the k-th client of all. It reports whether it reached
// the state Until.
func (v *churnClient) joinAndLeave(k int) (bool, error) {
	var err error
	if v.sock, err = udp.Listen(udp.Config{Addr: fmt.Sprintf("127.%d.%d.%d", 16+k>>16, k>>8&255, k&255), Batch: 4, ReadBuffer: 1 << 16, WriteBuffer: 1 << 16}); err != nil {
		return false, fmt.Errorf("load: %w", err)
	}
	defer v.sock.Close()
	now := conn.Time(v.sock.Now())
	if err := v.Dial(now); err != nil {
		return false, fmt.Errorf("load: %w", err)
	}
	v.sock.Flush()
	for end := now.Add(2 * time.Second); now < end; {
		n, err := v.sock.ReadBatch(v.batch[:], int64(now.Add(100*time.Millisecond)))
		if err != nil {
			return false, fmt.Errorf("load: %w", err)
		}
		for _, d := range v.batch[:n] {
			v.Feed(conn.Time(d.ReceivedAt), d.Data)
		}
		now = conn.Time(v.sock.Now())
		v.Step(now)
		if v.State() == client.Offline {
			return false, nil
		}
		if v.State() >= v.cfg.Until {
			v.Close(now)
			v.sock.Flush()
			return true, nil
		}
		v.sock.Flush()
	}
	v.Close(now)
	v.sock.Flush()
	return false, nil
}
