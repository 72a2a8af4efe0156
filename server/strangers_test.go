package server

import (
	"log/slog"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/huffman"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// An address that has not echoed a token gets no more bytes than it sent, and no
// seat, whatever it sends. Clients without tokens, for whom there is a budget, are
// shut out; that the banned of older versions are told why, now and then, stays.
func TestStrangersGetNoMoreThanTheySend(t *testing.T) {
	l := newLab(t, nil, "sv_van_conn_per_second 0")
	for i := range 3 {
		l.play(local(1000+i), "player")
	}
	l.srv.banAddr(l.now, ip(7).Addr(), time.Hour, "a reason that is longer than the datagrams of the banned are")
	m := newMutator(t, 17)
	r := rand.New(rand.NewPCG(4, 4))
	var in, out int
	answered := 0
	l.out = func(_ transport.Peer, b []byte) { out += len(b); answered++ }
	squeeze := func(p []byte) []byte { // the header's flags say so already
		return huffman.AppendCompress(p[:packet.HeaderSize:packet.HeaderSize], p[packet.HeaderSize:])
	}
	request := packet.AppendTokenRequest(nil, 5)
	small := append([]byte(nil), request...)
	small[0] |= byte(packet.FlagCompressed << 2)
	small = squeeze(small)
	total := 200_000
	if testenv.Race {
		total /= 10
	}
	seq := 0
	for i := range total {
		peer := ip(100 + i)
		if i%10 == 0 {
			peer = ip(7) // banned
			l.now = l.now.Add(6 * time.Second)
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
			b = append(b, m.next(packet.Token(r.Uint32()), 0, &seq)...)
		}
		if r.IntN(2) == 0 {
			b = m.bits(b)
		}
		in, out = len(b), 0
		l.srv.Feed(l.now, peer, b)
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
	if n := l.srv.numClients(); n > 3 {
		t.Errorf("%d seats are taken", n)
	}
}

// A million forged addresses leave nothing behind.
func TestStrangersCostNoMemory(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(ip(1), "player")
	l.out = func(transport.Peer, []byte) {}
	total := 1_000_000
	if testenv.Race {
		total /= 20
	}
	request := packet.AppendTokenRequest(nil, 5)
	connect := packet.AppendConnect(nil, 6, 7)
	info := packet.AppendConnless(nil, 6, 7, []byte("\xff\xff\xff\xffgie3\x01"))
	data := p.packet(0, true, &msg7.Ready{})
	run := func(n int) {
		for i := range n {
			peer := ip(2 + i&0xffffff)
			switch i & 3 {
			case 0:
				l.srv.Feed(l.now, peer, request)
			case 1:
				l.srv.Feed(l.now, peer, connect)
			case 2:
				l.srv.Feed(l.now, peer, info)
			case 3:
				l.srv.Feed(l.now, peer, data)
			}
		}
	}
	run(1000)
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	run(total)
	runtime.ReadMemStats(&b)
	if n := b.Mallocs - a.Mallocs; n > 1000 && !testenv.Race {
		t.Errorf("%d datagrams cost %d allocations", total, n)
	}
	runtime.GC()
	runtime.ReadMemStats(&b)
	t.Logf("%d datagrams of strangers: heap %d -> %d KB, %d allocations", total, a.HeapAlloc>>10, b.HeapAlloc>>10, b.Mallocs-a.Mallocs)
	if b.HeapAlloc > a.HeapAlloc+1<<20 {
		t.Errorf("heap grew from %d to %d bytes", a.HeapAlloc, b.HeapAlloc)
	}
}

// Limits of what connects, with the words that players know.
func TestAdmissionLimits(t *testing.T) {
	l := newLab(t, nil, "sv_max_clients 5; sv_max_clients_per_ip 2; sv_max_clients_per_network 3")
	at := func(a, b, port int) transport.Peer {
		p := ip(a<<8 | b)
		return netipPort(p, port)
	}
	for _, c := range []struct {
		peer   transport.Peer
		reason string
	}{
		{at(1, 1, 1), ""},
		{at(1, 1, 2), ""},
		{at(1, 1, 3), "Only 2 players with the same IP are allowed"},
		{at(1, 2, 1), ""},
		{at(1, 3, 1), "Only 3 players of the same network are allowed"},
		{at(2, 3, 1), ""},
		{at(3, 3, 1), ""},
		{at(4, 4, 1), "This server is full"},
	} {
		p := l.puppet(c.peer).connect()
		if p.closed != (c.reason != "") || p.reason != c.reason || p.accepted == p.closed {
			t.Errorf("%v: accepted %v, closed %v with %q, want %q", c.peer, p.accepted, p.closed, p.reason, c.reason)
		}
	}
	if n := l.srv.numClients(); n != 5 {
		t.Errorf("%d clients", n)
	}
}

// Bans answer every five seconds, and only to questions that rest for so long.
func TestBanAnswers(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(ip(1), "bad")
	q := l.play(ip(2), "good")
	l.srv.Execute("ban 10.0.0.1 10 cheating")
	l.step(1)
	const text = "You have been banned for 10 minutes (cheating)"
	if p.reason != text || p.session() != nil || q.session() == nil {
		t.Fatalf("banned with %q", p.reason)
	}
	ask := func(wait time.Duration) bool {
		l.now = l.now.Add(wait)
		p.closed, p.reason = false, ""
		l.feed(p.peer, packet.AppendTokenRequest(nil, p.own))
		return p.closed
	}
	for i, c := range []struct {
		wait time.Duration
		want bool
	}{
		{time.Second, false}, {4 * time.Second, false}, {5 * time.Second, false}, // each starts the wait anew
		{5100 * time.Millisecond, true}, {time.Second, false}, {6 * time.Second, true},
	} {
		if got := ask(c.wait); got != c.want {
			t.Errorf("question %d after %v: answered %v", i, c.wait, got)
		}
	}
	if ask(10*time.Second) && p.reason != text { // half a minute has passed
		t.Errorf("banned with %q", p.reason)
	}
	if ask(10*time.Minute) || banned(l.srv, p.peer) {
		t.Error("still banned after ten minutes")
	}
	l.srv.Execute("ban 127.0.0.1 10 x")
	if len(l.srv.bans.list()) != 0 {
		t.Error("loopback is banned")
	}
	const most = 32768
	l.srv.cfg.Log = slog.New(slog.DiscardHandler)
	for i := range most + 100 {
		l.srv.banAddr(l.now, ip(1000+i).Addr(), time.Minute, "Stressing network")
	}
	l.srv.Execute("ban 10.200.0.1 0 for good")
	if n := len(l.srv.bans.list()); n != most {
		t.Errorf("%d bans", n)
	}
	if e, ok := l.srv.bans.find(ip(200<<16 | 1).Addr()); !ok || e.text(l.srv.bans.clock()) != "You have been banned for life (for good)" {
		t.Errorf("a full list keeps the operator from banning: %+v", e)
	}
	// All the banned ask, in their own names or not.
	for i := range most + 100 {
		l.feed(ip(1000+i), packet.AppendTokenRequest(nil, 5))
	}
	if n := len(l.srv.bans.told); n > maxTold {
		t.Errorf("of %d banned it is known when they asked", n)
	}
	l.srv.Execute("unban_all")
	if n := len(l.srv.bans.list()); n != 0 {
		t.Errorf("%d bans are left", n)
	}
}

// banned tells whether the game has banned an address.
func banned(s *Server, peer transport.Peer) bool {
	_, ok := s.bans.find(peer.Addr())
	return ok
}

// Leaving within a second is answered with a ban of a minute, but for loopback.
func TestStressBan(t *testing.T) {
	l := newLab(t, nil)
	leave := func(p *puppet) {
		l.feed(p.peer, append(packet.AppendControl(nil, p.ack, p.token, packet.ControlClose), 0))
		l.step(1)
	}
	p := l.play(ip(1), "hasty")
	friend := l.play(netipPort(ip(1), 77), "same address")
	leave(p)
	const text = "You have been banned for 1 minute (Stressing network)"
	if friend.reason != text || l.srv.numClients() != 0 {
		t.Errorf("the other client of the address: %q", friend.reason)
	}
	l.step(59 * 50)
	if p = l.puppet(ip(1)); p.token != packet.NoToken {
		t.Error("not banned any more after 59 s")
	}
	l.step(2 * 50)
	p = l.play(ip(1), "patient")
	l.step(50)
	leave(p)
	if banned(l.srv, p.peer) {
		t.Error("banned after a second")
	}
	q := l.play(local(1), "near")
	leave(q)
	if len(l.srv.bans.list()) != 0 {
		t.Error("loopback is banned")
	}
	// A timeout is no stress, and neither is being refused.
	q = l.puppet(ip(3)).connect()
	q.vital(&msg7.Info{NetVersion: []byte("0.6")})
	l.step(1)
	if !q.closed || banned(l.srv, q.peer) {
		t.Errorf("closed %v, or banned for a wrong version", q.closed)
	}
}

// Whoever connects again and again from one address is put off.
func TestConnectRate(t *testing.T) {
	l := newLab(t, nil)
	admitted := 0
	for i := range 1000 {
		p := l.puppet(netipPort(ip(1), 100+i)).connect()
		if p.accepted {
			admitted++
		}
		if c := p.session(); c != nil {
			c.drop("next")
		}
		delete(l.puppets, p.peer)
		l.step(1)
	}
	// 20 s at two a second, and the burst.
	if want := connectRate.burst + 41; admitted > want || admitted < want-3 {
		t.Errorf("%d of 1000 admitted in 20 s, want %d", admitted, want)
	}
	// An IPv6 network is one customer.
	admitted = 0
	for i := range 1000 {
		p := l.puppet(peer6(i)).connect()
		if p.accepted {
			admitted++
		}
		if c := p.session(); c != nil {
			c.drop("next")
			l.srv.Advance(l.now)
		}
		delete(l.puppets, p.peer)
		if i%100 == 0 {
			l.step(1)
		}
	}
	if admitted > connectRate.burst+1 {
		t.Errorf("%d of one IPv6 network admitted at once", admitted)
	}
	if n := len(l.srv.stress.connects); n > 4 {
		t.Errorf("%d addresses are remembered", n)
	}
}

// What is remembered of addresses has bounds.
func TestTracksAreBounded(t *testing.T) {
	var g stressGuard
	var r rconTries
	l := newLab(t, nil)
	for i := range 3 * stressTracked {
		g.allow(l.now, ip(i).Addr())
		r.add(l.now, ip(i).Addr())
		if i%100 == 0 {
			l.now = l.now.Add(10 * time.Millisecond)
		}
	}
	if len(g.connects) > stressTracked || len(r.wrong) > rconTracked {
		t.Errorf("%d and %d addresses", len(g.connects), len(r.wrong))
	}
	l.now = l.now.Add(time.Second)
	if !g.allow(l.now, ip(1).Addr()) {
		t.Error("a full track refuses for ever")
	}
	if n := r.add(l.now, ip(3*stressTracked-1).Addr()); n != 2 {
		t.Errorf("try %d, want the second", n)
	}
	if n := r.add(l.now.Add(rconForget), ip(3*stressTracked-1).Addr()); n != 1 {
		t.Errorf("try %d after the time to forget", n)
	}
}
