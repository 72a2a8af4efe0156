package main

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/transport"
)

// newHTTPServer returns a server for pages that anybody may ask for, over listenHTTP.
func newHTTPServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 15 * time.Second,
	}
}

// The numbers of connections that a cappedListener allows by default. A browser opens 6.
const (
	maxHTTPConns          = 256
	maxHTTPConnsPerPerson = 16
)

// cappedListener closes connections that are too many, in all or of one person; see
// limit.Person. Local networks have no limit of their own, since proxies are there.
type cappedListener struct {
	net.Listener
	most, mostPerPerson int

	mu        sync.Mutex
	open      int
	perPerson map[netip.Prefix]int
}

// listenHTTP listens on a TCP address for a server of newHTTPServer.
func listenHTTP(addr string) (*cappedListener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	return newCappedListener(l), nil
}

func newCappedListener(l net.Listener) *cappedListener {
	return &cappedListener{Listener: l, most: maxHTTPConns, mostPerPerson: maxHTTPConnsPerPerson, perPerson: make(map[netip.Prefix]int)}
}

// Accept returns the next connection that is not too many.
func (l *cappedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		var person netip.Prefix
		if a, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil && !transport.IsLAN(a.Addr().Unmap()) {
			person = limit.Person(a.Addr())
		}
		if l.admit(person) {
			return &cappedConn{Conn: c, closed: sync.OnceFunc(func() { l.release(person) })}, nil
		}
		c.Close()
	}
}

// admit counts a connection of a person, or of a local network for the zero Prefix. It
// reports false if it is too many.
func (l *cappedListener) admit(person netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.most || person.IsValid() && l.perPerson[person] >= l.mostPerPerson {
		return false
	}
	l.open++
	l.perPerson[person]++
	return true
}

func (l *cappedListener) release(person netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.perPerson[person]--; l.perPerson[person] == 0 {
		delete(l.perPerson, person)
	}
}

// cappedConn is a connection that a cappedListener counts.
type cappedConn struct {
	net.Conn
	closed func()
}

// Close closes the connection and makes room for another.
func (c *cappedConn) Close() error {
	defer c.closed()
	return c.Conn.Close()
}
