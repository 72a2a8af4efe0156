package engine

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/hostile"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
)

// through lets a Middle stand between the page and its server.
func (p *page) through(v6 bool, seed uint64) *hostile.Middle {
	net := p.s.Net
	p.reach()
	peer := p.peer
	m := hostile.New(hostile.Config{
		V6: v6, Rand: rand.New(rand.NewPCG(seed, 1)),
		ToServer: func(b []byte) { net.Send(peer, servertest.Addr, b) },
		ToClient: func(b []byte) {
			b = bytes.Clone(b)
			net.At(net.Now(), func(now int64) { // the engine may answer at once, which would call m within m
				if p.peer == peer {
					p.call("feed", now, b)
				}
			})
		},
	})
	p.send = func(b []byte) { m.FromClient(conn.Time(net.Now()), b) }
	net.Handle(peer, func(now int64, _ transport.Peer, b []byte) { m.FromServer(conn.Time(now), bytes.Clone(b)) })
	net.Every(10*time.Millisecond, func(now int64) { m.Update(conn.Time(now)) })
	return m
}

// attacks are what a hostile server does, each for some seconds.
var attacks = []struct {
	name string
	do   func(m *hostile.Middle, n int)
	set  hostile.Config // the shares of damage
}{
	{"damaged datagrams", nil, hostile.Config{Datagrams: 0.3}},
	{"damaged messages and snapshots", nil, hostile.Config{Messages: 0.5, Snapshots: 0.5}},
	{"random messages", func(m *hostile.Middle, _ int) { m.SendRandom(20) }, hostile.Config{}},
	{"absurd snapshots", func(m *hostile.Middle, _ int) { m.SendSnapshot(m.Tick()+1, m.Absurd()) }, hostile.Config{}},
	{"absurd tees", func(m *hostile.Middle, _ int) { m.SendSnapshot(m.Tick()+1, m.Tees()) }, hostile.Config{}},
	{"snapshots of any tick", func(m *hostile.Middle, _ int) { m.SendSnapshot(hostile.Nasty(m.Rand)&0x7fffffff, m.Absurd()) }, hostile.Config{}},
	{"the last two ticks", lastTicks, hostile.Config{}},
	{"floods", func(m *hostile.Middle, _ int) { m.Flood(10) }, hostile.Config{}},
}

// lastTicks sends snapshots of the two greatest ticks. A prediction that counts past the last one
// never ends.
func lastTicks(m *hostile.Middle, _ int) {
	m.SendSnapshot(math.MaxInt32-1, m.Last())
	m.SendSnapshot(math.MaxInt32, m.Last())
}

// TestHostileServer lets a server attack the engine in each way. The engine must stay in the match,
// or say why it has ended and be able to join again.
func TestHostileServer(t *testing.T) {
	span, kinds := time.Second, testenv.Amount([]int{3}, []int{0, 3})
	if testenv.Full() {
		span, kinds = time.Minute, []int{0, 1, 2, 3}
	}
	all := append(versions[:len(versions):len(versions)], versions[2])
	all[3].name, all[3].settings = "DDRace", "sv_map yardrun; sv_gametype ddrace"
	for _, kind := range kinds {
		v := all[kind]
		t.Run(v.name, func(t *testing.T) {
			s := servertest.New(t, config(), v.settings)
			s.Join("other")
			p := newPage(t, s)
			var sizes []uint64
			for i, a := range attacks {
				m := p.through(v.version == "0.6", uint64(i))
				m.Datagrams = a.set.Datagrams
				p.snapshots = 0
				p.join("browser", v.version, v.ddnet)
				m.Messages, m.Snapshots, m.Attack = a.set.Messages, a.set.Snapshots, a.do
				var slowest time.Duration
				for end := s.Now().Add(span); s.Now() < end; {
					start := time.Now()
					s.Wait(20 * time.Millisecond)
					slowest = max(slowest, time.Since(start))
					p.events = p.events[:0:0]
					p.input[InDirection], p.input[InFire] = m.Rand.Int32N(3)-1, p.input[InFire]+1&63
				}
				m.Datagrams, m.Messages, m.Snapshots, m.Attack = 0, 0, 0, nil
				before := p.snapshots
				s.WaitUntil(15*time.Second, "the match goes on after "+a.name, func() bool {
					e := p.event("disconnected")
					return p.e.Shared.State[StateConnection] == float64(client.Playing) && p.snapshots > before+5 || e != nil && e["reason"] != ""
				})
				before = p.snapshots
				s.Wait(8 * time.Second)
				if p.event("disconnected") == nil {
					state := &p.e.Shared.State
					testenv.Check(t, p.snapshots > before+100, "after %s only %d snapshots come in 8 s", a.name, p.snapshots-before)
					testenv.Check(t, math.Abs(state[StateInputTick]-state[StatePredicted]) < 50,
						"after %s the inputs are for tick %v, the page predicts %v", a.name, state[StateInputTick], state[StatePredicted])
				}
				var mem runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&mem)
				sizes = append(sizes, mem.HeapAlloc>>10)
				t.Logf("%s: %v, slowest tick %v, %+v", a.name, p.event("disconnected"), slowest, p.e.client.Stats())
			}
			p.checkDDRace(v.settings)
			p.reach()
			p.snapshots = 0
			p.join("browser", v.version, v.ddnet)
			t.Logf("heap in kB: %v", sizes)
			testenv.Check(t, sizes[len(sizes)-1] < sizes[0]+16<<10, "the heap grows: %v kB", sizes)
		})
	}
}
