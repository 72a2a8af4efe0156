package ws

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
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

// ErrAddress is returned by [Dial] for an invalid address.
var ErrAddress = errors.New("ws: bad address")

// Default ports of addresses. Game servers use the first for UDP and for their HTTP listener; the
// second is the port of HTTPS.
const (
	defaultPort    = 8303
	defaultPortTLS = 443
)

const (
	// dialTimeout is the time that a server may take for the handshake.
	dialTimeout = 10 * time.Second
	// redialInterval is the time between attempts to reconnect.
	redialInterval = time.Second
)

// IsAddress reports whether [Dial] accepts addresses of this form.
func IsAddress(address string) bool {
	a, err := transport.ParseAddress(address)
	return err == nil && a.IsWebSocket()
}

// Dial connects with a zero [Dialer].
func Dial(ctx context.Context, address string) (transport.Conn, transport.Peer, error) {
	return new(Dialer).Dial(ctx, address)
}

// Dialer connects to servers. The zero value is ready to use.
type Dialer struct {
	// TLS determines which certificates of servers at wss:// are accepted; nil means those that the
	// system trusts.
	TLS *tls.Config
	// Two means two connections, which both carry every datagram. A lost packet then delays only
	// datagrams that the other connection delays too. Servers that do not support it get one.
	Two bool

	timeout time.Duration // 0 means dialTimeout
}

// Dial connects to a server at ws://host or wss://host, optionally with a port and a path. Dial
// returns a Conn whose only peer is the server. As with UDP, the end of the connection is not an
// error: Send reconnects.
//
// The error wraps ErrAddress, or describes why the connection failed.
func (d *Dialer) Dial(ctx context.Context, address string) (transport.Conn, transport.Peer, error) {
	u, err := url.Parse(strings.TrimSpace(address))
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
	var with *http.Client
	if d.TLS != nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.TLSClientConfig = d.TLS.Clone()
		with = &http.Client{Transport: t}
	}
	timeout := cmp.Or(d.timeout, dialTimeout)
	open := func(ctx context.Context, pair *pairID) (c opened, err error) {
		ctx, cancel := context.WithTimeoutCause(ctx, timeout, errSilent)
		defer cancel()
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { c.raw = i.Conn }})
		var answer *http.Response
		c.Conn, answer, err = websocket.Dial(ctx, u.String(), &websocket.DialOptions{HTTPClient: with, Subprotocols: pair.subprotocols()})
		if err != nil && context.Cause(ctx) == errSilent {
			err = errSilent
		}
		return c, explain(answer, err)
	}
	to := &dialed{open: open, two: d.Two, again: make(chan struct{}, 1)}
	pair := to.newPair()
	conn, err := open(ctx, pair)
	if err != nil {
		return nil, transport.Peer{}, fmt.Errorf("ws: %w", err)
	}
	to.hub = NewHub()
	to.hub.masked = true
	to.Conn = to.hub.Join(&silence{changed: make(chan struct{}, 1)})
	// The server's real address is not needed, and may be a proxy's.
	to.server = transport.Peer{AddrPort: netip.AddrPortFrom(netip.IPv4Unspecified(), 1), Kind: transport.WebSocket}
	live, end := context.WithCancel(context.Background())
	to.end = end
	s, err := to.add(conn, pair)
	if err != nil {
		return nil, transport.Peer{}, err
	}
	go to.run(live, s, conn)
	return to, to.server, nil
}

// opened is a WebSocket connection and the connection below it.
type opened struct {
	*websocket.Conn
	raw net.Conn
}

// serve receives and sends datagrams of a server until the connection ends.
func (c opened) serve(s *socket) error {
	defer c.CloseNow()
	// Without this, c waits for the rest of a frame, however long and slow it is.
	defer context.AfterFunc(s.ctx, func() { c.raw.Close() })()
	c.SetReadLimit(maxMessage)
	var sender sync.WaitGroup
	defer sender.Wait()
	defer s.cancel()
	sender.Go(func() {
		s.send(c.raw, func() {
			s.idle.Reset(byeTime)
			c.Close(websocket.StatusGoingAway, "")
			s.cancel()
		})
	})
	for {
		kind, message, err := c.Read(context.Background()) // s.ctx would cost a timer per message
		if err == nil && kind != websocket.MessageBinary {
			err = errText
		}
		if err != nil {
			return fmt.Errorf("ws: %w", err)
		}
		var buf []byte
		select {
		case buf = <-s.peer.free:
		case <-s.ctx.Done():
			return fmt.Errorf("ws: %w", s.ctx.Err())
		}
		used, err := s.receive(buf, message)
		if !used {
			s.peer.free <- buf
		}
		if err != nil {
			return fmt.Errorf("ws: %w", err)
		}
	}
}

var errSilent = errors.New("the server does not answer in time")

// explain returns the error of a failed connection, including the server's answer if there was one.
func explain(answer *http.Response, err error) error {
	var failed *url.Error
	switch {
	case errors.As(err, &failed):
		return failed.Err
	case err == nil || answer == nil:
		return err
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
		return fmt.Errorf("the server answered %q instead of opening a WebSocket; a proxy in front of it must forward the header Upgrade", answer.Status)
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 256))
	return fmt.Errorf("the server answered %q: %s", answer.Status, safetext.Line(bytes.TrimSpace(text)))
}

// dialed is a Conn to one server.
type dialed struct {
	transport.Conn
	open   func(context.Context, *pairID) (opened, error)
	two    bool
	hub    *Hub
	server transport.Peer
	again  chan struct{} // a datagram was sent without a connection
	end    context.CancelFunc
}

// newPair returns the pair of the next peer, or nil for one connection.
func (d *dialed) newPair() *pairID {
	if !d.two {
		return nil
	}
	return newPairID()
}

// add adds the server as a peer with a first connection.
func (d *dialed) add(conn opened, pair *pairID) (*socket, error) {
	if conn.Subprotocol() != numbered {
		pair = nil
	}
	return d.hub.add(d.server.AddrPort, pair)
}

// run serves a peer and, after its end, the next ones.
func (d *dialed) run(ctx context.Context, s *socket, conn opened) {
	for {
		d.serve(ctx, s, conn)
		for s = nil; s == nil; {
			select {
			case <-ctx.Done():
				return
			case <-d.again:
			}
			if !wait(ctx, redialInterval) {
				return
			}
			var err error
			pair := d.newPair()
			if conn, err = d.open(ctx, pair); err != nil {
				continue
			}
			if s, err = d.add(conn, pair); err != nil { // the hub is closed
				conn.CloseNow()
				return
			}
		}
	}
}

// serve serves a peer with a first connection until the peer has ended.
func (d *dialed) serve(ctx context.Context, s *socket, conn opened) {
	ctx, cancel := context.WithCancel(ctx)
	p := s.peer
	var others sync.WaitGroup
	others.Go(func() {
		<-p.over
		cancel()
	})
	if p.pair != nil {
		others.Go(func() {
			if s, conn, ok := d.reopen(ctx, p); ok {
				d.keep(ctx, s, conn)
			}
		})
	}
	d.keep(ctx, s, conn)
	others.Wait()
}

// keep serves a connection and then, if it belongs to a pair, the next ones in its place.
func (d *dialed) keep(ctx context.Context, s *socket, conn opened) {
	for ok := true; ok; {
		p, stop := s.peer, context.AfterFunc(ctx, s.cancel)
		_ = conn.serve(s)
		stop()
		d.hub.remove(s)
		if p.pair == nil || !wait(ctx, redialInterval) {
			return
		}
		s, conn, ok = d.reopen(ctx, p)
	}
}

// reopen opens a connection of a pair. It returns false if ctx ends first.
func (d *dialed) reopen(ctx context.Context, p *peer) (s *socket, conn opened, ok bool) {
	for ctx.Err() == nil {
		var err error
		if conn, err = d.open(ctx, p.pair); err == nil {
			if conn.Subprotocol() == numbered {
				if s, ok = d.hub.rejoin(p); ok {
					return s, conn, true
				}
			}
			conn.CloseNow()
		}
		wait(ctx, redialInterval)
	}
	return nil, conn, false
}

// wait waits for a time and returns true, or returns false when ctx ends.
func wait(ctx context.Context, span time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(span):
		return true
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
