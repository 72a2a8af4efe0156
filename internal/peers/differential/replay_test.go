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
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

// virtualNetwork is the transport of a server in virtual time.
type virtualNetwork struct {
	now  int64 // ns
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

// replayRun is our server and its clients.
type replayRun struct {
	t       testing.TB
	network virtualNetwork
	server  *server.Server
	players []*observer
	// Datagrams on their way. They are delivered one after the other, so that neither side
	// is called while it runs.
	toClient, toServer []datagram
}

const (
	basePort     = 40000
	inputRing    = 200 // how many inputs of a client a server keeps
	tickDuration = time.Second / 50
)

// replay plays a match on our server and returns what its clients saw.
func replay(t testing.TB, m *match) [][]observation {
	t.Helper()
	r := &replayRun{t: t}
	r.network.send = func(to transport.Peer, b []byte) {
		r.toClient = append(r.toClient, datagram{int(to.Port()) - basePort, slices.Clone(b)})
	}
	files := fs.FS(os.DirFS("/usr/share/games/teeworlds/data"))
	file, ok := m.Config.MapFile, true
	if file == nil {
		file, ok = mapFile(m.Config.Map)
	}
	if ok {
		files = fstest.MapFS{"maps/" + m.Config.Map + ".map": {Data: file}}
	}
	var err error
	r.server, err = server.New(server.Config{
		Transport: &r.network, Background: func(f func()) { f() }, Files: files, Seed: m.Config.Seed | 1,
		Commands: append([]string{"sv_map " + m.Config.Map, serverSettings + "; sv_max_clients_per_network 0"}, m.Config.Settings...),
	})
	if err != nil {
		t.Fatal(err)
	}
	tick := int32(0)
	idleTick := func() {
		tick++
		r.advance(tick)
		for _, p := range r.players {
			if p.State() >= client.Entering {
				r.sendNeutral(p, tick)
			}
		}
	}
	for i := range m.Config.Players {
		r.join(i)
		for r.players[i].State() != client.Playing {
			idleTick()
		}
		for range joinPause {
			idleTick()
		}
	}
	first := r.players[0]
	first.SendMessage(r.now(), (&msg7.RconAuth{Password: []byte(rconPassword)}).Append(nil))
	r.exchange()
	for !first.loggedIn {
		idleTick()
	}
	if tick >= m.Start {
		t.Fatalf("our players joined at tick %d, the original's at %d", tick, m.Start)
	}
	for ; tick < m.Start; r.advance(tick) {
		for i, p := range r.players {
			if p.State() >= client.Entering {
				r.sendNeutral(p, tick)
			}
			// What is still missing at one input per tick. The server takes no more than
			// four in a tick.
			missing := (m.Inputs[i] - p.inputs - int(m.Start-tick) + 1) % inputRing
			for range min((missing+inputRing)%inputRing, 3) {
				r.sendNeutral(p, tick)
			}
		}
		tick++
	}
	for i, p := range r.players {
		if p.inputs%inputRing != m.Inputs[i]%inputRing {
			t.Errorf("player %d sent %d inputs before the match, %d on the original", i, p.inputs, m.Inputs[i])
		}
	}
	first.QueueMessage(r.now(), (&msg7.RconCmd{Command: []byte("restart")}).Append(nil))
	first.SendInput(r.now(), tick+inputLead+1, toInput(neutralInput))
	r.exchange()

	steps := m.Steps
	for _, round := range m.Rounds {
		for len(steps) > 0 && steps[0].Tick < round {
			r.step(&steps[0])
			steps = steps[1:]
		}
		r.advance(round)
	}
	var seen [][]observation
	for _, p := range r.players {
		seen = append(seen, p.since(m.Start+respawnTicks))
		if st := p.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage+st.NoBase != 0 {
			t.Errorf("the client could not decode what our server sent: %+v", st)
		}
	}
	if d := r.server.Drops(); len(d) > 0 {
		t.Errorf("our server dropped datagrams: %v", d)
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

// advance runs the server up to a tick. Ticks that it did not run before it runs now, as the
// original does when it is late.
func (r *replayRun) advance(tick int32) {
	r.network.now = int64(tick) * int64(tickDuration)
	r.server.Advance(r.now())
	r.exchange()
	r.network.now += int64(time.Millisecond)
}

// exchange delivers datagrams until none is on its way.
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
