package client_test

import (
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// record is one snapshot as a real 0.7 client received it; see the test data of
// protocol/snapshot.
type record struct {
	tick, base, crc int32
	delta           []byte
}

func corpus(t testing.TB, name string) []record {
	t.Helper()
	b, err := os.ReadFile("../protocol/snapshot/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var recs []record
	for len(b) >= 16 {
		le := binary.LittleEndian
		n := int(le.Uint32(b[12:]))
		recs = append(recs, record{int32(le.Uint32(b)), int32(le.Uint32(b[4:])), int32(le.Uint32(b[8:])), b[16 : 16+n]})
		b = b[16+n:]
	}
	return recs
}

// player is a client that gets a corpus over a connection, with all it has to do:
// the map, prediction of all tees, an input for every tick.
type player struct {
	*villain
	recs   []record
	next   int
	buf    []byte
	shift  int32 // of the ticks, from one round through the corpus to the next
	inputs int
}

func newPlayer(t testing.TB, name string) *player {
	p := &player{recs: corpus(t, name)}
	p.villain = newVillain(t, client.Config{
		PredictAll: true,
		Play: func(_ *client.Client, v *game.View) game.Input {
			p.inputs++
			return game.Input{Direction: v.Tick/25%3 - 1, Fire: v.Tick / 5 & 63, TargetX: v.Tick}
		},
		OnSnapshot: func(*client.Client, *game.View, []game.Event) {},
	})
	p.onInfo = func() { p.announce("corpus", nil) }
	p.connect()
	return p
}

// step sends a snapshot and lets its 40 ms pass.
func (p *player) step() {
	r := &p.recs[p.next]
	base := r.base
	if base >= 0 {
		base += p.shift
	}
	tick := r.tick + p.shift
	switch n := snapshot.PartCount(len(r.delta)); n {
	case 0:
		p.buf = (&msg7.SnapEmpty{Tick: tick, DeltaTick: tick - base}).Append(p.buf[:0])
		p.queue(p.buf, false)
	case 1:
		p.buf = (&msg7.SnapSingle{Tick: tick, DeltaTick: tick - base, CRC: r.crc, Data: r.delta}).Append(p.buf[:0])
		p.queue(p.buf, false)
	default:
		for i := range n {
			p.buf = (&msg7.Snap{Tick: tick, DeltaTick: tick - base, Parts: int32(n), Part: int32(i), CRC: r.crc, Data: snapshot.Part(r.delta, i)}).Append(p.buf[:0])
			p.queue(p.buf, false)
		}
	}
	if p.next++; p.next == len(p.recs) {
		p.next = 0
		p.shift += p.recs[len(p.recs)-1].tick - p.recs[0].tick + 2
	}
	p.acks = p.acks[:0]
	p.run(40 * time.Millisecond)
}

// TestCorpus: what real servers sent goes through the whole client without a
// complaint and, in the steady state, without an allocation.
func TestCorpus(t *testing.T) {
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		p := newPlayer(t, name)
		for range p.recs {
			p.step()
		}
		for range p.recs { // the second round begins without base, as the first
			p.step()
		}
		if s := p.c.Stats(); s.CRCFailures+s.NoBase+s.BadDelta+s.BadMessage != 0 || s.Snapshots != 2*len(p.recs) {
			t.Errorf("%s: %+v of %d", name, s, 2*len(p.recs))
		}
		if p.inputs < len(p.recs) {
			t.Errorf("%s: %d inputs for %d snapshots", name, p.inputs, 2*len(p.recs))
		}
		if testenv.Race {
			continue
		}
		before := p.inputs
		if n := testing.AllocsPerRun(len(p.recs)-1, p.step); n != 0 {
			t.Errorf("%s: %v allocations per snapshot and its inputs", name, n)
		}
		t.Logf("%s: %d snapshots, %d inputs", name, len(p.recs), p.inputs-before)
	}
}

// BenchmarkClient is one snapshot, with the two predictions and inputs that come
// with it; both ends of the connection count.
func BenchmarkClient(b *testing.B) {
	for _, name := range []string{"tw16.snaps", "dd64.snaps"} {
		b.Run(name, func(b *testing.B) {
			p := newPlayer(b, name)
			for range p.recs {
				p.step()
			}
			b.ReportAllocs()
			for b.Loop() {
				p.step()
			}
		})
	}
}
