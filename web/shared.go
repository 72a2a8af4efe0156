package web

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// firstByteTime limits the wait for the first byte of a connection.
const firstByteTime = 5 * time.Second

// tlsHandshake is the first byte of a connection over TLS. Requests over HTTP begin with a letter.
const tlsHandshake = 0x16

// sharedListener accepts connections with and without TLS on one port. Their first byte tells them
// apart.
type sharedListener struct {
	*cappedListener
	config   *tls.Config
	accepted chan accepted
	closed   chan struct{}
	close    func()
}

// accepted is a result of Accept.
type accepted struct {
	conn net.Conn
	err  error
}

// share returns a listener that also accepts TLS on the port of l.
func share(l *cappedListener, config *tls.Config) net.Listener {
	closed := make(chan struct{})
	s := &sharedListener{l, config, make(chan accepted), closed, sync.OnceFunc(func() { close(closed) })}
	go s.run()
	return s
}

// run accepts connections until the listener is closed.
func (s *sharedListener) run() {
	for {
		conn, err := s.cappedListener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			s.pass(nil, err) // the HTTP server waits a while before it asks again
		default:
			go s.sort(conn.(*cappedConn))
		}
	}
}

// sort waits for the first byte of a connection.
func (s *sharedListener) sort(c *cappedConn) {
	c.SetReadDeadline(time.Now().Add(firstByteTime))
	if _, err := c.Conn.Read(c.first[:]); err != nil {
		c.Close()
		return
	}
	c.SetReadDeadline(time.Time{})
	c.hasFirst = true
	if c.first[0] == tlsHandshake {
		s.pass(tls.Server(c, s.config), nil)
	} else {
		s.pass(c, nil)
	}
}

// pass passes a result to Accept.
func (s *sharedListener) pass(conn net.Conn, err error) {
	select {
	case s.accepted <- accepted{conn, err}:
	case <-s.closed:
		if conn != nil {
			conn.Close()
		}
	}
}

// Accept returns the next connection: a *tls.Conn if it began with TLS.
func (s *sharedListener) Accept() (net.Conn, error) {
	select {
	case a := <-s.accepted:
		return a.conn, a.err
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the listener.
func (s *sharedListener) Close() error {
	s.close()
	return s.cappedListener.Close()
}
