package ws

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// testHub is a hub behind an HTTP server, joined to a UDP socket. The header From of a request sets
// its source address.
type testHub struct {
	*Hub
	conn transport.Conn
	udp  *udp.Conn
	url  string
	// change, if set, changes requests before the hub serves them.
	change func(*http.Request)
	// arrived, if set, has what another goroutine reads.
	arrived chan transport.Datagram
}

// newTestHub returns a hub that serves connections with goroutines.
func newTestHub(t *testing.T) *testHub { return newTestHubFor(t, false) }

// eachWay runs a test with goroutines for connections, and with a poller on systems that have one.
// Another goroutine reads all datagrams. Such tests run at the same time: most of them wait.
func eachWay(t *testing.T, test func(t *testing.T, h *testHub)) {
	t.Parallel()
	ways(t, (*testing.T).Parallel, test)
}

// eachWayAlone is eachWay for a test that measures memory or speed.
func eachWayAlone(t *testing.T, test func(t *testing.T, h *testHub)) {
	ways(t, func(*testing.T) {}, test)
}

func ways(t *testing.T, begin func(*testing.T), test func(t *testing.T, h *testHub)) {
	for way, direct := range map[string]bool{"goroutines": false, "poller": true} {
		t.Run(way, func(t *testing.T) {
			begin(t)
			h := newTestHubFor(t, direct)
			h.arrived = make(chan transport.Datagram, 100_000)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				batch := make([]transport.Datagram, 64)
				for {
					n, err := h.conn.ReadBatch(batch, h.conn.Now()+int64(10*time.Millisecond))
					if err != nil {
						return
					}
					for _, d := range batch[:n] {
						d.Data = bytes.Clone(d.Data)
						h.arrived <- d
					}
				}
			}()
			t.Cleanup(func() { h.conn.Close(); <-ended })
			test(t, h)
		})
	}
}

func newTestHubFor(t *testing.T, dedicated bool) *testHub {
	h := &testHub{Hub: NewHub(), udp: testenv.Must(udp.Listen(udp.Config{Addr: "127.0.0.1", Dedicated: dedicated}))}
	h.conn = h.Join(h.udp)
	testenv.Check(t, dedicated || h.poller == nil, "the poller is %v", h.poller)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := r.Header.Get("From")
		if from == "" {
			from = r.RemoteAddr
		}
		if h.change != nil {
			h.change(r)
		}
		h.Serve(w, r, netip.MustParseAddrPort(from))
	}))
	h.url = "ws" + strings.TrimPrefix(s.URL, "http")
	t.Cleanup(func() { h.conn.Close(); s.Close() })
	return h
}

// dial connects as a browser would, from the given address; "" means the real one.
func (h *testHub) dial(t *testing.T, from string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), h.url, &websocket.DialOptions{
		Subprotocols: []string{"binary"}, HTTPHeader: http.Header{"From": {from}, "Origin": {"https://example.org"}},
	})
	testenv.NoError(t, err)
	t.Cleanup(func() { c.CloseNow() })
	return c
}

func write(t *testing.T, c *websocket.Conn, messages ...string) {
	t.Helper()
	for _, m := range messages {
		testenv.NoError(t, c.Write(t.Context(), websocket.MessageBinary, []byte(m)))
	}
}

// read returns the next datagrams, with their data copied.
func (h *testHub) read(t *testing.T, n int) (got []transport.Datagram) {
	t.Helper()
	for range n {
		if h.arrived == nil {
			break
		}
		select {
		case d := <-h.arrived:
			got = append(got, d)
		case <-time.After(10 * time.Second):
			t.Fatalf("%d of %d datagrams", len(got), n)
		}
	}
	batch := make([]transport.Datagram, 64)
	for end := h.conn.Now() + int64(5*time.Second); len(got) < n; {
		k, err := h.conn.ReadBatch(batch, end)
		if err != nil || h.conn.Now() > end {
			t.Fatalf("%d of %d datagrams, %v", len(got), n, err)
		}
		for _, d := range batch[:k] {
			d.Data = bytes.Clone(d.Data)
			got = append(got, d)
		}
	}
	return got
}

// TestDatagrams checks that datagrams pass in both directions, alongside UDP datagrams.
func TestDatagrams(t *testing.T) { eachWay(t, testDatagrams) }

func testDatagrams(t *testing.T, h *testHub) {
	c := h.dial(t, "192.0.2.1:5555")
	write(t, c, "\xff\xff\xff\xffport\x12\x34", "hello", "", "world")
	got := h.read(t, 2)
	want := transport.Peer{AddrPort: netip.MustParseAddrPort("192.0.2.1:5555"), Kind: transport.WebSocket}
	for i, text := range []string{"hello", "world"} {
		testenv.Check(t, got[i].Peer == want && string(got[i].Data) == text, "got %q from %v", got[i].Data, got[i].Peer)
		testenv.Check(t, got[i].ReceivedAt > 0 && got[i].ReceivedAt <= h.conn.Now(), "received at %d", got[i].ReceivedAt)
	}
	testenv.Check(t, want.String() == "ws://192.0.2.1:5555", "%v", want)
	h.conn.Send(want, []byte("one"))
	h.conn.Send(want, []byte("two"))
	h.conn.Flush()
	for _, text := range []string{"one", "two"} {
		kind, b, err := c.Read(t.Context())
		testenv.Check(t, kind == websocket.MessageBinary && string(b) == text && err == nil, "%v %q %v", kind, b, err)
	}

	u := testenv.Must(udp.Listen(udp.Config{Addr: "127.0.0.1"}))
	defer u.Close()
	u.Send(h.udp.LocalAddr(), []byte("by UDP"))
	u.Flush()
	testenv.Check(t, h.read(t, 1)[0].Peer == u.LocalAddr(), "UDP")

	c.Close(websocket.StatusNormalClosure, "")
	end := h.read(t, 1)[0]
	testenv.Check(t, end.Peer == want && len(end.Data) == 0, "the end: %v", end)
	testenv.Eventually(t, "the peer is gone", func() bool { return h.Peers() == 0 })
	h.conn.Send(want, []byte("too late"))
	s := h.conn.Stats()
	testenv.Check(t, s.Dropped[transport.DropSendUnreachable] == 1 && s.Received == 3, "%+v", s)
}

// TestGather checks that datagrams that arrive while the reader gathers are read together, neither
// early nor much late.
func TestGather(t *testing.T) {
	h := newTestHub(t)
	c := h.dial(t, "192.0.2.1:5555")
	write(t, c, "hello")
	h.read(t, 1)
	end := h.conn.Now() + int64(20*time.Millisecond)
	h.conn.(transport.Gatherer).Gather(end)
	write(t, c, "one")
	write(t, c, "two")
	h.read(t, 1)
	testenv.Check(t, h.conn.Now() >= end, "read too early")
}

// TestLoopbackIsNobody checks that a page in a browser on this machine does not get the operator's
// address.
func TestLoopbackIsNobody(t *testing.T) { eachWay(t, testLoopbackIsNobody) }

func testLoopbackIsNobody(t *testing.T, h *testHub) {
	write(t, h.dial(t, ""), "hello")
	peer := h.read(t, 1)[0].Peer
	testenv.Check(t, peer.Addr() == netip.IPv4Unspecified() && peer.Port() > 0, "%v", peer)
}

// TestBadMessages checks that a message that is not a datagram ends the connection without using
// memory.
func TestBadMessages(t *testing.T) { eachWay(t, testBadMessages) }

func testBadMessages(t *testing.T, h *testHub) {
	for name, c := range map[string]struct {
		kind websocket.MessageType
		size int
		code websocket.StatusCode
	}{
		"text":      {websocket.MessageText, 10, websocket.StatusUnsupportedData},
		"too long":  {websocket.MessageBinary, transport.MaxDatagram + 1, websocket.StatusMessageTooBig},
		"very long": {websocket.MessageBinary, 4 << 20, websocket.StatusMessageTooBig},
	} {
		conn := h.dial(t, "192.0.2.1:5555")
		conn.Write(t.Context(), c.kind, make([]byte, c.size)) // it may fail
		_, _, err := conn.Read(t.Context())
		// Data that is still being sent may reset the connection before the reason is read.
		if code := websocket.CloseStatus(err); code != c.code && c.size < 1<<20 {
			t.Errorf("%s: %v", name, err)
		}
	}
	longest := h.dial(t, "192.0.2.1:5556")
	write(t, longest, strings.Repeat("x", transport.MaxDatagram))
	testenv.Check(t, len(h.read(t, 1)[0].Data) == transport.MaxDatagram, "the longest")
	testenv.Eventually(t, "they are gone", func() bool { return h.Peers() == 1 })
	testenv.Check(t, h.conn.Stats().Dropped[transport.DropTooLong] == 2, "%+v", h.conn.Stats())
}

// TestSlowReader checks that a client that does not read gets a limited amount and is disconnected,
// without affecting others.
func TestSlowReader(t *testing.T) { eachWayAlone(t, testSlowReader) }

func testSlowReader(t *testing.T, h *testHub) {
	h.stallTime = time.Second // enough to fill all buffers, even on a busy machine
	slow, good := h.dial(t, "192.0.2.1:5555"), h.dial(t, "192.0.2.2:5555")
	write(t, slow, "hello")
	toSlow := h.read(t, 1)[0].Peer
	write(t, good, "hello")
	toGood := h.read(t, 1)[0].Peer
	datagram := make([]byte, 1000)
	most := int64(0)
	for sent := 0; h.find(toSlow) != nil; sent++ {
		h.conn.Send(toSlow, datagram)
		h.conn.Flush()
		most = max(most, h.queued.Load())
		if sent > 1e6 {
			t.Fatal("the slow reader is not disconnected")
		}
		if sent%100 == 0 {
			time.Sleep(100 * time.Microsecond)
		}
	}
	testenv.Check(t, most <= 2*maxQueued, "%d bytes are queued", most)
	testenv.Check(t, h.conn.Stats().Dropped[transport.DropSendBuffer] > 0, "%+v", h.conn.Stats())
	h.conn.Send(toGood, datagram)
	h.conn.Flush()
	if _, b, err := good.Read(t.Context()); len(b) != len(datagram) || err != nil {
		t.Errorf("the other client got %d bytes, %v", len(b), err)
	}
	testenv.Eventually(t, "nothing is queued", func() bool { return h.queued.Load() == 0 })
}

// TestReaderCatchesUp checks that a client that did not read for some time gets whole datagrams, in
// order, when it reads again.
func TestReaderCatchesUp(t *testing.T) { eachWay(t, testReaderCatchesUp) }

func testReaderCatchesUp(t *testing.T, h *testHub) {
	h.stallTime = time.Minute
	c := h.dial(t, "192.0.2.1:5555")
	write(t, c, "hello")
	peer := h.read(t, 1)[0].Peer
	next := uint32(0)
	send := func() {
		next++
		h.conn.Send(peer, bytes.Repeat(binary.BigEndian.AppendUint32(nil, next), int(50+next%300)))
		h.conn.Flush()
	}
	for h.queued.Load() < maxQueuedSlow/2 {
		send()
	}
	last := uint32(0)
	for end := next + 50; last != end; {
		_, b, err := c.Read(t.Context())
		testenv.NoError(t, err)
		n := binary.BigEndian.Uint32(b)
		testenv.Require(t, n > last && bytes.Equal(b, bytes.Repeat(binary.BigEndian.AppendUint32(nil, n), int(50+n%300))), "%d after %d: %q", n, last, b)
		if last = n; next < end && (n == next || h.queued.Load() == 0) {
			send()
		}
	}
	testenv.Eventually(t, "nothing is queued", func() bool { return h.queued.Load() == 0 })
}

// TestFastSender checks that a client that sends faster than the reader reads has to wait.
func TestFastSender(t *testing.T) {
	h := newTestHub(t)
	c := h.dial(t, "192.0.2.1:5555")
	const n = 5_000
	go func() {
		for range n {
			c.Write(context.Background(), websocket.MessageBinary, []byte("x"))
		}
	}()
	most := 0
	batch := make([]transport.Datagram, 64)
	for got, end := 0, h.conn.Now()+int64(10*time.Second); got < n; {
		h.mu.Lock()
		most = max(most, len(h.unread))
		h.mu.Unlock()
		k, err := h.conn.ReadBatch(batch, end)
		if err != nil || h.conn.Now() > end {
			t.Fatalf("%d datagrams, %v", got, err)
		}
		got += k
	}
	testenv.Check(t, most <= maxUnread, "%d wait", most)
}

// TestHalfOpen checks that silent connections, and connections that stop in the middle of a
// message, are closed.
func TestHalfOpen(t *testing.T) { eachWay(t, testHalfOpen) }

func testHalfOpen(t *testing.T, h *testHub) {
	h.idleTime = 50 * time.Millisecond
	h.dial(t, "192.0.2.1:5555")
	part := h.dial(t, "192.0.2.2:5555")
	w := testenv.Must(part.Writer(t.Context(), websocket.MessageBinary))
	fmt.Fprint(w, "some")
	testenv.Eventually(t, "they are closed", func() bool { return h.Peers() == 0 })
}

// TestManyConnections checks the limits of connections per person and in total. When the total is
// reached, active connections stay.
func TestManyConnections(t *testing.T) { eachWay(t, testManyConnections) }

func testManyConnections(t *testing.T, h *testHub) {
	for i := range defaultSeats + sparePeers {
		h.dial(t, fmt.Sprintf("192.0.2.1:%d", 1000+i))
	}
	if c, _, err := websocket.Dial(t.Context(), h.url, &websocket.DialOptions{HTTPHeader: http.Header{"From": {"192.0.2.1:7"}}}); err == nil {
		c.CloseNow()
		t.Error("one person got too many connections")
	}
	player := h.dial(t, "192.0.2.2:5555")
	write(t, player, "hello")
	peer := h.read(t, 1)[0].Peer
	for i := range maxPeers {
		a := netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)})
		h.dial(t, netip.AddrPortFrom(a, 5555).String()).CloseRead(t.Context())
		h.conn.Send(peer, []byte("snapshot"))
	}
	h.conn.Flush()
	testenv.Eventually(t, "the idlest are closed", func() bool { return h.Peers() <= maxPeers })
	testenv.Check(t, h.find(peer) != nil, "the active client lost the connection")
	if _, b, err := player.Read(t.Context()); string(b) != "snapshot" || err != nil {
		t.Errorf("the active client got %q, %v", b, err)
	}
}

// TestSameAddress checks that two clients with the same address and port, behind two proxies, are
// two peers.
func TestSameAddress(t *testing.T) { eachWay(t, testSameAddress) }

func testSameAddress(t *testing.T, h *testHub) {
	write(t, h.dial(t, "192.0.2.1:5555"), "a")
	a := h.read(t, 1)[0].Peer
	write(t, h.dial(t, "192.0.2.1:5555"), "b")
	b := h.read(t, 1)[0].Peer
	testenv.Check(t, a != b && a.Addr() == b.Addr(), "%v, %v", a, b)
}

// TestCloseSendsTheRest checks that datagrams sent just before Close arrive, such as the reason for
// the server's end.
func TestCloseSendsTheRest(t *testing.T) {
	t.Parallel()
	h := newTestHub(t)
	c := h.dial(t, "192.0.2.1:5555")
	write(t, c, "hello")
	h.conn.Send(h.read(t, 1)[0].Peer, []byte("bye"))
	testenv.NoError(t, h.conn.Close())
	if _, b, err := c.Read(t.Context()); string(b) != "bye" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	_, _, err := websocket.Dial(t.Context(), h.url, nil)
	testenv.Check(t, err != nil, "a closed hub accepts connections")
	_, err = h.conn.ReadBatch(make([]transport.Datagram, 1), 0)
	testenv.Check(t, errors.Is(err, transport.ErrClosed), "%v", err)
}

// TestDial checks that Dial's Conn reaches the server, and reconnects after the connection has
// ended.
func TestDial(t *testing.T) {
	t.Parallel()
	h := newTestHub(t)
	c, server, err := Dial(t.Context(), h.url)
	testenv.NoError(t, err)
	defer c.Close()
	echo := func() error {
		c.Send(server, []byte("hello"))
		c.Flush()
		batch := make([]transport.Datagram, 4)
		n, err := h.conn.ReadBatch(batch, h.conn.Now()+int64(100*time.Millisecond))
		if err != nil || n == 0 || len(batch[0].Data) == 0 {
			return fmt.Errorf("the server received nothing: %v", err)
		}
		h.conn.Send(batch[0].Peer, batch[0].Data)
		h.conn.Flush()
		if n, err = c.ReadBatch(batch, c.Now()+int64(time.Second)); err != nil || n == 0 || string(batch[0].Data) != "hello" {
			return fmt.Errorf("%d datagrams came back: %v", n, err)
		}
		testenv.Check(t, batch[0].Peer == server, "from %v", batch[0].Peer)
		return nil
	}
	testenv.Eventually(t, "an echo", func() bool { return echo() == nil })
	h.mu.Lock()
	for _, p := range h.peers {
		p.cancel()
	}
	h.mu.Unlock()
	testenv.Eventually(t, "an echo after the end", func() bool { return echo() == nil })
	go func() { time.Sleep(time.Millisecond); c.Wake() }()
	for woken := false; !woken; {
		n, err := c.ReadBatch(make([]transport.Datagram, 4), c.Now()+int64(time.Hour))
		testenv.NoError(t, err)
		woken = n == 0
	}
	c.Close()
	_, err = c.ReadBatch(make([]transport.Datagram, 4), c.Now()+int64(time.Hour))
	testenv.Check(t, errors.Is(err, transport.ErrClosed), "closed: %v", err)
}

func TestDialErrors(t *testing.T) {
	for _, address := range []string{"", "localhost", "http://localhost", "ws://", "ws://:80", "ws://a b"} {
		_, _, err := Dial(t.Context(), address)
		testenv.Check(t, errors.Is(err, ErrAddress), "%q: %v", address, err)
	}
	_, _, err := Dial(t.Context(), "ws://127.0.0.1:1")
	testenv.Check(t, err != nil && strings.HasPrefix(err.Error(), "ws: dial tcp 127.0.0.1:1:"), "%v", err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page" {
			fmt.Fprint(w, "<!doctype html><title>x</title>")
			return
		}
		http.Error(w, "not\x1b[2J here"+strings.Repeat("x", 1e6), http.StatusForbidden)
	}))
	defer s.Close()
	_, _, err = Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"))
	text := fmt.Sprint(err)
	testenv.Check(t, strings.HasPrefix(text, `ws: the server answered "403 Forbidden": not`) && !strings.Contains(text, "\x1b") && len(text) < 400, "%s", text)
	_, _, err = Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/page")
	testenv.Check(t, strings.Contains(fmt.Sprint(err), "header Upgrade") && !strings.Contains(err.Error(), "<"), "%v", err)
}

// TestAllocs checks that sending and receiving do not allocate in the game's goroutine.
func TestAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	h := newTestHub(t)
	c := h.dial(t, "192.0.2.1:5555")
	write(t, c, "hello")
	peer := h.read(t, 1)[0].Peer
	p := h.find(peer)
	s := p.sockets[0]
	datagram, batch := make([]byte, 500), make([]transport.Datagram, 64)
	for range maxUnread {
		<-p.free
		p.free <- make([]byte, 5)
	}
	got := testing.AllocsPerRun(100, func() {
		s.mu.Lock()
		s.out = s.out[:0] // as the sender does
		s.mu.Unlock()
		h.conn.Send(peer, datagram)
		buf := <-p.free
		h.mu.Lock()
		h.unread = append(h.unread, arrival{p, buf[:5], 1})
		h.mu.Unlock()
		h.conn.ReadBatch(batch, 0)
	})
	testenv.Check(t, got == 0, "%v allocations", got)
}
