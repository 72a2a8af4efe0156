package client_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

// testNetwork is a server and clients on a network in virtual time.
type testNetwork struct {
	t          testing.TB
	net        *netsim.Net
	srv        *server.Server
	serverAddr transport.Peer
	rand       *rand.Rand
	maps       *client.Maps
	numPlayers int
	lastPeer   transport.Peer
	// drop reports which datagrams from clients are lost; nil drops none.
	drop func(b []byte) bool
}

// player is a client on a test network and the events that it received.
type player struct {
	*client.Client
	network *testNetwork
	events  []event.Event
}

func newTestNetwork(t testing.TB, link netsim.Link, commands ...string) *testNetwork {
	t.Helper()
	return newObservedNetwork(t, link, nil, commands...)
}

// newObservedNetwork is newTestNetwork with an observer of the server.
func newObservedNetwork(t testing.TB, link netsim.Link, observe server.ObserverFunc, commands ...string) *testNetwork {
	t.Helper()
	return newConfiguredNetwork(t, link, server.Config{}, observe, commands...)
}

// newModdedNetwork is newTestNetwork with a mod on the server.
func newModdedNetwork(t testing.TB, link netsim.Link, mod func() game.Mod, commands ...string) *testNetwork {
	t.Helper()
	cfg := server.Config{FindMod: func(string) (func() game.Mod, error) { return mod, nil }}
	return newConfiguredNetwork(t, link, cfg, nil, append(commands, "sv_mods test")...)
}

func newConfiguredNetwork(t testing.TB, link netsim.Link, cfg server.Config, observe server.ObserverFunc, commands ...string) *testNetwork {
	t.Helper()
	net := testenv.Must(netsim.New(netsim.Config{Seed: 1, Link: link}))
	tn := &testNetwork{
		t:          t,
		net:        net,
		serverAddr: transport.MustParsePeer("10.0.0.1:8303"),
		rand:       rand.New(rand.NewPCG(1, 2)),
		maps:       client.NewMaps(t.TempDir()),
	}
	endpoint := testenv.Must(net.Listen(tn.serverAddr))
	cfg.Transport = endpoint
	tn.srv = newConfiguredServer(t, cfg, observe, commands...)
	net.Drive(endpoint,
		func(d transport.Datagram) { tn.srv.Feed(conn.Time(d.ReceivedAt), d.Peer, d.Data) },
		func(now int64) { tn.srv.Advance(conn.Time(now)) })
	return tn
}

// newServer returns a server on a transport.
func newServer(t testing.TB, endpoint transport.Conn, observe server.ObserverFunc, commands ...string) *server.Server {
	t.Helper()
	return newConfiguredServer(t, server.Config{Transport: endpoint}, observe, commands...)
}

func newConfiguredServer(t testing.TB, cfg server.Config, observe server.ObserverFunc, commands ...string) *server.Server {
	t.Helper()
	if observe != nil {
		cfg.Observers = append(cfg.Observers, observe)
	}
	cfg.Background, cfg.Seed, cfg.Log = func(f func()) { f() }, 1, slog.New(slog.DiscardHandler)
	cfg.Commands = append(
		[]string{"sv_max_clients 64; sv_player_slots 64; sv_max_clients_per_ip 64; sv_rcon_password adminpw; sv_spamprotection 0"},
		commands...)
	s, err := server.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// join adds a client and waits until it is in the game.
func (tn *testNetwork) join(cfg client.Config) *player {
	tn.t.Helper()
	p := tn.dial(cfg)
	waitFor(p, 5*time.Second, func(event.Entered) bool { return true })
	return p
}

// dial adds a client that begins to connect.
func (tn *testNetwork) dial(cfg client.Config) *player {
	tn.t.Helper()
	tn.numPlayers++
	peer := transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, 1, byte(tn.numPlayers)}), 50000)
	tn.lastPeer = peer
	p := &player{network: tn}
	cfg.Send = func(b []byte) {
		if tn.drop == nil || !tn.drop(b) {
			tn.net.Send(peer, tn.serverAddr, b)
		}
	}
	cfg.Token = func() packet.Token { return packet.Token(tn.rand.Uint32() &^ (1 << 31)) }
	if cfg.OnEvent == nil {
		cfg.OnEvent = func(_ *client.Client, e event.Event) { p.events = append(p.events, e) }
	}
	if cfg.Maps == nil {
		cfg.Maps = tn.maps
	}
	p.Client = testenv.Must(client.New(cfg))
	tn.net.Handle(peer, func(now int64, from transport.Peer, b []byte) { p.Feed(conn.Time(now), bytes.Clone(b)) })
	tn.connect(p)
	tn.net.Every(5*time.Millisecond, func(now int64) { p.Step(conn.Time(now)) })
	return p
}

func (tn *testNetwork) connect(p *player) {
	tn.t.Helper()
	testenv.NoError(tn.t, p.Connect(conn.Time(tn.net.Now())))
}

// run lets time pass.
func (tn *testNetwork) run(span time.Duration) { tn.net.RunFor(span) }

// until lets time pass until ok returns true, at most limit.
func (tn *testNetwork) until(limit time.Duration, what string, ok func() bool) {
	tn.t.Helper()
	if !tn.net.RunUntil(limit, ok) {
		tn.t.Fatalf("after %v still not %s", limit, what)
	}
}

// waitFor lets time pass until the player has received an event that wanted accepts, and returns
// it.
func waitFor[E event.Event](p *player, limit time.Duration, wanted func(E) bool) (found E) {
	tn := p.network
	tn.t.Helper()
	tn.until(limit, fmt.Sprintf("got the %T", found), func() bool {
		for _, e := range p.events {
			if e, ok := e.(E); ok && wanted(e) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// lastEvent returns the latest event of a type.
func lastEvent[E event.Event](p *player) (e E, ok bool) {
	for i := len(p.events) - 1; i >= 0 && !ok; i-- {
		e, ok = p.events[i].(E)
	}
	return e, ok
}

// hasEvent reports whether a player has received an event of a type.
func hasEvent[E event.Event](p *player) bool {
	_, ok := lastEvent[E](p)
	return ok
}
