package query

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/mem"
	"github.com/teeyard/teeyard/transport/udp"
)

// fakeServer is a server that supports some of the formats.
type fakeServer struct {
	answers  ReplyEncoder
	forms    [NumFormats]bool
	tokens   *conn.TokenIssuer
	requests int
}

func newFakeServer(t testing.TB, info *Info, forms ...Format) *fakeServer {
	t.Helper()
	tokens, err := conn.NewTokenIssuer(nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeServer{tokens: tokens}
	for _, form := range forms {
		f.forms[form] = true
	}
	f.answers.SetInfo(info)
	return f
}

// feed answers like the original server: it gives the plain answer if it does not support the
// extended format.
func (s *fakeServer) feed(now int64, from transport.Peer, b []byte, send func([]byte)) {
	s.requests++
	if r, ok := ParseRequest6(b); ok {
		if r.Format == FormatExtended6 && !s.forms[FormatExtended6] {
			r = Request{FormatPlain6, r.Token & 0xff}
		}
		if !s.forms[r.Format] {
			return
		}
		for n := range s.answers.NumDatagrams(r.Format) {
			send(s.answers.Append(nil, r, n))
		}
		return
	}
	var p packet.Packet
	var scratch packet.Scratch
	if !s.forms[Format7] || p.Parse(b, &scratch) != nil {
		return
	}
	token := s.tokens.Token(conn.Time(now), from.Addr())
	switch v, _ := s.tokens.Inspect(conn.Time(now), from.Addr(), &p); v {
	case conn.ActionReplyToken:
		send(packet.AppendTokenReply(nil, p.ResponseToken, token))
	case conn.ActionConnless:
		if r, ok := ParseRequest7(p.Payload); ok {
			send(packet.AppendConnless(nil, p.ResponseToken, token, s.answers.Append(nil, r, 0)))
		}
	}
}

// testNetwork is a network with servers and a client.
type testNetwork struct {
	net       *netsim.Net
	results   map[transport.Peer]Result
	maxActive int // largest number of servers queried at once
}

var browser = transport.MustParsePeer("192.0.2.1:40000")

func newTestNetwork(t testing.TB, seed uint64, link netsim.Link) *testNetwork {
	t.Helper()
	net, err := netsim.New(netsim.Config{Seed: seed, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	return &testNetwork{net: net, results: map[transport.Peer]Result{}}
}

func (w *testNetwork) serve(addr transport.Peer, s *fakeServer) {
	w.net.Handle(addr, func(now int64, from transport.Peer, b []byte) {
		s.feed(now, from, b, func(b []byte) { w.net.Send(addr, from, b) })
	})
}

// ask runs a multiQuery to its end and returns how long that took.
func (w *testNetwork) ask(t testing.TB, cfg Config, targets []Target) time.Duration {
	t.Helper()
	a := newMultiQuery(cfg, targets, func(to transport.Peer, b []byte) { w.net.Send(browser, to, b) }, func(r Result) {
		if _, twice := w.results[r.Addr]; twice {
			t.Fatalf("%v is done twice", r.Addr)
		}
		w.results[r.Addr] = r
	})
	w.net.Handle(browser, func(now int64, from transport.Peer, b []byte) {
		a.feed(now, from, b)
	})
	start := w.net.Now()
	for range 100000 {
		_, more := a.step(w.net.Now())
		w.maxActive = max(w.maxActive, len(a.active))
		if !more {
			return time.Duration(w.net.Now() - start)
		}
		w.net.Run(w.net.Now() + int64(time.Millisecond))
	}
	t.Fatal("never done")
	return 0
}

func serverAddr(n int) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4([4]byte{198, 51, byte(n >> 8), byte(n)}), 8303)
}

// crowdedInfo is an Info with n clients.
func crowdedInfo(n int) *Info {
	i := &Info{Version: "0.6.5", Name: "crowd", Map: "dm1", MapCRC: 77, MapSize: 5805, GameType: "mod",
		NumPlayers: n, NumClients: n, MaxPlayers: 64, MaxClients: 64, SkillLevel: 2, Hostname: "host"}
	for c := range n {
		i.Clients = append(i.Clients, Client{Name: fmt.Sprintf("player %d", c), Clan: "clan", Country: 276, Score: int32(c), Bot: c%2 == 1})
	}
	return i
}

// TestAskForms queries servers that support different formats.
func TestAskForms(t *testing.T) {
	link := netsim.Link{Delay: 20 * time.Millisecond}
	for _, c := range []struct {
		name     string
		forms    []Format
		clients  int
		versions Versions
		complete bool
		listed   int
		bots     bool
		span     time.Duration // upper bound
	}{
		{"0.6.5", []Format{FormatPlain6}, 10, Version6, true, 10, false, 300 * time.Millisecond},
		{"0.6.5 with many", []Format{FormatPlain6}, 40, Version6, false, 16, false, 300 * time.Millisecond},
		{"64 player patch", []Format{FormatPlain6, FormatLegacy64}, 60, Version6, true, 60, false, 300 * time.Millisecond},
		{"0.7.5", []Format{Format7}, 40, Version7, true, 40, true, 400 * time.Millisecond},
		{"DDNet without 0.7", []Format{FormatPlain6, FormatExtended6, FormatLegacy64}, 60, Version6, true, 60, false, 300 * time.Millisecond},
		{"all", []Format{FormatPlain6, FormatExtended6, FormatLegacy64, Format7}, 60, Version6 | Version7, true, 60, true, 100 * time.Millisecond},
		{"nothing", nil, 0, 0, false, 0, false, 2600 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newTestNetwork(t, 1, link)
			info := crowdedInfo(c.clients)
			addr := serverAddr(1)
			w.serve(addr, newFakeServer(t, info, c.forms...))
			span := w.ask(t, Config{}, []Target{{Addr: addr}})
			r := w.results[addr]
			if span > c.span {
				t.Errorf("took %v", span)
			}
			if c.versions == 0 {
				if !errors.Is(r.Err, ErrNoAnswer) {
					t.Errorf("error %v", r.Err)
				}
				return
			}
			if r.Err != nil || r.Versions() != c.versions || r.Complete != c.complete || len(r.Info.Clients) != c.listed || r.Latency != 40*time.Millisecond {
				t.Errorf("%v, speaks %v, complete %v, %d clients, latency %v", r.Err, r.Versions(), r.Complete, len(r.Info.Clients), r.Latency)
			}
			want := *crowdedInfo(c.listed)
			for n := range want.Clients {
				want.Clients[n].Bot = want.Clients[n].Bot && c.bots
			}
			if d := cmp.Diff(want.Clients, r.Info.Clients); d != "" {
				t.Error(d)
			}
			if r.Info.NumClients != c.clients || r.Info.MaxClients != 64 || r.Info.Name != "crowd" {
				t.Errorf("%+v", r.Info)
			}
			if v7 := c.versions&Version7 != 0; (r.Info.Hostname == "host") != v7 || (r.Info.SkillLevel == 2) != v7 {
				t.Errorf("what only 0.7 tells: %+v", r.Info)
			}
		})
	}
}

// TestAskSlow queries a server whose first answers in 0.7 are lost. The token reply has shown that
// it supports 0.7, so the request is repeated although all other formats are complete.
func TestAskSlow(t *testing.T) {
	w := newTestNetwork(t, 1, netsim.Link{Delay: 20 * time.Millisecond})
	addr := serverAddr(1)
	s := newFakeServer(t, crowdedInfo(5), FormatPlain6, FormatExtended6, Format7)
	asked := 0
	w.net.Handle(addr, func(now int64, from transport.Peer, b []byte) {
		if kind, _ := packet.Classify(b); kind == packet.KindConnless7 {
			if asked++; asked == 1 {
				return
			}
		}
		s.feed(now, from, b, func(b []byte) { w.net.Send(addr, from, b) })
	})
	span := w.ask(t, Config{}, []Target{{Addr: addr}})
	if r := w.results[addr]; r.Versions() != Version6|Version7 || span > 1200*time.Millisecond {
		t.Errorf("speaks %v, after %v", r.Versions(), span)
	}
}

// TestAskMany queries a thousand servers over a bad network.
func TestAskMany(t *testing.T) {
	w := newTestNetwork(t, 7, netsim.Link{Delay: 30 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.2, Duplicate: 0.1})
	var targets []Target
	kinds := [][]Format{{FormatPlain6}, {Format7}, {FormatPlain6, FormatExtended6, FormatLegacy64, Format7}, {}}
	for n := range 1000 {
		addr := serverAddr(n)
		w.serve(addr, newFakeServer(t, crowdedInfo(n%16), kinds[n%4]...))
		targets = append(targets, Target{Addr: addr})
	}
	// A server that is listed twice is queried once.
	targets = append(targets[:1], targets...)
	cfg := Config{Concurrency: 100, Rate: 1000, Timeout: 20 * time.Second}
	w.ask(t, cfg, targets)
	if len(w.results) != 1000 || w.maxActive > 100 {
		t.Fatalf("%d results, %d at once", len(w.results), w.maxActive)
	}
	for n := range 1000 {
		r := w.results[serverAddr(n)]
		if n%4 == 3 {
			if !errors.Is(r.Err, ErrNoAnswer) {
				t.Errorf("%d: %v", n, r.Err)
			}
			continue
		}
		if r.Err != nil || !r.Complete || len(r.Info.Clients) != n%16 {
			t.Errorf("%d: %v, complete %v, %d clients", n, r.Err, r.Complete, len(r.Info.Clients))
		}
		if r.Latency < 60*time.Millisecond || r.Latency > 180*time.Millisecond {
			t.Errorf("%d: latency %v", n, r.Latency)
		}
	}
}

// TestAskLiar queries a server that sends arbitrary answers.
func TestAskLiar(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newTestNetwork(t, 1, netsim.Link{})
		addr := serverAddr(1)
		w.net.Handle(addr, func(now int64, from transport.Peer, b []byte) {
			for range rapid.IntRange(0, 3).Draw(rt, "answers") {
				answer := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(rt, "bytes")
				head := rapid.SampledFrom([]string{"", Header6 + tagInfo, Header6 + tagExtended, Header6 +
					tagMore, Header6 + tagLegacy, "\x21", "\x04\x00\x00"}).Draw(rt, "head")
				answer = append([]byte(head), answer...)
				if rapid.Bool().Draw(rt, "known token") && len(b) > 11 {
					copy(answer[min(3, len(answer)):], b[8:12])
				}
				w.net.Send(addr, from, answer)
			}
		})
		w.ask(t, Config{}, []Target{{Addr: addr}})
		if _, ok := w.results[addr]; !ok {
			rt.Fatal("no result")
		}
	})
}

// TestAsk queries over a Conn with the real clock.
func TestAsk(t *testing.T) {
	net := mem.New(mem.Config{})
	server, err := net.Listen(serverAddr(1))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	f := newFakeServer(t, crowdedInfo(5), FormatPlain6, FormatExtended6, FormatLegacy64, Format7)
	forever := func(now int64) (next int64, more bool) { return now + int64(time.Hour), true }
	go transport.Run(context.Background(), server, forever, func(d transport.Datagram) {
		f.feed(d.ReceivedAt, d.Peer, d.Data, func(b []byte) { server.Send(d.Peer, b) })
	})
	client, err := net.Listen(browser)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	r, err := Ask(t.Context(), client, Config{}, serverAddr(1))
	if err != nil || r.Versions() != Version6|Version7 || len(r.Info.Clients) != 5 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Ask(t.Context(), client, Config{Timeout: 20 * time.Millisecond}, serverAddr(2)); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("nobody: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ask(ctx, client, Config{}, serverAddr(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestAskHost queries over real sockets: silent and invalid addresses, and schemes with a version.
func TestAskHost(t *testing.T) {
	cfg := Config{Timeout: 10 * time.Millisecond}
	if _, err := AskHost(t.Context(), cfg, "127.0.0.1:1"); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("no server: %v", err)
	}
	if _, err := AskHost(t.Context(), cfg, "127.0.0.1:0"); !errors.Is(err, udp.ErrAddress) {
		t.Errorf("no port: %v", err)
	}
	if _, err := AskHost(t.Context(), cfg, "tw-0.5+udp://127.0.0.1:1"); !errors.Is(err, udp.ErrAddress) {
		t.Errorf("an unknown version: %v", err)
	}
	// A scheme with a version limits the query to that version.
	for address, want := range map[string]Versions{
		"HOST": Version6 | Version7, " HOST/ ": Version6 | Version7, "TW-0.7+udp://HOST/": Version7, "tw-0.6+udp://HOST": Version6, "ddnet://HOST/": Version6,
	} {
		l, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		AskHost(t.Context(), cfg, strings.ReplaceAll(address, "HOST", l.LocalAddr().String()))
		var got Versions
		for b := make([]byte, 2000); ; {
			l.SetReadDeadline(time.Now().Add(time.Millisecond)) // everything has been sent
			n, _, err := l.ReadFrom(b)
			if err != nil {
				break
			}
			if packet.IsClearly6(b[:n]) || n >= 6 && string(b[:6]) == "\xff\xff\xff\xff\xff\xff" || string(b[:2]) == "xe" {
				got |= Version6
			} else {
				got |= Version7
			}
		}
		l.Close()
		if got != want {
			t.Errorf("%q: asked in %v, want %v", address, got, want)
		}
	}
	if got := (Version6 | Version7).String() + Version6.String() + Versions(0).String() + Format7.String() +
		Format(99).String(); got != "0.6, 0.70.6none0.7unknown format" {
		t.Errorf("names: %q", got)
	}
}
