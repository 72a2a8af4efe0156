package replay

import (
	"bytes"
	"io"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestRecordingAllocatesNothing covers the part that runs within the tick.
func TestRecordingAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	var rec Recorder
	rec.Begin(0)
	a := &aimingBots{}
	ticks := make([][]game.Command, 500)
	for i := range ticks {
		ticks[i] = append([]game.Command(nil), a.play(16)...)
	}
	var spare []byte
	i := 0
	tick := func() {
		if rec.RecordTick(ticks[i%len(ticks)]) != nil {
			t.Fatal("cannot record")
		}
		if i++; rec.BlockReady() {
			spare = rec.TakeBlock(uint64(i), spare)
		}
	}
	for range 1000 {
		tick()
	}
	if n := testing.AllocsPerRun(1000, tick); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	var rec Recorder
	rec.Begin(0)
	a := &aimingBots{}
	ticks := make([][]game.Command, 500)
	for i := range ticks {
		ticks[i] = append([]game.Command(nil), a.play(16)...)
	}
	var spare []byte
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		rec.RecordTick(ticks[i%len(ticks)])
		if rec.BlockReady() {
			spare = rec.TakeBlock(0, spare)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	var rec Recorder
	rec.Begin(0)
	a := &aimingBots{}
	for !rec.BlockReady() {
		rec.RecordTick(a.play(16))
	}
	block := rec.TakeBlock(0, nil)
	var p Encoder
	var out []byte
	b.SetBytes(int64(len(block)))
	b.ReportAllocs()
	for range b.N {
		out = p.AppendTicks(out[:0], block)
	}
	b.ReportMetric(float64(len(out)), "B/block")
}

// benchTicks is the length of the recorded match of 16 bots.
const benchTicks = 10000

// BenchmarkSimulate measures the match without reading and hashing, for comparison
// with BenchmarkVerify.
func BenchmarkSimulate(b *testing.B) {
	log := record(b, 16, benchTicks)
	var ticks [][]game.Command
	r, _ := NewReader(bytes.NewReader(log))
	var t Tick
	for r.Next(&t) == nil {
		ticks = append(ticks, append([]game.Command(nil), t.Commands...))
	}
	h := r.Header()
	b.ResetTimer()
	for range b.N {
		w, err := h.NewWorld(VerifyConfig{Modes: modes})
		if err != nil {
			b.Fatal(err)
		}
		for _, cmds := range ticks {
			w.Step(cmds)
		}
	}
	b.ReportMetric(float64(b.N)*benchTicks/b.Elapsed().Seconds(), "ticks/s")
}

// BenchmarkRead measures reading only.
func BenchmarkRead(b *testing.B) {
	log := record(b, 16, benchTicks)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		r, _ := NewReader(bytes.NewReader(log))
		var t Tick
		for r.Next(&t) != io.EOF {
		}
	}
	b.ReportMetric(float64(b.N)*benchTicks/b.Elapsed().Seconds(), "ticks/s")
}

func BenchmarkVerify(b *testing.B) {
	log := record(b, 16, benchTicks)
	b.SetBytes(int64(len(log)))
	b.ResetTimer()
	for range b.N {
		if _, err := verify(log); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*benchTicks/b.Elapsed().Seconds(), "ticks/s")
}
