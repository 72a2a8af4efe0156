package ws

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

// rawConn is a connection after the handshake. Tests write their own frames to it.
type rawConn struct {
	net.Conn
	r      *bufio.Reader
	answer *http.Response
}

// dialRaw connects and offers compression as browsers do.
func (h *testHub) dialRaw(t *testing.T, from string) rawConn {
	t.Helper()
	conn := testenv.Must(net.Dial("tcp", strings.TrimPrefix(h.url, "ws://")))
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nFrom: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: binary\r\n"+
		"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n", from)
	r := bufio.NewReader(conn)
	return rawConn{conn, r, testenv.Must(http.ReadResponse(r, nil))}
}

const (
	final      = 0x80
	compressed = 0x40
	opBinary   = 2
	opPing     = 9
)

// frame returns a client's frame with a mask of zeros. A negative size means the size of the
// payload.
func frame(bits byte, size int64, payload []byte) []byte {
	if size < 0 {
		size = int64(len(payload))
	}
	b := []byte{bits}
	switch {
	case size < 126:
		b = append(b, 0x80|byte(size))
	case size < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(size))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(size))
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

// TestBadFrames sends invalid or excessive frames. The connection must end, no datagram may arrive,
// and the announced sizes must not allocate memory.
func TestBadFrames(t *testing.T) {
	testenv.Long(t)
	eachWayAlone(t, testBadFrames)
}

func testBadFrames(t *testing.T, h *testHub) {
	h.idleTime = 200 * time.Millisecond // for frames that announce more bytes than they contain
	var bomb bytes.Buffer
	z := testenv.Must(flate.NewWriter(&bomb, flate.BestCompression))
	z.Write(make([]byte, 64<<20))
	z.Flush()
	bad := map[string][]byte{
		"compressed":            frame(final|compressed|opBinary, -1, bomb.Bytes()),
		"reserved bit":          frame(final|0x20|opBinary, -1, []byte("x")),
		"reserved kind":         frame(final|3, -1, []byte("x")),
		"not masked":            {final | opBinary, 1, 'x'},
		"of 2^62 bytes":         frame(final|opBinary, 1<<62, []byte("x")),
		"of 2^62, and many":     frame(final|opBinary, 1<<62, make([]byte, 1<<20)),
		"negative":              append([]byte{final | opBinary, 0xff}, bytes.Repeat([]byte{0xff}, 12)...),
		"goes on with nothing":  frame(final, -1, []byte("x")),
		"a second beginning":    append(frame(opBinary, -1, []byte("x")), frame(final|opBinary, -1, []byte("y"))...),
		"a large ping":          frame(final|opPing, -1, make([]byte, 126)),
		"a ping in parts":       frame(opPing, -1, []byte("x")),
		"empty parts":           append(frame(opBinary, -1, nil), bytes.Repeat(frame(0, -1, nil), 10_000)...),
		"empty messages":        bytes.Repeat(frame(final|opBinary, -1, nil), 100),
		"HTTP":                  []byte("GET / HTTP/1.1\r\n\r\n"),
		"half of a frame":       frame(final|opBinary, -1, []byte("hello"))[:8],
		"half of a header":      {final | opBinary},
		"parts without an end":  frame(opBinary, -1, []byte("x")),
		"parts that are longer": append(frame(opBinary, -1, make([]byte, 1400)), frame(final, -1, []byte("x"))...),
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	port := 1000
	for name, b := range bad {
		port++
		c := h.dialRaw(t, fmt.Sprintf("192.0.2.%d:%d", port%2, port))
		all.Go(func() {
			go c.Write(b) // the hub may never read it
			c.SetReadDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.Copy(io.Discard, c.r); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the connection does not end", name)
			}
			c.Close()
		})
	}
	all.Wait()
	runtime.ReadMemStats(&after)
	testenv.Eventually(t, "they are gone", func() bool { return h.Peers() == 0 })
	testenv.Check(t, after.TotalAlloc-before.TotalAlloc < 32<<20, "%d bytes allocated", after.TotalAlloc-before.TotalAlloc)
	testenv.Check(t, len(h.arrived) == 0, "%d datagrams", len(h.arrived))
}

// TestFragments checks that a fragmented message is one datagram, and that the hub does not accept
// compression.
func TestFragments(t *testing.T) { eachWay(t, testFragments) }

func testFragments(t *testing.T, h *testHub) {
	c := h.dialRaw(t, "192.0.2.1:5555")
	testenv.Check(t, c.answer.StatusCode == http.StatusSwitchingProtocols && c.answer.Header.Get("Sec-WebSocket-Extensions") == "", "%v", c.answer.Header)
	parts := frame(opBinary, -1, nil)
	for range transport.MaxDatagram {
		parts = append(parts, frame(0, -1, []byte("x"))...)
		parts = append(parts, frame(0, -1, nil)...)
	}
	c.Write(append(parts, frame(final, -1, nil)...))
	d := h.read(t, 1)[0]
	testenv.Check(t, string(d.Data) == strings.Repeat("x", transport.MaxDatagram), "%d bytes", len(d.Data))
}

// TestEmptyFrames checks that endless empty frames end the connection after a number of bytes, not
// after a time. Frames that belong to a message do not count.
func TestEmptyFrames(t *testing.T) {
	for name, empty := range map[string][]byte{"a message": frame(0, -1, nil), "messages": frame(final|opBinary, -1, nil)} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, h *testHub) { testEmptyFrames(t, h, name, empty) })
		})
	}
}

func testEmptyFrames(t *testing.T, h *testHub, name string, empty []byte) {
	h.idleTime = time.Hour
	c := h.dialRaw(t, "192.0.2.1:5555")
	message := append(frame(opBinary, -1, nil), frame(final, -1, []byte("x"))...)
	for range 10 {
		c.Write(append(bytes.Repeat(frame(final|opBinary, -1, nil), maxWithoutMessage/10), message...))
		h.read(t, 1)
	}
	if name == "a message" {
		c.Write(frame(opBinary, -1, nil))
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for b := bytes.Repeat(empty, 1000); ; {
			if _, err := c.Write(b); err != nil {
				return
			}
		}
	}()
	<-sent
	testenv.Eventually(t, "it is gone", func() bool { return h.Peers() == 0 })
}

// TestPings checks that a few pings are answered and that a flood of pings ends the connection.
func TestPings(t *testing.T) { eachWay(t, testPings) }

func testPings(t *testing.T, h *testHub) {
	c := h.dialRaw(t, "192.0.2.1:5555")
	c.Write(frame(final|opPing, -1, []byte("there?")))
	pong := make([]byte, 8)
	_, err := io.ReadFull(c.r, pong)
	testenv.Check(t, err == nil && string(pong[2:]) == "there?", "%q, %v", pong, err)
	go c.Write(bytes.Repeat(frame(final|opPing, -1, []byte("there?")), 10*maxPings))
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	n, err := io.Copy(io.Discard, c.r)
	testenv.Check(t, !errors.Is(err, os.ErrDeadlineExceeded) && n <= maxPings*int64(len(pong)), "%d bytes of answers, %v", n, err)
	testenv.Eventually(t, "it is gone", func() bool { return h.Peers() == 0 })
}

// TestPersons checks the limit of connections. Addresses in one IPv6 /64 share it, in any notation.
func TestPersons(t *testing.T) {
	t.Parallel()
	h := newTestHub(t)
	add := func(addr string, port int) error {
		_, err := h.add(netip.AddrPortFrom(netip.MustParseAddr(addr), uint16(port)), nil)
		return err
	}
	for i := range defaultSeats + sparePeers {
		testenv.NoError(t, add(fmt.Sprintf("2001:db8::%x:1", i+1), 1))
		testenv.NoError(t, add([]string{"192.0.2.1", "::ffff:192.0.2.1"}[i%2], i+1))
	}
	for _, addr := range []string{"2001:db8::ffff:1", "192.0.2.1", "::ffff:192.0.2.1"} {
		testenv.Check(t, errors.Is(add(addr, 99), ErrFull), "%s gets in", addr)
	}
	for _, addr := range []string{"2001:db8:0:1::1", "192.0.2.2"} {
		testenv.NoError(t, add(addr, 99))
	}
	const more = 30
	h.SetSeats(defaultSeats + more)
	for i := range more {
		testenv.NoError(t, add("192.0.2.1", 100+i))
	}
	testenv.Check(t, errors.Is(add("192.0.2.1", 99), ErrFull), "one more gets in")
}

// TestDialTLS checks that an unknown certificate is rejected and that one from Dialer.TLS is
// accepted.
func TestDialTLS(t *testing.T) { eachWay(t, testDialTLS) }

func testDialTLS(t *testing.T, h *testHub) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.Serve(w, r, netip.MustParseAddrPort("192.0.2.1:5555"))
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(func() { h.conn.Close(); s.Close() })
	address := "wss" + strings.TrimPrefix(s.URL, "https")
	_, _, err := Dial(t.Context(), address)
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "certificate"), "%v", err)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	c, server, err := (&Dialer{TLS: &tls.Config{RootCAs: pool}}).Dial(t.Context(), address)
	testenv.NoError(t, err)
	defer c.Close()
	c.Send(server, []byte("hello"))
	c.Flush()
	testenv.Check(t, string(h.read(t, 1)[0].Data) == "hello", "another datagram")
}

// TestDialSilence checks that Dial gives up if a server accepts the connection and sends nothing.
func TestDialSilence(t *testing.T) {
	l := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	_, _, err := (&Dialer{timeout: 20 * time.Millisecond}).Dial(t.Context(), "ws://"+l.Addr().String())
	testenv.Check(t, errors.Is(err, errSilent), "%v", err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = Dial(ctx, "ws://"+l.Addr().String())
	testenv.Check(t, errors.Is(err, context.Canceled), "%v", err)
}

// TestLastWords checks that a datagram sent just before Close arrives, even if the client has
// unread datagrams and more arrive.
func TestLastWords(t *testing.T) { eachWay(t, testLastWords) }

func testLastWords(t *testing.T, h *testHub) {
	for i := range 20 {
		c, server, err := Dial(t.Context(), h.url)
		testenv.NoError(t, err)
		c.(*dialed).hub.closeTime = 10 * time.Second // test machines can be busy
		c.Send(server, []byte("hello"))
		c.Flush()
		peer := h.read(t, 1)[0].Peer
		p, done := h.find(peer), make(chan struct{})
		var snapshots sync.WaitGroup
		snapshots.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					p.queue(make([]byte, 1000))
					p.flush()
					runtime.Gosched()
				}
			}
		})
		c.Send(server, []byte("bye"))
		c.Flush()
		testenv.NoError(t, c.Close())
		got := h.read(t, 2)
		close(done)
		snapshots.Wait()
		if string(got[0].Data) != "bye" || len(got[1].Data) != 0 {
			t.Fatalf("%d: the last datagrams are %q and %q", i, got[0].Data, got[1].Data)
		}
	}
}
