// Package servertest runs a server inside a test, with its clients and their network.
//
// [New] returns a server in virtual time: nothing happens between two calls of the test, and a test
// of a whole match takes seconds. The players of [Server.Join] are clients of package client, and
// see the game as players do:
//
//	func TestHeal(t *testing.T) {
//		s := servertest.New(t, server.Config{Mods: []func() game.Mod{heal.New}}, "sv_map testbox")
//		alice := s.Join("alice")
//		s.Console("heal_amount 3")
//		alice.Say("/heal")
//		s.Step(10)
//		if !alice.Heard("3 hearts") {
//			t.Errorf("alice heard %q; the log is\n%s", alice.Chat(), s.Log)
//		}
//	}
//
// [Over] is New with a network that loses and delays datagrams. [Start] runs a server on a UDP
// socket in real time, for programs that connect to it. To test a mode or mod without a network,
// use package modtest.
package servertest

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

// Settings are the console lines that run before the lines of the test. The rcon password is
// adminpw.
const Settings = "sv_register 0; sv_max_clients 64; sv_player_slots 64; sv_max_clients_per_ip 64; sv_spamprotection 0; sv_rcon_password adminpw"

// tick is the time between two ticks.
const tick = time.Second / game.TickRate

// Addr is the address of servers in virtual time.
var Addr = transport.MustParsePeer("10.0.0.1:8303")

// Link is the quality of a network; see [netsim.Link].
type Link = netsim.Link

// Server is a server under test. In virtual time, all its methods belong to the test's goroutine.
type Server struct {
	*server.Server
	// T is the test.
	T testing.TB
	// Net is the network in virtual time. It is nil after Start.
	Net *netsim.Net
	// Log contains the lines that the server has logged.
	Log *Log
	// Packets and Bytes count the datagrams that the server sent, in virtual time.
	Packets, Bytes int
	// Deliver delivers a datagram of the server. A test may replace it.
	Deliver func(to transport.Peer, b []byte)
	// Background runs the functions that would stall the game, such as reading a map. New runs them
	// at once.
	Background func(f func())
	// Lose, if set, reports whether the network loses a datagram of a player.
	Lose func(b []byte) bool

	linked  bool // the network is not ideal
	stalled bool
	waiting []transport.Datagram // that arrived while stalled

	raw     map[transport.Peer]*testclient.Client
	rawList []*testclient.Client // in the order of their creation
	players int
	maps    *client.Maps

	stop func()
}

// New returns a server in virtual time on an ideal network. It sets those fields of cfg that tie
// the server to the test: Transport, Background, and Seed unless it is set. The console lines run
// after [Settings] and cfg.Commands. A cfg.Log receives the log besides [Server.Log].
func New(t testing.TB, cfg server.Config, commands ...string) *Server {
	t.Helper()
	return start(t, nil, cfg, commands)
}

// Over is New with a network whose links have a quality. The server handles each datagram when it
// arrives. The seed of cfg is also the seed of the network.
func Over(t testing.TB, link Link, cfg server.Config, commands ...string) *Server {
	t.Helper()
	return start(t, &link, cfg, commands)
}

func start(t testing.TB, link *Link, cfg server.Config, commands []string) *Server {
	t.Helper()
	if cfg.Seed == 0 {
		cfg.Seed = 1
	}
	s := &Server{T: t, raw: map[transport.Peer]*testclient.Client{}, linked: link != nil}
	s.Deliver = s.deliver
	if link == nil {
		link = new(Link)
	}
	var err error
	if s.Net, err = netsim.New(netsim.Config{Seed: cfg.Seed, Link: *link}); err != nil {
		t.Fatal(err)
	}
	s.Net.RunFor(time.Hour) // so that no time is 0
	cfg.Transport, s.Background = wire{s}, func(f func()) { f() }
	cfg.Background = func(f func()) { s.Background(f) }
	s.create(cfg, commands)
	s.Net.Handle(Addr, func(_ int64, from transport.Peer, b []byte) {
		if s.stalled {
			s.waiting = append(s.waiting, transport.Datagram{Peer: from, Data: bytes.Clone(b)})
			return
		}
		s.Receive(from, b)
		if s.linked {
			s.Advance(s.Now())
		}
	})
	if s.linked {
		s.Net.Every(tick/4, func(now int64) {
			if !s.stalled {
				s.Advance(conn.Time(now))
			}
		})
	}
	return s
}

// create creates the server itself.
func (s *Server) create(cfg server.Config, commands []string) {
	s.T.Helper()
	s.Log = new(Log)
	handlers := []slog.Handler{s.Log.handler()}
	if cfg.Log != nil {
		handlers = append(handlers, cfg.Log.Handler())
	}
	cfg.Log = slog.New(slog.NewMultiHandler(handlers...))
	cfg.Commands = slices.Concat([]string{Settings}, cfg.Commands, commands)
	var err error
	if s.Server, err = server.New(cfg); err != nil {
		s.T.Fatal(err)
	}
}

// Start runs a server in real time until the test ends. Without cfg.Transport it listens on a free
// UDP port of loopback; Addr returns it. Other goroutines may use only Do, and of the methods of
// this package only Console and Stop.
func Start(t testing.TB, cfg server.Config, commands ...string) *Server {
	t.Helper()
	s := &Server{T: t}
	cfg.Commands = append([]string{"bindaddr 127.0.0.1; sv_port 0"}, cfg.Commands...)
	s.create(cfg, commands)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	s.stop = func() { cancel(); <-ended }
	t.Cleanup(s.stop)
	return s
}

// Stop ends a server of Start, and waits for its end.
func (s *Server) Stop() { s.stop() }

// wire is the server's end of the network.
type wire struct{ s *Server }

func (w wire) Now() int64                                         { return w.s.Net.Now() }
func (w wire) ReadBatch([]transport.Datagram, int64) (int, error) { return 0, transport.ErrClosed }
func (w wire) Flush() error                                       { return nil }
func (w wire) Wake()                                              {}
func (w wire) LocalAddr() transport.Peer                          { return Addr }
func (w wire) Stats() transport.Stats                             { return transport.Stats{} }
func (w wire) Close() error                                       { return nil }

func (w wire) Send(to transport.Peer, b []byte) {
	s := w.s
	s.Packets++
	s.Bytes += len(b)
	s.Deliver(to, b)
}

func (s *Server) deliver(to transport.Peer, b []byte) {
	if c := s.raw[to]; c != nil {
		c.Receive(b)
	} else {
		s.Net.Send(Addr, to, b)
	}
}

// Now returns the virtual time.
func (s *Server) Now() conn.Time { return conn.Time(s.Net.Now()) }

// Step runs n ticks.
func (s *Server) Step(n int) {
	for range n {
		s.pass(tick)
	}
}

// Wait lets time pass.
func (s *Server) Wait(span time.Duration) {
	for ; span > 0; span -= tick {
		s.pass(min(span, tick))
	}
}

// pass lets at most the time of a tick pass.
func (s *Server) pass(span time.Duration) {
	s.Net.RunFor(span)
	if !s.linked {
		s.Advance(s.Now())
	}
}

// WaitUntil lets time pass until ok returns true. The test fails after limit, with a message that
// names the goal.
func (s *Server) WaitUntil(limit time.Duration, what string, ok func() bool) {
	s.T.Helper()
	for end := s.Now().Add(limit); !ok(); s.pass(tick / 2) {
		if s.Now() >= end {
			s.T.Fatalf("after %v still not: %s", limit, what)
		}
	}
}

// batch is the number of datagrams that the server reads at once.
const batch = 64

// Stall lets time pass while the server's machine stands still. Datagrams wait for its end.
func (s *Server) Stall(span time.Duration) {
	s.stalled = true
	s.Net.RunFor(span)
	s.stalled = false
	for waiting := range slices.Chunk(s.waiting, batch) {
		for _, d := range waiting {
			s.Feed(s.Now(), d.Peer, d.Data)
		}
		s.Advance(s.Now())
	}
	s.waiting = nil
}

// Console runs a console line with all rights, and returns the lines that it logged. Commands that
// change the world take effect in the next tick.
func (s *Server) Console(line string) string {
	s.T.Helper()
	before := len(s.Log.String())
	if s.Net != nil {
		s.Execute(line)
	} else if err := s.Do(s.T.Context(), func() { s.Execute(line) }); err != nil {
		s.T.Fatal(err)
	}
	return s.Log.String()[before:]
}
