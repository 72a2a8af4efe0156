package master_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/master"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/mem"
)

// testMaster is a master without a network, with simulated game servers.
type testMaster struct {
	t    testing.TB
	m    *master.Master
	now  int64
	wall time.Time
	// games answer probes. Other peers are silent.
	games map[transport.Peer]wire.Info
	sent  map[transport.Peer][][]byte
}

func newTestMaster(t testing.TB, cfg master.Config) *testMaster {
	t.Helper()
	l := &testMaster{t: t, now: transport.Monotonic(), wall: time.Unix(1e9, 0), games: make(map[transport.Peer]wire.Info),
		sent: make(map[transport.Peer][][]byte)}
	cfg.Now = func() time.Time { return l.wall }
	cfg.Send = func(to transport.Peer, b []byte) {
		if len(b) > wire.MaxDatagram {
			t.Errorf("%d bytes", len(b))
		}
		l.sent[to] = append(l.sent[to], slices.Clone(b))
	}
	var err error
	if l.m, err = master.New(cfg); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *testMaster) advance(d time.Duration) {
	for step := time.Second; d > 0; d -= step {
		step = min(step, d)
		l.now += int64(step)
		l.wall = l.wall.Add(step)
		l.m.Advance(l.now)
		l.answerProbes()
	}
}

// answerProbes makes the games answer the probes.
func (l *testMaster) answerProbes() {
	for peer, info := range l.games {
		for _, b := range l.takeSent(peer) {
			if wire.ParseRequest(b).Kind == wire.RequestDetails {
				l.m.Feed(l.now, peer, wire.AppendDetails(nil, &info))
			}
		}
	}
}

// takeSent returns the datagrams sent to a peer since the last call.
func (l *testMaster) takeSent(peer transport.Peer) [][]byte {
	out := l.sent[peer]
	delete(l.sent, peer)
	return out
}

// ask feeds a datagram and returns the answer, or nil if there is none.
func (l *testMaster) ask(peer transport.Peer, b []byte) []byte {
	l.t.Helper()
	l.takeSent(peer)
	l.m.Feed(l.now, peer, b)
	switch out := l.takeSent(peer); len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	default:
		l.t.Fatalf("%d answers", len(out))
		return nil
	}
}

// sendHeartbeat requests a challenge and sends a heartbeat with it.
func (l *testMaster) sendHeartbeat(peer transport.Peer, info wire.Info) {
	l.t.Helper()
	c, err := wire.ParseMasterChallenge(l.ask(peer, wire.AppendMasterChallengeRequest(nil)))
	if err != nil {
		l.t.Fatal(err)
	}
	l.m.Feed(l.now, peer, wire.AppendHeartbeat(nil, &wire.Heartbeat{Challenge: c, Info: info, Region: wire.RegionAll}))
}

// register puts a game on the list.
func (l *testMaster) register(peer transport.Peer, info wire.Info) {
	l.t.Helper()
	l.games[peer] = info
	l.sendHeartbeat(peer, info)
	l.answerProbes()
}

// registerMany registers n games, each at its own address.
func (l *testMaster) registerMany(n int) []transport.Peer {
	l.t.Helper()
	var all []transport.Peer
	for i := range n {
		peer := transport.UDPPeer(netip.AddrFrom4([4]byte{20, byte(i >> 8), byte(i), 9}), uint16(2000+i%5))
		l.register(peer, gameInfo(i))
		all = append(all, peer)
	}
	slices.SortFunc(all, transport.Peer.Compare)
	l.advance(2 * time.Second)
	return all
}

func gameInfo(i int) wire.Info {
	return wire.Info{Name: fmt.Sprintf("server %d", i), Map: []string{"dm1", "ctf5"}[i%2],
		Dir: []string{"teeworlds", "valve", "cstrike"}[i%3], Game: "a game",
		Players: i % 17, Max: 16, Type: 'd', OS: 'l', Version: "1"}
}

func (l *testMaster) isListed(peer transport.Peer) bool {
	return slices.ContainsFunc(l.m.Servers(), func(s master.Server) bool { return s.Address == peer.AddrPort })
}

var (
	server    = transport.MustParsePeer("198.51.100.7:8303")
	client    = transport.MustParsePeer("203.0.113.9:4000")
	lanClient = transport.MustParsePeer("192.168.0.9:4000")
	request   = func(r wire.ListRequest) []byte { return wire.AppendListRequest(nil, &r) }
)

// TestLife checks that a server is listed, stays listed and is removed.
func TestLife(t *testing.T) {
	l := newTestMaster(t, master.Config{})
	l.games[server] = gameInfo(1)
	l.sendHeartbeat(server, gameInfo(1))
	if l.isListed(server) {
		t.Error("listed before it answered")
	}
	l.answerProbes()
	if !l.isListed(server) {
		t.Fatal("not listed")
	}
	for range 10 {
		l.advance(2 * time.Minute)
		l.sendHeartbeat(server, gameInfo(1))
	}
	if s := l.m.Servers(); len(s) != 1 || s[0].Name != "server 1" || s[0].Dir != "valve" || s[0].Players != 1 {
		t.Errorf("%+v", s)
	}
	if n := l.m.Stats().Probes; n != 1 {
		t.Errorf("asked %d times", n)
	}
	busy := gameInfo(1)
	busy.Map, busy.Players = "dm7", 9
	l.sendHeartbeat(server, busy)
	if s := l.m.Servers(); s[0].Map != "dm7" || s[0].Players != 9 {
		t.Errorf("%+v", s)
	}
	l.advance(5 * time.Minute)
	if !l.isListed(server) {
		t.Error("off the list after five minutes")
	}
	l.advance(61 * time.Second)
	if l.isListed(server) {
		t.Error("on the list after six minutes of silence")
	}
}

// TestProbeChallenge checks that the master repeats a probe with the challenge that the server
// sent.
func TestProbeChallenge(t *testing.T) {
	l := newTestMaster(t, master.Config{})
	l.sendHeartbeat(server, gameInfo(0))
	l.takeSent(server)
	got := l.ask(server, wire.AppendA2SChallenge(nil, 99))
	if r := wire.ParseRequest(got); r.Kind != wire.RequestA2SInfo || r.Challenge != 99 {
		t.Errorf("%q", got)
	}
	i := gameInfo(0)
	l.ask(server, wire.AppendA2SInfo(nil, &i))
	if !l.isListed(server) {
		t.Error("not listed")
	}
}

// TestPoisoning checks that only reachable game servers are listed, and that forged messages do not
// remove a listed server.
func TestPoisoning(t *testing.T) {
	l := newTestMaster(t, master.Config{})
	// Forged heartbeats, also with the challenge of another port or address.
	c, err := wire.ParseMasterChallenge(l.ask(server, wire.AppendMasterChallengeRequest(nil)))
	if err != nil {
		t.Fatal(err)
	}
	for i, challenge := range []uint32{0, 1, 123456789, c} {
		victim := transport.MustParsePeer(fmt.Sprintf("198.51.100.%d:8303", 20+i))
		if i == 3 {
			victim = transport.UDPPeer(server.Addr(), 8304)
		}
		beat := wire.Heartbeat{Challenge: challenge, Info: gameInfo(0)}
		if out := l.ask(victim, wire.AppendHeartbeat(nil, &beat)); out != nil {
			t.Errorf("a forged heartbeat made us send %q", out)
		}
	}
	if n := l.m.Stats().Dropped[master.DropChallenge]; n != 4 {
		t.Errorf("%d dropped", n)
	}
	// The server's address exists but runs no game.
	l.sendHeartbeat(server, gameInfo(0))
	if n := len(l.takeSent(server)); n != 2 {
		t.Errorf("%d questions", n)
	}
	l.advance(20 * time.Second)
	if n := len(l.takeSent(server)); n > 4 || l.isListed(server) || l.m.Stats().Waiting != 0 {
		t.Errorf("%d more questions, listed %v, %+v", n, l.isListed(server), l.m.Stats())
	}
	// The server sends an answer without a request.
	i := gameInfo(0)
	l.ask(server, wire.AppendDetails(nil, &i))
	if l.isListed(server) {
		t.Error("listed without a heartbeat")
	}
	// A forged shutdown message.
	l.register(server, gameInfo(0))
	l.advance(time.Minute)
	l.ask(server, nil)
	for range 100 {
		l.m.Feed(l.now, server, wire.AppendShutdown(nil))
	}
	if n := len(l.sent[server]); n != 2 {
		t.Errorf("a hundred goodbyes make us send %d datagrams", n)
	}
	l.answerProbes()
	l.advance(10 * time.Second)
	if !l.isListed(server) {
		t.Error("taken off by somebody else")
	}
	// A real shutdown message.
	delete(l.games, server)
	l.advance(time.Minute)
	l.m.Feed(l.now, server, wire.AppendShutdown(nil))
	l.advance(10 * time.Second)
	if l.isListed(server) {
		t.Error("still listed after it left")
	}
	// A server that leaves right after it was listed is probed again a little later.
	l.register(server, gameInfo(0))
	if !l.isListed(server) {
		t.Error("not listed again")
	}
	delete(l.games, server)
	l.m.Feed(l.now, server, wire.AppendShutdown(nil))
	l.advance(50 * time.Second)
	if l.isListed(server) {
		t.Error("still listed long after it left")
	}
	// Addresses that other clients cannot reach.
	for _, a := range []string{"10.0.0.1:1024", "127.0.0.1:8303", "192.168.1.1:8303", "169.254.1.1:8303", "[2001:db8::1]:8303"} {
		l.register(transport.MustParsePeer(a), gameInfo(0))
	}
	if s := l.m.Servers(); len(s) != 0 {
		t.Errorf("%v", s)
	}
	lan := newTestMaster(t, master.Config{ListLAN: true})
	lan.register(transport.MustParsePeer("192.168.1.1:8303"), gameInfo(0))
	if s := lan.m.Servers(); len(s) != 1 {
		t.Errorf("%v", s)
	}
}

// TestCaps checks the limits on servers per address and in total.
func TestCaps(t *testing.T) {
	l := newTestMaster(t, master.Config{MaxServers: 30})
	for i := range 40 {
		l.register(transport.UDPPeer(server.Addr(), uint16(8000+i)), gameInfo(i))
		l.advance(time.Second)
	}
	if n := len(l.m.Servers()); n != 14 {
		t.Errorf("%d servers of one address", n)
	}
	l.registerMany(40)
	if n := len(l.m.Servers()); n != 30 {
		t.Errorf("%d servers", n)
	}
	// Expired servers make room.
	l.advance(10 * time.Minute)
	l.register(server, gameInfo(0))
	if n := len(l.m.Servers()); n != 1 {
		t.Errorf("%d servers after all expired", n)
	}
}

// fetchList requests the list as a client does, and calls between before each further page.
func (l *testMaster) fetchList(peer transport.Peer, form wire.ListFormat, f wire.Filter, between func()) (all []transport.Peer, ok bool) {
	l.t.Helper()
	req := wire.ListRequest{Format: form, Region: wire.RegionAll, Filter: f, HasFilter: f != wire.Filter{}}
	for range 100 {
		page, err := wire.ParseList(l.ask(peer, request(req)))
		if err != nil {
			return all, false
		}
		for _, addr := range page.Servers {
			s := transport.Peer{AddrPort: addr}
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		if between != nil {
			between()
		}
		switch {
		case form == wire.ListAll, page.Format == wire.ListBatch && page.Next == 0, page.End:
			slices.SortFunc(all, transport.Peer.Compare)
			return all, true
		case page.Format == wire.ListBatch:
			req.ID = page.Next
		default:
			req.After = page.Servers[len(page.Servers)-1]
		}
		l.now += 1e8 // below the rate limit for requests
	}
	return all, false
}

// TestList checks that public and local clients get the whole list in every format.
func TestList(t *testing.T) {
	l := newTestMaster(t, master.Config{})
	all := l.registerMany(1000)
	for _, peer := range []transport.Peer{client, lanClient} {
		for _, form := range []wire.ListFormat{wire.ListSteam, wire.ListBatch, wire.ListID} {
			got, ok := l.fetchList(peer, form, wire.Filter{}, nil)
			if !ok || !slices.Equal(got, all) {
				t.Errorf("%v from %v: %d servers, %v", form, peer, len(got), ok)
			}
			l.advance(10 * time.Second)
			filter := wire.Filter{Dir: "valve", NotEmpty: true}
			if form == wire.ListBatch {
				continue
			}
			var want []transport.Peer
			for _, s := range l.m.Servers() {
				if s.Dir == "valve" && s.Players > 0 {
					want = append(want, transport.Peer{AddrPort: s.Address})
				}
			}
			if got, ok = l.fetchList(peer, form, filter, nil); !ok || !slices.Equal(got, want) {
				t.Errorf("%v from %v: %d servers with a filter, want %d, %v", form, peer, len(got), len(want), ok)
			}
			l.advance(10 * time.Second)
		}
		got, ok := l.fetchList(peer, wire.ListAll, wire.Filter{}, nil)
		if !ok || len(got) != wire.MaxEntries {
			t.Errorf("all from %v: %d servers, %v", peer, len(got), ok)
		}
	}
}

// TestListSizes checks that lists of all sizes arrive complete, short ones included.
func TestListSizes(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 229, 230, 231, 232, 462, 463} {
		l := newTestMaster(t, master.Config{})
		all := l.registerMany(n)
		for _, form := range []wire.ListFormat{wire.ListSteam, wire.ListBatch, wire.ListID} {
			for i := range 5 {
				peer := transport.UDPPeer(client.Addr(), uint16(4000+i))
				if got, ok := l.fetchList(peer, form, wire.Filter{}, nil); !ok || !slices.Equal(got, all) {
					t.Errorf("%v of %d: %d servers, %v", form, n, len(got), ok)
				}
				l.advance(10 * time.Second)
			}
		}
	}
}

// TestListMoves checks that no server is missed because others leave between two pages.
func TestListMoves(t *testing.T) {
	for _, form := range []wire.ListFormat{wire.ListSteam, wire.ListBatch} {
		l := newTestMaster(t, master.Config{})
		all := l.registerMany(700)
		gone := map[transport.Peer]bool{}
		got, ok := l.fetchList(client, form, wire.Filter{}, func() {
			for range 10 {
				p := all[rand.IntN(len(all))]
				gone[p] = true
				delete(l.games, p)
				l.m.Feed(l.now, p, wire.AppendShutdown(nil))
			}
			l.advance(8 * time.Second)
		})
		missing := 0
		for _, p := range all {
			if !gone[p] && !slices.Contains(got, p) {
				missing++
			}
		}
		if !ok || missing > 0 {
			t.Errorf("%v: %d of %d servers missing, %v", form, missing, len(all)-len(gone), ok)
		}
	}
}

// TestReflection checks that an attacker who forges an address causes almost no traffic to it,
// whatever the requests are and however often the attacker guesses challenges.
func TestReflection(t *testing.T) {
	l := newTestMaster(t, master.Config{})
	all := l.registerMany(600)
	in, out, biggest := 0, 0, 0
	ask := func(b []byte) {
		in += len(b)
		n := len(l.ask(client, b))
		out += n
		biggest = max(biggest, n)
		l.now += 5e8
	}
	ask([]byte("c"))
	ask([]byte("c\n\x00"))
	for range 20 {
		ask([]byte("q"))
		ask([]byte("q\xff1234"))
		ask([]byte("1\xff\x00\x00"))
		ask([]byte("\xff\xff\xff\xffping\x00"))
		for _, form := range []wire.ListFormat{wire.ListSteam, wire.ListBatch, wire.ListID} {
			ask(request(wire.ListRequest{Format: form}))
			ask(request(wire.ListRequest{Format: form, ID: rand.Uint32(), After: client.AddrPort}))
		}
	}
	if biggest > 14 {
		t.Errorf("%d bytes in one answer", biggest)
	}
	// Guessing the first server succeeds in the end, but costs more bytes than it yields.
	in, out = 0, 0
	for i := range 20000 {
		peer := transport.UDPPeer(netip.AddrFrom4([4]byte{30, byte(i >> 12), byte(i >> 4), byte(i)}), 5000)
		b := request(wire.ListRequest{Format: wire.ListSteam, After: all[i%len(all)].AddrPort})
		in += len(b)
		out += len(l.ask(peer, b))
	}
	if out*10 > in*12 {
		t.Errorf("%d bytes for %d", out, in)
	}
	// A page number of another client is not accepted.
	page, err := wire.ParseList(l.ask(client, request(wire.ListRequest{Format: wire.ListBatch})))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.ask(server, request(wire.ListRequest{Format: wire.ListBatch, ID: page.Next})); got != nil {
		t.Errorf("the number of another leads to %q", got)
	}
	page, err = wire.ParseList(l.ask(client, request(wire.ListRequest{Format: wire.ListBatch, ID: page.Next})))
	if err != nil || len(page.Servers) != wire.MaxEntries || page.Next == 0 || page.Next >= 1<<24 {
		t.Fatalf("%d servers, next %d, %v", len(page.Servers), page.Next, err)
	}
	if got := l.ask(server, request(wire.ListRequest{Format: wire.ListBatch, ID: page.Next})); got != nil {
		t.Errorf("the second number of another leads to %q", got)
	}
	// A repeated request, sent because the answer was lost, gets the same answer.
	again := request(wire.ListRequest{Format: wire.ListBatch, ID: page.Next})
	if a, b := l.ask(client, again), l.ask(client, again); a == nil || string(a) != string(b) {
		t.Error("a repeated request has another answer")
	}
	l.advance(time.Minute)
	if got := l.ask(client, again); got != nil {
		t.Error("a number is good for ever")
	}
}

// TestPageFlood checks that clients which never finish do not keep others from getting the list.
func TestPageFlood(t *testing.T) {
	l := newTestMaster(t, master.Config{})
	l.registerMany(300)
	for i := range 6000 {
		peer := transport.UDPPeer(netip.AddrFrom4([4]byte{30, byte(i >> 8), byte(i), 1}), 5000)
		page, err := wire.ParseList(l.ask(peer, request(wire.ListRequest{Format: wire.ListBatch})))
		if err != nil {
			t.Fatal(err)
		}
		l.ask(peer, request(wire.ListRequest{Format: wire.ListBatch, ID: page.Next}))
	}
	l.now += 1e9
	if got, ok := l.fetchList(client, wire.ListBatch, wire.Filter{}, nil); !ok || len(got) != 300 {
		t.Errorf("%d servers, %v", len(got), ok)
	}
}

// TestState checks that a restart keeps the list, and that the servers are probed again.
func TestState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.json")
	cfg := master.Config{StateFile: path}
	l := newTestMaster(t, cfg)
	all := l.registerMany(20)
	before := l.m.Servers()
	if err := l.m.Save(); err != nil {
		t.Fatal(err)
	}
	again := newTestMaster(t, cfg)
	again.games = l.games
	delete(again.games, all[3])
	got := again.m.Servers()
	if a, b := fmt.Sprintf("%+v", before), fmt.Sprintf("%+v", got); a != b {
		t.Errorf("\n%s\n%s", a, b)
	}
	if list, ok := again.fetchList(client, wire.ListBatch, wire.Filter{Dir: "x"}, nil); !ok || len(list) != 20 {
		t.Errorf("%d servers are given out, %v", len(list), ok)
	}
	again.advance(70 * time.Second)
	if again.isListed(all[3]) || !again.isListed(all[4]) || len(again.m.Servers()) != 19 {
		t.Errorf("%d servers left", len(again.m.Servers()))
	}
	// After the clock was set back, the age of an entry is unknown.
	past := newTestMaster(t, cfg)
	past.wall = past.wall.Add(-time.Hour)
	cfg.Now, cfg.Send = func() time.Time { return past.wall }, func(transport.Peer, []byte) {}
	if m, err := master.New(cfg); err != nil || len(m.Servers()) != 20 || m.Servers()[0].Seen.After(past.wall) {
		t.Errorf("after the clock was set back: %v, %v", m.Servers(), err)
	}
	// Save does not overwrite the file of another master.
	if err := again.m.Save(); err != nil {
		t.Fatal(err)
	}
	if err := past.m.Save(); err != nil {
		t.Fatal(err)
	}
	if err := again.m.Save(); !errors.Is(err, master.ErrState) {
		t.Errorf("another master has written the file: %v", err)
	}
	// Long after the last save, all entries are outdated.
	l.wall = l.wall.Add(time.Hour)
	cfg.Now = nil
	old, err := master.New(master.Config{StateFile: path, Send: func(transport.Peer, []byte) {}, Now: func() time.Time { return l.wall }})
	if err != nil || len(old.Servers()) != 0 {
		t.Errorf("%d servers, %v", len(old.Servers()), err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := master.New(master.Config{StateFile: path, Send: func(transport.Peer, []byte) {}}); err == nil {
		t.Error("a broken file is no error")
	}
	if _, err := master.New(master.Config{}); err == nil {
		t.Error("no way to send is no error")
	}
}

// TestSaveError checks that Run reports once that it cannot store the list, and keeps trying.
func TestSaveError(t *testing.T) {
	var now atomic.Int64 // advances with every reading
	net := mem.New(mem.Config{Clock: func() int64 { return now.Add(int64(time.Second)) }})
	conn, err := net.Listen(transport.MustParsePeer("192.0.2.1:27010"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "missing")
	failed := make(chan error, 1000)
	m, err := master.New(master.Config{Send: conn.Send, StateFile: filepath.Join(dir, "master.json"), OnSaveError: func(err error) { failed <- err }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx, conn) }()
	if err := <-failed; !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for later := now.Load() + int64(time.Hour); now.Load() < later; {
		time.Sleep(time.Millisecond)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, "the list is stored", func() bool { _, err := os.Stat(filepath.Join(dir, "master.json")); return err == nil })
	cancel()
	if err := <-done; err != nil || len(failed) > 0 {
		t.Errorf("%v, and %d more errors", err, len(failed))
	}
}

// TestWeb reads the page, the JSON list and the metrics.
func TestWeb(t *testing.T) {
	l := newTestMaster(t, master.Config{})
	h := l.m.Handler()
	get := func(path string) string {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		b, err := io.ReadAll(w.Result().Body)
		if err != nil || w.Code != 200 && path != "/nothing" {
			t.Errorf("%s: %d, %v", path, w.Code, err)
		}
		return string(b)
	}
	if page := get("/"); !strings.Contains(page, "No server has registered yet.") {
		t.Error(page)
	}
	evil := gameInfo(4)
	evil.Name = "<script>alert(1)</script>"
	l.register(server, evil)
	if page := get("/"); !strings.Contains(page, "No server has registered yet.") {
		t.Error("the page is made anew for every request")
	}
	l.wall = l.wall.Add(5 * time.Second)
	page := get("/")
	if !strings.Contains(page, "&lt;script&gt;") || strings.Contains(page, "<script>") ||
		!strings.Contains(page, "198.51.100.7:8303") || !strings.Contains(page, "4/16") {
		t.Error(page)
	}
	var list struct{ Servers []master.Server }
	if err := json.Unmarshal([]byte(get("/servers.json")), &list); err != nil || len(list.Servers) != 1 ||
		list.Servers[0].Name != evil.Name || list.Servers[0].Players != 4 {
		t.Errorf("%+v, %v", list, err)
	}
	metrics := get("/metrics")
	for _, line := range []string{
		`teeyard_master_servers{state="listed"} 1`, `teeyard_master_players 4`,
		`teeyard_master_server_messages_total{kind="heartbeat"} 1`, `teeyard_master_probes_total{result="answered"} 1`,
		`teeyard_master_dropped_total{reason="unproven"} 0`,
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("%s is not in\n%s", line, metrics)
		}
	}
	if got := get("/nothing"); !strings.Contains(got, "404") {
		t.Error(got)
	}
	l.wall = l.wall.Add(-time.Hour) // the clock was set back
	if page := get("/"); strings.Contains(page, "No server") {
		t.Error(page)
	}
}

// TestPagesAreMadeOnce checks that many requests for a long list cost little.
func TestPagesAreMadeOnce(t *testing.T) {
	testenv.RequireExactAllocs(t)
	l := newTestMaster(t, master.Config{})
	l.registerMany(500)
	h := l.m.Handler()
	for _, path := range []string{"/", "/servers.json", "/metrics"} {
		size := 0
		if n := testing.AllocsPerRun(20, func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			size = w.Body.Len()
		}); n > 100 {
			t.Errorf("%s: %v allocations for %d bytes", path, n, size)
		}
		if size < 50*500 && path != "/metrics" {
			t.Errorf("%s has %d bytes: the test tests nothing", path, size)
		}
	}
}

// TestRun lets real game servers register with a running master. Clients then query the master and
// the servers.
func TestRun(t *testing.T) {
	net := mem.New(mem.Config{})
	listen := func(addr string) *mem.Conn {
		t.Helper()
		c, err := net.Listen(transport.MustParsePeer(addr))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	state := filepath.Join(t.TempDir(), "master.json")
	conn := listen("192.0.2.1:27010")
	m, err := master.New(master.Config{Send: conn.Send, StateFile: state})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx, conn) }()
	var stops []func()
	for i := range 3 {
		c := listen(fmt.Sprintf("198.51.100.%d:8303", i+1))
		end := make(chan struct{})
		go func() {
			defer close(end)
			runGameServer(c, staticGame{gameInfo(i)}, conn.LocalAddr())
		}()
		stops = append(stops, func() { c.Close(); <-end })
	}
	for deadline := time.Now().Add(10 * time.Second); len(m.Servers()) < 3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d servers are listed; %+v", len(m.Servers()), m.Stats())
		}
	}
	time.Sleep(1100 * time.Millisecond) // the list may be a second old
	for _, form := range []wire.ListFormat{wire.ListBatch, wire.ListID, wire.ListSteam, wire.ListAll} {
		got, err := halflife.FetchList(t.Context(), listen("203.0.113.9:0"), conn.LocalAddr(), halflife.ListConfig{Format: form})
		if len(got) != 3 || err != nil {
			t.Errorf("%v: %v, %v", form, got, err)
		}
	}
	for _, stop := range stops {
		stop()
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(state); err != nil || strings.Count(string(b), `"address"`) != 3 {
		t.Errorf("%s, %v", b, err)
	}
}

// staticGame is a game whose info never changes.
type staticGame struct{ info wire.Info }

func (f staticGame) Info() wire.Info                       { return f.info }
func (staticGame) Players(dst []wire.Player) []wire.Player { return dst }
func (staticGame) Rules(dst []wire.Rule) []wire.Rule       { return dst }

// runGameServer runs a game server that registers with a master, until its connection is closed.
func runGameServer(c transport.Conn, g staticGame, to transport.Peer) {
	s, err := halflife.NewServer(halflife.ServerConfig{Game: g, Send: c.Send})
	if err != nil {
		panic(err)
	}
	r := halflife.NewRegistrar(halflife.RegistrarConfig{Masters: []transport.Peer{to}, Send: c.Send,
		Heartbeat: func() wire.Heartbeat {
			return wire.Heartbeat{Info: g.info, Region: wire.RegionAll}
		}})
	advance := func(now int64) (next int64, more bool) { r.Advance(now); return now + 1e8, true }
	transport.Run(context.Background(), c, advance, func(d transport.Datagram) {
		if wire.IsDatagram(d.Data) && !r.Feed(d.ReceivedAt, d.Peer, d.Data) {
			s.Feed(d.ReceivedAt, d.Peer, d.Data)
		}
	})
}

// FuzzFeed feeds a master with one listed server. No request draws a long answer to an unproven
// address.
func FuzzFeed(f *testing.F) {
	for _, s := range []string{"c", "e\x00\x00\x00\x00", "1\x00\x00\x00\x00\\gamedir\\x", "1\xff0.0.0.0:0\x00\\map\\x\x00", "q", "b\n",
		"0\n\\challenge\\1\\players\\2\n", "\xff\xff\xff\xffping", "\xff\xff\xff\xffA1234"} {
		f.Add([]byte(s), []byte(s))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		l := newTestMaster(t, master.Config{})
		l.register(server, gameInfo(0))
		for _, peer := range []transport.Peer{client, lanClient, server} {
			for _, req := range [][]byte{a, b} {
				l.takeSent(client)
				if l.m.Feed(l.now, peer, req); len(slices.Concat(l.sent[client]...)) > max(14, len(req)*12/10) {
					t.Fatalf("%q draws %q", req, l.sent[client])
				}
			}
			l.advance(time.Second)
		}
		if n := len(l.m.Servers()); n != 1 {
			t.Fatalf("%d servers", n)
		}
	})
}
