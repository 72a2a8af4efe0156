package bridge6

import (
	"testing"

	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/huffman"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// round is what both versions do alike for one client and one snapshot.
type round struct {
	b       snapshot.Builder
	snaps   [2]snapshot.Snapshot
	latency [game.MaxPlayers]int32
	delta   []byte
	packed  []byte
	n       int
}

func (r *round) send(sizes *snapshot.ItemSizes) {
	next, base := &r.snaps[r.n&1], &r.snaps[r.n&1^1]
	r.n++
	r.b.Finish(next)
	r.delta, _ = snapshot.AppendDelta(r.delta[:0], base, next, sizes)
	r.packed = huffman.AppendCompress(r.packed[:0], r.delta)
}

// fight steps a world of many a few ticks, and returns the events of the last.
func fight(w *game.World, tick int) []game.Event {
	var cmds []game.Command
	for i := range game.PlayerID(64) {
		in := game.Input{Direction: int32((tick/20+int(i))%3 - 1), TargetX: int32(tick*7%200 - 100), TargetY: -20, Jump: (tick+int(i))%13 == 0, Fire: int32(tick / 4 % 64), Hook: (tick/10+int(i))%2 == 0}
		cmds = append(cmds, game.Command{Kind: game.CmdInput, Player: i, Input: in}, game.Command{Kind: game.CmdDirectInput, Player: i, Input: in})
	}
	return w.Step(cmds)
}

// TestBuildAllocates: a round costs no memory for a client that knows all ids, for one
// that knows few, and for one that looks on.
func TestBuildAllocates(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w := many(t, 64)
	w.Step([]game.Command{
		{Kind: game.CmdForceTeam, Player: 6, Team: game.TeamSpectators}, {Kind: game.CmdPlayerFlags, Player: 7, Value: int32(game.PlayerFlagAdmin)},
	})
	v := NewProtocol()
	for _, c := range []struct {
		name    string
		own     game.PlayerID
		release int32
	}{{"all ids", 5, 16040}, {"few ids", 5, msg6.VersionNone}, {"looks on", 6, 16040}} {
		h, _ := newHost(t, v, w, c.own, c.release)
		var r round
		tick := 0
		step := func() {
			events := fight(w, tick)
			tick++
			v.RecordTick(w, events)
			w.Frame()
		}
		do := func() {
			v.BeginSnapshots(w)
			view := w.View(c.own)
			h.BuildSnapshot(&r.b, &view, &r.latency)
			r.send(h.ItemSizes())
			v.EndSnapshots()
		}
		for range 100 {
			step()
			do()
		}
		step()
		if n := testing.AllocsPerRun(100, do); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// TestNoteAllocates: a tick costs no memory, nor does it to send a snapshot but for
// what the line needs.
func TestNoteAllocates(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w := many(t, 64)
	v := NewProtocol()
	h := v.NewServerSide(&quiet{})
	events := append([]game.Event(nil), fight(w, 1)...)
	data := make([]byte, 900)
	do := func() {
		v.RecordTick(w, events)
		v.EndSnapshots()
		h.SendSnapshotPart(snapshot.PartHeader{Tick: 5, BaseTick: -1, CRC: 7, Parts: 1}, 0, data)
		h.SendSnapshotPart(snapshot.PartHeader{Tick: 5, BaseTick: 3, Parts: 0}, 0, nil)
		h.SendSnapshotPart(snapshot.PartHeader{Tick: 5, BaseTick: 3, CRC: 7, Parts: 2}, 1, data)
		h.SendInputTiming(5, 6)
	}
	do()
	if n := testing.AllocsPerRun(100, do); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// quiet is a session that does not listen.
type quiet struct{ line }

func (*quiet) Queue([]byte, bool) {}

func BenchmarkRound(b *testing.B) {
	const viewers = 64
	b.Run("0.6", func(b *testing.B) {
		w := many(b, 64)
		v := NewProtocol()
		var hosts [viewers]*serverSide
		var rounds [viewers]round
		for i := range hosts {
			hosts[i], _ = newHost(b, v, w, game.PlayerID(i), 16040)
		}
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			events := fight(w, n)
			w.Frame()
			b.StartTimer()
			v.RecordTick(w, events)
			v.BeginSnapshots(w)
			for i, h := range hosts {
				view := w.View(game.PlayerID(i))
				h.BuildSnapshot(&rounds[i].b, &view, &rounds[i].latency)
				rounds[i].send(&sizes)
			}
			v.EndSnapshots()
		}
	})
	b.Run("0.7", func(b *testing.B) {
		w := many(b, 64)
		var s bridge7.Scene
		sizes := snapshot.ItemSizes(msg7.Sizes)
		var rounds [viewers]round
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			events := fight(w, n)
			w.Frame()
			b.StartTimer()
			s.Note(w.Frame(), events)
			s.Begin(w.Frame())
			for i := range rounds {
				view := w.View(game.PlayerID(i))
				s.Build(&rounds[i].b, &view, &rounds[i].latency)
				rounds[i].send(&sizes)
			}
			s.Done()
		}
	})
}
