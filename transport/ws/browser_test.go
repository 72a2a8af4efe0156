package ws

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// TestBrowser opens a page that acts like Emscripten's datagram sockets, and expects each datagram
// back.
func TestBrowser(t *testing.T) {
	hub := NewHub()
	conn := hub.Join(testenv.Must(udp.Listen(udp.Config{Addr: "127.0.0.1", Dedicated: true})))
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
				conn.Send(d.Peer, d.Data)
			}
			conn.Flush()
		}
	}()
	page := browsertest.Open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			hub.Serve(w, r, netip.MustParseAddrPort(r.RemoteAddr))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!doctype html><link rel=icon href=data:,><title>play</title>"))
	}), "/")
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
