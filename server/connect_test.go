package server

import (
	"bytes"
	"fmt"
	"github.com/teeyard/teeyard/server/internal/access"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/format/datafile"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// TestClientsProveTheirAddress checks that 0.6 clients of each handshake get in, but only after
// they have proved that they receive datagrams at their address.
func TestClientsProveTheirAddress(t *testing.T) {
	handshakes06(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		place := map[conn.Handshake]packet.TokenPlace{conn.HandshakeTKEN: packet.TokenInTrailer,
			conn.HandshakeHeaderToken: packet.TokenInHeader}[kind.Handshake]
		for range 3 {
			ts.feed(ip(9), packet.AppendConnect6(nil, place, 5))
			ts.step(10)
		}
		if ts.srv.sessionByPeer[ip(9)] != nil || ts.sentPackets == 0 {
			t.Errorf("a client that receives nothing has a session, or no answer: %d datagrams", ts.sentPackets)
		}
		c := ts.joinAs(kind, ip(1), "player")
		ts.step(4)
		if challenged, plain := c.Challenge >= 0, kind.Handshake == conn.HandshakePlain; challenged != plain ||
			ts.session(c).addrProven == plain || c.Snapshots == 0 {
			t.Errorf("challenged %v, accountable %v, %d snapshots", challenged, ts.session(c).addrProven, c.Snapshots)
		}
		if proven := (listingHost{ts.srv}).IsPlayer(ip(1).Addr()); proven != ts.session(c).addrProven {
			t.Errorf("the address counts as proven: %v", proven)
		}
	})
}

// TestAntispoofOff checks that clients without tokens get in without a challenge if the
// operator wants it, and are never banned.
func TestAntispoofOff(t *testing.T) {
	ts := newTestServer(t, nil, "sv_vanilla_antispoof 0; password secret; sv_rcon_bantime 10")
	c := ts.connectAs(client064, ip(1))
	if c.Challenge >= 0 || ts.session(c) == nil {
		t.Fatalf("challenge %d, drops %v", c.Challenge, ts.srv.Drops())
	}
	c.InfoWithPassword("secret").Ready().StartInfo("trusted").EnterGame()
	ts.step(2)
	if ts.session(c).state != stateInGame {
		t.Fatalf("state %v", ts.session(c).state)
	}
	for range 4 {
		c.Login("guess")
	}
	ts.step(1)
	if ts.session(c) != nil || len(ts.srv.Bans()) != 0 {
		t.Errorf("after wrong passwords: session %v, bans %v", ts.session(c) != nil, ts.srv.Bans())
	}
	c = ts.connectAs(client064, ip(2))
	c.Close("")
	ts.step(1)
	if ts.session(c) != nil || len(ts.srv.Bans()) != 0 {
		t.Errorf("after leaving at once: session %v, bans %v", ts.session(c) != nil, ts.srv.Bans())
	}
}

// TestPasswordKeepsOutClientsWithoutTokens checks that such clients, whose password is
// lost in the challenge, cannot get into a server that has one.
func TestPasswordKeepsOutClientsWithoutTokens(t *testing.T) {
	ts := newTestServer(t, nil, "password secret")
	if c := ts.connectAs(client064, ip(1)); c.Challenge >= 0 || ts.session(c) != nil || !strings.Contains(c.Reason, "password") {
		t.Errorf("challenge %d, closed with %q", c.Challenge, c.Reason)
	}
	ts = newTestServer(t, nil)
	c := ts.client(client064, ip(3)).Dial()
	if c.Challenge < 0 {
		t.Fatal("not challenged")
	}
	ts.srv.Execute("password secret")
	if c.Connect(); ts.session(c) != nil || c.Reason != "Wrong password" {
		t.Errorf("challenged before there was a password: session %v, closed with %q", ts.session(c) != nil, c.Reason)
	}
}

// TestSpoofLimit floods the server with CONNECT in the names of others.
func TestSpoofLimit(t *testing.T) {
	ts := newTestServer(t, nil, "sv_van_conn_per_second 10")
	sent, got := 0, map[transport.Peer]int{}
	send := ts.send
	ts.send = func(to transport.Peer, b []byte) { sent += len(b); got[to]++ }
	connect := packet.AppendConnect6(nil, packet.TokenAbsent, 0)
	for i := range 20_000 {
		ts.feed(ip(i*256), connect) // each of another network
		ts.feed(ip(7), connect)     // and always the same
		if i%1000 == 999 {
			ts.step(5)
		}
	}
	// Two seconds of 10 and the burst.
	if want := 30 * (4 + 80); sent > want || sent == 0 {
		t.Errorf("%d bytes sent to unproven addresses", sent)
	}
	if n := got[ip(7)]; n > 2*(int(access.UnprovenRate.Burst)+2) {
		t.Errorf("%d datagrams to one network", n)
	}
	if len(ts.srv.sessionByPeer) != 0 || ts.srv.Drops()["unproven"] == 0 {
		t.Errorf("%d sessions, drops %v", len(ts.srv.sessionByPeer), ts.srv.Drops())
	}
	// Clients with tokens are not affected.
	ts.send = send
	for i, kind := range []testclient.Config{client06DDNet, client065, client07} {
		ts.joinAs(kind, ip(1+i), "player")
	}

	none := newTestServer(t, nil, "sv_van_conn_per_second 0")
	if c := none.connectAs(client064, ip(1)); c.Challenge >= 0 || none.sentPackets != 0 {
		t.Errorf("with 0 per second %d datagrams were sent", none.sentPackets)
	}
}

// TestBannedClientsAreTold checks that clients of 0.6 are told of their ban in a form
// that they understand, but not again and again. For 0.7 see
// TestBannedAddressesAreToldRarely.
func TestBannedClientsAreTold(t *testing.T) {
	handshakes06(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		ts.srv.Execute("ban 10.0.0.1 60 rude")
		ts.step(300)
		c := ts.connectAs(kind, ip(1))
		if !strings.Contains(c.Reason, "banned") || !strings.Contains(c.Reason, "rude") {
			t.Errorf("closed with %q", c.Reason)
		}
		packets := ts.sentPackets
		for range 50 {
			c.Dial()
		}
		if ts.sentPackets != packets || ts.srv.Drops()["banned"] != 51 {
			t.Errorf("told %d times more, drops %v", ts.sentPackets-packets, ts.srv.Drops())
		}
	})
}

// TestSessionKeepsItsVersion checks that packets of the other version do not touch a
// session.
func TestSessionKeepsItsVersion(t *testing.T) {
	ts := newTestServer(t, nil)
	c6, c7 := ts.joinAs(client06DDNet, ip(1), "six"), ts.join(ip(2), "seven")
	for _, b := range [][]byte{packet.AppendConnect(nil, c7.Token, 5), packet.AppendTokenRequest(nil, 5),
		packet.AppendControl(nil, 0, c7.Token, packet.ControlKeepAlive)} {
		ts.feed(c6.Peer, b)
	}
	for _, place := range []packet.TokenPlace{packet.TokenAbsent, packet.TokenInTrailer, packet.TokenInHeader} {
		ts.feed(c7.Peer, packet.AppendConnect6(nil, place, 5))
	}
	if got := ts.srv.Drops()["version"]; got != 6 {
		t.Errorf("%d of 6 counted: %v", got, ts.srv.Drops())
	}
	for _, c := range []*testclient.Client{c6, c7} {
		if s := ts.session(c); s == nil || s.state != stateInGame {
			t.Errorf("%v lost its session", c.Peer)
		}
	}
	checkSeats(t, ts.srv)
}

// TestVersionsShareAnAddress checks that clients of all kinds behind one address play
// together and count towards its limit, and that a port is free for any version after
// its client left.
func TestVersionsShareAnAddress(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients_per_ip 4")
	at := func(port int) transport.Peer { return withPort(ip(1), port) }
	kinds := []testclient.Config{client06DDNet, client065, client064, client07}
	var clients []*testclient.Client
	for i, kind := range kinds {
		clients = append(clients, ts.joinAs(kind, at(1+i), "player"))
	}
	clients[3].Say("hello")
	ts.step(4)
	for i, c := range clients {
		if want := ts.srv.versions[map[bool]int{true: 1}[c.Version == conn.V6]]; ts.session(c).version != want || len(c.Chat) == 0 {
			t.Errorf("client %d: received %v", i, c.Received)
		}
	}
	for i, kind := range kinds {
		c := ts.connectAs(kind, at(5+i))
		if kind.Handshake == conn.HandshakeHeaderToken { // whose INFO is what asks for the session
			c.Info()
		}
		if ts.session(c) != nil || c.Reason != "Only 4 players with the same IP are allowed" {
			t.Errorf("one client too many of kind %d: session %v, closed with %q", i, ts.session(c) != nil, c.Reason)
		}
	}
	ts.step(100) // leaving earlier gets an address banned
	clients[0].Close("")
	clients[3].Close("")
	ts.step(2)
	ts.join(at(1), "seven")
	ts.joinAs(client06DDNet, at(4), "six")
	for port, want := range map[int]int{1: 0, 2: 1, 3: 1, 4: 1} {
		if s := ts.srv.sessionByPeer[at(port)]; s == nil || s.version != ts.srv.versions[want] {
			t.Errorf("port %d: session %v, not of version %d", port, s != nil, want)
		}
	}
}

// CompressedMap returns an embedded map in the form of newer editors. 0.6 clients cannot read it.
func CompressedMap() []byte {
	m := testenv.Must(twmap.Parse(maps.Default().Data))
	for _, g := range m.Groups {
		for _, l := range g.Layers {
			if l, ok := l.(*twmap.TileLayer); ok {
				l.Version = 4
			}
		}
	}
	return testenv.Must(m.Bytes())
}

// inconvertibleMap returns a map that cannot be converted for older clients: it has a damaged layer
// that is in no group.
func inconvertibleMap() []byte {
	f := testenv.Must(datafile.Parse(maps.Default().Data))
	var w datafile.Writer
	for _, it := range f.Items() {
		w.AddItem(it.Type, it.ID, it.Ints())
	}
	const layer, tiles, version, noData = 5, 2, 4, -1
	w.AddItem(layer, 1000, []int32{1: tiles, 3: version, 14: noData})
	for i := range f.NumBlocks() {
		w.CopyBlock(f, i)
	}
	return testenv.Must(w.Bytes())
}

// TestEachVersionGetsAMapItCanRead checks which file is announced to whom.
func TestEachVersionGetsAMapItCanRead(t *testing.T) {
	file := CompressedMap()
	ts := newTestServer(t, fstest.MapFS{"maps/new.map": {Data: file}}, "sv_map new")
	var size, crc int32
	announced := func(m testclient.Message) {
		switch m := m.(type) {
		case *msg6.MapChange:
			size, crc = m.Size, m.CRC
		case *msg7.MapChange:
			size, crc = m.Size, m.CRC
		}
	}
	c7 := ts.connect(ip(2))
	c7.OnMessage = announced
	if c7.Info(); uint32(crc) != ts.srv.maps.Played().CRC || int(size) != len(file) {
		t.Errorf("0.7 is told of %d bytes with CRC %08x", size, crc)
	}
	c6 := ts.connectAs(client06DDNet, ip(1))
	c6.OnMessage = announced
	c6.Info()
	plain := ts.session(c6).download.File()
	if plain == &ts.srv.maps.Played().Map || int(size) != len(plain.File) || uint32(crc) != plain.CRC {
		t.Errorf("0.6 is told of %d bytes with CRC %08x", size, crc)
	}
	m, err := twmap.Parse(plain.File)
	if err != nil || m.CRC != plain.CRC || m.SHA256 != plain.SHA256 {
		t.Fatalf("CRC %08x, %v", m.CRC, err)
	}
	if again, err := twmap.Compatible(plain.File); !bytes.Equal(m.GameLayer().Indices(), ts.srv.maps.Played().Terrain.Tiles) || again != nil || err != nil {
		t.Error("the map for 0.6 has other tiles, or cannot be read by it")
	}
	ts = newTestServer(t, fstest.MapFS{"maps/odd.map": {Data: inconvertibleMap()}}, "sv_map odd")
	ts.join(ip(1), "seven")
	c6 = ts.connectAs(client06DDNet, ip(3)).Info()
	ts.step(1)
	if ts.session(c6) != nil || !strings.Contains(c6.Reason, "cannot be read") {
		t.Errorf("without a map for 0.6 closed with %q", c6.Reason)
	}
}

// TestBrowsersOf06 checks that all forms of requests are answered, and that the answers cannot
// flood a forged address.
func TestBrowsersOf06(t *testing.T) {
	ts := newTestServer(t, nil, "sv_name yard; sv_motd hello")
	ts.join(ip(2), "alice")
	for _, form := range []query.Format{query.FormatPlain6, query.FormatExtended6, query.FormatLegacy64} {
		got := ts.ask(ip(1), query.AppendRequest(nil, query.Request{Format: form, Token: 77}))
		if len(got) != 1 {
			t.Fatalf("%v: %d answers", form, len(got))
		}
		r, err := query.ParseReply6(got[0])
		if err != nil || r.Format != form || r.Token != 77 || r.Info.Name != "yard" && !strings.HasPrefix(r.Info.Name, "yard [") ||
			r.Info.Map != "teeyard1" || len(r.Info.Clients) != 1 || r.Info.Clients[0].Name != "alice" {
			t.Errorf("%v: %+v, %v", form, r, err)
		}
	}
	request := query.AppendRequest(nil, query.Request{Format: query.FormatExtended6, Token: 1})
	before := ts.sentBytes
	for i := range 20_000 {
		ts.feed(transport.UDPPeer(netip.AddrFrom4([4]byte{10, 2, 3, byte(i)}), 99), request)
	}
	if n := ts.sentBytes - before; n > 96<<10 || n == 0 {
		t.Errorf("%d bytes went to one network at once", n)
	}
	ts.feed(ip(9), query.AppendRequest(nil, query.Request{Format: query.FormatPlain6})[:14])
	if d := ts.srv.Drops(); d["unproven"] == 0 || d["info"] != 1 {
		t.Errorf("drops %v", d)
	}
}

// reconnect forgets a client's connection and makes a new one, as DDNet's clients can
// after a crash while the server still has their session.
func reconnect(c *testclient.Client) *testclient.Client {
	c.Reset()
	return c.Dial().Connect()
}

// TestReconnectWithinATick checks that a client that is back before the next tick is
// another player for the others, and that the one before leaves first.
func TestReconnectWithinATick(t *testing.T) {
	ts := newTestServer(t, nil)
	var ticks [][]game.Command
	ts.srv.observers.list = []Observer{ObserverFunc(func(*Tick) {
		ticks = append(ticks, slices.Clone(ts.srv.pendingCommands))
	})}
	watcher := ts.join(local(2), "watcher")
	c := ts.joinAs(client06DDNet, local(1), "first")
	s := ts.session(c)
	for i := range 3 { // all within one tick
		reconnect(c).Join(fmt.Sprint("again ", i))
	}
	ts.step(1)
	if s.state != stateEntering {
		t.Errorf("state %v after the tick in which it left", s.state)
	}
	ts.step(2)
	if want := []string{"+1 first", "-1 ", "+1 again 2"}; !slices.Equal(watcher.PlayerChanges, want) {
		t.Errorf("the others saw %q, want %q", watcher.PlayerChanges, want)
	}
	if p, _ := ts.srv.world.Player(s.id); p.Profile.Name != "again 2" || s.state != stateInGame {
		t.Errorf("%+v, state %v", p, s.state)
	}
	for _, commands := range ticks {
		for i, a := range commands {
			for _, b := range commands[i+1:] {
				if a.Kind == game.CmdLeave && b.Kind == game.CmdJoin && a.Player == b.Player {
					t.Errorf("client id %d leaves and joins in one tick", a.Player)
				}
			}
		}
	}
	checkSeats(t, ts.srv)
}

// TestLostAccept checks that a client of DDNet gets in whose ACCEPT was lost or overtaken:
// it does not repeat it.
func TestLostAccept(t *testing.T) {
	ts := newTestServer(t, nil)
	for i, overtaken := range []bool{false, true} {
		c := ts.client(client06DDNet, ip(1+i)).Dial()
		c.Info()
		if overtaken {
			c.Connect()
		}
		c.Ready().StartInfo("player").EnterGame()
		ts.step(2)
		if s := ts.session(c); s == nil || s.state != stateInGame || !s.addrProven {
			t.Errorf("overtaken %v: not in the game; %q, drops %v", overtaken, c.Reason, ts.srv.Drops())
		}
	}
	c := ts.client(client06DDNet, ip(9)).Dial()
	c.Token++
	c.Info()
	if ts.session(c) != nil {
		t.Error("a wrong token is accepted")
	}
	c.Token--
	c.Seq = 5
	c.Info()
	if ts.session(c) != nil {
		t.Error("a chunk of a connection that has ended begins a new one")
	}
}

// TestReconnectIsLimited checks that reconnecting is limited as connecting is, and does
// not refill what limits password guesses.
func TestReconnectIsLimited(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients_per_ip 4")
	c := ts.connectAs(client06DDNet, ip(1))
	s := ts.session(c)
	tries := 0
	for ; tries < 200 && ts.session(c) != nil && !s.dropping; tries++ {
		reconnect(c)
	}
	if !s.dropping || tries > int(access.ConnectRate.Burst) || ts.srv.Drops()["stress"] == 0 {
		t.Errorf("reconnected %d times at once, dropped %v, drops %v", tries, s.dropping, ts.srv.Drops())
	}

	ts = newTestServer(t, nil, "sv_rcon_max_tries 0")
	c = ts.connectAs(client06DDNet, local(1))
	for range 3 * int(authRate.Burst) {
		reconnect(c.Login("guess"))
	}
	if n := ts.srv.Drops()["flood"]; n != uint64(2*int(authRate.Burst)) {
		t.Errorf("%d of %d passwords were not compared", n, 3*int(authRate.Burst))
	}
	if c.Login("adminpw"); ts.session(c).rcon.authed {
		t.Error("the limit is gone")
	}
}

// TestReconnectLogsOut checks that an operator has to log in again.
func TestReconnectLogsOut(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.joinAs(client06DDNet, local(1), "admin").Login("adminpw")
	s := ts.session(c)
	if !s.rcon.authed {
		t.Fatal("not logged in")
	}
	reconnect(c)
	if s.rcon.authed || s.state != stateAuth {
		t.Errorf("logged in %v, state %v", s.rcon.authed, s.state)
	}
	c.Rcon("say still here")
	ts.step(1)
	if strings.Contains(ts.log.String(), "still here") {
		t.Error("the command was run")
	}
}

// TestDownloadTimesOut checks that asking for the same chunks of the map forever does
// not keep a session.
func TestDownloadTimesOut(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.connectAs(client06DDNet, local(1)).Info()
	began := ts.now
	for ts.session(c) != nil && ts.now.Sub(began) < 2*joinTimeout {
		for i := range 3 {
			c.RequestMap(i)
		}
		ts.now = ts.now.Add(49 * tickDuration)
		ts.step(1)
	}
	if got := ts.now.Sub(began); got < joinTimeout || got > joinTimeout+5*time.Second {
		t.Errorf("dropped after %v", got)
	}
}
