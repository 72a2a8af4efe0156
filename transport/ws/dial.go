package ws

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/transport"
)

// ErrAddress is returned by [Dial] for an address that is none.
var ErrAddress = errors.New("ws: bad address")

// The ports that addresses without one have: that of game servers, which is that of their HTTP
// listener too, and that of HTTPS.
const (
	defaultPort    = 8303
	defaultPortTLS = 443
)

// redialInterval is the time between attempts to connect again.
const redialInterval = time.Second

// IsAddress reports whether an address is one for [Dial].
func IsAddress(address string) bool {
	return strings.HasPrefix(address, "ws://") || strings.HasPrefix(address, "wss://")
}

// Dial connects to a server at ws://host, wss://host or the same with a port and a path. It returns
// a Conn with the server as its only peer; as with UDP, an end of the connection is not an error:
// Send connects again.
//
// The error wraps ErrAddress, or says why there is no connection.
func Dial(ctx context.Context, address string) (transport.Conn, transport.Peer, error) {
	u, err := url.Parse(address)
	if err != nil || !IsAddress(address) || u.Hostname() == "" {
		return nil, transport.Peer{}, fmt.Errorf("%w: %q is not ws://host or wss://host", ErrAddress, address)
	}
	port := defaultPort
	if u.Scheme == "wss" {
		port = defaultPortTLS
	}
	if u.Port() == "" {
		u.Host += ":" + strconv.Itoa(port)
	}
	u.Path = cmp.Or(u.Path, "/")
	open := func(ctx context.Context) (*websocket.Conn, error) {
		conn, answer, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{Subprotocols: []string{subprotocol}})
		return conn, explain(answer, err)
	}
	conn, err := open(ctx)
	if err != nil {
		return nil, transport.Peer{}, fmt.Errorf("ws: %w", err)
	}
	d := &dialed{again: make(chan struct{}, 1)}
	d.hub = NewHub()
	d.Conn = d.hub.Join(&silence{changed: make(chan struct{}, 1)})
	// The real address may be that of a proxy, and nobody needs it.
	d.server = transport.Peer{AddrPort: netip.AddrPortFrom(netip.IPv4Unspecified(), 1), Kind: transport.WebSocket}
	live, end := context.WithCancel(context.Background())
	d.end = end
	p, err := d.hub.add(d.server.AddrPort, end)
	if err != nil {
		return nil, transport.Peer{}, err
	}
	go d.run(live, p, conn, open)
	return d, d.server, nil
}

// explain returns the error of a connection that was not made, with what the server answered, if it
// answered.
func explain(answer *http.Response, err error) error {
	var failed *url.Error
	switch {
	case errors.As(err, &failed):
		return failed.Err
	case err == nil || answer == nil:
		return err
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 256))
	return fmt.Errorf("the server answers %q: %s", answer.Status, safetext.Line(bytes.TrimSpace(text)))
}

// dialed is a Conn to one server.
type dialed struct {
	transport.Conn
	hub    *Hub
	server transport.Peer
	again  chan struct{} // there is something to send and no connection
	end    context.CancelFunc
}

// run serves a connection, and those that follow it.
func (d *dialed) run(ctx context.Context, p *peer, conn *websocket.Conn, open func(context.Context) (*websocket.Conn, error)) {
	for ctx.Err() == nil {
		if conn != nil {
			one, cancel := context.WithCancel(ctx)
			p.cancel = cancel
			_ = p.run(one, conn)
			cancel()
			d.hub.remove(p)
		}
		select {
		case <-ctx.Done():
			return
		case <-d.again:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(redialInterval):
		}
		var err error
		if conn, err = open(ctx); err != nil {
			conn = nil
			continue
		}
		if p, err = d.hub.add(d.server.AddrPort, func() {}); err != nil { // the hub is closed
			conn.CloseNow()
			return
		}
	}
}

// Send implements [transport.Conn].
func (d *dialed) Send(to transport.Peer, b []byte) {
	if d.hub.find(d.server) == nil {
		select {
		case d.again <- struct{}{}:
		default:
		}
	}
	d.Conn.Send(to, b)
}

// Close implements [transport.Conn].
func (d *dialed) Close() error {
	defer d.end()
	return d.Conn.Close()
}

// silence is a Conn on which nothing arrives.
type silence struct {
	changed chan struct{}

	mu            sync.Mutex
	woken, closed bool
}

func (s *silence) Now() int64                  { return transport.Monotonic() }
func (s *silence) Send(transport.Peer, []byte) {}
func (s *silence) LocalAddr() transport.Peer   { return transport.Peer{} }
func (s *silence) Stats() transport.Stats      { return transport.Stats{} }

func (s *silence) ReadBatch(_ []transport.Datagram, until int64) (int, error) {
	for {
		s.mu.Lock()
		woken, closed := s.woken, s.closed
		s.woken = false
		s.mu.Unlock()
		wait := until - s.Now()
		switch {
		case closed:
			return 0, transport.ErrClosed
		case woken || wait <= 0:
			return 0, nil
		}
		timer := time.NewTimer(time.Duration(wait))
		select {
		case <-s.changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (s *silence) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return transport.ErrClosed
	}
	return nil
}

func (s *silence) Wake() { s.change(&s.woken) }

func (s *silence) Close() error {
	s.change(&s.closed)
	return nil
}

func (s *silence) change(what *bool) {
	s.mu.Lock()
	*what = true
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}
