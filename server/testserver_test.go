package server

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/transport"
)

// testServer is a server without a network: clients call it and it calls clients. Time
// passes only in step.
type testServer struct {
	tb  testing.TB
	srv *Server
	now conn.Time
	log strings.Builder
	// addr is the address that the server listens on.
	addr transport.Peer
	// background runs what would stall the game: at once, unless a test sets it.
	background func(f func())
	// send gets the server's datagrams. By default they go to clients.
	send        func(to transport.Peer, b []byte)
	clients     map[transport.Peer]*testclient.Client
	sentBytes   int
	sentPackets int
}

// The transport of the server.

func (ts *testServer) Now() int64 { return int64(ts.now) }
func (ts *testServer) ReadBatch([]transport.Datagram, int64) (int, error) {
	return 0, transport.ErrClosed
}
func (ts *testServer) Flush() error              { return nil }
func (ts *testServer) Wake()                     {}
func (ts *testServer) LocalAddr() transport.Peer { return ts.addr }
func (ts *testServer) Stats() transport.Stats    { return transport.Stats{} }
func (ts *testServer) Close() error              { return nil }

func (ts *testServer) Send(to transport.Peer, b []byte) {
	ts.sentBytes += len(b)
	ts.sentPackets++
	ts.send(to, b)
}

// testConfig is the configuration of most test servers.
const testConfig = "sv_max_clients 64; sv_player_slots 64; sv_max_clients_per_ip 64; sv_rcon_password adminpw; " +
	"console_output_level 0; sv_register_url \"\"; sv_register_udp \"\""

func newTestServer(tb testing.TB, files fs.FS, commands ...string) *testServer {
	tb.Helper()
	return newTestServerWith(tb, Config{Files: files}, commands...)
}

// newTestServerWith starts a server with a configuration, of which it sets what makes it
// a test server.
func newTestServerWith(tb testing.TB, cfg Config, commands ...string) *testServer {
	tb.Helper()
	ts := &testServer{tb: tb, now: conn.Time(time.Hour), addr: transport.MustParsePeer("10.0.0.1:8303"), clients: map[transport.Peer]*testclient.Client{}}
	ts.send = func(to transport.Peer, b []byte) {
		if c := ts.clients[to]; c != nil {
			c.Receive(b)
		}
	}
	cfg.Transport, cfg.Seed = ts, 1
	if cfg.Log == nil {
		cfg.Log = slog.New(rawLog{&ts.log})
	}
	cfg.Commands = append([]string{testConfig}, commands...)
	ts.background = later.Now
	cfg.Background = func(f func()) { ts.background(f) }
	ts.srv = testenv.Must(New(cfg))
	return ts
}

// rawLog writes lines as they are, where real handlers may escape them.
type rawLog struct{ to *strings.Builder }

func (rawLog) Enabled(context.Context, slog.Level) bool { return true }
func (h rawLog) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h rawLog) WithGroup(string) slog.Handler          { return h }

func (h rawLog) Handle(_ context.Context, r slog.Record) error {
	system := ""
	r.Attrs(func(a slog.Attr) bool { system = a.Value.String(); return false })
	fmt.Fprintf(h.to, "[%s]: %s\n", system, r.Message)
	return nil
}

// step runs n ticks.
func (ts *testServer) step(n int) {
	for range n {
		ts.now = ts.now.Add(tickDuration)
		ts.srv.Advance(ts.now)
	}
}

// feed gives the server a copy of a datagram.
func (ts *testServer) feed(from transport.Peer, b []byte) {
	ts.srv.Feed(ts.now, from, bytes.Clone(b))
}

// The kinds of clients that join servers.
var (
	client07      = testclient.Config{}
	client06DDNet = testclient.Config{Version: conn.V6, DDNet: true}
	client06      = testclient.Config{Version: conn.V6}
	client065     = testclient.Config{Version: conn.V6, Handshake: conn.HandshakeHeaderToken}
	client064     = testclient.Config{Version: conn.V6, Handshake: conn.HandshakePlain}
)

// bothVersions runs a test with a 0.7 and with a 0.6 client.
func bothVersions(t *testing.T, test func(t *testing.T, kind testclient.Config)) {
	t.Run("0.7", func(t *testing.T) { test(t, client07) })
	t.Run("0.6", func(t *testing.T) { test(t, client06DDNet) })
}

// handshakes06 runs a test with clients of each way to connect that 0.6 has.
func handshakes06(t *testing.T, test func(t *testing.T, kind testclient.Config)) {
	for _, kind := range []testclient.Config{client06DDNet, client065, client064} {
		t.Run(kind.Handshake.String(), func(t *testing.T) { test(t, kind) })
	}
}

// client adds a client that has sent nothing yet.
func (ts *testServer) client(kind testclient.Config, peer transport.Peer) *testclient.Client {
	kind.Peer = peer
	kind.Send = func(b []byte) { ts.srv.Feed(ts.now, peer, b) }
	kind.Fail = func(err error) { ts.tb.Error(err) }
	c := testclient.New(kind)
	ts.clients[peer] = c
	return c
}

// dial adds a 0.7 client that has asked for a token.
func (ts *testServer) dial(peer transport.Peer) *testclient.Client {
	return ts.client(client07, peer).Dial()
}

// connect adds a 0.7 client with a connection.
func (ts *testServer) connect(peer transport.Peer) *testclient.Client { return ts.dial(peer).Connect() }

// connectAs adds a client of any kind with a connection.
func (ts *testServer) connectAs(kind testclient.Config, peer transport.Peer) *testclient.Client {
	return ts.client(kind, peer).Dial().Connect()
}

// join adds a 0.7 client that plays.
func (ts *testServer) join(peer transport.Peer, name string) *testclient.Client {
	ts.tb.Helper()
	return ts.joinAs(client07, peer, name)
}

// joinAs adds a client of any kind that plays.
func (ts *testServer) joinAs(kind testclient.Config, peer transport.Peer, name string) *testclient.Client {
	ts.tb.Helper()
	c := ts.connectAs(kind, peer).Join(name)
	ts.step(2)
	if s := ts.session(c); s == nil || s.state != stateInGame {
		ts.tb.Fatalf("%s did not get in: %q, drops %v", name, c.Reason, ts.srv.Drops())
	}
	return c
}

// session is the server's side of a client; nil if it has none.
func (ts *testServer) session(c *testclient.Client) *session { return ts.srv.sessionByPeer[c.Peer] }

// input sends an input for the next tick. It also keeps the connection alive.
func (ts *testServer) input(c *testclient.Client, in msg7.PlayerInput) {
	c.Input(ts.srv.clock.tick+1, in)
}

// idle runs n ticks in which clients only keep their connections.
func (ts *testServer) idle(n int, clients ...*testclient.Client) {
	for range n {
		for _, c := range clients {
			c.KeepAlive()
		}
		ts.step(1)
	}
}

// play runs n ticks in which a client sends the same input.
func (ts *testServer) play(n int, c *testclient.Client, in msg7.PlayerInput) {
	for range n {
		ts.input(c, in)
		ts.step(1)
	}
}

// ask sends a datagram and returns copies of those that answer it.
func (ts *testServer) ask(from transport.Peer, b []byte) (answers [][]byte) {
	before := ts.send
	defer func() { ts.send = before }()
	ts.send = func(to transport.Peer, b []byte) {
		if to == from {
			answers = append(answers, bytes.Clone(b))
			return
		}
		before(to, b)
	}
	ts.feed(from, b)
	return answers
}

// askInfo sends a browser's request for information and returns the datagram that
// answers it, nil if there is none.
func (ts *testServer) askInfo(from transport.Peer, token int32) []byte {
	var p packet.Packet
	answers := ts.ask(from, packet.AppendTokenRequest(nil, 0x0a0b0c0d))
	if len(answers) != 1 || p.Parse(answers[0], new(packet.Scratch)) != nil {
		return nil
	}
	answers = ts.ask(from, packet.AppendConnless(nil, p.ResponseToken, 0x0a0b0c0d, packer.AppendInt([]byte("\xff\xff\xff\xffgie3"), token)))
	if len(answers) != 1 {
		return nil
	}
	return answers[0]
}

// checkSeats compares the sessions with the players of the world.
func checkSeats(t testing.TB, s *Server) {
	t.Helper()
	n := 0
	for id, c := range s.sessions {
		_, joined := s.world.Player(game.PlayerID(id))
		if c != nil && !c.isHeld() {
			n++
			if s.sessionByPeer[c.peer] != c {
				t.Errorf("session %d is not found by its address", id)
			}
		}
		if want := c != nil && c.state >= stateReady; joined != want {
			t.Errorf("client id %d: session %v, in the world %v", id, c != nil, joined)
		}
	}
	if n != len(s.sessionByPeer) {
		t.Errorf("%d sessions, %d addresses", n, len(s.sessionByPeer))
	}
}

// Addresses. Nothing bans loopback, and queries treat local networks differently.

// ip returns a peer in 10.0.0.0/8.
func ip(n int) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 5000)
}

// local returns a peer on loopback.
func local(port int) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
}

// public returns a peer that is in no local network.
func public(n int) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4([4]byte{198, 51, byte(n >> 8), byte(n)}), 27005)
}

// ipv6 returns a peer of one IPv6 network.
func ipv6(n int) transport.Peer {
	a := [16]byte{0x20, 0x01, 0x0d, 0xb8, 14: byte(n >> 8), 15: byte(n)}
	return transport.UDPPeer(netip.AddrFrom16(a), 5000)
}

// inSite returns a peer of an IPv6 /48, where each has a /64 of its own.
func inSite(n int) transport.Peer {
	a := [16]byte{0x20, 0x01, 0x0d, 0xb8, 0, 1, 6: byte(n >> 8), 7: byte(n), 15: 1}
	return transport.UDPPeer(netip.AddrFrom16(a), 5000)
}

// withPort returns a peer's address with another port.
func withPort(p transport.Peer, port int) transport.Peer {
	return transport.UDPPeer(p.Addr(), uint16(port))
}

// mapChunkSize07 is how many bytes of the map a 0.7 client gets at once.
const mapChunkSize07 = 1384
