package differential

import (
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

// virtualNetwork is the transport of a server in virtual time.
type virtualNetwork struct {
	now  int64 // in ns
	send func(to transport.Peer, b []byte)
}

func (n *virtualNetwork) Now() int64                                         { return n.now }
func (n *virtualNetwork) ReadBatch([]transport.Datagram, int64) (int, error) { return 0, nil }
func (n *virtualNetwork) Send(to transport.Peer, b []byte)                   { n.send(to, b) }
func (n *virtualNetwork) Flush() error                                       { return nil }
func (n *virtualNetwork) Wake()                                              {}
func (n *virtualNetwork) LocalAddr() transport.Peer                          { return transport.MustParsePeer("127.0.0.1:8303") }
func (n *virtualNetwork) Stats() transport.Stats                             { return transport.Stats{} }
func (n *virtualNetwork) Close() error                                       { return nil }

// replayRun is our server with its clients.
type replayRun struct {
	t       testing.TB
	network virtualNetwork
	server  *server.Server
	players []*observer
	dice    dice
	tick    int32
	began   int64 // time of the server's tick 0 on its map, in ns
	// Datagrams in flight. They are delivered one by one, so that neither side is called from
	// within a call.
	toClient, toServer []datagram
}

const (
	basePort     = 40000
	inputRing    = 200 // number of inputs of a client that a server keeps
	tickDuration = time.Second / 50
)

// replay plays a match on our server and returns its clients' observations for each part of the
// match.
func replay(t testing.TB, m *match) [][][]observation {
	t.Helper()
	r := &replayRun{t: t, dice: dice{t: t}}
	r.network.send = func(to transport.Peer, b []byte) {
		r.toClient = append(r.toClient, datagram{int(to.Port()) - basePort, slices.Clone(b)})
	}
	files := fs.FS(os.DirFS("/usr/share/games/teeworlds/data"))
	ours := fstest.MapFS{}
	for _, part := range m.parts() {
		file, ok := part.Config.MapFile, true
		if file == nil {
			file, ok = mapFile(part.Config.Map)
		}
		if ok {
			ours["maps/"+part.Config.Map+".map"] = &fstest.MapFile{Data: file}
			files = ours
		}
	}
	var err error
	r.server, err = server.New(server.Config{
		Transport: &r.network, Background: func(f func()) { f() }, Files: files, Seed: m.serverSeed(),
		Mods:     []func() game.Mod{func() game.Mod { return &r.dice }},
		Commands: append([]string{"sv_map " + m.Config.Map, serverSettings + "; sv_max_clients_per_network 0"}, m.Config.Settings...),
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Config.Players {
		r.join(i)
		for r.players[i].State() != client.Playing {
			r.idleTick()
		}
		for range joinPause {
			r.idleTick()
		}
	}
	first := r.players[0]
	first.SendMessage(r.now(), (&msg7.RconAuth{Password: []byte(rconPassword)}).Append(nil))
	r.exchange()
	for !first.loggedIn {
		r.idleTick()
	}
	var seen [][][]observation
	for _, part := range m.parts() {
		seen = append(seen, r.play(part))
		if part.After != nil {
			r.changeMap(part.After.Config.Map)
		}
	}
	for _, p := range r.players {
		if st := p.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage+st.NoBase != 0 {
			t.Errorf("the client could not decode what our server sent: %+v", st)
		}
	}
	if d := r.server.Drops(); len(d) > 0 {
		t.Errorf("our server dropped datagrams: %v", d)
	}
	return seen
}

// idleTick runs one tick with neutral inputs.
func (r *replayRun) idleTick() {
	r.tick++
	r.advance(r.tick)
	for _, p := range r.players {
		if p.State() >= client.Entering {
			r.sendNeutral(p, r.tick)
		}
	}
}

// changeMap waits until all players are on the next map. The server must have changed the map
// directly after the last tick.
func (r *replayRun) changeMap(name string) {
	r.t.Helper()
	for i, p := range r.players {
		if !p.isOn(name) {
			r.t.Fatalf("player %d is not on the map %s, as on the original, but on %s", i, name, p.maps[len(p.maps)-1])
		}
	}
	r.tick = 0
	for _, p := range r.players {
		for p.State() != client.Playing {
			r.idleTick()
		}
	}
	for range joinPause {
		r.idleTick()
	}
}

// play plays a match on one map and returns the observations of its clients.
func (r *replayRun) play(m *match) [][]observation {
	r.t.Helper()
	if r.tick >= m.Start {
		r.t.Fatalf("our players joined at tick %d, the original's at %d", r.tick, m.Start)
	}
	for ; r.tick < m.Start; r.advance(r.tick) {
		for i, p := range r.players {
			if p.State() >= client.Entering {
				r.sendNeutral(p, r.tick)
			}
			// The number of inputs still missing, when each tick sends one. The server takes at
			// most four in a tick.
			missing := (m.Inputs[i] - p.inputs - int(m.Start-r.tick) + 1) % inputRing
			for range min((missing+inputRing)%inputRing, 3) {
				r.sendNeutral(p, r.tick)
			}
		}
		r.tick++
	}
	for i, p := range r.players {
		if p.inputs%inputRing != m.Inputs[i]%inputRing {
			r.t.Errorf("player %d sent %d inputs before the match, %d on the original", i, p.inputs, m.Inputs[i])
		}
	}
	r.dice.last, r.dice.draw = m.Dice, m.Dice != 0 && r.mapNumber() == 1 // worlds of later maps have other numbers
	first := r.players[0]
	first.QueueMessage(r.now(), (&msg7.RconCmd{Command: m.Config.startCommand()}).Append(nil))
	first.SendInput(r.now(), r.tick+inputLead+1, toInput(neutralInput))
	r.exchange()

	steps := m.Steps
	for _, round := range m.Rounds {
		for len(steps) > 0 && steps[0].Tick < round {
			r.step(&steps[0])
			steps = steps[1:]
		}
		r.tick = round
		r.advance(round)
	}
	var seen [][]observation
	for _, p := range r.players {
		seen = append(seen, slices.Clone(p.since(m, m.Start+m.Config.settle())))
	}
	return seen
}

func (r *replayRun) now() conn.Time { return conn.Time(r.network.now) }

func (r *replayRun) join(i int) {
	p := new(observer)
	cfg := p.sessionConfig(i)
	cfg.Token = func() packet.Token { return packet.Token(0x1000 + i) }
	cfg.Send = func(b []byte) { r.toServer = append(r.toServer, datagram{i, slices.Clone(b)}) }
	var err error
	if p.Session, err = client.NewSession(cfg); err != nil {
		r.t.Fatal(err)
	}
	r.players = append(r.players, p)
	r.dial(p)
}

func (r *replayRun) dial(p *observer) {
	if err := p.Dial(r.now()); err != nil {
		r.t.Fatal(err)
	}
	r.exchange()
}

// advance runs the server up to a tick. It also runs the ticks that were left out, like the
// original after a delay.
func (r *replayRun) advance(tick int32) {
	r.network.now = r.began + int64(tick)*int64(tickDuration)
	before := r.mapNumber()
	r.server.Advance(r.now())
	r.exchange()
	if n := r.mapNumber(); n > 1 && n != before {
		r.began = r.network.now
	}
	r.network.now += int64(time.Millisecond)
}

// mapNumber returns how many maps the server has announced to the first player.
func (r *replayRun) mapNumber() int {
	if len(r.players) == 0 {
		return 0
	}
	return len(r.players[0].maps)
}

// exchange delivers datagrams until none is in flight.
func (r *replayRun) exchange() {
	for len(r.toClient)+len(r.toServer) > 0 {
		if len(r.toServer) > 0 {
			d := r.toServer[0]
			r.toServer = r.toServer[1:]
			r.server.Feed(r.now(), transport.UDPPeer(netip.MustParseAddr("127.0.0.1"), uint16(basePort+d.player)), d.payload)
			r.server.Advance(r.now()) // no tick is due
			continue
		}
		d := r.toClient[0]
		r.toClient = r.toClient[1:]
		if d.player < len(r.players) {
			r.players[d.player].Feed(r.now(), d.payload)
		}
	}
	for i, p := range r.players {
		p.Step(r.now())
		if p.Err() != nil {
			r.t.Fatal(fmt.Errorf("player %d: %w", i, p.Err()))
		}
	}
}

// sendNeutral sends a neutral input.
func (r *replayRun) sendNeutral(p *observer, tick int32) {
	p.inputs++
	p.SendInput(r.now(), tick+inputLead, toInput(neutralInput))
	r.exchange()
}

func (r *replayRun) step(st *step) {
	p := r.players[st.Player]
	switch st.Kind {
	case stepLeave:
		p.Close(r.now())
		r.exchange()
	case stepEnter:
		p.pending = nil
		r.dial(p)
	default:
		for _, m := range st.Messages {
			p.QueueMessage(r.now(), m)
		}
		p.SendInput(r.now(), st.Intended, toInput(st.Input))
		r.exchange()
	}
}
