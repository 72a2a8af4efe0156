package client_test

import (
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

// arena is a server and clients on a network in virtual time.
type arena struct {
	t    testing.TB
	net  *netsim.Net
	srv  *server.Server
	addr transport.Peer
	rand *rand.Rand
	maps *client.Maps
	next int
	peer transport.Peer // of the last client
	// drop tells which datagrams of clients do not arrive.
	drop func(b []byte) bool
}

// seat is a client in an arena and what it was told.
type seat struct {
	*client.Client
	events []event.Event
}

func newArena(t testing.TB, link netsim.Link, commands ...string) *arena {
	t.Helper()
	n, err := netsim.New(netsim.Config{Seed: 1, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	a := &arena{t: t, net: n, addr: transport.MustParsePeer("10.0.0.1:8303"), rand: rand.New(rand.NewPCG(1, 2)), maps: client.NewMaps(t.TempDir())}
	sock, err := n.Listen(a.addr)
	if err != nil {
		t.Fatal(err)
	}
	a.srv, err = server.New(server.Config{
		Transport: sock, Seed: 1, Log: slog.New(slog.DiscardHandler),
		Commands: append([]string{"sv_max_clients 64; sv_player_slots 64; sv_max_clients_per_ip 64; sv_rcon_password adminpw; sv_spamprotection 0"}, commands...),
	})
	if err != nil {
		t.Fatal(err)
	}
	batch := make([]transport.Datagram, 16)
	n.OnArrival(a.addr, func(int64) {
		for {
			k, err := sock.ReadBatch(batch, 0)
			if err != nil || k == 0 {
				break
			}
			for _, d := range batch[:k] {
				a.srv.Feed(conn.Time(d.At), d.Peer, d.B)
			}
		}
		a.srv.Advance(conn.Time(n.Now()))
	})
	n.Every(5*time.Millisecond, func(now int64) { a.srv.Advance(conn.Time(now)) })
	return a
}

// join adds a client and waits until it is in the game.
func (a *arena) join(cfg client.Config) *seat {
	a.t.Helper()
	s := a.dial(cfg)
	a.until(5*time.Second, "in the game", func() bool { return has[event.Entered](s) })
	return s
}

// dial adds a client.
func (a *arena) dial(cfg client.Config) *seat {
	a.t.Helper()
	a.next++
	peer := transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, 1, byte(a.next)}), 50000)
	a.peer = peer
	s := new(seat)
	cfg.Send = func(b []byte) {
		if a.drop == nil || !a.drop(b) {
			a.net.Send(peer, a.addr, b)
		}
	}
	cfg.Token = func() packet.Token { return packet.Token(a.rand.Uint32() &^ (1 << 31)) }
	if cfg.OnEvent == nil {
		cfg.OnEvent = func(_ *client.Client, e event.Event) { s.events = append(s.events, e) }
	}
	if cfg.Maps == nil {
		cfg.Maps = a.maps
	}
	var err error
	if s.Client, err = client.New(cfg); err != nil {
		a.t.Fatal(err)
	}
	a.net.Handle(peer, func(now int64, from transport.Peer, b []byte) {
		s.Feed(conn.Time(now), append([]byte(nil), b...))
	})
	a.connect(s)
	a.net.Every(5*time.Millisecond, func(now int64) { s.Step(conn.Time(now)) })
	return s
}

func (a *arena) connect(s *seat) {
	a.t.Helper()
	if err := s.Connect(conn.Time(a.net.Now())); err != nil {
		a.t.Fatal(err)
	}
}

func (a *arena) run(span time.Duration) { a.net.Run(a.net.Now() + int64(span)) }

// until lets time pass until ok, at most span.
func (a *arena) until(span time.Duration, what string, ok func() bool) {
	a.t.Helper()
	for end := a.net.Now() + int64(span); !ok(); a.run(10 * time.Millisecond) {
		if a.net.Now() >= end {
			a.t.Fatalf("after %v still not %s", span, what)
		}
	}
}

// last is the latest event of a type.
func last[E event.Event](s *seat) (e E, ok bool) {
	for i := len(s.events) - 1; i >= 0 && !ok; i-- {
		e, ok = s.events[i].(E)
	}
	return e, ok
}

func has[E event.Event](s *seat) bool {
	_, ok := last[E](s)
	return ok
}
