// Package load connects many clients to a Teeworlds server over real sockets, and counts the data
// that they receive. Benchmarks use it to compare servers under the same load. The command "teeyard
// bots" uses it to let bots play.
package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/transport"
)

// ErrJoin means that not all clients joined in time.
var ErrJoin = errors.New("load: not all clients joined")

// Config describes clients and their servers. All fields but Servers and Clients may be zero.
type Config struct {
	// Servers are the addresses of the servers. Clients join them in turn. On the IPv4 loopback
	// network each client has its own address (127.0.1.1 and up), so that limits per address do not
	// apply.
	Servers []transport.Peer
	// Clients is the number of clients.
	Clients int
	// Interval is the time between the joins of two clients. 0 means 5 ms.
	Interval time.Duration
	// Seed determines the inputs: client i of two swarms with the same seed acts the same.
	Seed uint64
	// Versions are used by the clients in turn. Without any, all use client.Version07.
	Versions []client.Version
	// Configure, if not nil, may change the configuration of client i. Before the call, Play is set
	// to walk, jump, aim, hook and fire at random.
	Configure func(i int, cfg *client.Config)
}

// Stats counts the data that a client received since it joined, or since ResetStats.
type Stats struct {
	client.Stats
	Version client.Version
	// FirstSnapshot is the time from the first datagram to the first snapshot. Joined is the time
	// until the client was in the game. Before that, each is 0.
	FirstSnapshot, Joined time.Duration
	// Playing is how long the client has been in the game.
	Playing time.Duration
	// Missed is the number of snapshots that did not arrive although their neighbours did.
	Missed int
	// LongestGap is the longest time between two snapshots. It includes time in which the system
	// did not run this process.
	LongestGap time.Duration
	// InputsEarly are the times in ms by which inputs arrived before their tick, at most the first
	// 65536. Late inputs have negative times.
	InputsEarly []int32
	// Err is the reason why the client is offline, or nil.
	Err error
}

// Swarm is a group of clients.
type Swarm struct {
	members []*member
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Start makes the clients join. They leave when ctx ends or Stop is called.
func Start(ctx context.Context, cfg Config) *Swarm {
	s := new(Swarm)
	ctx, s.cancel = context.WithCancel(ctx)
	if cfg.Interval == 0 {
		cfg.Interval = 5 * time.Millisecond
	}
	start := time.Now()
	for i := range cfg.Clients {
		m := newMember(&cfg, i)
		s.members = append(s.members, m)
		s.running.Go(func() { m.run(ctx, start.Add(time.Duration(i)*cfg.Interval)) })
	}
	return s
}

// WaitJoined waits until all clients play. It returns an error after limit, or as soon as a client
// has given up. The error wraps ErrJoin, and the error of that client.
func (s *Swarm) WaitJoined(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for {
		playing := 0
		var last error
		for _, st := range s.Stats() {
			if st.Snapshots >= 3 && st.Err == nil {
				playing++
			}
			if st.Err != nil {
				last = st.Err
			}
		}
		if playing == len(s.members) {
			return nil
		}
		if last != nil {
			return fmt.Errorf("%w: %d of %d, last error: %w", ErrJoin, playing, len(s.members), last)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: %d of %d after %v", ErrJoin, playing, len(s.members), limit)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// ResetStats sets the counters of all clients to 0.
func (s *Swarm) ResetStats() {
	for _, m := range s.members {
		m.mu.Lock()
		m.base, m.stats.Missed, m.stats.LongestGap = m.counters(), 0, 0
		m.mu.Unlock()
	}
}

// Stats returns the statistics of each client.
func (s *Swarm) Stats() []Stats {
	all := make([]Stats, len(s.members))
	for i, m := range s.members {
		m.mu.Lock()
		all[i] = m.stats
		all[i].Stats = addStats(m.counters(), m.base, -1)
		m.mu.Unlock()
	}
	return all
}

// addStats returns a with factor times the counters of b added.
func addStats(a, b client.Stats, factor int) client.Stats {
	a.Snapshots += factor * b.Snapshots
	a.CRCFailures += factor * b.CRCFailures
	a.NoBase += factor * b.NoBase
	a.BadDelta += factor * b.BadDelta
	a.BadMessage += factor * b.BadMessage
	a.InputsLate += factor * b.InputsLate
	a.Predictions += factor * b.Predictions
	a.Corrections += factor * b.Corrections
	a.Bytes += factor * b.Bytes
	a.Datagrams += factor * b.Datagrams
	return a
}

// Total returns the sum over all clients, with the longest of the gaps and the last of the errors.
func Total(all []Stats) Stats {
	var t Stats
	for i := range all {
		s := &all[i]
		t.Stats = addStats(t.Stats, s.Stats, 1)
		t.Playing += s.Playing
		t.Missed += s.Missed
		t.LongestGap = max(t.LongestGap, s.LongestGap)
		t.InputsEarly = append(t.InputsEarly, s.InputsEarly...)
		if s.Err != nil {
			t.Err = s.Err
		}
	}
	return t
}

// Wait waits until all clients have left.
func (s *Swarm) Wait() { s.running.Wait() }

// Stop makes all clients leave, and waits for that.
func (s *Swarm) Stop() {
	s.cancel()
	s.Wait()
}

// member is one client.
type member struct {
	server string
	cfg    client.Config
	rand   *rand.Rand
	input  game.Input

	mu           sync.Mutex
	client       *client.Client // nil before it joined
	start        time.Time
	stats        Stats // without the counters
	base         client.Stats
	lastTick     int32
	lastSnapshot time.Time
}

// loopbackAddress returns the loopback address of the i-th client.
func loopbackAddress(i int) string { return fmt.Sprintf("127.0.%d.%d", 1+i/250, 1+i%250) }

// ddnetVersion is the DDNet release that clients announce if a server asks.
const ddnetVersion = 16040

func newMember(cfg *Config, i int) *member {
	server := cfg.Servers[i%len(cfg.Servers)]
	m := &member{server: server.String(), rand: rand.New(rand.NewPCG(cfg.Seed, uint64(i)))}
	m.cfg = client.Config{Name: fmt.Sprintf("bot %d", i), Version: client.Version07, DDNetVersion: ddnetVersion, NoMap: true}
	m.cfg.OnEvent = func(*client.Client, event.Event) {} // events are not kept
	m.cfg.Play = func(*client.Client, *game.View) game.Input { return m.randomInput() }
	if len(cfg.Versions) > 0 {
		m.cfg.Version = cfg.Versions[i%len(cfg.Versions)]
	}
	if server.Addr().IsLoopback() && server.Addr().Is4() {
		m.cfg.LocalAddr = loopbackAddress(i)
	}
	if cfg.Configure != nil {
		cfg.Configure(i, &m.cfg)
	}
	m.cfg.OnSnapshot, m.cfg.OnInputTiming = m.onSnapshot, m.onInputTiming
	return m
}

// run joins at a time, plays until ctx or the connection ends, and leaves.
func (m *member) run(ctx context.Context, at time.Time) {
	select {
	case <-ctx.Done():
		m.end(ctx.Err())
		return
	case <-time.After(time.Until(at)):
	}
	m.mu.Lock()
	m.start = time.Now()
	m.mu.Unlock()
	c, err := client.Dial(ctx, m.server, m.cfg)
	if err != nil {
		m.end(err)
		return
	}
	m.mu.Lock()
	m.client, m.stats.Joined, m.stats.Version = c, time.Since(m.start), c.Version()
	m.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-c.Done():
		err = c.Err()
	}
	m.end(err)
	c.Close()
	<-c.Done()
}

// end records how the client ended.
func (m *member) end(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.Err = err
	if m.stats.Joined > 0 {
		m.stats.Playing = time.Since(m.start) - m.stats.Joined
	}
}

// counters returns the counters of the connection.
func (m *member) counters() client.Stats {
	if m.client == nil {
		return client.Stats{}
	}
	return m.client.Stats()
}

func (m *member) onSnapshot(_ *client.Client, v *game.View, _ []game.Event) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stats.FirstSnapshot == 0 {
		m.stats.FirstSnapshot = now.Sub(m.start)
	}
	if m.lastTick > 0 {
		m.stats.Missed += max(int(v.Tick-m.lastTick)/2-1, 0)
		m.stats.LongestGap = max(m.stats.LongestGap, now.Sub(m.lastSnapshot))
	}
	m.lastTick, m.lastSnapshot = v.Tick, now
}

func (m *member) onInputTiming(_, early int32) {
	const maxSamples = 1 << 16
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.stats.InputsEarly) < maxSamples {
		m.stats.InputsEarly = append(m.stats.InputsEarly, early)
	}
}

// randomInput changes the input at random and returns it. It is called once per tick.
func (m *member) randomInput() game.Input {
	in, r := &m.input, m.rand
	if r.IntN(15) == 0 {
		in.Direction = int32(r.IntN(3) - 1)
	}
	if r.IntN(12) == 0 {
		in.Jump = !in.Jump
	}
	if r.IntN(20) == 0 {
		in.Hook = !in.Hook
	}
	if r.IntN(4) == 0 {
		in.TargetX, in.TargetY = int32(r.IntN(601)-300), int32(r.IntN(601)-300)
	}
	if r.IntN(8) == 0 {
		in.Fire = (in.Fire + 1) & 63
	}
	if r.IntN(50) == 0 {
		in.WantedWeapon = int32(1 + r.IntN(5))
	}
	return *in
}
