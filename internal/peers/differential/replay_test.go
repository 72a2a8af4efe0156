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
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

// data is where Debian has the original's maps.
const data = "/usr/share/games/teeworlds/data"

// wire is a network of one server in virtual time: what is sent is there.
type wire struct {
	now     int64
	deliver func(to transport.Peer, b []byte)
}

func (w *wire) Now() int64                                         { return w.now }
func (w *wire) ReadBatch([]transport.Datagram, int64) (int, error) { return 0, nil }
func (w *wire) Send(to transport.Peer, b []byte)                   { w.deliver(to, b) }
func (w *wire) Flush() error                                       { return nil }
func (w *wire) Wake()                                              {}
func (w *wire) LocalAddr() transport.Peer                          { return transport.MustParsePeer("127.0.0.1:8303") }
func (w *wire) Stats() transport.Stats                             { return transport.Stats{} }
func (w *wire) Close() error                                       { return nil }

// replay is our server and its clients.
type replay struct {
	t       testing.TB
	net     wire
	srv     *server.Server
	players []*replayPlayer
	// toClient and toServer wait for delivery: neither side is entered twice.
	toClient, toServer []parcel
}

type replayPlayer struct {
	*client.Session
	watch
	peer   transport.Peer
	rcon   bool
	inputs int
}

type parcel struct {
	player int
	b      []byte
}

// again plays a record on our server and returns what its clients saw.
func again(t testing.TB, rec *record) [][]sight {
	t.Helper()
	r := &replay{t: t}
	r.net.deliver = func(to transport.Peer, b []byte) {
		r.toClient = append(r.toClient, parcel{int(to.Port()) - basePort, slices.Clone(b)})
	}
	files := fs.FS(os.DirFS(data))
	file, ok := rec.mapFile, true
	if file == nil {
		file, ok = mapFile(rec.mapName)
	}
	if ok {
		files = fstest.MapFS{"maps/" + rec.mapName + ".map": {Data: file}}
	}
	var err error
	r.srv, err = server.New(server.Config{
		Transport: &r.net, Files: files, Seed: rec.seed | 1,
		Commands: append([]string{"sv_map " + rec.mapName, settings + "; sv_max_clients_per_network 0"}, rec.settings...),
	})
	if err != nil {
		t.Fatal(err)
	}
	tick := int32(0)
	next := func() {
		tick++
		r.advance(tick)
	}
	for i := range rec.players {
		r.join(i)
		for r.players[i].State() != client.Playing {
			next()
			r.idle(tick)
		}
		for range settle {
			next()
			r.idle(tick)
		}
	}
	r.players[0].SendMessage(conn.Time(r.net.now), (&msg7.RconAuth{Password: []byte(password)}).Append(nil))
	r.exchange()
	for !r.players[0].rcon {
		next()
		r.idle(tick)
	}
	if tick >= rec.start {
		t.Fatalf("our players joined at tick %d, the original's at %d", tick, rec.start)
	}
	for tick < rec.start {
		r.idle(tick)
		for i, p := range r.players {
			// What is still missing at one per tick; the server takes no more
			// than four in a tick.
			missing := (rec.inputs[i] - p.inputs - int(rec.start-tick) + 1) % inputRing
			for range min((missing+inputRing)%inputRing, 3) {
				r.input(p, tick)
			}
		}
		next()
	}
	for i, p := range r.players {
		if p.inputs%inputRing != rec.inputs[i]%inputRing {
			t.Errorf("player %d sent %d inputs before the match, %d on the original", i, p.inputs, rec.inputs[i])
		}
	}
	p := r.players[0]
	p.QueueMessage(conn.Time(r.net.now), (&msg7.RconCmd{Command: []byte("restart")}).Append(nil))
	p.SendInput(conn.Time(r.net.now), tick+lead+1, wish(neutral))
	r.exchange()

	steps := rec.steps
	for _, round := range rec.rounds {
		// Steps are taken in the order they were: by window, then as sent.
		for len(steps) > 0 && steps[0].window < round {
			r.step(&steps[0])
			steps = steps[1:]
		}
		r.advance(round)
	}
	var seen [][]sight
	for _, p := range r.players {
		seen = append(seen, p.since(rec.start+respawn))
		if st := p.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage+st.NoBase != 0 {
			t.Errorf("the client did not understand us: %+v", st)
		}
	}
	if d := r.srv.Drops(); len(d) > 0 {
		t.Errorf("our server dropped something: %v", d)
	}
	return seen
}

const (
	basePort  = 40000
	inputRing = 200 // how many inputs of a client a server keeps
)

func (r *replay) join(i int) {
	p := &replayPlayer{peer: transport.UDPPeer(netip.MustParseAddr("127.0.0.1"), uint16(basePort+i))}
	cfg := clientConfig(i, &p.watch)
	cfg.Token = func() packet.Token { return packet.Token(0x1000 + i) }
	cfg.Send = func(b []byte) { r.toServer = append(r.toServer, parcel{i, slices.Clone(b)}) }
	onChunk := cfg.OnMessage
	cfg.OnMessage = func(payload []byte, vital bool) {
		var u packer.Unpacker
		u.Reset(payload)
		if msg7.ID(u.Int()) == msg7.IDRconAuthOn {
			p.rcon = true
		}
		onChunk(payload, vital)
	}
	var err error
	if p.Session, err = client.NewSession(cfg); err != nil {
		r.t.Fatal(err)
	}
	r.players = append(r.players, p)
	if err := p.Dial(conn.Time(r.net.now)); err != nil {
		r.t.Fatal(err)
	}
	r.exchange()
}

// advance lets the server run up to a tick; what it did not run before it runs
// now in one go, as the original when it was late.
func (r *replay) advance(tick int32) {
	r.net.now = int64(tick) * int64(time.Second/50)
	r.srv.Advance(conn.Time(r.net.now))
	r.exchange()
	r.net.now += int64(time.Millisecond)
}

// exchange delivers until there is nothing on the way.
func (r *replay) exchange() {
	for len(r.toClient)+len(r.toServer) > 0 {
		if len(r.toServer) > 0 {
			d := r.toServer[0]
			r.toServer = r.toServer[1:]
			r.srv.Feed(conn.Time(r.net.now), r.players[d.player].peer, d.b)
			r.srv.Advance(conn.Time(r.net.now)) // no tick is due
			continue
		}
		d := r.toClient[0]
		r.toClient = r.toClient[1:]
		if d.player < len(r.players) {
			r.players[d.player].Feed(conn.Time(r.net.now), d.b)
		}
	}
	for i, p := range r.players {
		p.Step(conn.Time(r.net.now))
		if p.Err() != nil {
			r.t.Fatal(fmt.Errorf("player %d: %w", i, p.Err()))
		}
	}
}

func (r *replay) idle(tick int32) {
	for _, p := range r.players {
		if p.State() >= client.Entering {
			r.input(p, tick)
		}
	}
}

// input sends an input that does nothing.
func (r *replay) input(p *replayPlayer, tick int32) {
	p.inputs++
	p.SendInput(conn.Time(r.net.now), tick+lead, wish(neutral))
	r.exchange()
}

func (r *replay) step(st *step) {
	p := r.players[st.player]
	switch st.action {
	case leave:
		p.Close(conn.Time(r.net.now))
		r.exchange()
		return
	case enter:
		p.pending = nil
		if err := p.Dial(conn.Time(r.net.now)); err != nil {
			r.t.Fatal(err)
		}
		r.exchange()
		return
	}
	for _, m := range st.messages {
		p.QueueMessage(conn.Time(r.net.now), m)
	}
	p.SendInput(conn.Time(r.net.now), st.intended, wish(st.input))
	r.exchange()
}
