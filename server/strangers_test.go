package server

import (
	"bytes"
	"github.com/teeyard/teeyard/server/internal/access"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/query"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/huffman"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// TestUnprovenAddressesGetNoMoreThanTheySend checks that an address that has not echoed
// a token gets no more bytes than it sent, and no session, whatever it sends. Clients
// without tokens, for which there is a limit of their own, are shut out. That banned 0.6
// clients are told so now and then is allowed.
func TestUnprovenAddressesGetNoMoreThanTheySend(t *testing.T) {
	testenv.OneGoroutine(t)
	ts := newTestServer(t, nil, "sv_van_conn_per_second 0")
	for i := range 3 {
		ts.join(local(1000+i), "player")
	}
	ts.srv.Execute("ban 10.0.0.7 60 a reason that is longer than the datagrams of the banned are")
	m := newMutator(t, conn.V7, 17)
	r := rand.New(rand.NewPCG(4, 4))
	var in, out int
	answered := 0
	ts.send = func(_ transport.Peer, b []byte) { out += len(b); answered++ }
	squeeze := func(p []byte) []byte { // the header's flags say so already
		return huffman.AppendCompress(p[:packet.HeaderSize:packet.HeaderSize], p[packet.HeaderSize:])
	}
	request := packet.AppendTokenRequest(nil, 5)
	small := append([]byte(nil), request...)
	small[0] |= byte(packet.FlagCompressed << 2)
	small = squeeze(small)
	total := 200_000
	forger := testclient.New(testclient.Config{})
	for i := range total {
		peer := ip(100 + i)
		if i%10 == 0 {
			peer = ip(7) // banned
			ts.now = ts.now.Add(6 * time.Second)
		}
		var b []byte
		switch i % 8 {
		case 0:
			b = append(b, request...)
		case 1:
			b = append(b, small...)
		case 2:
			b = packet.AppendConnect(nil, packet.Token(r.Uint32()), 7)
		case 3:
			b = packet.AppendConnless(nil, packet.Token(r.Uint32()), 7, []byte("\xff\xff\xff\xffgie3\x01"))
		case 4:
			b = append(b, request[:r.IntN(len(request))]...)
		default:
			forger.Token = packet.Token(r.Uint32())
			b = append(b, m.next(forger)...)
		}
		if r.IntN(2) == 0 {
			b = m.damage(b)
		}
		in, out = len(b), 0
		ts.srv.Feed(ts.now, peer, b)
		if kind, _ := packet.Classify(b); peer == ip(7) && kind != packet.KindControl7 {
			in = max(in, 128)
		}
		if out > in {
			t.Fatalf("%d bytes are answered with %d: %x", in, out, b)
		}
	}
	if answered < total/8 {
		t.Errorf("only %d of %d answered: the test tests nothing", answered, total)
	}
	if n := ts.srv.numClients(); n > 3 {
		t.Errorf("%d seats are taken", n)
	}
}

// TestStrangersCostNoMemory checks that a million datagrams of forged addresses neither
// allocate nor leave anything behind.
func TestStrangersCostNoMemory(t *testing.T) {
	testenv.OneGoroutine(t)
	ts := newTestServer(t, nil)
	c := ts.join(ip(1), "player")
	ts.send = func(transport.Peer, []byte) {}
	ts.feed(ip(1<<24-1), packet.AppendConnect6(nil, packet.TokenAbsent, 0)) // from now on answers to challenges are looked for
	var datagrams [][]byte
	for _, b := range [][]byte{
		packet.AppendTokenRequest(nil, 5), packet.AppendConnect(nil, 6, 7), c.Datagram(true, &msg7.Ready{}),
		packet.AppendConnless(nil, 6, 7, []byte("\xff\xff\xff\xffgie3\x01")),
		packet.AppendConnect6(nil, packet.TokenAbsent, 0), packet.AppendConnect6(nil, packet.TokenInTrailer, 0),
		packet.AppendConnect6(nil, packet.TokenInHeader, 5),
		packet.AppendPacket6(nil, 0, 0, 1, packet.PlacedToken{}, packet.AppendChunk6(nil, 0, 0, bytes.Repeat([]byte{1}, 500))),
		packet.AppendPacket6(nil, 0, 0, 1, packet.PlacedToken{Place: packet.TokenInHeader, Token: 5}, []byte{0, 1, 2}),
		query.AppendRequest(nil, query.Request{Format: query.FormatPlain6}), query.AppendRequest(nil, query.Request{Format: query.FormatExtended6}),
	} {
		datagrams = append(datagrams, bytes.Clone(b))
	}
	run := func(n int) {
		for i := range n {
			ts.srv.Feed(ts.now, ip(2+i&0xffffff), datagrams[i%len(datagrams)])
		}
	}
	total := 1_000_000
	run(1000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	run(total)
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > 1000 {
		t.Errorf("%d datagrams cost %d allocations", total, n)
	}
	if late := heapInUse(); late > before.HeapAlloc+1<<20 {
		t.Errorf("heap grew from %d to %d bytes", before.HeapAlloc, late)
	}
	if len(ts.srv.sessionByPeer) != 1 {
		t.Errorf("%d sessions", len(ts.srv.sessionByPeer))
	}
}

func TestConnectionsPerAddressAndNetworkAreLimited(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients 5; sv_max_clients_per_ip 2; sv_max_clients_per_network 3")
	at := func(a, b, port int) transport.Peer {
		p := ip(a<<8 | b)
		return withPort(p, port)
	}
	for _, c := range []struct {
		peer   transport.Peer
		reason string
	}{
		{at(1, 1, 1), ""},
		{at(1, 1, 2), ""},
		{at(1, 1, 3), "Only 2 players with the same IP are allowed"},
		{at(1, 2, 1), ""},
		{at(1, 3, 1), "Only 3 players from the same network are allowed"},
		{at(2, 3, 1), ""},
		{at(3, 3, 1), ""},
		{at(4, 4, 1), "This server is full"},
	} {
		p := ts.connect(c.peer)
		if p.Closed != (c.reason != "") || p.Reason != c.reason || p.Accepted == p.Closed {
			t.Errorf("%v: accepted %v, closed %v with %q, want %q", c.peer, p.Accepted, p.Closed, p.Reason, c.reason)
		}
	}
	if n := ts.srv.numClients(); n != 5 {
		t.Errorf("%d clients", n)
	}
}

// TestSeatsOfIPv6Network checks that a /64 counts as a single address and a /48 as a single
// network, but that each machine of a local network is an address.
func TestSeatsOfIPv6Network(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients_per_ip 4; sv_max_clients_per_network 7")
	admitted := func(peer func(int) transport.Peer) (n int) {
		for i := range 40 {
			if ts.connect(peer(i)).Accepted {
				n++
			}
		}
		return n
	}
	if n := admitted(ipv6); n != 4 {
		t.Errorf("a /64 has %d seats, want 4", n)
	}
	if n := admitted(inSite); n != 7 {
		t.Errorf("a /48 has %d seats, want 7", n)
	}
	ts = newTestServer(t, nil, "sv_max_clients_per_ip 4")
	if n := admitted(func(i int) transport.Peer {
		return transport.UDPPeer(netip.AddrFrom16([16]byte{0xfe, 0x80, 15: byte(i)}).WithZone("2"), 5000)
	}); n != 40 {
		t.Errorf("%d of 40 machines of a local network have a seat", n)
	}
}

// TestBansOfIPv6Network checks that the ban of a client covers its /64. An operator may also ban
// one address or any network.
func TestBansOfIPv6Network(t *testing.T) {
	for target, want := range map[string]struct {
		net       string
		neighbour bool // whether somebody else of the /64 is banned
	}{
		"0":               {"2001:db8::/64", true},
		"2001:db8::1":     {"2001:db8::1", false},
		"2001:db8::/64":   {"2001:db8::/64", true},
		"2001:db8::7/112": {"2001:db8::/112", true},
	} {
		ts := newTestServer(t, nil)
		p, q := ts.join(ipv6(1), "rude"), ts.join(ipv6(2), "neighbour")
		honest := ts.join(inSite(1), "honest")
		ts.srv.Execute("ban " + target + " 10 rude")
		ts.step(1)
		list := ts.srv.Bans()
		if len(list) != 1 || bans.FormatNet(list[0].Net) != want.net {
			t.Errorf("ban %s: %+v, want %s", target, list, want.net)
		}
		if !p.Closed || q.Closed != want.neighbour || honest.Closed {
			t.Errorf("ban %s: closed %v, the neighbour %v, others %v", target, p.Closed, q.Closed, honest.Closed)
		}
	}
	ts := newTestServer(t, nil)
	zoned := transport.UDPPeer(netip.MustParseAddr("fe80::1%2"), 5000)
	p := ts.join(zoned, "rude")
	ts.srv.Execute("ban 0 10 rude")
	ts.step(1)
	if !p.Closed || !banned(ts.srv, zoned) {
		t.Errorf("closed %v, banned %v, with a zone", p.Closed, banned(ts.srv, zoned))
	}
	ts.join(transport.UDPPeer(netip.IPv6Loopback(), 1), "near")
	ts.log.Reset()
	if ts.srv.Execute("ban 1 10 x"); !strings.Contains(ts.log.String(), "ban failed (localhost)") || len(ts.srv.Bans()) != 1 {
		t.Errorf("banning loopback: %s", ts.log.String())
	}
}

// TestBannedAddressesAreToldRarely checks that the banned are told every five seconds,
// and only if they did not ask in between.
func TestBannedAddressesAreToldRarely(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(ip(1), "bad")
	q := ts.join(ip(2), "good")
	ts.srv.Execute("ban 10.0.0.1 10 cheating")
	ts.step(1)
	const text = "You have been banned for 10 minutes (cheating)"
	if p.Reason != text || ts.session(p) != nil || ts.session(q) == nil {
		t.Fatalf("banned with %q", p.Reason)
	}
	ask := func(wait time.Duration) bool {
		ts.now = ts.now.Add(wait)
		p.Closed, p.Reason = false, ""
		ts.feed(p.Peer, packet.AppendTokenRequest(nil, p.OwnToken))
		return p.Closed
	}
	for i, c := range []struct {
		wait time.Duration
		want bool
	}{
		{time.Second, false}, {4 * time.Second, false}, {4990 * time.Millisecond, false}, // each starts the wait anew
		{5100 * time.Millisecond, true}, {time.Second, false}, {6 * time.Second, true},
	} {
		if got := ask(c.wait); got != c.want {
			t.Errorf("question %d after %v: answered %v", i, c.wait, got)
		}
	}
	if ask(10*time.Second) && p.Reason != text { // half a minute has passed
		t.Errorf("banned with %q", p.Reason)
	}
	if ask(10*time.Minute) || banned(ts.srv, p.Peer) {
		t.Error("still banned after ten minutes")
	}
	ts.srv.Execute("ban 127.0.0.1 10 x")
	if len(ts.srv.Bans()) != 0 {
		t.Error("loopback is banned")
	}
}

// banned reports whether an address is banned from the game.
func banned(s *Server, peer transport.Peer) bool {
	_, ok := s.access.Bans.Find(peer.Addr())
	return ok
}

// TestLeavingAtOnceIsBanned checks that leaving within a second bans the address for a
// minute, except for loopback and web pages, and that others who play from there stay.
func TestLeavingAtOnceIsBanned(t *testing.T) {
	ts := newTestServer(t, nil)
	leave := func(p *testclient.Client) {
		p.Close("")
		ts.step(1)
	}
	friends := []*testclient.Client{
		ts.joinAs(client06DDNet, withPort(ip(1), 77), "same address"),
		ts.join(withPort(ip(1), 78), "downstairs"),
		ts.connect(withPort(ip(1), 79)).Info(), // loads the map
	}
	p := ts.join(ip(1), "hasty")
	snapshots := friends[0].Snapshots
	leave(p)
	for range 58 * 50 {
		for _, f := range friends[:2] {
			ts.input(f, msg7.PlayerInput{})
		}
		friends[2].KeepAlive()
		ts.step(1)
	}
	friends[2].Ready().StartInfo("late").EnterGame()
	ts.idle(5, friends...)
	for i, f := range friends {
		if c := ts.session(f); c == nil || c.state != stateInGame {
			t.Errorf("the other client %d of the address is out: %q", i, f.Reason)
		}
	}
	if n := friends[0].Snapshots - snapshots; n < 57*25 {
		t.Errorf("another client of the address got %d snapshots in 58 s", n)
	}
	const text = "You have been banned for 1 minute (Stressing network)"
	ts.step(10)
	if p = ts.dial(ip(1)); p.Token != packet.NoToken || p.Reason != text {
		t.Errorf("not banned any more after 59 s, or told %q", p.Reason)
	}
	ts.idle(2*50, friends...)
	p = ts.join(ip(1), "patient")
	ts.step(50)
	leave(p)
	if banned(ts.srv, p.Peer) {
		t.Error("banned after a second")
	}
	q := ts.join(local(1), "near")
	leave(q)
	if len(ts.srv.Bans()) != 0 {
		t.Error("loopback is banned")
	}
	page := ip(4)
	page.Kind = transport.WebSocket
	if leave(ts.join(page, "reloads")); banned(ts.srv, page) {
		t.Error("a web page is banned")
	}
	// Timeouts and refused clients do not count as stress.
	q = ts.connect(ip(3))
	q.Send(&msg7.Info{NetVersion: []byte("0.6")})
	ts.step(1)
	if !q.Closed || banned(ts.srv, q.Peer) {
		t.Errorf("closed %v, or banned for a wrong version", q.Closed)
	}
}

// TestConnectRateIsLimited checks that clients that connect again and again from one
// address are refused.
func TestConnectRateIsLimited(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients_per_ip 4")
	admitted := 0
	for i := range 1000 {
		p := ts.connect(withPort(ip(1), 100+i))
		if p.Accepted {
			admitted++
		}
		if c := ts.session(p); c != nil {
			c.drop("next")
		}
		delete(ts.clients, p.Peer)
		ts.step(1)
	}
	// 20 s at two a second, and the burst.
	if want := int(access.ConnectRate.Burst) + 41; admitted > want || admitted < want-3 {
		t.Errorf("%d of 1000 admitted in 20 s, want %d", admitted, want)
	}
	// An IPv6 network is one customer.
	admitted = 0
	for i := range 1000 {
		p := ts.connect(ipv6(i))
		if p.Accepted {
			admitted++
		}
		if c := ts.session(p); c != nil {
			c.drop("next")
			ts.srv.Advance(ts.now)
		}
		delete(ts.clients, p.Peer)
		if i%100 == 0 {
			ts.step(1)
		}
	}
	if admitted > int(access.ConnectRate.Burst)+1 {
		t.Errorf("%d of one IPv6 network admitted at once", admitted)
	}
}

// TestConnectRateGrowsWithSeats checks that a classroom behind one address can join at once.
func TestConnectRateGrowsWithSeats(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients_per_ip 32")
	for i := range 32 {
		testenv.Check(t, ts.connect(withPort(ip(1), 100+i)).Accepted, "pupil %d is refused", i)
	}
}

// TestConnectRateOfSiteIsLimited checks that a site with many networks is limited even if each of
// them connects once, and that it leaves few lines in the log.
func TestConnectRateOfSiteIsLimited(t *testing.T) {
	ts := newTestServer(t, nil, "console_output_level 2")
	ts.log.Reset()
	admitted := 0
	for i := range 5000 { // in 20 s
		p := ts.connect(inSite(i))
		if p.Accepted {
			admitted++
		}
		p.Send(&msg7.Info{NetVersion: []byte("0.6")}) // not a reason for a ban
		delete(ts.clients, p.Peer)
		if i%5 == 4 {
			ts.step(1)
		}
	}
	if most := int(access.SiteConnectRate.Burst + 20*access.SiteConnectRate.PerSecond); admitted > most || admitted < most-10 {
		t.Errorf("%d of 5000 admitted, want %d", admitted, most)
	}
	if n := strings.Count(ts.log.String(), "\n"); n > int(access.StrangerLogRate.Burst)+21 {
		t.Errorf("%d lines in the log", n)
	}
	ts.join(ip(1), "honest")
}
