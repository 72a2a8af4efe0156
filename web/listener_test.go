package web

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
)

// fakeListener accepts connections from the addresses that are sent to it.
type fakeListener struct {
	net.Listener
	from chan string
}

func (l fakeListener) Accept() (net.Conn, error) {
	addr, ok := <-l.from
	if !ok {
		return nil, net.ErrClosed
	}
	ours, theirs := net.Pipe()
	return fakeConn{ours, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr)), theirs}, nil
}

// fakeConn is a connection with an address.
type fakeConn struct {
	net.Conn
	addr  net.Addr
	other net.Conn
}

func (c fakeConn) RemoteAddr() net.Addr { return c.addr }

// TestCappedListener checks that neither one person nor all together can open more
// connections than allowed, and that those that are closed make room.
func TestCappedListener(t *testing.T) {
	from := make(chan string, 100)
	l := &cappedListener{fakeListener{from: from}, newConnCount()}
	l.count.most, l.count.mostPerPerson = 8, 2
	var open []net.Conn
	accept := func(want int, addrs ...string) {
		t.Helper()
		before := len(open)
		for _, a := range addrs {
			from <- a
		}
		from <- "127.0.0.1:1" // a mark that is always allowed, unless all are in use
		for {
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			if c.RemoteAddr().String() == "127.0.0.1:1" {
				c.Close()
				c.Close() // counts once
				break
			}
			open = append(open, c)
		}
		if got := len(open) - before; got != want {
			t.Errorf("%d of %d connections are accepted, want %d", got, len(addrs), want)
		}
	}
	accept(2, "198.51.100.1:1", "198.51.100.1:2", "198.51.100.1:3", "[::ffff:198.51.100.1]:4")
	accept(2, "[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::3]:1")
	accept(3, "10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3") // a proxy
	open[0].Close()
	accept(1, "198.51.100.1:5", "198.51.100.1:6")
	open[1].Close()
	open = open[2:]
	accept(1, "198.51.100.2:1")
	from <- "198.51.100.3:1"
	from <- "10.0.0.1:4"
	from <- "198.51.100.4:1"
	close(from)
	if c, err := l.Accept(); err != nil || c.RemoteAddr().String() != "198.51.100.3:1" {
		t.Fatalf("%v, %v", c, err)
	}
	if c, err := l.Accept(); err == nil {
		t.Errorf("%v is accepted, beyond the limit for all", c.RemoteAddr())
	}
	for _, c := range open {
		c.Close()
	}
	if l.count.open != 1 || len(l.count.perPerson) != 1 {
		t.Errorf("%d connections of %d are counted, one is open", l.count.open, len(l.count.perPerson))
	}
}

// TestHTTPConnectionsAreCapped opens more connections than a server takes: it serves on, and
// those that are too many end at once.
func TestHTTPConnectionsAreCapped(t *testing.T) {
	all, err := Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	l := all[0]
	served := make(chan net.Conn, 2*maxConns)
	s := NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") }))
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			served <- c
		}
	}
	go s.Serve(l)
	defer s.Close()
	for range maxConns {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		<-served
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil || len(served) != 0 {
		t.Errorf("connection %d: read %d bytes, %v", maxConns+1, n, err)
	}
}
