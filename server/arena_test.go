package server

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// arena is a server and clients on a network in virtual time.
type arena struct {
	t       testing.TB
	net     *netsim.Net
	srv     *Server
	addr    transport.Peer
	rand    *rand.Rand
	players []*player
}

// player is a headless client in an arena.
type player struct {
	*client.Session
	peer  transport.Peer
	snaps int
	// chat lines heard, by author.
	heard map[int32][]string
	drops []string
	infos map[int32]string
	said  int
	// onMessage, if set, sees every message.
	onMessage func(m msg7.Message)
	onSnap    func(tick int32, s *snapshot.Snapshot)
	dec       msg7.Decoder
	input     game.Input
	rand      *rand.Rand
}

// newArena starts a server with console commands.
func newArena(t testing.TB, link netsim.Link, seed uint64, commands ...string) *arena {
	t.Helper()
	return newArenaWith(t, link, seed, func(*Config) {}, commands...)
}

// newArenaWith starts a server whose configuration edit may change.
func newArenaWith(t testing.TB, link netsim.Link, seed uint64, edit func(*Config), commands ...string) *arena {
	t.Helper()
	n, err := netsim.New(netsim.Config{Seed: seed, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	a := &arena{t: t, net: n, addr: transport.MustParsePeer("10.0.0.1:8303"), rand: rand.New(rand.NewPCG(seed, 2))}
	c, err := n.Listen(a.addr)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Transport: c, Seed: seed, Log: slog.New(slog.DiscardHandler),
		Commands: append([]string{"sv_max_clients 64; sv_player_slots 64; sv_max_clients_per_ip 64; sv_max_clients_per_network 0; sv_rcon_password adminpw"}, commands...),
	}
	edit(&cfg)
	if a.srv, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	batch := make([]transport.Datagram, 16)
	n.OnArrival(a.addr, func(int64) {
		for {
			k, err := c.ReadBatch(batch, 0)
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

// join adds a client; ip is the last byte of its address.
func (a *arena) join(ip int, name string) *player {
	a.t.Helper()
	return a.joinWith(ip, client.SessionConfig{Name: name})
}

// joinWith adds a client of a configuration.
func (a *arena) joinWith(ip int, cfg client.SessionConfig) *player {
	a.t.Helper()
	return a.joinFrom(transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, byte(1 + ip>>8), byte(ip)}), 50000), cfg)
}

// joinFrom adds a client at an address.
func (a *arena) joinFrom(peer transport.Peer, cfg client.SessionConfig) *player {
	a.t.Helper()
	ip := peer.Addr().As4()
	p := &player{peer: peer, heard: map[int32][]string{}, infos: map[int32]string{}, rand: rand.New(rand.NewPCG(uint64(ip[2]-1)<<8|uint64(ip[3]), 3))}
	cfg.Send = func(b []byte) { a.net.Send(peer, a.addr, b) }
	cfg.Token = func() packet.Token { return packet.Token(a.rand.Uint32() &^ (1 << 31)) }
	cfg.OnSnapshot = func(tick int32, s *snapshot.Snapshot) {
		p.snaps++
		if p.onSnap != nil {
			p.onSnap(tick, s)
		}
	}
	cfg.OnMessage = func(payload []byte, vital bool) {
		m, err := p.dec.Decode(payload)
		if err != nil || !vital {
			return
		}
		switch m := m.(type) {
		case *msg7.SvChat:
			p.heard[m.ClientID] = append(p.heard[m.ClientID], string(m.Message))
		case *msg7.SvClientInfo:
			p.infos[m.ClientID] = string(m.Name)
		case *msg7.SvClientDrop:
			p.drops = append(p.drops, string(m.Reason))
			delete(p.infos, m.ClientID)
		}
		if p.onMessage != nil {
			p.onMessage(m)
		}
	}
	c, err := client.NewSession(cfg)
	if err != nil {
		a.t.Fatal(err)
	}
	p.Session = c
	a.net.Handle(peer, func(now int64, from transport.Peer, b []byte) {
		if from == a.addr {
			c.Feed(conn.Time(now), append([]byte(nil), b...))
		}
	})
	if err := c.Dial(conn.Time(a.net.Now())); err != nil {
		a.t.Fatal(err)
	}
	a.net.Every(5*time.Millisecond, func(now int64) { c.Step(conn.Time(now)) })
	a.players = append(a.players, p)
	return p
}

// run lets time pass.
func (a *arena) run(span time.Duration) { a.net.Run(a.net.Now() + int64(span)) }

// until lets time pass until ok, at most span.
func (a *arena) until(span time.Duration, what string, ok func() bool) {
	a.t.Helper()
	for end := a.net.Now() + int64(span); a.net.Now() < end; {
		if ok() {
			return
		}
		a.run(10 * time.Millisecond)
	}
	if !ok() {
		a.t.Fatalf("after %v still not: %s", span, what)
	}
}

// now is the time on the network.
func (a *arena) now() conn.Time { return conn.Time(a.net.Now()) }

// wander changes what a player does, at random.
func (p *player) wander() {
	in := &p.input
	if p.rand.IntN(8) == 0 {
		in.Direction = int32(p.rand.IntN(3) - 1)
	}
	if p.rand.IntN(10) == 0 {
		in.Jump = !in.Jump
	}
	if p.rand.IntN(12) == 0 {
		in.Hook = !in.Hook
	}
	if p.rand.IntN(4) == 0 {
		in.TargetX, in.TargetY = int32(p.rand.IntN(400)-200), int32(p.rand.IntN(400)-200)
	}
	if p.rand.IntN(5) == 0 {
		in.Fire = (in.Fire + 1) & 63
	}
	if p.rand.IntN(40) == 0 {
		in.WantedWeapon = int32(1 + p.rand.IntN(5))
	}
	p.SetInput(*in)
}

// Send sends a message.
func (p *player) Send(now conn.Time, m msg7.Message) error {
	return p.Session.SendMessage(now, m.Append(nil))
}

// sayNext says the next of a numbered series of lines.
func (p *player) sayNext(now conn.Time) {
	p.said++
	p.Send(now, &msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte(fmt.Sprintf("line %d", p.said))})
}
