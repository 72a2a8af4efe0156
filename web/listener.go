package web

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

// NewServer returns an HTTP server for the public, to run on the listeners of [Listen].
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: answering(h), MaxHeaderBytes: 16 << 10, ConnContext: keepConn,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 15 * time.Second,
		ErrorLog: log.New(io.Discard, "", 0), // clients can cause any amount of log output
	}
}

// answering returns a handler that marks connections while their requests are answered.
func answering(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := cappedConnOf(r.Context()); c != nil {
			c.answers.Add(1)
			defer c.answers.Add(-1)
		}
		h.ServeHTTP(w, r)
	})
}

// Numbers of connections that Listen allows.
const (
	maxConns          = 1024
	maxConnsPerPerson = 16
	// connsPerPlayer is how many a browser opens: 6 for a page, and 2 that become a player's.
	connsPerPlayer = 8
)

// Listen listens on host:port, or on defaultPort of a host. An empty host means all addresses of
// the machine. For a host name, Listen listens on all addresses of the name. The port of the first
// one must be free.
//
// The listeners limit the connections. Beyond the limit of one address (see limit.Person) they
// close its newest connection. Beyond the total they close the oldest one that waits for a request
// or, if all are being answered, the oldest. So clients cannot lock out a health check. Local
// networks have no limit of their own, since proxies may be there.
func Listen(ctx context.Context, addr string, defaultPort uint16) ([]net.Listener, error) {
	return listen(ctx, addr, defaultPort, new(atomic.Int32))
}

// listen is Listen on a server where each address may have a number of seats.
func listen(ctx context.Context, addr string, defaultPort uint16, seats *atomic.Int32) ([]net.Listener, error) {
	host, port, err := splitAddr(addr, defaultPort)
	if err != nil {
		return nil, err
	}
	addrs := []string{host}
	switch {
	case strings.EqualFold(host, "localhost"): // needs no resolver, which containers may lack
		addrs = []string{"127.0.0.1", "::1"}
	case host != "":
		if addrs, err = net.DefaultResolver.LookupHost(ctx, host); err != nil {
			return nil, err
		}
	}
	var listeners []net.Listener
	c := newConnCount(seats)
	var first error
	for i, a := range addrs {
		var cfg net.ListenConfig
		l, err := cfg.Listen(ctx, "tcp", net.JoinHostPort(a, port))
		if err != nil {
			if i == 0 {
				first = err
			}
			continue
		}
		if port == "0" { // the same port for the other addresses
			_, port, _ = net.SplitHostPort(l.Addr().String())
		}
		listeners = append(listeners, &cappedListener{l, c})
	}
	if first != nil {
		for _, l := range listeners {
			l.Close()
		}
		return nil, first
	}
	return listeners, nil
}

// splitAddr splits host:port; :port may be missing.
func splitAddr(addr string, defaultPort uint16) (host, port string, err error) {
	if a, err := netip.ParseAddr(strings.Trim(addr, "[]")); err == nil { // an IPv6 address contains colons
		return a.String(), strconv.Itoa(int(defaultPort)), nil
	}
	if !strings.Contains(addr, ":") {
		return addr, strconv.Itoa(int(defaultPort)), nil
	}
	if host, port, err = net.SplitHostPort(addr); err != nil {
		return "", "", err
	}
	if _, err := strconv.ParseUint(cmp.Or(port, "none"), 10, 16); err != nil {
		return "", "", fmt.Errorf("%q is not a port; use 0 to 65535", port)
	}
	return host, port, nil
}

// cappedListener closes connections beyond the limits.
type cappedListener struct {
	net.Listener
	count *connCount
}

// connCount counts the open connections of listeners.
type connCount struct {
	most, mostPerPerson int
	seats               *atomic.Int32 // that each person may have; they raise mostPerPerson

	mu        sync.Mutex
	open      []*cappedConn // oldest first
	perPerson map[netip.Prefix]int
}

func newConnCount(seats *atomic.Int32) *connCount {
	return &connCount{most: maxConns, mostPerPerson: maxConnsPerPerson, seats: seats, perPerson: make(map[netip.Prefix]int)}
}

// Accept returns the next connection whose address is within its limit.
func (l *cappedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &cappedConn{Conn: conn, count: l.count}
		if a, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil && !transport.IsLAN(a.Addr().Unmap()) {
			c.person = limit.Person(a.Addr())
		}
		surplus, ok := l.count.admit(c)
		if surplus != nil {
			surplus.Close()
		}
		if ok {
			return c, nil
		}
		conn.Close()
	}
}

// admit counts a connection. It returns false if the address has too many. If there are too many in
// all, it returns the connection to close.
func (n *connCount) admit(c *cappedConn) (surplus *cappedConn, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.person.IsValid() && n.perPerson[c.person] >= max(n.mostPerPerson, connsPerPlayer*int(n.seats.Load())) {
		return nil, false
	}
	if len(n.open) >= n.most {
		idle := slices.IndexFunc(n.open, func(o *cappedConn) bool { return o.answers.Load() == 0 })
		surplus = n.open[max(idle, 0)]
	}
	n.open = append(n.open, c)
	n.perPerson[c.person]++
	return surplus, true
}

func (n *connCount) release(c *cappedConn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.Index(n.open, c)
	if i < 0 {
		return
	}
	n.open = slices.Delete(n.open, i, i+1)
	if n.perPerson[c.person]--; n.perPerson[c.person] == 0 {
		delete(n.perPerson, c.person)
	}
}

// cappedConn is a connection that a cappedListener counts.
type cappedConn struct {
	net.Conn
	count   *connCount
	person  netip.Prefix // zero for a local network
	answers atomic.Int32 // number of requests being answered

	first    [1]byte // read ahead by a sharedListener
	hasFirst bool
}

// Read implements net.Conn.
func (c *cappedConn) Read(b []byte) (int, error) {
	if c.hasFirst && len(b) > 0 {
		c.hasFirst = false
		return copy(b, c.first[:]), nil
	}
	return c.Conn.Read(b)
}

// Close closes the connection and makes room for another.
func (c *cappedConn) Close() error {
	defer c.count.release(c)
	return c.Conn.Close()
}
