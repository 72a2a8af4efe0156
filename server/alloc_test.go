package server

import (
	"io"
	"log/slog"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// crowd is a lab in which 16 clients play and acknowledge every snapshot, with
// clients that cost nothing themselves.
type crowd struct {
	*lab
	ps     []*puppet
	inputs []msg7.Input
	acks   [16]int32
	bufs   [16][]byte
	n      int
}

func newCrowd(tb testing.TB) *crowd {
	// Nobody dies or respawns: steady means that nothing is announced.
	l := newLab(tb, nil, "sv_inactivekick_time 0; sv_scorelimit 0; sv_gametype mod; tune explosion_strength 0")
	c := &crowd{lab: l}
	for i := range 16 {
		c.ps = append(c.ps, l.play(local(1000+i), "player"))
	}
	c.inputs = make([]msg7.Input, 16)
	index := map[transport.Peer]int{}
	for i, p := range c.ps {
		index[p.peer] = i
	}
	var scratch packet.Scratch
	l.out = func(to transport.Peer, b []byte) {
		var p packet.Packet
		if p.Parse(b, &scratch) != nil || p.Flags&packet.FlagControl != 0 {
			return
		}
		i := index[to]
		var chunk packet.Chunk
		for it := p.Chunks(); it.Next(&chunk); {
			if chunk.Flags&packet.ChunkVital != 0 {
				c.ps[i].ack = chunk.Seq
			} else if tick, ok := snapTick(chunk.Data); ok {
				c.acks[i] = tick
			}
		}
	}
	l.srv.cfg.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	for range 400 {
		c.feedAll()
		l.step(1)
	}
	return c
}

// snapTick reads the tick of a snapshot message.
func snapTick(b []byte) (int32, bool) {
	switch msg7.ID(b[0]) {
	case msg7.IDSnap, msg7.IDSnapSingle, msg7.IDSnapEmpty:
	default:
		return 0, false
	}
	v, shift := int32(b[1]&0x3f), 6
	for i := 1; b[i]&0x80 != 0; i++ {
		v |= int32(b[i+1]&0x7f) << shift
		shift += 7
	}
	return v, true
}

// input makes the datagram of one client's next input. They walk, jump, aim and
// hook, but do not shoot.
func (c *crowd) input(i int) []byte {
	c.n++
	p := c.ps[i]
	t := int(c.srv.clock.tick)
	m := &c.inputs[i]
	m.AckTick, m.IntendedTick = c.acks[i], c.srv.clock.tick+1
	in := msg7.PlayerInput{
		Direction: int32((t/20+i)%3 - 1), Jump: (t/7+i)%3 == 0, Hook: (t/25+i)%2 == 0,
		TargetX: int32((t+i*37)%200 - 100), TargetY: -50, PlayerFlags: 4,
	}
	m.SetPlayer(&in)
	p.msg = m.Append(p.msg[:0])
	p.payload = packet.AppendChunk(p.payload[:0], 0, 0, p.msg)
	c.bufs[i] = packet.AppendPacket(c.bufs[i][:0], 0, p.ack, 1, p.token, p.payload)
	return c.bufs[i]
}

func (c *crowd) feedAll() {
	for i, p := range c.ps {
		c.srv.Feed(c.now, p.peer, c.input(i))
	}
}

// The steady state of a full server allocates nothing: no tick, no datagram in,
// none out.
func TestNoAllocations(t *testing.T) {
	testenv.RequireExactAllocs(t)
	c := newCrowd(t)
	i := 0
	if n := testing.AllocsPerRun(1000, func() {
		c.srv.Feed(c.now, c.ps[i%16].peer, c.input(i%16))
		if i++; i%16 == 0 {
			c.srv.pendingCommands = c.srv.pendingCommands[:0]
		}
	}); n != 0 {
		t.Errorf("%v allocations per input", n)
	}
	before := c.packets
	if n := testing.AllocsPerRun(500, func() {
		c.feedAll()
		c.step(1)
	}); n != 0 {
		t.Errorf("%v allocations per tick of 16 players", n)
	}
	if got := c.packets - before; got < 16*250 {
		t.Errorf("only %d datagrams went out", got)
	}
	for _, s := range c.srv.sessions {
		if s != nil && s.snaps.rate != rateFull {
			t.Errorf("client %d has rate %v", s.id, s.snaps.rate)
		}
	}
	b := (&msg7.Ping{}).Append(nil)
	p := c.ps[0]
	ping := packet.AppendPacket(nil, 0, p.ack, 1, p.token, packet.AppendChunk(nil, 0, 0, b))
	if n := testing.AllocsPerRun(500, func() { c.srv.Feed(c.now, p.peer, ping) }); n != 0 {
		t.Errorf("%v allocations per ping", n)
	}
	junk := append([]byte(nil), ping...)
	junk[3] ^= 1
	if n := testing.AllocsPerRun(500, func() { c.srv.Feed(c.now, p.peer, junk) }); n != 0 {
		t.Errorf("%v allocations per forged datagram", n)
	}
}

// BenchmarkTick16 is a tick of 16 playing clients, with their inputs and
// snapshots.
func BenchmarkTick16(b *testing.B) {
	c := newCrowd(b)
	b.ReportAllocs()
	for b.Loop() {
		c.feedAll()
		c.step(1)
	}
}
