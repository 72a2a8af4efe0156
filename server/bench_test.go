package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// benchServer is a test server whose clients play by the rules. Its own CPU time can be measured:
// datagrams wait until the other side has its turn.
type benchServer struct {
	*testServer
	players             []*player
	byPeer              map[transport.Peer]*player
	toServer, toClients datagramQueue
}

// datagramQueue keeps datagrams in storage that it reuses.
type datagramQueue struct {
	peers []transport.Peer
	data  [][]byte
	n     int
}

func (q *datagramQueue) put(p transport.Peer, b []byte) {
	if q.n == len(q.data) {
		q.peers, q.data = append(q.peers, p), append(q.data, make([]byte, 0, transport.MaxDatagram))
	}
	q.peers[q.n], q.data[q.n] = p, append(q.data[q.n][:0], b...)
	q.n++
}

// newBenchServer lets clients of a kind join and play for five seconds.
func newBenchServer(b testing.TB, clients, slots int, kind func(i int) client.SessionConfig, settings ...string) *benchServer {
	b.Helper()
	return newBenchServerWith(b, Config{}, clients, slots, kind, settings...)
}

// newBenchServerWith is newBenchServer with a configuration.
func newBenchServerWith(b testing.TB, cfg Config, clients, slots int, kind func(i int) client.SessionConfig, settings ...string) *benchServer {
	b.Helper()
	bs := &benchServer{byPeer: map[transport.Peer]*player{}}
	settings = append(settings, "sv_scorelimit 0; sv_inactivekick_time 0", fmt.Sprintf("sv_player_slots %d", slots))
	bs.testServer = newTestServerWith(b, cfg, settings...)
	bs.srv.cfg.Log = slog.New(slog.DiscardHandler)
	bs.send = bs.toClients.put
	for i := range clients {
		peer := ip(1<<8 | i)
		p := &player{rand: rand.New(rand.NewPCG(1, uint64(i)))}
		cfg := named(kind(i), fmt.Sprint("bot ", i))
		cfg.Send = func(b []byte) { bs.toServer.put(peer, b) }
		cfg.HasMap = func(*bridge.MapChange) bool { return true }
		cfg.Token = func() packet.Token { return packet.Token(i + 1) }
		p.Session = testenv.Must(client.NewSession(cfg))
		bs.players, bs.byPeer[peer] = append(bs.players, p), p
		testenv.NoError(b, p.Dial(bs.now))
	}
	for range 250 {
		bs.tick()
	}
	for i, p := range bs.players {
		if p.State() != client.Playing {
			b.Fatalf("client %d: state %d, %v", i, p.State(), p.Err())
		}
	}
	return bs
}

// tick runs 20 ms of clients and server, and returns the time that the server takes.
func (bs *benchServer) tick() time.Duration {
	bs.clientsSend()
	start := time.Now()
	bs.serverReceives()
	bs.srv.Advance(bs.now)
	spent := time.Since(start)
	bs.clientsReceive()
	return spent
}

func (bs *benchServer) clientsSend() {
	bs.now = bs.now.Add(tickDuration)
	for _, p := range bs.players {
		p.changeInput()
		p.Step(bs.now)
	}
}

func (bs *benchServer) serverReceives() {
	for i := range bs.toServer.n {
		bs.srv.Feed(bs.now, bs.toServer.peers[i], bs.toServer.data[i])
	}
	bs.toServer.n = 0
}

func (bs *benchServer) clientsReceive() {
	for i := range bs.toClients.n {
		bs.byPeer[bs.toClients.peers[i]].Feed(bs.now, bs.toClients.data[i])
	}
	bs.toClients.n = 0
}

// only returns the same kind for all clients.
func only(kind client.SessionConfig) func(int) client.SessionConfig {
	return func(int) client.SessionConfig { return kind }
}

// BenchmarkTick is all that the server does in a tick but the system calls:
// datagrams in, the world, snapshots, datagrams out.
func BenchmarkTick(b *testing.B) {
	for _, c := range []struct{ clients, slots int }{{16, 16}, {64, 16}, {64, 64}} {
		b.Run(fmt.Sprintf("clients=%d/playing=%d", c.clients, min(c.clients, c.slots)), func(b *testing.B) {
			bs := newBenchServer(b, c.clients, c.slots, only(player07))
			// The median of pairs of ticks, since every second tick has snapshots; a mean would
			// measure who else uses the machine.
			pairs := make([]float64, 0, b.N/2+1)
			for range cap(pairs) {
				pairs = append(pairs, float64((bs.tick()+bs.tick()).Nanoseconds())/2)
			}
			median := percentile(pairs, 50)
			b.ReportMetric(median, "ns/op")
			b.ReportMetric(median/float64(c.clients), "ns/client")
		})
	}
}

// percentile sorts values and returns one of them.
func percentile(values []float64, percent int) float64 {
	slices.Sort(values)
	return values[len(values)*percent/100]
}

// BenchmarkVersions is Tick with 64 players of one kind, and with two kinds in one
// match: a server for each, in turns, the same inputs. Ratios are to 0.7 alone.
func BenchmarkVersions(b *testing.B) {
	const clients = 64
	const ticks = 6 // with three rounds of snapshots; for some, one of them has more to do
	vanilla := client.SessionConfig{Version: client.Version06, DDNetVersion: -1}
	kinds := [...]struct {
		name string
		kind func(int) client.SessionConfig
		sees int // players, at least
	}{
		{"newer", only(player07), 64}, {"older", only(player06DDNet), 64},
		{"mixed", func(i int) client.SessionConfig { return [...]client.SessionConfig{player07, player06DDNet}[i%2] }, 64},
		{"oldest", only(vanilla), 15},
	}
	var servers [len(kinds)]*benchServer
	var spent [len(kinds)][]float64
	var before [len(kinds)]client.Stats
	received := func(i int) (sum client.Stats) {
		for n, p := range servers[i].players {
			st := p.Stats()
			if s, _ := p.NewestSnapshot(); s.Len() < kinds[i].sees || st.CRCFailures|st.BadDelta|st.BadMessage|st.UnknownMessages != 0 {
				b.Fatalf("client %d: %d items in a snapshot, %+v", n, s.Len(), st)
			}
			sum.Snapshots += st.Snapshots
			sum.Bytes += st.Bytes
		}
		return sum
	}
	for i, k := range kinds {
		servers[i] = newBenchServer(b, clients, clients, k.kind)
		before[i] = received(i)
	}
	for b.Loop() {
		for i, bs := range servers {
			var sum time.Duration
			for range ticks {
				sum += bs.tick()
			}
			spent[i] = append(spent[i], float64(sum.Nanoseconds())/ticks)
		}
	}
	b.ReportMetric(0, "ns/op")
	var median07, bytes07 float64
	for i := range servers {
		now := received(i)
		n := len(spent[i]) * clients * ticks / 2
		if now.Snapshots-before[i].Snapshots != n {
			b.Fatalf("%d snapshots, not %d", now.Snapshots-before[i].Snapshots, n)
		}
		median, bytes := percentile(spent[i], 50), float64(now.Bytes-before[i].Bytes)/float64(n)
		if i == 0 {
			median07, bytes07 = median, bytes
		}
		b.ReportMetric(median/clients, kinds[i].name+"-ns/client")
		b.ReportMetric(median/median07, kinds[i].name+"-ratio")
		b.ReportMetric(bytes/bytes07, kinds[i].name+"-bytes-ratio")
	}
}

// BenchmarkModes is Tick with 64 players in each mode on a map with flags: a server for
// each, in turns, the same inputs. Ratios are to deathmatch. In a warmup, players of lms and
// lts come back when they die, so that there is as much to do as ever.
func BenchmarkModes(b *testing.B) {
	const clients = 64
	modes := [...]string{"dm", "tdm", "ctf", "lms", "lts"}
	var servers [len(modes)]*benchServer
	var spent [len(modes)][]float64
	for i, m := range modes {
		servers[i] = newBenchServer(b, clients, clients, only(player07), "sv_map testbox; sv_warmup 1000; sv_gametype "+m)
	}
	for b.Loop() {
		for i, bs := range servers {
			// A pair of ticks, since every second tick has snapshots.
			spent[i] = append(spent[i], float64((bs.tick()+bs.tick()).Nanoseconds())/2)
		}
	}
	b.ReportMetric(0, "ns/op")
	dm := percentile(spent[0], 50)
	b.ReportMetric(dm, "dm-ns/tick")
	for i, m := range modes[1:] {
		b.ReportMetric(percentile(spent[i+1], 50)/dm, m+"-ratio")
	}
}

// BenchmarkInfo is a server information asked for and given, without the system
// calls, on a server with 16 players.
func BenchmarkInfo(b *testing.B) {
	bs := newBenchServer(b, 16, 16, only(player07))
	c := bs.client(client07, ip(1)).Dial()
	c.Receive(bs.toClients.data[0])
	question := packet.AppendConnless(nil, c.Token, c.OwnToken, packer.AppendInt([]byte("\xff\xff\xff\xffgie3"), 7))
	b.ReportAllocs()
	for b.Loop() {
		bs.toClients.n = 0
		bs.srv.Feed(bs.now, c.Peer, question)
		if bs.toClients.n != 1 {
			b.Fatal("no answer")
		}
	}
}

// halfLifeQuestions returns questions for information, players and rules of an address,
// with the challenge that they need.
func (bs *benchServer) halfLifeQuestions(b *testing.B, from transport.Peer) (questions [3][]byte) {
	bs.srv.Feed(bs.now, from, wire.AppendA2SRequest(nil, wire.RequestA2SPlayers, wire.NoChallenge))
	challenge := testenv.Must(wire.ParseA2SChallenge(bytes.Clone(bs.toClients.data[bs.toClients.n-1])))
	bs.toClients.n = 0
	for i, kind := range []wire.RequestKind{wire.RequestA2SInfo, wire.RequestA2SPlayers, wire.RequestA2SRules} {
		questions[i] = wire.AppendA2SRequest(nil, kind, challenge)
	}
	return questions
}

// BenchmarkTickAsked measures the tick of a server with 64 players: without queries, and with
// 50,000 queries a second in the Half-Life protocol, in turns. It reports the time of the tick, and
// of the queries beside it. Half of the queries have a challenge and get long answers. The others
// come from new addresses.
func BenchmarkTickAsked(b *testing.B) {
	const questions = 50_000 / 50
	servers := [2]*benchServer{newBenchServer(b, 64, 64, only(player07)), newBenchServer(b, 64, 64, only(player07))}
	asked, near := servers[1], local(40000)
	challenged := asked.halfLifeQuestions(b, near)
	first := wire.AppendA2SRequest(nil, wire.RequestA2SInfo, wire.NoChallenge)
	var times [2][]float64
	var asking time.Duration
	answers, n := 0, 0
	for b.Loop() {
		for i, bs := range servers {
			bs.clientsSend()
			bs.serverReceives()
			if bs == asked {
				start := time.Now()
				for range questions {
					if n++; n%2 == 0 {
						bs.srv.Feed(bs.now, near, challenged[n/2%len(challenged)])
					} else {
						bs.srv.Feed(bs.now, transport.UDPPeer(netip.AddrFrom4([4]byte{100, byte(n >> 16), byte(n >> 8), byte(n)}), 27005), first)
					}
				}
				asking += time.Since(start)
				answers += bs.toClients.n
				bs.toClients.n = 0
			}
			start := time.Now()
			bs.srv.Advance(bs.now)
			times[i] = append(times[i], time.Since(start).Seconds()*1e6)
			bs.clientsReceive()
		}
	}
	if want := b.N * questions * 9 / 10; answers < want {
		b.Errorf("%d answers to %d questions", answers, b.N*questions)
	}
	b.ReportMetric(0, "ns/op")
	for percent, name := range map[int]string{50: "median", 99: "p99"} {
		quiet, busy := percentile(times[0], percent), percentile(times[1], percent)
		b.ReportMetric(quiet, "quiet-us-"+name)
		b.ReportMetric(busy, "asked-us-"+name)
		b.ReportMetric(busy/quiet, name+"-ratio")
	}
	b.ReportMetric(float64(asking.Nanoseconds())/float64(b.N*questions), "ns/question")
}

// BenchmarkHalfLife is a question and its answer without the system calls, on a
// server with 16 players.
func BenchmarkHalfLife(b *testing.B) {
	bs, near := newBenchServer(b, 16, 16, only(player07)), local(40000)
	questions := bs.halfLifeQuestions(b, near)
	for i, name := range []string{"info", "players", "rules"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bs.srv.Feed(bs.now, near, questions[i])
				bs.toClients.n = 0
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answers/s")
		})
	}
}
