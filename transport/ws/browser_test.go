package ws

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(8) // a reader of datagrams holds one while it waits
	testenv.AtOnce(8)
	browsertest.Main(m)
}

// echo is a hub that sends each datagram back, and a page of its server.
type echo struct {
	*Hub
	page *browsertest.Page
	// change, if set, changes requests before the hub serves them.
	change func(*http.Request)
}

// openEcho opens an empty page. The module socket.js is at /net.
func openEcho(t *testing.T) *echo {
	e := &echo{Hub: NewHub()}
	conn := e.Join(testenv.Must(udp.Listen(udp.Config{Addr: "127.0.0.1", Dedicated: true})))
	done := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-done })
	go func() {
		defer close(done)
		batch := make([]transport.Datagram, 64)
		for {
			n, err := conn.ReadBatch(batch, conn.Now()+1e9)
			if err != nil {
				return
			}
			for _, d := range batch[:n] {
				if len(d.Data) > 0 {
					conn.Send(d.Peer, d.Data)
				}
			}
			conn.Flush()
		}
	}()
	mux := http.NewServeMux()
	mux.Handle("GET /net/", http.StripPrefix("/net/", http.FileServer(http.Dir("../../web/play/static/net"))))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			if e.change != nil {
				e.change(r)
			}
			e.Serve(w, r, netip.MustParseAddrPort(r.RemoteAddr))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!doctype html><link rel=icon href=data:,><title>play</title>"))
	})
	e.page = browsertest.Open(t, mux, "/")
	return e
}

// TestBrowser opens a page that acts like Emscripten's datagram sockets, and expects each datagram
// back.
func TestBrowser(t *testing.T) {
	page := openEcho(t).page
	got := browsertest.Eval[string](page, `new Promise((resolve, reject) => {
		const ws = new WebSocket('ws://' + location.host + '/', ['binary']);
		ws.binaryType = 'arraybuffer';
		const sizes = [1, 10, 500, 1400];
		const datagram = size => Uint8Array.from({length: size}, (_, i) => i * 7 + size);
		ws.onopen = () => {
			ws.send(new Uint8Array([255, 255, 255, 255, 112, 111, 114, 116, 0, 0]));
			for (const size of sizes) ws.send(datagram(size));
		};
		ws.onmessage = m => {
			const want = datagram(sizes.shift());
			const b = new Uint8Array(m.data);
			if (b.length !== want.length || b.some((v, i) => v !== want[i])) reject('got ' + b);
			else if (sizes.length === 0) { ws.onclose = e => resolve(ws.protocol + ' ' + e.code); ws.send('text'); }
		};
		ws.onerror = () => reject('error');
	})`)
	testenv.Check(t, got == "binary 1003", "%s", got)
}

// open opens a Socket of socket.js with the given options. The page's function echo sends a number
// of datagrams, and waits until each has come back.
func (e *echo) open(options string) {
	e.page.Run(`import('/net/socket.js').then(({ Socket }) => new Promise((resolve, reject) => {
		window.reason = null;
		window.got = [];
		window.s = new Socket('ws://' + location.host + '/', ` + options + `);
		s.onopen = resolve;
		s.onclose = (reason) => { window.reason = reason; reject(reason); };
		s.ondatagram = (b) => got.push(b[0] << 8 | b[1]);
		let next = 0;
		window.echo = async (n) => {
			const want = [];
			got = [];
			for (let i = 0; i < n; i++) {
				want.push(next);
				s.send(Uint8Array.of(next >> 8, next, ...new Array(i % 100).fill(7)));
				next = next + 1 & 0xffff;
				if (i % 10 === 9) await new Promise((r) => setTimeout(r, 1));
			}
			for (let i = 0; got.length < n && i < 500; i++) await new Promise((r) => setTimeout(r, 10));
			return got.sort((a, b) => a - b).join() === want.sort((a, b) => a - b).join() ? '' : want.length + ' sent, received: ' + got;
		};
	}))`)
}

func (e *echo) echo(t *testing.T, n int) {
	t.Helper()
	got := browsertest.Eval[string](e.page, fmt.Sprintf("echo(%d)", n))
	testenv.Require(t, got == "", "%s", got)
}

// only returns the one peer.
func (e *echo) only(t *testing.T) *peer {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.peers {
		testenv.Require(t, len(e.peers) == 1, "%d peers", len(e.peers))
		return p
	}
	t.Fatal("no peer")
	return nil
}

// TestSocketInBrowser checks that a page's Socket gets each datagram once over two connections,
// plays on when one is lost, opens it again, and tells when both are lost.
func TestSocketInBrowser(t *testing.T) {
	e := openEcho(t)
	e.open("")
	e.echo(t, 100)
	e.page.Wait(`s.stats.sockets === 2`)
	e.echo(t, 100)
	stats := browsertest.Eval[map[string]int](e.page, `s.stats`)
	testenv.Check(t, stats["sent"] == 200 && stats["received"] == 200 && stats["sockets"] == 2, "%v", stats)
	e.page.Wait(`s.stats.duplicates >= 100`)
	p := e.only(t)
	for i := range 2 {
		p.mu.Lock()
		lost := p.sockets[i]
		p.mu.Unlock()
		lost.cancel()
		e.page.Wait(`s.stats.sockets === 1`)
		e.echo(t, 100)
		e.page.Wait(`s.stats.sockets === 2`)
		e.echo(t, 100)
		testenv.Check(t, e.only(t) == p && browsertest.Eval[bool](e.page, `reason === null`), "another peer")
	}
	p.cancel()
	e.page.Wait(`reason !== null`)
	got := browsertest.Eval[string](e.page, `reason`)
	testenv.Check(t, got == "The connection to the server was lost.", "%q", got)
	testenv.Eventually(t, "the peer is gone", func() bool { return e.Peers() == 0 })

	// The server ends, or the page does.
	e.open("")
	e.page.Wait(`s.stats.sockets === 2`)
	e.page.Run(`s.close()`)
	testenv.Eventually(t, "the peer is gone", func() bool { return e.Peers() == 0 })
	testenv.Check(t, browsertest.Eval[bool](e.page, `reason === null && s.stats.sockets === 0`), "an end without a reason")
	e.open("")
	e.page.Wait(`s.stats.sockets === 2`)
	e.Hub.close()
	e.page.Wait(`reason !== null`)
	got = browsertest.Eval[string](e.page, `reason`)
	testenv.Check(t, got == "The server ended the connection.", "%q", got)
}

// TestSocketWithOneConnection checks that a Socket uses one connection without numbers if it wants
// only one, or if the server knows only such ones.
func TestSocketWithOneConnection(t *testing.T) {
	e := openEcho(t)
	e.open("{ two: false }")
	e.echo(t, 100)
	testenv.Check(t, e.only(t).pair == nil, "the connection is one of a pair")
	e.page.Run(`s.close()`)
	testenv.Eventually(t, "the peer is gone", func() bool { return e.Peers() == 0 })
	e.change = func(r *http.Request) {
		names := strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ", ")
		testenv.Check(t, slices.Contains(names, single), "%q", names)
		r.Header.Set("Sec-WebSocket-Protocol", single)
	}
	e.open("")
	e.echo(t, 100)
	stats := browsertest.Eval[map[string]int](e.page, `s.stats`)
	testenv.Check(t, stats["sockets"] == 1 && stats["duplicates"] == 0 && e.only(t).pair == nil, "%v", stats)
}

// TestSocketDoesNotQueue checks that a Socket drops datagrams that would have to wait, and sends
// again when there is room.
func TestSocketDoesNotQueue(t *testing.T) {
	e := openEcho(t)
	e.open("")
	e.page.Wait(`s.stats.sockets === 2`)
	e.mu.Lock() // so that the server does not read
	locked := time.AfterFunc(time.Minute, func() { t.Error("the page does not drop") })
	e.page.Run(`(async () => {
		for (let i = 0; i < 30_000; i++) {
			s.send(new Uint8Array(1400));
			if (s.open.some((c) => c.ws.bufferedAmount > 32 << 10)) throw new Error('the socket queues');
		}
	})()`)
	sent := browsertest.Eval[int](e.page, `s.stats.sent`)
	locked.Stop()
	e.mu.Unlock()
	testenv.Check(t, sent < 30_000, "%d datagrams are sent", sent)
	e.page.Wait(`s.open.every((c) => c.ws.bufferedAmount === 0)`)
	e.page.Run(`s.send(Uint8Array.of(1, 2))`)
	e.page.Wait(`got.includes(258)`)
}

// TestWindowInBrowser checks that the window of socket.js accepts the same numbers as ours.
func TestWindowInBrowser(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var numbers []uint16
	n := uint16(65_000)
	for range 20_000 {
		switch r.IntN(200) {
		case 0:
			n = uint16(r.Uint32())
		default:
			n += uint16(r.IntN(3))
		}
		numbers = append(numbers, n-uint16(r.IntN(4)*r.IntN(windowSize/2)))
	}
	var w window
	var want []bool
	for _, n := range numbers {
		want = append(want, w.first(n))
	}
	got := browsertest.Eval[[]bool](openEcho(t).page, fmt.Sprintf(`import('/net/socket.js').then(({ Window }) => {
		const w = new Window();
		return %s.map((n) => w.first(n));
	})`, strings.ReplaceAll(fmt.Sprint(numbers), " ", ",")))
	testenv.Check(t, slices.Equal(got, want), "%d numbers differ", len(want))
}
