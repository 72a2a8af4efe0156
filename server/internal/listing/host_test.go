package listing_test

import (
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/internal/listing"
	"github.com/teeyard/teeyard/server/internal/rules"
	"github.com/teeyard/teeyard/transport"
)

// server is a server that is shown, without a network: it sends to a function. Of the parts of a
// server it has a world, seats and access control.
type server struct {
	access.Host // for bans and mutes, which these tests do not use

	listing *listing.Listing
	access  *access.Control
	console *console.Console
	world   *modtest.World
	rules   game.Rules
	tokens  *conn.TokenIssuer
	now     conn.Time
	addr    transport.Peer
	seats   []listing.Seat
	players []netip.Addr
	send    func(to transport.Peer, b []byte)
	sent    int // datagrams

	log    strings.Builder
	files  map[string]string
	failed []transport.Peer // addresses of failed logins
}

// newServer returns a server that listens on 10.0.0.1:8303, after some console lines.
func newServer(t *testing.T, lines ...string) *server {
	t.Helper()
	s := &server{
		world: modtest.New(t, game.Config{}), now: conn.Time(time.Hour), addr: transport.MustParsePeer("10.0.0.1:8303"),
		tokens: testenv.Must(conn.NewTokenIssuer(nil)), send: func(transport.Peer, []byte) {}, files: map[string]string{},
	}
	s.access = access.New(access.Config{Host: s, LogFull: func() {}, Clock: func() time.Time { return time.Unix(1e9, 0).Add(time.Duration(s.now)) }})
	s.listing = listing.New(listing.Config{Host: s, Access: s.access})
	s.console = testenv.Must(console.New(console.Config{Output: s.Print}))
	for _, r := range []interface{ Register(*console.Console) error }{s.access, s.listing} {
		testenv.NoError(t, r.Register(s.console))
	}
	testenv.NoError(t, rules.Register(s.console, &s.rules, false))
	s.run(append([]string{`sv_register_url ""; sv_register_udp ""; sv_max_clients 64; sv_player_slots 64`}, lines...)...)
	testenv.NoError(t, s.listing.Open(socket{s}, s.tokens))
	s.listing.Start()
	s.console.Start()
	return s
}

// run runs console lines.
func (s *server) run(lines ...string) {
	for _, line := range lines {
		s.console.Execute(line, console.Operator)
	}
}

// step runs ticks.
func (s *server) step(ticks int) {
	for range ticks {
		s.now = s.now.Add(time.Second / game.TickRate)
		s.world.Run(1)
		s.listing.Advance(s.now)
	}
}

// join adds a client from an address.
func (s *server) join(name string, a netip.Addr) {
	id := game.PlayerID(len(s.seats))
	s.world.EnterAs([]string{name}, id)
	s.seats = append(s.seats, listing.Seat{ID: id, InGame: true, Since: s.now})
	s.players = append(s.players, a)
}

// ask returns the datagrams that answer one.
func (s *server) ask(from transport.Peer, b []byte) (answers []string) {
	before := s.send
	defer func() { s.send = before }()
	s.send = func(to transport.Peer, b []byte) {
		if to == from {
			answers = append(answers, string(b))
		}
	}
	s.listing.Feed(s.now, from, b)
	return answers
}

// The server as listing.Host.

func (s *server) Now() conn.Time { return s.now }

func (s *server) Match() listing.Match {
	return listing.Match{World: s.world.Game, Map: &bridge.Map{Name: "yard", File: make([]byte, 100), CRC: 5}, Rules: &s.rules}
}

func (s *server) AppendSeats(dst []listing.Seat) []listing.Seat { return append(dst, s.seats...) }

func (s *server) IsPlayer(a netip.Addr) bool { return slices.Contains(s.players, a) }

func (s *server) Print(_ console.Caller, _ int, system, line string) {
	fmt.Fprintf(&s.log, "[%s]: %s\n", system, line)
}

func (s *server) WriteFile(name string, content []byte) error {
	s.files[name] = string(content)
	return nil
}

func (s *server) RunRcon(_ transport.Peer, level int, line string, print func(string), done func()) {
	print(fmt.Sprint("level ", level, " runs ", line))
	done()
}

func (s *server) LoginFailed(peer transport.Peer) { s.failed = append(s.failed, peer) }

// The server as transport.Conn.

func (s *server) LocalAddr() transport.Peer                          { return s.addr }
func (s *server) ReadBatch([]transport.Datagram, int64) (int, error) { return 0, io.EOF }
func (s *server) Flush() error                                       { return nil }
func (s *server) Wake()                                              {}
func (s *server) Stats() transport.Stats                             { return transport.Stats{} }
func (s *server) Close() error                                       { return nil }
func (s *server) Send(to transport.Peer, b []byte)                   { s.sent++; s.send(to, b) }

// socket is the server as a transport. Its Now has another type than the Now of listing.Host.
type socket struct{ *server }

func (s socket) Now() int64 { return int64(s.now) }
