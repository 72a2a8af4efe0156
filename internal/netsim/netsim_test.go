package netsim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/transport"
)

var (
	server = transport.MustParsePeer("10.0.0.1:8303")
	client = transport.MustParsePeer("10.0.0.2:1000")
)

type arrival struct {
	at int64
	n  uint32
}

// stream sends count numbered datagrams of size bytes, one every gap, and returns the arrivals.
func stream(t testing.TB, n *Net, count, size int, gap time.Duration) (got []arrival) {
	t.Helper()
	n.Handle(server, func(now int64, from transport.Peer, b []byte) {
		if from != client || len(b) != size {
			t.Fatalf("%d bytes from %v", len(b), from)
		}
		got = append(got, arrival{now, binary.BigEndian.Uint32(b)})
	})
	b := make([]byte, size)
	for i := range count {
		n.At(n.Now()+int64(i)*int64(gap), func(int64) {
			binary.BigEndian.PutUint32(b, uint32(i))
			n.Send(client, server, b)
		})
	}
	for n.Step() {
	}
	return got
}

func newNet(t interface{ Fatal(...any) }, cfg Config) *Net {
	n, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func anyLink() *rapid.Generator[Link] {
	return rapid.Custom(func(t *rapid.T) Link {
		return Link{
			Loss:      rapid.Float64Range(0, 0.9).Draw(t, "loss"),
			Duplicate: rapid.Float64Range(0, 0.9).Draw(t, "duplicate"),
			Delay:     time.Duration(rapid.IntRange(0, 100).Draw(t, "delay")) * time.Millisecond,
			Jitter:    time.Duration(rapid.IntRange(0, 100).Draw(t, "jitter")) * time.Millisecond,
			InOrder:   rapid.Bool().Draw(t, "in order"),
			Rate:      rapid.SampledFrom([]int{0, 10000, 100000}).Draw(t, "rate"),
		}
	})
}

func TestSameSeedSameRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg := Config{Seed: rapid.Uint64().Draw(rt, "seed"), Link: anyLink().Draw(rt, "link")}
		a := stream(t, newNet(rt, cfg), 100, 50, time.Millisecond)
		b := stream(t, newNet(rt, cfg), 100, 50, time.Millisecond)
		if !slices.Equal(a, b) {
			rt.Fatalf("two runs differ:\n%v\n%v", a, b)
		}
	})
}

func TestDelayBoundsAndAccounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := anyLink().Draw(rt, "link")
		n := newNet(rt, Config{Seed: rapid.Uint64().Draw(rt, "seed"), Link: l})
		got := stream(t, n, 200, 50, time.Millisecond)
		copies := map[uint32]int{}
		for i, a := range got {
			least := int64(a.n)*int64(time.Millisecond) + int64(l.Delay)
			most := least + int64(l.Jitter)
			if l.InOrder && i > 0 {
				if a.n < got[i-1].n {
					rt.Fatalf("%d overtook %d", got[i-1].n, a.n)
				}
			}
			if a.at < least || !l.InOrder && l.Rate == 0 && a.at > most {
				rt.Fatalf("datagram %d came at %d, want %d..%d", a.n, a.at, least, most)
			}
			if copies[a.n]++; copies[a.n] > 2 {
				rt.Fatalf("datagram %d came %d times", a.n, copies[a.n])
			}
		}
		s := n.Stats()
		if s.Sent != 200 || s.Delivered != uint64(len(got)) || s.Sent+s.Duplicated != s.Delivered+s.Lost+s.Queued {
			rt.Fatalf("the counters do not add up: %+v with %d delivered", s, len(got))
		}
		if n.InFlight() != 0 {
			rt.Fatalf("%d still in flight", n.InFlight())
		}
	})
}

// TestRates checks that the rates are within five standard deviations. With the fixed seeds the
// result never changes, and a wrong probability is far outside.
func TestRates(t *testing.T) {
	const count = 20000
	for seed := range uint64(4) {
		l := Link{Loss: 0.1, Duplicate: 0.05, Delay: 20 * time.Millisecond, Jitter: 10 * time.Millisecond}
		n := newNet(t, Config{Seed: seed, Link: l})
		got := stream(t, n, count, 10, time.Millisecond)
		s := n.Stats()
		check := func(what string, x uint64, of, p float64) {
			if mean, dev := of*p, math.Sqrt(of*p*(1-p)); math.Abs(float64(x)-mean) > 5*dev {
				t.Errorf("seed %d: %s %d, want %.0f ± %.0f", seed, what, x, mean, 5*dev)
			}
		}
		check("lost", s.Lost, count, l.Loss)
		check("duplicated", s.Duplicated, float64(count-s.Lost), l.Duplicate)
		var sum float64
		for _, a := range got {
			sum += float64(a.at - int64(a.n)*int64(time.Millisecond))
		}
		mean := time.Duration(sum / float64(len(got)))
		if d := mean - 25*time.Millisecond; d < -150*time.Microsecond || d > 150*time.Microsecond {
			t.Errorf("seed %d: mean delay %v, want 25ms", seed, mean)
		}
		if s.Reordered == 0 {
			t.Errorf("seed %d: jitter of ten gaps reordered nothing", seed)
		}

		l = Link{Delay: 20 * time.Millisecond, Late: 0.2, LateBy: 5 * time.Millisecond}
		late := uint64(0)
		for _, a := range stream(t, newNet(t, Config{Seed: seed, Link: l}), count, 10, time.Millisecond) {
			switch time.Duration(a.at - int64(a.n)*int64(time.Millisecond)) {
			case l.Delay:
			case l.Delay + l.LateBy:
				late++
			default:
				t.Fatalf("seed %d: datagram %d arrived at %d", seed, a.n, a.at)
			}
		}
		check("late", late, count, l.Late)
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[uint64]uint64{}
	for seed := range uint64(50) {
		n := newNet(t, Config{Seed: seed, Link: Link{Loss: 0.5}})
		h := fnv.New64a()
		for _, a := range stream(t, n, 100, 10, time.Millisecond) {
			fmt.Fprintln(h, a)
		}
		if other, ok := seen[h.Sum64()]; ok {
			t.Fatalf("seeds %d and %d give the same run", seed, other)
		}
		seen[h.Sum64()] = seed
	}
}

// TestLinksAreIndependent checks that traffic on one link does not change the randomness of
// another.
func TestLinksAreIndependent(t *testing.T) {
	cfg := Config{Seed: 3, Link: Link{Loss: 0.3, Jitter: 50 * time.Millisecond}}
	want := stream(t, newNet(t, cfg), 100, 10, time.Millisecond)
	n := newNet(t, cfg)
	other := transport.MustParsePeer("10.0.0.3:1000")
	stop := n.Every(time.Millisecond, func(int64) { n.Send(server, client, []byte("back")); n.Send(other, client, []byte("x")) })
	n.Handle(client, func(int64, transport.Peer, []byte) {})
	n.At(int64(100*time.Millisecond), func(int64) { stop() })
	if got := stream(t, n, 100, 10, time.Millisecond); !slices.Equal(got, want) {
		t.Error("other traffic changed what a link does")
	}
}

func TestBandwidth(t *testing.T) {
	n := newNet(t, Config{Link: Link{Rate: 10000, Queue: 1000}})
	// Send 40 datagrams of 100 bytes at once: ten fit into the queue, 10 ms each.
	got := stream(t, n, 40, 100, 0)
	if len(got) != 10 || n.Stats().Queued != 30 {
		t.Fatalf("%d arrived, %d lost to the queue, want 10 and 30", len(got), n.Stats().Queued)
	}
	for i, a := range got {
		if want := int64(i+1) * int64(10*time.Millisecond); a.at != want || a.n != uint32(i) {
			t.Errorf("datagram %d arrived at %d, want %d at %d", a.n, a.at, i, want)
		}
	}
}

func TestBounds(t *testing.T) {
	n := newNet(t, Config{InFlight: 10, Link: Link{Delay: time.Second}})
	if got := stream(t, n, 50, 10, 0); len(got) != 10 {
		t.Errorf("%d arrived, want no more than may be in flight", len(got))
	}
	for _, l := range []Link{{Loss: -0.1}, {Loss: 1.1}, {Loss: math.NaN()}, {Duplicate: 2}, {Delay: -1}, {Jitter: -1}, {Late: 1.1}, {LateBy: -1}, {Rate: -1},
		{Delay: 2 * time.Hour}} {
		if _, err := New(Config{Link: l}); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v", l, err)
		}
		if err := n.SetLink(client.Addr(), server.Addr(), l); !errors.Is(err, ErrConfig) {
			t.Errorf("SetLink %+v: %v", l, err)
		}
	}
}

// TestEndpoints exchanges datagrams between two endpoints through transport.Conn while the link
// changes.
func TestEndpoints(t *testing.T) {
	n := newNet(t, Config{Link: Link{Delay: 30 * time.Millisecond}})
	s, err := n.Listen(server)
	if err != nil {
		t.Fatal(err)
	}
	c, err := n.Listen(client)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]transport.Datagram, 8)
	advances := 0
	n.Drive(s, func(d transport.Datagram) {
		if d.ReceivedAt != n.Now() {
			t.Errorf("a datagram of %d arrives at %d", d.ReceivedAt, n.Now())
		}
		s.Send(d.Peer, append([]byte("re: "), d.Data...))
		s.Flush()
	}, func(int64) { advances++ })
	c.Send(server, []byte("hi"))
	c.Flush()
	n.Run(int64(59 * time.Millisecond))
	if c.Pending() != 0 {
		t.Fatal("the answer came too early")
	}
	if !n.RunUntil(time.Second, func() bool { return c.Pending() == 1 }) || n.Now() > int64(70*time.Millisecond) || advances < 12 {
		t.Fatalf("%d answers at %d, %d calls", c.Pending(), n.Now(), advances)
	}
	if n.RunUntil(20*time.Millisecond, func() bool { return c.Pending() == 2 }) {
		t.Fatal("two answers")
	}
	if k, _ := c.ReadBatch(dst, 0); k != 1 || string(dst[0].Data) != "re: hi" {
		t.Fatalf("got %d, %q", k, dst[0].Data)
	}
	if err := n.SetLink(client.Addr(), server.Addr(), Link{Loss: 1}); err != nil {
		t.Fatal(err)
	}
	c.Send(server, []byte("hi"))
	c.Send(transport.MustParsePeer("10.0.0.9:1"), []byte("nobody"))
	c.Flush()
	n.Run(int64(time.Second))
	if st := n.LinkStats(client.Addr(), server.Addr()); st.Sent != 2 || st.Delivered != 1 || st.Lost != 1 {
		t.Errorf("link: %+v", st)
	}
	if st := n.Stats(); st.Unreachable != 1 || st.Sent != 4 {
		t.Errorf("all: %+v", st)
	}
	if n.Now() != int64(time.Second) {
		t.Errorf("clock at %d", n.Now())
	}
}

func TestTimers(t *testing.T) {
	n := newNet(t, Config{})
	var order []string
	n.At(10, func(int64) { order = append(order, "b") })
	n.At(5, func(now int64) {
		order = append(order, "a")
		n.At(1, func(now int64) { order = append(order, fmt.Sprint("late ", now)) })
	})
	n.At(10, func(int64) { order = append(order, "c") })
	ticks := 0
	var stop func()
	stop = n.Every(20, func(int64) {
		if ticks++; ticks == 3 {
			stop()
		}
	})
	for n.Step() {
	}
	if want := []string{"a", "late 5", "b", "c"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if ticks != 3 || n.Now() != 80 {
		t.Errorf("%d ticks, clock at %d", ticks, n.Now())
	}
}

func BenchmarkSend(b *testing.B) {
	n := newNet(b, Config{Link: Link{Loss: 0.05, Duplicate: 0.05, Delay: 20 * time.Millisecond, Jitter: 20 * time.Millisecond}})
	n.Handle(server, func(int64, transport.Peer, []byte) {})
	msg := make([]byte, 200)
	b.SetBytes(200)
	b.ReportAllocs()
	for i := range b.N {
		n.Send(client, server, msg)
		n.Run(int64(i) * int64(time.Millisecond))
	}
}
