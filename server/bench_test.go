package server

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// rig is a server with clients and nothing between them, so that the server's part
// can be measured alone.
type rig struct {
	srv     *Server
	now     int64
	in, out mailbag
	players []*player
	byPeer  map[transport.Peer]*player
	spent   time.Duration // in the server
}

// mailbag holds datagrams in storage that is used again.
type mailbag struct {
	peers []transport.Peer
	data  [][]byte
	n     int
}

func (m *mailbag) put(p transport.Peer, b []byte) {
	if m.n == len(m.data) {
		m.peers, m.data = append(m.peers, p), append(m.data, make([]byte, 0, transport.MaxDatagram))
	}
	m.peers[m.n], m.data[m.n] = p, append(m.data[m.n][:0], b...)
	m.n++
}

// rigConn is the server's transport.
type rigConn struct{ *rig }

func (r rigConn) Now() int64                                         { return r.now }
func (r rigConn) ReadBatch([]transport.Datagram, int64) (int, error) { return 0, nil }
func (r rigConn) Send(to transport.Peer, b []byte)                   { r.out.put(to, b) }
func (r rigConn) Flush() error                                       { return nil }
func (r rigConn) Wake()                                              {}
func (r rigConn) LocalAddr() transport.Peer                          { return transport.MustParsePeer("10.0.0.1:8303") }
func (r rigConn) Stats() transport.Stats                             { return transport.Stats{} }
func (r rigConn) Close() error                                       { return nil }

// newRig lets so many clients of a kind join and play for a while.
func newRig(t testing.TB, clients, slots int, kind func(i int) client.SessionConfig) *rig {
	t.Helper()
	r := &rig{now: int64(time.Second), byPeer: map[transport.Peer]*player{}}
	var err error
	r.srv, err = New(Config{Transport: rigConn{r}, Seed: 1, Commands: []string{
		"sv_max_clients 64; sv_max_clients_per_ip 64; sv_scorelimit 0; sv_inactivekick_time 0; sv_rcon_password x",
		fmt.Sprintf("sv_player_slots %d", slots),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range clients {
		peer := transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}), 5000)
		p := &player{rand: rand.New(rand.NewPCG(1, uint64(i)))}
		cfg := kind(i)
		cfg.Name = fmt.Sprint("bot ", i)
		cfg.Send = func(b []byte) { r.in.put(peer, b) }
		cfg.HasMap = func(*bridge.MapChange) bool { return true }
		cfg.Token = func() packet.Token { return packet.Token(i + 1) }
		p.Session, err = client.NewSession(cfg)
		if err != nil {
			t.Fatal(err)
		}
		r.players, r.byPeer[peer] = append(r.players, p), p
		if err := p.Dial(conn.Time(r.now)); err != nil {
			t.Fatal(err)
		}
	}
	for range 250 {
		r.tick(true)
	}
	for i, p := range r.players {
		if p.State() != client.Playing {
			t.Fatalf("client %d: state %d, %v", i, p.State(), p.Err())
		}
	}
	return r
}

// tick is 20 ms: what clients sent reaches the server, it runs a tick, and what it
// sent reaches the clients.
func (r *rig) tick(play bool) {
	r.now += int64(20 * time.Millisecond)
	now := conn.Time(r.now)
	for _, p := range r.players {
		if play {
			p.changeInput()
		}
		p.Step(now)
	}
	start := time.Now()
	for i := range r.in.n {
		r.srv.Feed(now, r.in.peers[i], r.in.data[i])
	}
	r.srv.Advance(now)
	r.spent += time.Since(start)
	r.in.n = 0
	for i := range r.out.n {
		r.byPeer[r.out.peers[i]].Feed(now, r.out.data[i])
	}
	r.out.n = 0
}

// BenchmarkTick is all that the server does in a tick but the system calls:
// datagrams in, the world, snapshots, datagrams out.
func BenchmarkTick(b *testing.B) {
	for _, c := range []struct{ clients, slots int }{{16, 16}, {64, 16}, {64, 64}} {
		b.Run(fmt.Sprintf("clients=%d/playing=%d", c.clients, min(c.clients, c.slots)), func(b *testing.B) {
			r := newRig(b, c.clients, c.slots, newer)
			// The median of pairs of ticks, since every other one has snapshots;
			// a mean would measure who else uses the machine.
			pairs := make([]float64, 0, b.N/2+1)
			for range cap(pairs) {
				r.spent = 0
				r.tick(true)
				r.tick(true)
				pairs = append(pairs, float64(r.spent.Nanoseconds())/2)
			}
			slices.Sort(pairs)
			b.ReportMetric(pairs[len(pairs)/2], "ns/op")
			b.ReportMetric(pairs[len(pairs)/2]/float64(c.clients), "ns/client")
		})
	}
}

// Kinds of clients: of the newer version; DDNet's, of the older one, which know all
// players; others of that, which know 16.
func newer(int) client.SessionConfig { return client.SessionConfig{} }
func older(int) client.SessionConfig {
	return client.SessionConfig{Version: client.Version06, DDNetVersion: 16040}
}
func oldest(int) client.SessionConfig {
	return client.SessionConfig{Version: client.Version06, DDNetVersion: -1}
}
func mixed(i int) client.SessionConfig {
	if i%2 == 0 {
		return newer(i)
	}
	return older(i)
}

// seen is the sum of what clients saw so far.
func (r *rig) seen(b *testing.B, players int) (sum client.Stats) {
	b.Helper()
	for i, p := range r.players {
		st := p.Stats()
		if s, _ := p.NewestSnapshot(); s.Len() < players || st.CRCFailures|st.BadDelta|st.BadMessage|st.UnknownMessages != 0 {
			b.Fatalf("client %d: %d items in a snapshot, %+v", i, s.Len(), st)
		}
		sum.Snapshots += st.Snapshots
		sum.Bytes += st.Bytes
	}
	return sum
}

// BenchmarkVersions is Tick with 64 players of one kind, and with two kinds in one
// match: a server for each, in turns, the same inputs. Ratios are to the newer version
// alone.
func BenchmarkVersions(b *testing.B) {
	const clients = 64
	const ticks = 6 // with three rounds of snapshots; for some, one of them has more to do
	kinds := [...]struct {
		name    string
		kind    func(int) client.SessionConfig
		players int // that each client sees, at least
	}{{"newer", newer, 64}, {"older", older, 64}, {"mixed", mixed, 64}, {"oldest", oldest, 15}}
	var rigs [len(kinds)]*rig
	for i, k := range kinds {
		rigs[i] = newRig(b, clients, clients, k.kind)
	}
	var spent [len(rigs)][]float64
	var before [len(rigs)]client.Stats
	for i, r := range rigs {
		before[i] = r.seen(b, kinds[i].players)
	}
	for b.Loop() {
		for i, r := range rigs {
			r.spent = 0
			for range ticks {
				r.tick(true)
			}
			spent[i] = append(spent[i], float64(r.spent.Nanoseconds())/ticks)
		}
	}
	b.ReportMetric(0, "ns/op")
	var first, firstBytes float64
	for i, r := range rigs {
		now := r.seen(b, kinds[i].players)
		n := len(spent[i]) * clients * ticks / 2
		if now.Snapshots-before[i].Snapshots != n {
			b.Fatalf("%d snapshots, not %d", now.Snapshots-before[i].Snapshots, n)
		}
		bytes := float64(now.Bytes-before[i].Bytes) / float64(n)
		slices.Sort(spent[i])
		median := spent[i][len(spent[i])/2]
		if i == 0 {
			first, firstBytes = median, bytes
		}
		b.ReportMetric(median/clients, kinds[i].name+"-ns/client")
		b.ReportMetric(median/first, kinds[i].name+"-ratio")
		b.ReportMetric(bytes/firstBytes, kinds[i].name+"-bytes-ratio")
	}
}

// BenchmarkDownload is a download of 1 MB over a network with a round trip of
// 50 ms, in virtual time. The original sends 8 chunks per round trip: 221 kB/s.
func BenchmarkDownload(b *testing.B) {
	for range b.N {
		tn := newTestNetwork(b, netsim.Link{Delay: 25 * time.Millisecond}, 1)
		tn.srv.gameMap.File = make([]byte, 1<<20)
		tn.srv.gameMap.CRC = crc32.ChecksumIEEE(tn.srv.gameMap.File)
		tn.srv.gameMap.SHA256 = sha256.Sum256(tn.srv.gameMap.File)
		var done conn.Time
		p := tn.dial(1, client.SessionConfig{OnMap: func(string, []byte) { done = tn.now() }})
		for p.State() != client.Loading {
			tn.run(time.Millisecond)
		}
		began := tn.now()
		tn.until(20*time.Second, "a map", func() bool { return done != 0 })
		b.ReportMetric(float64(1<<20)/1000/done.Sub(began).Seconds(), "kB/s")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkInfo is a server information asked for and given, without the system
// calls, on a server with 16 players.
func BenchmarkInfo(b *testing.B) {
	r := newRig(b, 16, 16, newer)
	now := conn.Time(r.now)
	peer := transport.MustParsePeer("10.0.2.1:7000")
	const own = packet.Token(77)
	r.srv.Feed(now, peer, packet.AppendTokenRequest(nil, own))
	var p packet.Packet
	if err := p.Parse(r.out.data[0], new(packet.Scratch)); err != nil {
		b.Fatal(err)
	}
	question := packet.AppendConnless(nil, p.ResponseToken, own, packer.AppendInt([]byte("\xff\xff\xff\xffgie3"), 7))
	b.ReportAllocs()
	for b.Loop() {
		r.out.n = 0
		r.srv.Feed(now, peer, question)
		if r.out.n != 1 {
			b.Fatal("no answer")
		}
	}
}
