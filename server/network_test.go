package server

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// testNetwork is a server and clients on a network in virtual time.
type testNetwork struct {
	t       testing.TB
	net     *netsim.Net
	srv     *Server
	addr    transport.Peer
	rand    *rand.Rand
	players []*player
	stalled bool                 // the server's machine stands still
	waiting []transport.Datagram // for the server, meanwhile
}

// newTestNetwork starts a server with console commands.
func newTestNetwork(t testing.TB, link netsim.Link, seed uint64, commands ...string) *testNetwork {
	t.Helper()
	return newTestNetworkWith(t, link, seed, Config{}, commands...)
}

// newTestNetworkWith starts a server with a configuration, of which it sets what ties the
// server to the network.
func newTestNetworkWith(t testing.TB, link netsim.Link, seed uint64, cfg Config, commands ...string) *testNetwork {
	t.Helper()
	net := testenv.Must(netsim.New(netsim.Config{Seed: seed, Link: link}))
	tn := &testNetwork{t: t, net: net, addr: transport.MustParsePeer("10.0.0.1:8303"), rand: rand.New(rand.NewPCG(seed, 2))}
	endpoint := testenv.Must(net.Listen(tn.addr))
	cfg.Transport, cfg.Seed = endpoint, seed
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.Commands = append([]string{"sv_max_clients 64; sv_player_slots 64; sv_max_clients_per_ip 64; " +
		"sv_max_clients_per_network 0; sv_rcon_password adminpw"}, commands...)
	cfg.Background = func(f func()) { f() }
	tn.srv = testenv.Must(New(cfg))
	net.Drive(endpoint,
		func(d transport.Datagram) {
			if tn.stalled {
				tn.waiting = append(tn.waiting, transport.Datagram{Peer: d.Peer, Data: slices.Clone(d.Data)})
				return
			}
			tn.srv.Feed(conn.Time(d.ReceivedAt), d.Peer, d.Data)
		},
		func(now int64) {
			if !tn.stalled {
				tn.srv.Advance(conn.Time(now))
			}
		})
	return tn
}

// now returns the time on the network.
func (tn *testNetwork) now() conn.Time { return conn.Time(tn.net.Now()) }

// run lets time pass.
func (tn *testNetwork) run(span time.Duration) { tn.net.RunFor(span) }

// stall lets time pass while the server's machine stands still.
func (tn *testNetwork) stall(span time.Duration) {
	tn.stalled = true
	tn.run(span)
	tn.stalled = false
	// Run reads batches and advances after each.
	for batch := range slices.Chunk(tn.waiting, len(newReader(tn.srv).datagrams)) {
		for _, d := range batch {
			tn.srv.Feed(tn.now(), d.Peer, d.Data)
		}
		tn.srv.Advance(tn.now())
	}
	tn.waiting = nil
}

// until lets time pass until ok, at most limit.
func (tn *testNetwork) until(limit time.Duration, what string, ok func() bool) {
	tn.t.Helper()
	if !tn.net.RunUntil(limit, ok) {
		tn.t.Fatalf("after %v still not: %s", limit, what)
	}
}

// player is a client on a test network that plays by the rules, and a record of its messages.
type player struct {
	*client.Session
	network *testNetwork
	peer    transport.Peer
	name    string
	rand    *rand.Rand
	input   game.Input
	said    int // lines of sayNextLine
	// redial makes it connect again whenever it is offline.
	redial bool
	// onMessage and onSnapshot, if set, see everything.
	onMessage  func(m testclient.Message)
	onSnapshot func(tick int32, s *snapshot.Snapshot)

	decoder6  msg6.Decoder
	decoder7  msg7.Decoder
	snapshots int
	chat      map[int32][]string // by the author's client id
	// leaveReasons are of the players who left, as 0.7 clients are told.
	leaveReasons []string
	rconLines    []string
	rconCommands []string
	// views has the views of the snapshots by tick, if it is not nil.
	views map[int32]game.View
}

// The kinds of players.
var (
	player07      = client.SessionConfig{Version: client.Version07}
	player06DDNet = client.SessionConfig{Version: client.Version06, DDNetVersion: 16040}
	player06      = client.SessionConfig{Version: client.Version06}
	player06Old   = client.SessionConfig{Version: client.Version06, DDNetVersion: -1, LegacyHandshake: true}
)

// named returns a configuration with a name.
func named(cfg client.SessionConfig, name string) client.SessionConfig {
	cfg.Name = name
	return cfg
}

// join adds a 0.7 player and waits until it plays. n gives it an address of its own.
func (tn *testNetwork) join(n int, name string) *player {
	tn.t.Helper()
	p := tn.dial(n, named(player07, name))
	tn.untilPlaying(p)
	return p
}

// dial adds a player that begins to connect.
func (tn *testNetwork) dial(n int, cfg client.SessionConfig) *player {
	tn.t.Helper()
	return tn.dialFrom(transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, byte(1 + n>>8), byte(n)}), 50000), cfg)
}

// dialFrom is dial from an address.
func (tn *testNetwork) dialFrom(peer transport.Peer, cfg client.SessionConfig) *player {
	tn.t.Helper()
	ip := peer.Addr().As16()
	p := &player{
		network: tn, peer: peer, name: cfg.Name, chat: map[int32][]string{},
		rand: rand.New(rand.NewPCG(uint64(ip[14]-1)<<8|uint64(ip[15]), 3)),
	}
	cfg.Send = func(b []byte) { tn.net.Send(peer, tn.addr, b) }
	cfg.Token = func() packet.Token { return packet.Token(tn.rand.Uint32() &^ (1 << 31)) }
	cfg.OnMessage = p.record
	cfg.OnSnapshot = func(tick int32, s *snapshot.Snapshot) {
		p.snapshots++
		if p.onSnapshot != nil {
			p.onSnapshot(tick, s)
		}
		if p.views == nil && p.Version() == client.Version07 {
			return // which learns of players from messages
		}
		if v := p.ClientSide().ReceiveSnapshot(tick, s); p.views != nil {
			p.views[tick] = copyView(v)
		}
	}
	p.Session = testenv.Must(client.NewSession(cfg))
	tn.net.Handle(peer, func(now int64, from transport.Peer, b []byte) {
		if from == tn.addr {
			p.Feed(conn.Time(now), slices.Clone(b))
		}
	})
	testenv.NoError(tn.t, p.Dial(tn.now()))
	tn.net.Every(5*time.Millisecond, func(now int64) {
		if p.redial && p.State() == client.Offline {
			p.Dial(conn.Time(now))
		}
		p.Step(conn.Time(now))
	})
	tn.players = append(tn.players, p)
	return p
}

// untilPlaying lets time pass until players play.
func (tn *testNetwork) untilPlaying(players ...*player) {
	tn.t.Helper()
	tn.until(2*time.Minute, "playing", func() bool { return allPlay(players) })
}

// allPlay reports whether players are in the game and know their ids.
func allPlay(players []*player) bool {
	return !slices.ContainsFunc(players, func(p *player) bool { return p.State() != client.Playing || p.ID() < 0 })
}

// record keeps what tests ask for.
func (p *player) record(payload []byte, vital bool) {
	var m testclient.Message
	var err error
	if p.Version() == client.Version06 {
		m, err = p.decoder6.Decode(payload)
	} else {
		m, err = p.decoder7.Decode(payload)
	}
	if err != nil || !vital {
		return
	}
	switch m := m.(type) {
	case *msg6.SvChat:
		p.chat[m.ClientID] = append(p.chat[m.ClientID], string(m.Message))
	case *msg7.SvChat:
		p.chat[m.ClientID] = append(p.chat[m.ClientID], string(m.Message))
	case *msg7.SvClientDrop:
		p.leaveReasons = append(p.leaveReasons, string(m.Reason))
	case *msg6.RconLine:
		p.rconLines = append(p.rconLines, string(m.Line))
	case *msg7.RconLine:
		p.rconLines = append(p.rconLines, string(m.Line))
	case *msg7.RconCmdAdd:
		p.rconCommands = append(p.rconCommands, string(m.Name))
	}
	if p.onMessage != nil {
		p.onMessage(m)
	}
}

// checkStats checks that players understood all that they received.
func checkStats(t testing.TB, players ...*player) {
	t.Helper()
	for _, p := range players {
		if s := p.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage+s.UnknownMessages != 0 {
			t.Errorf("%s: %+v", p.name, s)
		}
	}
}

// on returns a function for messages of one type, and ignores the others.
func on[M testclient.Message](f func(m M)) func(testclient.Message) {
	return func(m testclient.Message) {
		if m, ok := m.(M); ok {
			f(m)
		}
	}
}

// id returns the player's client id.
func (p *player) id() game.PlayerID { return p.ClientSide().OwnID() }

// names returns the players that it sees.
func (p *player) names() map[game.PlayerID]string {
	names := map[game.PlayerID]string{}
	for id := range game.PlayerID(game.MaxPlayers) {
		if info, ok := p.ClientSide().Player(id); ok {
			names[id] = info.Profile.Name
		}
	}
	return names
}

// heard reports whether the player received a chat line from any player.
func (p *player) heard(text string) bool {
	for _, lines := range p.chat {
		if slices.Contains(lines, text) {
			return true
		}
	}
	return false
}

// send sends a message of the player's version.
func (p *player) send(m testclient.Message) { p.SendMessage(p.network.now(), m.Append(nil)) }

// login opens the remote console.
func (p *player) login(password string) {
	p.Request(p.network.now(), func(c bridge.ClientSide) { c.SendRconAuth("", password) })
	p.network.run(200 * time.Millisecond)
}

// rcon runs a line and returns its output.
func (p *player) rcon(line string) string {
	before := len(p.rconLines)
	p.Request(p.network.now(), func(c bridge.ClientSide) { c.SendRconCmd(line) })
	p.network.run(200 * time.Millisecond)
	return strings.Join(p.rconLines[before:], "\n")
}

// sayNextLine says the next of a numbered series of lines.
func (p *player) sayNextLine() {
	p.said++
	p.send(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: fmt.Appendf(nil, "line %d", p.said)})
}

// moveRandomly changes the player's input from now on, at random, every 20 ms.
func (p *player) moveRandomly() {
	p.network.net.Every(20*time.Millisecond, func(int64) { p.changeInput() })
}

// changeInput changes the input at random.
func (p *player) changeInput() {
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

// copyView returns a copy of a view that is valid only for a while.
func copyView(v *game.View) game.View {
	w, f := *v, *v.Frame
	f.Players, f.Characters = slices.Clone(f.Players), slices.Clone(f.Characters)
	f.Projectiles, f.Lasers = slices.Clone(f.Projectiles), slices.Clone(f.Lasers)
	f.Pickups, f.Flags = slices.Clone(f.Pickups), slices.Clone(f.Flags)
	w.Frame = &f
	return w
}
