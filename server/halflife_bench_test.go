package server

import (
	"bytes"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/transport"
)

// crowdOfTrackers asks a rig's server: half of the questions have a challenge and get
// long answers, half are from addresses that never asked before.
type crowdOfTrackers struct {
	*rig
	near  transport.Peer
	known [3][]byte
	first []byte
	n     int
}

func newCrowdOfTrackers(b *testing.B, r *rig) *crowdOfTrackers {
	k := &crowdOfTrackers{rig: r, near: local(40000), first: halflife.AppendA2SRequest(nil, halflife.RequestA2SInfo, halflife.NoChallenge)}
	at := r.out.n
	r.srv.Feed(conn.Time(r.now), k.near, k.first)
	challenge, err := halflife.ParseA2SChallenge(bytes.Clone(r.out.data[at]))
	if err != nil {
		b.Fatal(err)
	}
	r.out.n = at
	for i, kind := range []halflife.RequestKind{halflife.RequestA2SInfo, halflife.RequestA2SPlayers, halflife.RequestA2SRules} {
		k.known[i] = halflife.AppendA2SRequest(nil, kind, challenge)
	}
	return k
}

// ask asks n questions and returns how many answers there were.
func (k *crowdOfTrackers) ask(n int) int {
	at := k.out.n
	for range n {
		k.n++
		if k.n%2 == 0 {
			k.srv.Feed(conn.Time(k.now), k.near, k.known[k.n/2%len(k.known)])
			continue
		}
		from := transport.UDPPeer(netip.AddrFrom4([4]byte{100, byte(k.n >> 16), byte(k.n >> 8), byte(k.n)}), 27005)
		k.srv.Feed(conn.Time(k.now), from, k.first)
	}
	answers := k.out.n - at
	k.out.n = at
	return answers
}

// BenchmarkTickAsked is the tick of a server with 64 players that nobody asks, and of
// one that is asked 50,000 times a second, in turns. It reports the tick itself, and
// what the questions take beside it.
func BenchmarkTickAsked(b *testing.B) {
	const questions = 50_000 / 50
	quiet, asked := newRig(b, 64, 64, newer), newRig(b, 64, 64, newer)
	trackers := newCrowdOfTrackers(b, asked)
	var times [2][]float64
	var asking time.Duration
	answers := 0
	for b.Loop() {
		for i, r := range []*rig{quiet, asked} {
			r.before()
			if r == asked {
				start := time.Now()
				answers += trackers.ask(questions)
				asking += time.Since(start)
			}
			start := time.Now()
			r.srv.Advance(conn.Time(r.now))
			times[i] = append(times[i], time.Since(start).Seconds()*1e6)
			r.after()
		}
	}
	if want := b.N * questions * 9 / 10; answers < want {
		b.Errorf("%d answers to %d questions", answers, b.N*questions)
	}
	at := func(i, percent int) float64 {
		slices.Sort(times[i])
		return times[i][len(times[i])*percent/100]
	}
	b.ReportMetric(0, "ns/op")
	for _, percent := range []int{50, 99} {
		name := map[int]string{50: "median", 99: "p99"}[percent]
		b.ReportMetric(at(0, percent), "quiet-us-"+name)
		b.ReportMetric(at(1, percent), "asked-us-"+name)
		b.ReportMetric(at(1, percent)/at(0, percent), name+"-ratio")
	}
	b.ReportMetric(float64(asking.Nanoseconds())/float64(b.N*questions), "ns/question")
}

// before is the part of a tick before the server's own: what clients sent arrives.
func (r *rig) before() {
	r.now += int64(20 * time.Millisecond)
	now := conn.Time(r.now)
	for _, p := range r.players {
		p.changeInput()
		p.Step(now)
	}
	for i := range r.in.n {
		r.srv.Feed(now, r.in.peers[i], r.in.data[i])
	}
	r.in.n = 0
}

// after is the part of a tick after it: what the server sent arrives.
func (r *rig) after() {
	for i := range r.out.n {
		r.byPeer[r.out.peers[i]].Feed(conn.Time(r.now), r.out.data[i])
	}
	r.out.n = 0
}

// BenchmarkHalfLife is a question and its answer without the system calls, on a
// server with 16 players.
func BenchmarkHalfLife(b *testing.B) {
	k := newCrowdOfTrackers(b, newRig(b, 16, 16, newer))
	for i, name := range []string{"info", "players", "rules"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k.srv.Feed(conn.Time(k.now), k.near, k.known[i])
				k.out.n = 0
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answers/s")
		})
	}
}
