package server

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// hybrid is the messages of 0.7 for clients whose packets are those of 0.6. Nobody
// speaks it, but to a gate messages are all the same.
type hybrid struct{ bridge.Protocol }

func (hybrid) Name() string                 { return "hybrid" }
func (hybrid) NeedsUncompressedTiles() bool { return true }

// newGateLab is a lab whose server speaks 0.7 and the hybrid.
func newGateLab(tb testing.TB, files fstest.MapFS, commands ...string) *lab {
	tb.Helper()
	l := newLab(tb, files, commands...)
	l.srv.versions = []*protocolVersion{l.srv.versions[0],
		{Protocol: hybrid{bridge7.NewProtocol()}, handshaker: newHandshaker6(l.srv), kinds: kinds6}}
	if err := l.srv.loadMap(l.srv.settings.Map); err != nil {
		tb.Fatal(err)
	}
	return l
}

// hybridClient is a client with a 0.6 connection.
type hybridClient struct {
	l      *lab
	peer   transport.Peer
	conn   conn.Conn
	inbox  [][]byte
	ids    map[msg7.ID]int
	dec    msg7.Decoder
	offer  msg7.MapChange
	asked  bool // was challenged, with number
	number int32
}

// dial makes a client and lets it ask for a seat.
func (l *lab) dial(peer transport.Peer, how conn.Handshake) *hybridClient {
	p := &hybridClient{l: l, peer: peer}
	old := l.out
	l.out = func(to transport.Peer, b []byte) {
		if to == peer {
			p.inbox = append(p.inbox, bytes.Clone(b))
			return
		}
		old(to, b)
	}
	if err := p.conn.Init(conn.Config{Send: func(b []byte) { l.feed(peer, b) }}); err != nil {
		l.tb.Fatal(err)
	}
	p.redial(how)
	return p
}

func (p *hybridClient) redial(how conn.Handshake) {
	p.conn.Reset()
	p.ids, p.asked = map[msg7.ID]int{}, false
	if err := p.conn.Dial6(p.l.now, how, 0x0a0b0c0d); err != nil {
		p.l.tb.Fatal(err)
	}
	p.read()
}

// read takes what the server has sent.
func (p *hybridClient) read() {
	for len(p.inbox) > 0 {
		b := p.inbox[0]
		p.inbox = p.inbox[1:]
		p.conn.Feed(p.l.now, b, p)
		if p.asked && p.session() == nil {
			p.conn.Queue(p.l.now, packer.AppendInt(packer.AppendInt(nil, 16<<1|1), p.number), false)
		}
		p.conn.Flush(p.l.now)
	}
}

// Chunk implements conn.Handler.
func (p *hybridClient) Chunk(b []byte, _ bool) {
	var u packer.Unpacker
	u.Reset(b)
	if id := u.Int(); id == 6<<1|1 && p.l.srv.sessionByPeer[p.peer] == nil {
		// The number to be echoed, in 0.6's SNAPEMPTY and INPUT.
		p.asked, p.number = true, u.Int()
		return
	}
	m, err := p.dec.Decode(b)
	if err != nil {
		return
	}
	p.ids[m.ID()]++
	if m, ok := m.(*msg7.MapChange); ok {
		p.offer = *m
	}
}

// say sends a vital message and reads the answer.
func (p *hybridClient) say(m msg7.Message) {
	p.conn.Queue(p.l.now, m.Append(nil), true)
	p.conn.Flush(p.l.now)
	p.read()
}

// play brings the client into the game.
func (p *hybridClient) play(name string) {
	p.say(&msg7.Info{NetVersion: []byte(msg7.NetVersion)})
	p.enter(name)
}

// enter is the way in from the map on.
func (p *hybridClient) enter(name string) {
	p.l.tb.Helper()
	p.say(&msg7.Ready{})
	p.say(&msg7.ClStartInfo{Name: []byte(name)})
	p.say(&msg7.EnterGame{})
	p.step(4)
	if c := p.session(); c == nil || c.state != stateInGame || p.ids[msg7.IDSnapSingle] == 0 {
		p.l.tb.Fatalf("%s did not get in: %q, heard %v, drops %v", name, p.conn.Reason(), p.ids, p.l.srv.Drops())
	}
}

func (p *hybridClient) session() *session { return p.l.srv.sessionByPeer[p.peer] }

func (p *hybridClient) step(n int) {
	for range n {
		p.l.step(1)
		p.read()
		p.conn.Update(p.l.now)
	}
}

// TestHandshakes: every kind of client gets in, and nobody before he has proved
// that he reads what is sent to his address.
func TestHandshakes(t *testing.T) {
	for _, how := range []conn.Handshake{conn.HandshakeTKEN, conn.HandshakeHeaderToken, conn.HandshakePlain} {
		t.Run(how.String(), func(t *testing.T) {
			l := newGateLab(t, nil)
			place := map[conn.Handshake]packet.TokenPlace{conn.HandshakeTKEN: packet.TokenInTrailer, conn.HandshakeHeaderToken: packet.TokenInHeader}[how]
			connect := packet.AppendConnect6(nil, place, 5)
			for range 3 {
				l.feed(ip(9), connect)
				l.step(10)
			}
			if l.srv.sessionByPeer[ip(9)] != nil || l.packets == 0 {
				t.Errorf("who reads nothing has a seat, or no answer: %d datagrams", l.packets)
			}
			q := l.dial(ip(1), how)
			if q.asked != (how == conn.HandshakePlain) {
				t.Errorf("was asked to prove its address: %v", q.asked)
			}
			if how == conn.HandshakePlain {
				q.enter("plain") // the first word is lost, and not needed
			} else {
				q.play("tokened")
			}
			if got := q.session().addrProven; got != (how != conn.HandshakePlain) {
				t.Errorf("accountable: %v", got)
			}
		})
	}
}

// TestAntispoofOff: clients without tokens are trusted if the operator wants it,
// but never punished.
func TestAntispoofOff(t *testing.T) {
	l := newGateLab(t, nil, "sv_vanilla_antispoof 0; password secret; sv_rcon_bantime 10")
	p := l.dial(ip(1), conn.HandshakePlain)
	if p.asked || p.session() == nil {
		t.Fatalf("asked: %v, drops %v", p.asked, l.srv.Drops())
	}
	p.say(&msg7.Info{NetVersion: []byte(msg7.NetVersion), Password: []byte("secret")})
	p.enter("trusted")
	for range 4 {
		p.say(&msg7.RconAuth{Password: []byte("guess")})
	}
	p.step(1)
	if p.session() != nil || len(l.srv.bans.list()) != 0 {
		t.Errorf("after wrong passwords: session %v, bans %v", p.session() != nil, l.srv.bans.list())
	}
	// One that breaks at once is no reason for a ban either.
	q := l.dial(ip(2), conn.HandshakePlain)
	q.conn.Close(l.now, "")
	l.step(1)
	if q.session() != nil || len(l.srv.bans.list()) != 0 {
		t.Errorf("after a quick end: session %v, bans %v", q.session() != nil, l.srv.bans.list())
	}
}

// TestPasswordWithoutToken: a challenge hides the password that a client says, so
// such clients stay out of servers that have one.
func TestPasswordWithoutToken(t *testing.T) {
	l := newGateLab(t, nil, "password secret")
	p := l.dial(ip(1), conn.HandshakePlain)
	if p.asked || p.session() != nil || !strings.Contains(p.conn.Reason(), "password") {
		t.Errorf("asked: %v, told %q", p.asked, p.conn.Reason())
	}
	// Nor does one get in that was challenged before there was a password.
	l = newGateLab(t, nil)
	q := &hybridClient{l: l, peer: ip(3)}
	var answer []byte
	l.out = func(_ transport.Peer, b []byte) { q.inbox = append(q.inbox, bytes.Clone(b)) }
	q.conn.Init(conn.Config{Send: func(b []byte) {
		if p := new(packet.Packet6); p.ParseHeader(b) == nil && p.Flags&packet.FlagControl == 0 {
			answer = bytes.Clone(b) // kept back
			return
		}
		l.feed(q.peer, b)
	}})
	q.redial(conn.HandshakePlain)
	if answer == nil {
		t.Fatal("not challenged")
	}
	l.srv.Execute("password secret")
	l.feed(q.peer, answer)
	q.read()
	if q.session() != nil || q.conn.Reason() != "Wrong password" {
		t.Errorf("let in: %v, told %q", q.session() != nil, q.conn.Reason())
	}
}

// TestUnprovenBudget floods the server in the names of others.
func TestUnprovenBudget(t *testing.T) {
	l := newGateLab(t, nil, "sv_van_conn_per_second 10")
	sent, got := 0, map[transport.Peer]int{}
	out := l.out
	l.out = func(to transport.Peer, b []byte) { sent += len(b); got[to]++ }
	connect := packet.AppendConnect6(nil, packet.TokenAbsent, 0)
	for i := range 20_000 {
		l.feed(ip(i*256), connect) // each of another network
		l.feed(ip(7), connect)     // and one that is always the same
		if i%1000 == 999 {
			l.step(5)
		}
	}
	// Two seconds of 10 and the burst.
	if want := 30 * (4 + 80); sent > want || sent == 0 {
		t.Errorf("%d bytes sent to addresses that proved nothing", sent)
	}
	if n := got[ip(7)]; n > 2*(networkUnproven.burst+2) {
		t.Errorf("%d datagrams to one network", n)
	}
	if len(l.srv.sessionByPeer) != 0 {
		t.Errorf("%d seats are taken", len(l.srv.sessionByPeer))
	}
	if l.srv.Drops()["unproven"] == 0 {
		t.Errorf("drops %v", l.srv.Drops())
	}
	// Clients with tokens do not notice.
	l.out = out
	l.dial(ip(1), conn.HandshakeTKEN).play("ddnet")
	l.dial(ip(2), conn.HandshakeHeaderToken).play("65")
	l.play(ip(3), "seven")

	none := newGateLab(t, nil, "sv_van_conn_per_second 0")
	if p := none.dial(ip(1), conn.HandshakePlain); p.asked || none.packets != 0 {
		t.Errorf("with 0 per second %d datagrams were sent", none.packets)
	}
}

// TestBannedOfAllVersions: the banned hear of it in their own language.
func TestBannedOfAllVersions(t *testing.T) {
	for _, how := range []conn.Handshake{conn.HandshakeTKEN, conn.HandshakeHeaderToken, conn.HandshakePlain} {
		l := newGateLab(t, nil)
		if err := l.srv.banAddr(l.now, ip(1).Addr(), time.Hour, "rude"); err != nil {
			t.Fatal(err)
		}
		l.step(300)
		p := l.dial(ip(1), how)
		if !strings.Contains(p.conn.Reason(), "banned") || !strings.Contains(p.conn.Reason(), "rude") {
			t.Errorf("%v: told %q", how, p.conn.Reason())
		}
		packets := l.packets
		for range 50 {
			p.redial(how)
		}
		if l.packets != packets {
			t.Errorf("%v: told %d times more", how, l.packets-packets)
		}
		if l.srv.Drops()["banned"] != 51 {
			t.Errorf("%v: drops %v", how, l.srv.Drops())
		}
	}
}

// TestNoOtherVersion: a seat keeps the version it began with, whatever arrives.
func TestNoOtherVersion(t *testing.T) {
	l := newGateLab(t, nil)
	old := l.dial(ip(1), conn.HandshakeTKEN)
	old.play("old")
	young := l.play(ip(2), "young")

	control7 := packet.AppendConnect(nil, young.token, 5)
	for _, b := range [][]byte{control7, packet.AppendTokenRequest(nil, 5), packet.AppendControl(nil, 0, young.token, packet.ControlKeepAlive)} {
		l.feed(ip(1), b)
	}
	if got := l.srv.Drops()["version"]; got != 3 {
		t.Errorf("%d of 3 counted: %v", got, l.srv.Drops())
	}
	for _, place := range []packet.TokenPlace{packet.TokenAbsent, packet.TokenInTrailer, packet.TokenInHeader} {
		l.feed(ip(2), packet.AppendConnect6(nil, place, 5))
	}
	if got := l.srv.Drops()["version"]; got != 6 {
		t.Errorf("%d of 6 counted: %v", got, l.srv.Drops())
	}
	for _, p := range []transport.Peer{ip(1), ip(2)} {
		if c := l.srv.sessionByPeer[p]; c == nil || c.state != stateInGame {
			t.Errorf("%v lost its seat", p)
		}
	}
	if len(l.srv.sessionByPeer) != 2 {
		t.Errorf("%d seats", len(l.srv.sessionByPeer))
	}
}

// TestVersionsOnOneAddress: who plays behind one address, in whatever version, plays
// at once and counts towards its limit, and a port is as good for one version as for
// another once it is free.
func TestVersionsOnOneAddress(t *testing.T) {
	l := newGateLab(t, nil, "sv_max_clients_per_ip 4")
	at := func(port int) transport.Peer { return netipPort(ip(1), port) }
	out, olds := l.out, map[conn.Handshake]*hybridClient{}
	for i, how := range []conn.Handshake{conn.HandshakeTKEN, conn.HandshakeHeaderToken, conn.HandshakePlain} {
		p := l.dial(at(1+i), how)
		if how == conn.HandshakePlain {
			p.enter(how.String())
		} else {
			p.play(how.String())
		}
		olds[how] = p
	}
	young := l.play(at(4), "young")
	young.vital(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("hello")})
	l.step(4)
	for how, p := range olds {
		p.read()
		if c := p.session(); c == nil || c.version != l.srv.versions[1] || p.ids[msg7.IDSvChat] == 0 {
			t.Errorf("%v: session %v, heard %v", how, c != nil, p.ids)
		}
	}
	if c := young.session(); c == nil || c.version != l.srv.versions[0] || len(young.chat) == 0 {
		t.Errorf("young: session %v, heard %v", c != nil, young.chat)
	}

	const tooMany = "Only 4 players with the same IP are allowed"
	for i, how := range []conn.Handshake{conn.HandshakeTKEN, conn.HandshakeHeaderToken, conn.HandshakePlain} {
		p := l.dial(at(5+i), how)
		if how == conn.HandshakeHeaderToken { // whose first word is what asks for the seat
			p.say(&msg7.Info{NetVersion: []byte(msg7.NetVersion)})
		}
		if p.session() != nil || p.conn.Reason() != tooMany {
			t.Errorf("%v, one too many: session %v, told %q", how, p.session() != nil, p.conn.Reason())
		}
	}
	if p := l.puppet(at(8)).connect(); p.session() != nil || p.reason != tooMany {
		t.Errorf("0.7, one too many: told %q", p.reason)
	}

	// The old one leaves, and a young one gets its port; and the other way round.
	l.step(100) // to leave at once is stress
	olds[conn.HandshakeTKEN].conn.Close(l.now, "")
	l.feed(at(4), packet.AppendClose(nil, young.ack, young.token, ""))
	l.step(2)
	delete(l.puppets, at(4))
	l.out = out // nobody else listens any more
	l.play(at(1), "younger")
	l.dial(at(4), conn.HandshakeTKEN).play("older")
	for port, want := range map[int]int{1: 0, 2: 1, 3: 1, 4: 1} {
		if c := l.srv.sessionByPeer[at(port)]; c == nil || c.version != l.srv.versions[want] {
			t.Errorf("port %d: session %v, not of version %d", port, c != nil, want)
		}
	}
}

// TestRejoin: a client that crashed and comes again from the same port begins anew,
// without waiting for its old self to time out.
func TestRejoin(t *testing.T) {
	l := newGateLab(t, nil)
	watcher := l.play(ip(2), "watcher")
	p := l.dial(ip(1), conn.HandshakeTKEN)
	p.play("before")
	p.step(100)
	id := p.session().id
	p.redial(conn.HandshakeTKEN)
	c := p.session()
	if c == nil || c.id != id || c.state != stateAuth {
		t.Fatalf("session %+v", c)
	}
	p.step(1) // the world has to know first
	p.play("after")
	if info, _ := l.srv.world.Player(id); info.Profile.Name != "after" || watcher.ids[msg7.IDSvClientDrop] != 1 || watcher.ids[msg7.IDSvClientInfo] != 3 {
		t.Errorf("player %q, the other heard %v", info.Profile.Name, watcher.ids)
	}
	if n := len(l.srv.sessionByPeer); n != 2 {
		t.Errorf("%d sessions", n)
	}
}

// compressed is an embedded map as newer editors write it.
func compressed(t *testing.T) []byte {
	t.Helper()
	m, err := twmap.Parse(maps.Default().Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range m.Groups {
		for _, l := range g.Layers {
			if l, ok := l.(*twmap.TileLayer); ok {
				l.Version = 4
			}
		}
	}
	b, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestMapForEverybody: each client is told of, and gets, a map that it can read.
func TestMapForEverybody(t *testing.T) {
	file := compressed(t)
	l := newGateLab(t, fstest.MapFS{"maps/new.map": {Data: file}}, "sv_map new")
	var told msg7.MapChange
	young := l.puppet(ip(2)).connect()
	young.onMessage = func(m msg7.Message) {
		if m, ok := m.(*msg7.MapChange); ok {
			told = *m
		}
	}
	young.info()
	if want := l.srv.gameMap.CRC; uint32(told.CRC) != want || int(told.Size) != len(file) {
		t.Errorf("the new client is told of %d bytes with CRC %08x", told.Size, told.CRC)
	}
	old := l.dial(ip(1), conn.HandshakeTKEN)
	old.say(&msg7.Info{NetVersion: []byte(msg7.NetVersion)})
	plain := old.session().download.file
	if plain == &l.srv.gameMap.Map || old.offer.Size != int32(len(plain.File)) || uint32(old.offer.CRC) != plain.CRC || old.offer.SHA256.Sum != plain.SHA256 {
		t.Errorf("the old client is told of %+v", old.offer)
	}
	m, err := twmap.Parse(plain.File)
	if err != nil || m.CRC != plain.CRC || m.SHA256 != plain.SHA256 {
		t.Fatalf("CRC %08x, %v", m.CRC, err)
	}
	if !bytes.Equal(m.GameLayer().Indices(), l.srv.gameMap.terrain.Tiles) || m.MakeCompatible() {
		t.Error("the plain map is another one, or is not plain")
	}
	// A map for which there is no plain one.
	l.srv.gameMap.plain, l.srv.gameMap.plainErr = nil, errors.New("too large")
	lost := l.dial(ip(3), conn.HandshakeTKEN)
	lost.say(&msg7.Info{NetVersion: []byte(msg7.NetVersion)})
	lost.step(1)
	if lost.session() != nil || !strings.Contains(lost.conn.Reason(), "cannot be read") {
		t.Errorf("told %q", lost.conn.Reason())
	}
}

// TestBrowsers: all forms of asking are answered with the same, and nobody can be
// flooded by them.
func TestBrowsers(t *testing.T) {
	l := newGateLab(t, nil, "sv_name yard; sv_motd hello")
	l.play(ip(2), "alice")
	var got [][]byte
	l.out = func(_ transport.Peer, b []byte) { got = append(got, bytes.Clone(b)) }
	for _, form := range []query.Form{query.FormPlain6, query.FormExtended6, query.FormLegacy64} {
		got = nil
		l.feed(ip(1), query.AppendRequest(nil, query.Request{Form: form, Token: 77}))
		if len(got) != 1 {
			t.Fatalf("%v: %d answers", form, len(got))
		}
		r, err := query.ParseReply6(got[0])
		if err != nil || r.Form != form || r.Token != 77 || r.Info.Name != "yard" && !strings.HasPrefix(r.Info.Name, "yard [") ||
			r.Info.Map != "teeyard1" || len(r.Info.Clients) != 1 || r.Info.Clients[0].Name != "alice" {
			t.Errorf("%v: %+v, %v", form, r, err)
		}
	}
	request := query.AppendRequest(nil, query.Request{Form: query.FormExtended6, Token: 1})
	before := l.sent
	for i := range 20_000 {
		l.feed(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 2, 3, byte(i)}), 99), request)
	}
	if n := l.sent - before; n > 96<<10 || n == 0 {
		t.Errorf("%d bytes went to one network at once", n)
	}
	if l.srv.Drops()["unproven"] == 0 {
		t.Errorf("drops %v", l.srv.Drops())
	}
	l.feed(ip(9), query.AppendRequest(nil, query.Request{Form: query.FormPlain6})[:14])
	if l.srv.Drops()["info"] != 1 {
		t.Errorf("drops %v", l.srv.Drops())
	}
}

// Strangers cost no memory, whatever they send.
func TestStrangersAllocateNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	l := newGateLab(t, nil)
	l.out = func(transport.Peer, []byte) {}
	l.feed(ip(1), packet.AppendConnect6(nil, packet.TokenAbsent, 0)) // now answers are looked for
	data := packet.AppendPacket6(nil, 0, 0, 1, packet.PlacedToken{}, packet.AppendChunk6(nil, 0, 0, bytes.Repeat([]byte{1}, 500)))
	forged := packet.AppendPacket6(nil, 0, 0, 1, packet.PlacedToken{Place: packet.TokenInHeader, Token: 5}, []byte{0, 1, 2})
	for name, b := range map[string][]byte{
		"CONNECT":        packet.AppendConnect6(nil, packet.TokenAbsent, 0),
		"CONNECT, TKEN":  packet.AppendConnect6(nil, packet.TokenInTrailer, 0),
		"CONNECT, 0.6.5": packet.AppendConnect6(nil, packet.TokenInHeader, 5),
		"data":           data,
		"forged":         forged,
		"token request":  packet.AppendTokenRequest(nil, 7),
		"info":           query.AppendRequest(nil, query.Request{Form: query.FormPlain6}),
		"info, extended": query.AppendRequest(nil, query.Request{Form: query.FormExtended6}),
	} {
		n := 0
		if got := testing.AllocsPerRun(300, func() { n++; l.srv.Feed(l.now, ip(n*256), b) }); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
	if len(l.srv.sessionByPeer) != 0 {
		t.Error("somebody got in")
	}
}

// TestOldAndYoungTogether: with both in the game, each hears of the other.
func TestOldAndYoungTogether(t *testing.T) {
	l := newGateLab(t, nil)
	var olds []*hybridClient
	var youngs []*puppet
	for i := range 4 {
		p := l.dial(ip(10+i), []conn.Handshake{conn.HandshakeTKEN, conn.HandshakeHeaderToken, conn.HandshakePlain}[i%3])
		if i%3 == 2 {
			p.enter(fmt.Sprint("old ", i))
		} else {
			p.play(fmt.Sprint("old ", i))
		}
		olds = append(olds, p)
		youngs = append(youngs, l.play(ip(20+i), fmt.Sprint("young ", i)))
	}
	youngs[0].vital(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("hello")})
	for range 20 {
		l.step(1)
		for _, p := range olds {
			p.read()
		}
	}
	for i, p := range olds {
		if p.ids[msg7.IDSvChat] == 0 || p.ids[msg7.IDSvClientInfo] != 8 {
			t.Errorf("old %d heard %v", i, p.ids)
		}
	}
	for i, p := range youngs {
		if len(p.chat) == 0 || p.ids[msg7.IDSvClientInfo] != 8 {
			t.Errorf("young %d heard %v", i, p.ids)
		}
	}
}
