package ws

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

// tryPair connects for a pair, from an address.
func (h *testHub) tryPair(t *testing.T, from string, id *pairID) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	c, answer, err := websocket.Dial(t.Context(), h.url, &websocket.DialOptions{
		Subprotocols: id.subprotocols(), HTTPHeader: http.Header{"From": {from}, "Origin": {"https://example.org"}},
	})
	if err == nil {
		t.Cleanup(func() { c.CloseNow() })
	}
	return c, answer, err
}

func (h *testHub) dialPair(t *testing.T, from string, id *pairID) *websocket.Conn {
	t.Helper()
	c, _, err := h.tryPair(t, from, id)
	testenv.NoError(t, err)
	testenv.Check(t, c.Subprotocol() == numbered, "the subprotocol is %q", c.Subprotocol())
	return c
}

// numberedMessage returns a message with a numbered datagram.
func numberedMessage(n uint16, datagram string) string {
	return string(binary.BigEndian.AppendUint16(nil, n)) + datagram
}

// readMessages reads messages from a connection.
func readMessages(t *testing.T, c *websocket.Conn, n int) (got []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range n {
		_, b, err := c.Read(ctx)
		testenv.NoError(t, err)
		got = append(got, string(b))
	}
	return got
}

func (h *testHub) expect(t *testing.T, texts ...string) transport.Peer {
	t.Helper()
	got := h.read(t, len(texts))
	for i, text := range texts {
		testenv.Check(t, string(got[i].Data) == text, "datagram %d is %q, want %q", i, got[i].Data, text)
	}
	return got[0].Peer
}

// TestPair checks that two connections with one id are one peer: a datagram counts once whichever
// connections carry it, and goes to both. The peer lives until both have ended.
func TestPair(t *testing.T) { eachWay(t, testPair) }

func testPair(t *testing.T, h *testHub) {
	id := newPairID()
	a, b := h.dialPair(t, "192.0.2.1:5555", id), h.dialPair(t, "192.0.2.1:5556", id)
	testenv.Check(t, h.Peers() == 1, "%d peers", h.Peers())
	write(t, a, numberedMessage(65535, "one"))
	peer := h.expect(t, "one")
	testenv.Check(t, peer == transport.Peer{AddrPort: netip.MustParseAddrPort("192.0.2.1:5555"), Kind: transport.WebSocket}, "%v", peer)
	write(t, b, numberedMessage(65535, "one"), numberedMessage(1, "three"), "", numberedMessage(9, ""), "\x00")
	h.expect(t, "three")
	write(t, a, numberedMessage(0, "two"), numberedMessage(1, "three"), numberedMessage(2, "four"))
	testenv.Check(t, h.expect(t, "two", "four") == peer, "another peer")
	testenv.Check(t, h.conn.Stats().Received == 4, "%+v", h.conn.Stats())

	for _, text := range []string{"snapshot", "another"} {
		h.conn.Send(peer, []byte(text))
	}
	h.conn.Flush()
	want := fmt.Sprintf("%q", []string{numberedMessage(1, "snapshot"), numberedMessage(2, "another")})
	for _, c := range []*websocket.Conn{a, b} {
		got := fmt.Sprintf("%q", readMessages(t, c, 2))
		testenv.Check(t, got == want, "%s, want %s", got, want)
	}
	testenv.Check(t, h.conn.Stats().Sent == 2, "%+v", h.conn.Stats())

	a.Close(websocket.StatusNormalClosure, "")
	testenv.Eventually(t, "one connection", func() bool { return h.sockets(peer) == 1 })
	write(t, b, numberedMessage(3, "five"))
	h.expect(t, "five")
	a = h.dialPair(t, "192.0.2.1:5557", id)
	write(t, a, numberedMessage(3, "five"), numberedMessage(4, "six"))
	testenv.Check(t, h.expect(t, "six") == peer && h.Peers() == 1, "the connection is another peer's")
	h.conn.Send(peer, []byte("third"))
	h.conn.Flush()
	for _, c := range []*websocket.Conn{a, b} {
		testenv.Check(t, readMessages(t, c, 1)[0] == numberedMessage(3, "third"), "another number")
	}
	a.Close(websocket.StatusNormalClosure, "")
	b.Close(websocket.StatusNormalClosure, "")
	h.expect(t, "")
	testenv.Check(t, h.Peers() == 0 && len(h.pairs) == 0 && h.queued.Load() == 0, "%d peers, %d pairs, %d bytes", h.Peers(), len(h.pairs), h.queued.Load())
}

// sockets returns the number of connections of a peer.
func (h *testHub) sockets(id transport.Peer) int {
	p := h.find(id)
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sockets)
}

// TestPairOfOthers checks that a connection from another address cannot join a pair, even if it
// knows the id, and that a wrong id joins nothing.
func TestPairOfOthers(t *testing.T) { eachWay(t, testPairOfOthers) }

func testPairOfOthers(t *testing.T, h *testHub) {
	id := newPairID()
	a := h.dialPair(t, "192.0.2.1:5555", id)
	write(t, a, numberedMessage(1, "hello"))
	peer := h.expect(t, "hello")
	_, answer, err := h.tryPair(t, "192.0.2.2:5555", id)
	testenv.Require(t, err != nil && answer != nil && answer.StatusCode == http.StatusForbidden, "%v", err)
	for i := range len(id) {
		guess := *id
		guess[i]++
		c := h.dialPair(t, fmt.Sprintf("192.0.2.1:%d", 6000+i), &guess)
		write(t, c, numberedMessage(2, "stranger"))
		testenv.Check(t, h.expect(t, "stranger") != peer, "a wrong id joins")
		c.CloseNow()
		h.expect(t, "")
	}
	testenv.Check(t, h.sockets(peer) == 1, "%d connections", h.sockets(peer))
}

// TestPairOfNetwork checks that the connections of a pair may come from two addresses of an IPv6
// /64, since a machine changes its address.
func TestPairOfNetwork(t *testing.T) { eachWay(t, testPairOfNetwork) }

func testPairOfNetwork(t *testing.T, h *testHub) {
	id := newPairID()
	h.dialPair(t, "[2001:db8::1]:5555", id)
	h.dialPair(t, "[2001:db8::2]:5555", id)
	testenv.Check(t, h.Peers() == 1, "%d peers", h.Peers())
}

// TestPairRequests checks which requests are for a pair. All others get a single connection, as
// Emscripten's.
func TestPairRequests(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef"
	for header, want := range map[string]bool{
		"teeyard.2, pair." + id:        true,
		"teeyard.2,binary,pair." + id:  true,
		"binary":                       false,
		"":                             false,
		"teeyard.2":                    false,
		"teeyard.2, binary":            false,
		"binary, pair." + id:           false,
		"teeyard.2, pair." + id[1:]:    false,
		"teeyard.2, pair." + id + "00": false,
		"teeyard.2, pair.":             false,
		"teeyard.2, pair.x" + id[1:]:   false,
		"teeyard.2, pair." + strings.Repeat("0", 15<<10): false,
	} {
		r := &http.Request{Header: http.Header{"Sec-Websocket-Protocol": {header}}}
		testenv.Check(t, (requestedPair(r) != nil) == want, "%.60q: %v", header, !want)
	}
	two := &http.Request{Header: http.Header{"Sec-Websocket-Protocol": {"teeyard.2", "pair." + id}}}
	testenv.Check(t, requestedPair(two) != nil, "two headers")
}

// TestPairLimits checks that a pair counts as one connection, that a third connection of a pair
// replaces the quieter one, and that pairs with one connection count like others.
func TestPairLimits(t *testing.T) { eachWay(t, testPairLimits) }

func testPairLimits(t *testing.T, h *testHub) {
	var ids []*pairID
	for i := range defaultSeats + sparePeers {
		ids = append(ids, newPairID())
		for k := range maxSockets {
			h.dialPair(t, fmt.Sprintf("192.0.2.1:%d", 1000+2*i+k), ids[i])
		}
	}
	testenv.Check(t, h.Peers() == defaultSeats+sparePeers, "%d peers", h.Peers())
	for _, id := range []*pairID{nil, newPairID()} {
		_, answer, err := h.tryPair(t, "192.0.2.1:7", id)
		testenv.Require(t, err != nil && answer != nil && answer.StatusCode == http.StatusServiceUnavailable, "%v", err)
	}
	h.mu.Lock()
	p := h.pairs[*ids[0]]
	quiet := p.sockets[1]
	p.sockets[0].lastHeard.Add(1e9)
	h.mu.Unlock()
	for range 10 {
		h.dialPair(t, "192.0.2.1:8", ids[0])
	}
	testenv.Check(t, h.Peers() == defaultSeats+sparePeers && h.sockets(p.id) == maxSockets, "%d peers, %d connections", h.Peers(), h.sockets(p.id))
	testenv.Check(t, quiet.ctx.Err() != nil, "the quiet connection stays")
	h.mu.Lock()
	defer h.mu.Unlock()
	testenv.Check(t, h.perPerson[p.person] == defaultSeats+sparePeers, "%d count", h.perPerson[p.person])
}

// TestHalfPairs checks that connections without a second one are bounded and end when idle.
func TestHalfPairs(t *testing.T) {
	t.Parallel()
	h := newTestHub(t)
	h.idleTime = time.Hour
	for i := range maxPeers + 50 {
		a := netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)})
		testenv.Must(h.add(netip.AddrPortFrom(a, 5555), newPairID()))
	}
	testenv.Check(t, h.Peers() == maxPeers && len(h.pairs) == maxPeers, "%d peers, %d pairs", h.Peers(), len(h.pairs))
	idle := newTestHub(t)
	idle.idleTime = 50 * time.Millisecond
	for i := range 10 {
		idle.dialPair(t, fmt.Sprintf("192.0.2.1:%d", 1000+i), newPairID())
	}
	testenv.Eventually(t, "they are closed", func() bool { return idle.Peers() == 0 && len(idle.pairs) == 0 })
}

// TestDatagramsOfPairs sends numbers and sizes that no client sends. Only datagrams pass, once
// each, and a message that is too long ends the connection.
func TestDatagramsOfPairs(t *testing.T) { eachWay(t, testDatagramsOfPairs) }

func testDatagramsOfPairs(t *testing.T, h *testHub) {
	id := newPairID()
	a, b := h.dialPair(t, "192.0.2.1:5555", id), h.dialPair(t, "192.0.2.1:5556", id)
	longest := strings.Repeat("x", transport.MaxDatagram)
	write(t, a, numberedMessage(1, longest))
	h.expect(t, longest)
	// A flood of copies, and numbers that jump.
	for range 2000 {
		write(t, b, numberedMessage(1, longest))
	}
	for _, n := range []uint16{30_000, 50_000, 10_000} {
		write(t, b, numberedMessage(n, fmt.Sprint(n)), numberedMessage(n, "copy"))
		h.expect(t, fmt.Sprint(n))
	}
	write(t, b, numberedMessage(50_000, "too old"), numberedMessage(10_001, "next"))
	h.expect(t, "next")
	testenv.Check(t, h.conn.Stats().Received == 5, "%+v", h.conn.Stats())
	b.Write(t.Context(), websocket.MessageBinary, []byte(numberedMessage(10_002, longest+"x")))
	_, _, err := b.Read(t.Context())
	testenv.Check(t, websocket.CloseStatus(err) == websocket.StatusMessageTooBig, "%v", err)
	write(t, a, numberedMessage(10_002, "on"))
	peer := h.expect(t, "on")
	testenv.Eventually(t, "one connection", func() bool { return h.sockets(peer) == 1 })
}

// TestSlowReaderOfPair checks that a connection that is not read affects neither the other one nor
// the memory of the server.
func TestSlowReaderOfPair(t *testing.T) { eachWayAlone(t, testSlowReaderOfPair) }

func testSlowReaderOfPair(t *testing.T, h *testHub) {
	h.stallTime = time.Second
	id := newPairID()
	h.dialPair(t, "192.0.2.1:5555", id)
	good := h.dialPair(t, "192.0.2.1:5556", id)
	write(t, good, numberedMessage(1, "hello"))
	peer := h.expect(t, "hello")
	received := make(chan int64, 1)
	var read atomic.Int64
	go func() {
		for {
			_, b, err := good.Read(t.Context())
			if err != nil || len(b) == numberSize+3 {
				received <- read.Load()
				return
			}
			read.Add(1)
		}
	}()
	datagram, most, sent := make([]byte, 1000), int64(0), int64(0)
	for ; h.sockets(peer) == maxSockets; sent++ {
		if sent > 1e6 {
			t.Fatal("the slow connection does not end")
		}
		h.conn.Send(peer, datagram)
		h.conn.Flush()
		most = max(most, h.queued.Load())
		for late := 0; sent-read.Load() > 20 && late < 100; late++ { // on a busy machine, also a good reader needs time
			time.Sleep(100 * time.Microsecond)
		}
	}
	for n := int64(-1); n < 0; {
		h.conn.Send(peer, []byte("end"))
		h.conn.Flush()
		select {
		case n = <-received:
			testenv.Check(t, n > sent*9/10, "the good connection got %d of %d datagrams", n, sent)
		case <-time.After(10 * time.Millisecond):
		}
	}
	testenv.Check(t, most <= 2*maxSockets*maxQueued, "%d bytes are queued", most)
}

// readAny waits up to 10 s for a datagram. A copy that the other connection has already brought
// wakes ReadBatch, too, and is no datagram.
func readAny(c transport.Conn, batch []transport.Datagram) (n int, err error) {
	for until := c.Now() + int64(10*time.Second); n == 0 && err == nil && c.Now() < until; {
		n, err = c.ReadBatch(batch, until)
	}
	return n, err
}

// TestDialTwo checks that a client with two connections gets each datagram once, goes on when one
// of them is lost, and opens it again.
func TestDialTwo(t *testing.T) { eachWay(t, testDialTwo) }

func testDialTwo(t *testing.T, h *testHub) {
	c, server, err := (&Dialer{Two: true}).Dial(t.Context(), h.url)
	testenv.NoError(t, err)
	defer c.Close()
	var peer transport.Peer
	two := func() bool { return h.sockets(peer) == 2 && c.(*dialed).sockets() == 2 }
	n := 0
	echo := func() {
		t.Helper()
		n++
		text := fmt.Sprint("hello ", n)
		c.Send(server, []byte(text))
		c.Flush()
		peer = h.expect(t, text)
		h.conn.Send(peer, []byte(text))
		h.conn.Flush()
		batch := make([]transport.Datagram, 4)
		k, err := readAny(c, batch)
		testenv.Require(t, err == nil && k == 1 && string(batch[0].Data) == text, "%d datagrams, %q, %v", k, batch[0].Data, err)
	}
	echo()
	first := peer
	testenv.Eventually(t, "two connections", two)
	for range 20 {
		echo()
	}
	for i := range 2 {
		p := h.find(peer)
		p.mu.Lock()
		p.sockets[i].cancel()
		p.mu.Unlock()
		testenv.Eventually(t, "one connection", func() bool { return h.sockets(peer) == 1 })
		for range 20 {
			echo()
		}
		testenv.Eventually(t, "two connections again", two)
		echo()
	}
	testenv.Check(t, peer == first, "another peer")
	// When both are lost, Send opens a new pair.
	h.find(peer).cancel()
	testenv.Eventually(t, "no connection", func() bool { return h.Peers() == 0 })
	h.expect(t, "")
	testenv.Eventually(t, "the client notices", func() bool { return c.(*dialed).hub.find(server) == nil })
	batch := make([]transport.Datagram, 4)
	k, err := readAny(c, batch)
	testenv.Check(t, err == nil && k == 1 && len(batch[0].Data) == 0, "%d datagrams, %v", k, err)
	c.Send(server, []byte("lost"))
	testenv.Eventually(t, "a new pair", func() bool { return h.Peers() == 1 })
	testenv.Eventually(t, "a new pair for the client", func() bool { return c.(*dialed).sockets() > 0 })
	echo()
	testenv.Eventually(t, "two connections", two)
	echo()
	c.Close()
	testenv.Eventually(t, "the end", func() bool { return h.Peers() == 0 })
}

// sockets returns the number of the client's connections.
func (d *dialed) sockets() int {
	p := d.hub.find(d.server)
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sockets)
}

// TestDialTwoFallsBack checks that a client that wants two connections uses one without numbers on
// a server that knows only such ones.
func TestDialTwoFallsBack(t *testing.T) { eachWay(t, testDialTwoFallsBack) }

func testDialTwoFallsBack(t *testing.T, h *testHub) {
	h.change = func(r *http.Request) { r.Header.Set("Sec-WebSocket-Protocol", single) }
	c, server, err := (&Dialer{Two: true}).Dial(t.Context(), h.url)
	testenv.NoError(t, err)
	defer c.Close()
	c.Send(server, []byte("hello"))
	c.Flush()
	peer := h.expect(t, "hello")
	h.conn.Send(peer, []byte("answer"))
	h.conn.Flush()
	batch := make([]transport.Datagram, 4)
	n, err := readAny(c, batch)
	testenv.Check(t, err == nil && n == 1 && bytes.Equal(batch[0].Data, []byte("answer")), "%d, %v", n, err)
	testenv.Check(t, h.Peers() == 1 && h.sockets(peer) == 1, "%d peers", h.Peers())
}
