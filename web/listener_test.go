package web

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
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

// TestCappedListener checks that one address cannot open more connections than allowed, that closed
// ones make room, and that the oldest are closed beyond the total.
func TestCappedListener(t *testing.T) {
	from := make(chan string, 100)
	l := &cappedListener{fakeListener{from: from}, newConnCount(new(atomic.Int32))}
	l.count.most, l.count.mostPerPerson = 8, 2
	var open []net.Conn
	accept := func(want int, addrs ...string) {
		t.Helper()
		before := len(open)
		for _, a := range addrs {
			from <- a
		}
		from <- "127.0.0.1:1" // a marker that is always allowed
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
	for i, addr := range []string{"198.51.100.3:1", "10.0.0.1:4", "198.51.100.4:1"} {
		from <- addr
		c, err := l.Accept()
		if err != nil || c.RemoteAddr().String() != addr {
			t.Fatalf("%v, %v", c, err)
		}
		defer c.Close()
		closed := 0
		for _, o := range open {
			o.SetReadDeadline(time.Now())
			if _, err := o.Read(make([]byte, 1)); errors.Is(err, io.ErrClosedPipe) {
				closed++
			} else {
				break
			}
		}
		if closed != i || len(l.count.open) != 8 {
			t.Errorf("%s: %d of the oldest are closed, %d are counted", addr, closed, len(l.count.open))
		}
	}
	for _, c := range open {
		c.Close()
	}
	if len(l.count.open) != 3 || len(l.count.perPerson) != 3 {
		t.Errorf("%d connections of %d are counted, three are open", len(l.count.open), len(l.count.perPerson))
	}
}

// TestSeatsRaiseTheLimit checks that a person may open the connections of all browsers that may
// play from its address.
func TestSeatsRaiseTheLimit(t *testing.T) {
	from := make(chan string, 1)
	var s Settings
	l := &cappedListener{fakeListener{from: from}, newConnCount(&s.seats)}
	for seats, want := range []int{maxConnsPerPerson, maxConnsPerPerson, maxConnsPerPerson, 3 * connsPerPlayer} {
		s.SetSeats(seats)
		for len(l.count.open) < want {
			from <- fmt.Sprintf("198.51.100.1:%d", 1+len(l.count.open))
			testenv.Must(l.Accept())
		}
		_, ok := l.count.admit(&cappedConn{person: l.count.open[0].person})
		testenv.Check(t, !ok, "%d seats: more than %d connections", seats, want)
	}
}

// TestBusyConnectionsStay checks that, beyond the total, connections that wait for a request are
// closed before older ones that are being answered, and that one being answered is closed only if
// all are.
func TestBusyConnectionsStay(t *testing.T) {
	from := make(chan string, 10)
	l := &cappedListener{fakeListener{from: from}, newConnCount(new(atomic.Int32))}
	l.count.most = 3
	accept := func(addr string) *cappedConn {
		from <- addr
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return c.(*cappedConn)
	}
	isOpen := func(c *cappedConn) bool { return slices.Contains(l.count.open, c) }
	answer := func(c *cappedConn, during func()) {
		r := httptest.NewRequest("GET", "/", nil)
		answering(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { during() })).ServeHTTP(nil, r.WithContext(keepConn(r.Context(), c)))
	}
	a, b, c := accept("198.51.100.1:1"), accept("198.51.100.2:1"), accept("198.51.100.3:1")
	answer(a, func() {
		d := accept("198.51.100.4:1")
		if !isOpen(a) || isOpen(b) || !isOpen(c) || !isOpen(d) {
			t.Error("not the oldest that waits is closed")
		}
		answer(c, func() {
			answer(d, func() {
				if accept("198.51.100.5:1"); isOpen(a) || !isOpen(c) || !isOpen(d) {
					t.Error("with all busy, not the oldest is closed")
				}
			})
		})
	})
	accept("198.51.100.6:1") // c waits again
	if isOpen(c) {
		t.Error("a connection stays busy after its answer")
	}
}

// TestHalfRequestsKeepNobodyOut opens more connections than a server allows and sends half a
// request over each. New requests are served, and the oldest connection ends at once.
func TestHalfRequestsKeepNobodyOut(t *testing.T) {
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
	var first net.Conn
	for range maxConns {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if first == nil {
			first = c
		}
		io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: ")
		<-served
	}
	answer, err := http.Get("http://" + l.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if page, err := io.ReadAll(answer.Body); string(page) != "page" || err != nil {
		t.Errorf("%q, %v", page, err)
	}
	if n, err := first.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("the oldest connection: read %d bytes, %v", n, err)
	}
}
