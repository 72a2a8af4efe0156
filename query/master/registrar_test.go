package master

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master/mastertest"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// udpTest is a server on a network with UDP masters.
type udpTest struct {
	net    *netsim.Net
	r      *Registrar
	events []Event
}

func newUDPTest(t *testing.T, cfg Config) *udpTest {
	w := &udpTest{net: newNetwork(t, netsim.Link{Delay: 20 * time.Millisecond})}
	cfg.Port = self.Port()
	cfg.Tokens = newTokens(t)
	cfg.Send = func(to transport.Peer, b []byte) { w.net.Send(self, to, b) }
	cfg.OnEvent = func(e Event) { w.events = append(w.events, e) }
	cfg.Resolve = func(_ context.Context, address string, port uint16) (transport.Peer, error) {
		ip, err := netip.ParseAddr(address)
		return transport.UDPPeer(ip, port), err
	}
	var err error
	if w.r, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.r.Close)
	w.net.Handle(self, func(now int64, from transport.Peer, b []byte) { w.r.Feed(now, from, b) })
	return w
}

// run advances the virtual time. It waits for names to be resolved in real time.
func (w *udpTest) run(span time.Duration) {
	for end := w.net.Now() + int64(span); w.net.Now() < end; w.net.Run(w.net.Now() + int64(20*time.Millisecond)) {
		w.r.Step(w.net.Now())
		w.r.running.Wait()
	}
}

// TestHeartbeats checks a server's registration with UDP masters of both versions.
func TestHeartbeats(t *testing.T) {
	w := newUDPTest(t, Config{Masters6: []string{"203.0.113.7", "203.0.113.1", "no name"}, Masters7: []string{"203.0.113.2"}})
	full := newUDPMaster(t, w.net, transport.MustParsePeer("203.0.113.7:8300"), false)
	full.Add(master6.AddrPort)
	m6, m7 := newUDPMaster(t, w.net, master6, false), newUDPMaster(t, w.net, master7, true)
	w.run(2 * time.Second)
	for _, m := range []*mastertest.UDP{m6, m7} {
		if servers, _ := m.Servers(); !slices.Equal(servers, []netip.AddrPort{self.AddrPort}) {
			t.Fatalf("list: %v; %+v", servers, w.events)
		}
	}
	if _, n := full.Servers(); n != 0 {
		t.Error("the master with more servers got heartbeats")
	}
	if w.r.NumRegistered() != 2 {
		t.Errorf("on %d lists", w.r.NumRegistered())
	}
	want := []Event{{Kind: EventMasterChosen, System: "register", Master: "203.0.113.2"}, {Kind: EventRegistered, System: "register", Master: "203.0.113.2"},
		{Kind: EventMasterChosen, System: "register", Master: "203.0.113.1"}, {Kind: EventRegistered, System: "register", Master: "203.0.113.1"}}
	for _, e := range want {
		if !slices.Contains(w.events, e) {
			t.Errorf("no event %+v of %+v", e, w.events)
		}
	}
	w.run(5 * time.Minute)
	for _, m := range []*mastertest.UDP{m6, m7} {
		if _, n := m.Servers(); n < 20 || n > 22 {
			t.Errorf("%d heartbeats in 5 minutes", n)
		}
	}
	if w.r.NumRegistered() != 2 || len(w.events) != len(want) {
		t.Errorf("on %d lists, events %+v", w.r.NumRegistered(), w.events)
	}

	// The chosen master of 0.6 is gone, so the other one is used.
	w.net.Handle(master6, func(int64, transport.Peer, []byte) {})
	w.run(80 * time.Second)
	if _, n := full.Servers(); n == 0 || w.r.NumRegistered() != 2 {
		t.Errorf("the other master got %d heartbeats, on %d lists", n, w.r.NumRegistered())
	}
}

// TestRefused checks a server that its masters cannot reach, and one whose masters do not exist.
func TestRefused(t *testing.T) {
	w := newUDPTest(t, Config{Masters6: []string{"203.0.113.1"}})
	m := newUDPMaster(t, w.net, master6, false)
	m.Refuse = true
	w.run(50 * time.Second)
	if _, n := m.Servers(); n != 1 || w.r.NumRegistered() != 0 {
		t.Errorf("%d heartbeats within the pause, on %d lists", n, w.r.NumRegistered())
	}
	if len(w.events) != 2 || w.events[1].Kind != EventUnreachable || !strings.Contains(w.events[1].Text, "8303") {
		t.Errorf("events %+v", w.events)
	}
	m.Refuse = false
	w.run(20 * time.Second)
	if w.r.NumRegistered() != 1 {
		t.Error("not registered later")
	}

	w = newUDPTest(t, Config{Masters7: []string{"203.0.113.2", "no name"}})
	w.run(50 * time.Second)
	if len(w.events) != 1 || w.events[0].Kind != EventFailed {
		t.Errorf("without master: %+v", w.events)
	}
	w = newUDPTest(t, Config{Masters6: []string{"no name"}})
	w.run(50 * time.Second)
	if len(w.events) != 1 || w.events[0].Kind != EventFailed {
		t.Errorf("without name: %+v", w.events)
	}
}

// TestStrangers checks that only masters can probe the server.
func TestStrangers(t *testing.T) {
	w := newUDPTest(t, Config{Masters6: []string{"203.0.113.1"}, Masters7: []string{"203.0.113.2"}})
	newUDPMaster(t, w.net, master6, false)
	w.run(2 * time.Second)
	sent := w.net.Stats().Sent
	for _, tag := range []string{tagProbe, tagAccepted, tagRefused, tagCount + "\x00\x01", "\xff\xff\xff\xff", ""} {
		for _, from := range []transport.Peer{transport.MustParsePeer("198.51.100.1:8300"), transport.MustParsePeer("203.0.113.2:8283")} {
			if w.r.Feed(w.net.Now(), from, []byte(query.Header6+tag)) {
				t.Errorf("%q of %v is taken", tag, from)
			}
		}
	}
	if w.net.Stats().Sent != sent {
		t.Error("a stranger was answered")
	}
}

// TestFeedDoesNotAllocate checks that Feed allocates nothing, since it sees every connless datagram
// to the server's port.
func TestFeedDoesNotAllocate(t *testing.T) {
	w := newUDPTest(t, Config{Masters6: []string{"203.0.113.1"}, Masters7: []string{"203.0.113.2"}, URL: "http://master.test/", Protocols: AllProtocols})
	for _, b := range [][]byte{
		query.AppendRequest(nil, query.Request{}),
		[]byte(query.Header6 + tagChallenge + "00000000-0000-4000-8000-000000000000:tw0.6/ipv4\x00x\x00"),
		packet.AppendTokenReply(nil, w.r.cfg.Tokens.Token(0, self.Addr()), 5),
		packet.AppendConnless(nil, w.r.cfg.Tokens.BroadcastToken(0), 5, []byte(tagProbe)),
	} {
		if n := testing.AllocsPerRun(100, func() {
			if w.r.Feed(0, self, b) {
				t.Fatalf("%q is taken", b)
			}
		}); n != 0 && !testenv.Race {
			t.Errorf("%q: %v allocations", b, n)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, cfg := range []Config{
		{URL: "ftp://example.test", Protocols: V6IPv4},
		{URL: "http://", Protocols: V6IPv4},
		{URL: "http://example.test", Protocols: V7IPv4},
		{Masters6: []string{"a"}},
		{Masters7: []string{"a"}, Send: func(transport.Peer, []byte) {}},
		{URL: "http://example.test", Protocols: V6IPv4, Local: netip.MustParseAddr("2001:db8::1")},
		{URL: "http://example.test", Protocols: V6IPv6, Local: netip.MustParseAddr("127.0.0.1")},
	} {
		if _, err := New(cfg); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	r, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	r.SetInfo(0, []byte("{}"))
	r.Step(0)
	r.Close()
}

func TestAddMasters(t *testing.T) {
	for _, test := range []struct {
		which      Protocols
		list       string
		six, seven []string
	}{
		{AllProtocols, "", nil, nil},
		{AllProtocols, "a.test, b.test:99,", []string{"a.test", "b.test:99"}, []string{"a.test", "b.test:99"}},
		{AllProtocols, "tw-0.6+udp://a.test,tw-0.7+udp://[::1]:99", []string{"a.test"}, []string{"[::1]:99"}},
		{AllProtocols, " TW-0.6+udp://a.test/ , tw-0.7+UDP://::1/,udp://c.test:98/", []string{"a.test", "c.test:98"}, []string{"[::1]", "c.test:98"}},
		{V7IPv6, "tw-0.6+udp://a.test,b.test", nil, []string{"b.test"}},
		{V6IPv4 | V6IPv6, "tw-0.7+udp://a.test,b.test", []string{"b.test"}, nil},
		{0, "a.test", nil, nil},
	} {
		c := Config{Protocols: test.which}
		if err := c.AddMasters(test.list); err != nil || !slices.Equal(c.Masters6, test.six) || !slices.Equal(c.Masters7, test.seven) {
			t.Errorf("%v, %q: %q, %q, %v", test.which, test.list, c.Masters6, c.Masters7, err)
		}
	}
	for _, list := range []string{"http://a.test", "tw-0.6+udp://", "a b", "a.test,ftp://b.test", "tw-0.5+udp://a.test",
		"ws://a.test", "a.test/x", "a.test:0"} {
		if err := (&Config{Protocols: AllProtocols}).AddMasters(list); !errors.Is(err, ErrConfig) {
			t.Errorf("%q: %v", list, err)
		}
	}
}

// TestCloseInTime checks that a request in flight does not put the server back on the list, and
// that a silent master does not delay Close.
func TestCloseInTime(t *testing.T) {
	t.Parallel() // mostly waits
	for name, hang := range map[string]bool{"slow": false, "silent": true} {
		m := &mastertest.HTTP{Challenge: func(transport.Peer, []byte) {}}
		arrived, answer := make(chan string, 8), make(chan struct{})
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			io.Copy(io.Discard, req.Body) // otherwise the end of the request goes unnoticed
			arrived <- req.Header.Get("Action")
			switch {
			case hang:
				<-req.Context().Done()
			case req.Header.Get("Action") == "":
				<-answer
				w.Write([]byte(`{"status":"success"}`))
			default:
				m.ServeHTTP(w, req)
			}
		}))
		r, err := New(Config{Port: 8303, URL: web.URL + "/ddnet/15/register", Protocols: V6IPv4})
		if err != nil {
			t.Fatal(err)
		}
		r.SetInfo(0, []byte("{}"))
		r.Step(0)
		if got := <-arrived; got != "" {
			t.Errorf("%s: %q first", name, got)
		}
		time.AfterFunc(20*time.Millisecond, func() { close(answer) })
		r.Close()
		if got := <-arrived; got != "delete" {
			t.Errorf("%s: then %q", name, got)
		}
		web.Close()
	}
}

// TestLoopback registers over real sockets.
func TestLoopback(t *testing.T) {
	sock, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer sock.Close()
	probe, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	var mu sync.Mutex
	m := &mastertest.HTTP{}
	m.Challenge = func(to transport.Peer, b []byte) {
		mu.Lock()
		defer mu.Unlock()
		probe.Send(to, b)
		probe.Flush()
	}
	server := httptest.NewServer(m)
	defer server.Close()
	url := server.URL + "/ddnet/15/"
	r, err := New(Config{Port: sock.LocalAddr().Port(), URL: url + "register", Protocols: V6IPv4 | V7IPv4, Tokens: newTokens(t)})
	if err != nil {
		t.Fatal(err)
	}
	r.SetInfo(sock.Now(), query.AppendJSON(nil, &query.Info{Name: "real", MaxClients: 8, MaxPlayers: 8}))
	batch := make([]transport.Datagram, 8)
	for end := sock.Now() + 20*second; r.NumRegistered() < 2; {
		if sock.Now() > end {
			t.Fatalf("on %d lists: %+v", r.NumRegistered(), m.Log())
		}
		n, err := sock.ReadBatch(batch, sock.Now()+second/50)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range batch[:n] {
			r.Feed(d.ReceivedAt, d.Peer, d.Data)
		}
		r.Step(sock.Now())
	}
	servers, _, err := Fetch(t.Context(), nil, url+"servers.json")
	if err != nil || len(servers) != 1 || len(servers[0].Addrs) != 2 || servers[0].Info.Name != "real" {
		t.Errorf("list: %+v, %v", servers, err)
	}
	r.Close()
	if servers, _, err := Fetch(t.Context(), nil, url+"servers.json"); err != nil || len(servers) != 0 {
		t.Errorf("list after the end: %+v, %v", servers, err)
	}
	if _, _, err := Fetch(t.Context(), nil, url+"nothing"); !errors.Is(err, ErrList) {
		t.Errorf("no list: %v", err)
	}
	if _, _, err := Fetch(t.Context(), http.DefaultClient, "http://127.0.0.1:1/"); err == nil {
		t.Error("no server: no error")
	}
}
