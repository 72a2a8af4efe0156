// Package load puts players on a Teeworlds server: headless clients over real
// sockets that walk, jump, aim, hook and fire as a seed says, and count what comes
// back. It is for benchmarks, which compare servers under the same load.
package load

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// ErrJoin: not all clients came into the game in time.
var ErrJoin = errors.New("load: clients did not get into the game")

// Config says who is to play where.
type Config struct {
	// Server is the address of a server on the loopback network.
	Server transport.Peer
	// Clients is how many join, each from an address of its own (127.0.1.1 and
	// up), so that limits per address do not count. They come 5 ms apart.
	Clients int
	// Seed makes the inputs; client i of two swarms with the same seed does the
	// same.
	Seed uint64
	// Version is what they speak, and Second what every second of them does; "" is
	// client.Version07, and Version.
	Version, Second client.Version
}

// Stats is what one client saw since it began, or since Mark.
type Stats struct {
	client.Stats
	// Join is the time from the first datagram sent to the first snapshot; 0
	// before it.
	Join time.Duration
	// Missed is how many snapshots did not arrive although their neighbours did.
	Missed int
	// LongestGap is the longest time between two snapshots. It includes the time
	// in which the system did not let this process run.
	LongestGap time.Duration
	// Err is why the client is offline, nil if it is not.
	Err error
}

// Swarm is a number of clients on one server.
type Swarm struct {
	bots []*bot
	wait sync.WaitGroup
}

// Start opens the sockets and begins to join. The caller must Stop the swarm.
func Start(cfg Config) (*Swarm, error) {
	s := new(Swarm)
	for i := range cfg.Clients {
		b, err := newBot(&cfg, i)
		if err != nil {
			s.Stop()
			return nil, err
		}
		s.bots = append(s.bots, b)
		s.wait.Add(1)
		go func() {
			defer s.wait.Done()
			b.run(time.Duration(i) * 5 * time.Millisecond)
		}()
	}
	return s, nil
}

// Join waits until all clients play, at most for span.
func (s *Swarm) Join(span time.Duration) error {
	deadline := time.Now().Add(span)
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
		if playing == len(s.bots) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: %d of %d after %v, last error: %v", ErrJoin, playing, len(s.bots), span, last)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Mark lets the counts begin anew.
func (s *Swarm) Mark() {
	for _, b := range s.bots {
		b.mu.Lock()
		b.base, b.missed, b.gap = b.now, 0, 0
		b.mu.Unlock()
	}
}

// Stats tells what each client saw.
func (s *Swarm) Stats() []Stats {
	all := make([]Stats, len(s.bots))
	for i, b := range s.bots {
		b.mu.Lock()
		all[i] = Stats{Stats: since(b.now, b.base), Join: b.join, Missed: b.missed, LongestGap: b.gap, Err: b.err}
		b.mu.Unlock()
	}
	return all
}

func since(now, base client.Stats) client.Stats {
	now.Snapshots -= base.Snapshots
	now.CRCFailures -= base.CRCFailures
	now.NoBase -= base.NoBase
	now.BadDelta -= base.BadDelta
	now.BadMessage -= base.BadMessage
	now.InputsLate -= base.InputsLate
	now.Bytes -= base.Bytes
	now.Datagrams -= base.Datagrams
	return now
}

// Total is the sum over clients; Join is left out, LongestGap is the longest.
func Total(all []Stats) Stats {
	var t Stats
	for i := range all {
		s := &all[i]
		t.Snapshots += s.Snapshots
		t.CRCFailures += s.CRCFailures
		t.NoBase += s.NoBase
		t.BadDelta += s.BadDelta
		t.BadMessage += s.BadMessage
		t.InputsLate += s.InputsLate
		t.Bytes += s.Bytes
		t.Datagrams += s.Datagrams
		t.Missed += s.Missed
		t.LongestGap = max(t.LongestGap, s.LongestGap)
		if t.Err == nil {
			t.Err = s.Err
		}
	}
	return t
}

// Stop lets all clients leave and closes their sockets.
func (s *Swarm) Stop() {
	for _, b := range s.bots {
		b.stop.Store(true)
		b.sock.Wake()
	}
	s.wait.Wait()
	for _, b := range s.bots {
		b.sock.Close()
	}
}

// bot is one client with its socket and goroutine.
type bot struct {
	cfg   *Config
	index int
	sock  *udp.Conn
	rand  *rand.Rand
	stop  atomic.Bool
	input game.Input

	// Of the goroutine alone.
	dialed   conn.Time
	lastTick int32
	lastSnap conn.Time

	mu     sync.Mutex
	now    client.Stats
	base   client.Stats
	join   time.Duration
	missed int
	gap    time.Duration
	err    error
}

// host is the address of the i-th client.
func host(i int) string { return fmt.Sprintf("127.0.%d.%d", 1+i/250, 1+i%250) }

func newBot(cfg *Config, i int) (*bot, error) {
	sock, err := udp.Listen(udp.Config{Addr: host(i), Batch: 4})
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	return &bot{cfg: cfg, index: i, sock: sock, rand: rand.New(rand.NewPCG(cfg.Seed, uint64(i)))}, nil
}

// step is how often a client looks whether it has an input to send. Inputs are
// made for ticks, every other step changes them.
const step = 10 * time.Millisecond

// ddnet is the release of DDNet that clients are taken for, where it is asked.
const ddnet = 16040

func (b *bot) run(delay time.Duration) {
	version := b.cfg.Version
	if b.index%2 == 1 && b.cfg.Second != "" {
		version = b.cfg.Second
	}
	c, err := client.NewSession(client.SessionConfig{
		Name: fmt.Sprintf("bot %d", b.index), Version: version, DDNet: ddnet,
		Send:   func(d []byte) { b.sock.Send(b.cfg.Server, d) },
		HasMap: func(*bridge.MapChange) bool { return true },
		OnSnapshot: func(tick int32, _ *snapshot.Snapshot) {
			b.onSnapshot(tick)
		},
	})
	if err == nil {
		time.Sleep(delay)
		b.dialed = conn.Time(b.sock.Now())
		err = c.Dial(b.dialed)
		b.sock.Flush()
	}
	next := b.dialed
	batch := make([]transport.Datagram, 4)
	for steps := 0; err == nil && !b.stop.Load(); {
		var n int
		n, err = b.sock.ReadBatch(batch, int64(next))
		for _, d := range batch[:n] {
			c.Feed(conn.Time(d.At), d.B)
		}
		if now := conn.Time(b.sock.Now()); now >= next {
			if steps++; steps%2 == 0 {
				b.wander()
				c.SetInput(b.input)
			}
			c.Step(now)
			next = max(next.Add(step), now)
		}
		b.sock.Flush()
		if err == nil {
			err = c.Err()
		}
		b.mu.Lock()
		b.now = c.Stats()
		b.mu.Unlock()
	}
	if c != nil {
		c.Close(conn.Time(b.sock.Now()))
		b.sock.Flush()
	}
	b.mu.Lock()
	b.err = err
	b.mu.Unlock()
}

func (b *bot) onSnapshot(tick int32) {
	now := conn.Time(b.sock.Now())
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.join == 0 {
		b.join = now.Sub(b.dialed)
	}
	if b.lastTick > 0 {
		b.missed += max(int(tick-b.lastTick)/2-1, 0)
		b.gap = max(b.gap, now.Sub(b.lastSnap))
	}
	b.lastTick, b.lastSnap = tick, now
}

// wander changes what the player does, every 20 ms.
func (b *bot) wander() {
	in, r := &b.input, b.rand
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
}
