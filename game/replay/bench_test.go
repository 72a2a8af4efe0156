package replay

import (
	"bytes"
	"io"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// recording returns a function that records one tick of a match of 16.
func recording(tb testing.TB) func() {
	var rec Recorder
	rec.Begin(0)
	a := &aimingBots{}
	ticks := make([][]game.Command, 500)
	for i := range ticks {
		ticks[i] = append([]game.Command(nil), a.play(16)...)
	}
	var spare []byte
	i := 0
	return func() {
		if rec.RecordTick(ticks[i%len(ticks)]) != nil {
			tb.Fatal("cannot record")
		}
		if i++; rec.BlockReady() {
			spare = rec.TakeBlock(uint64(i), spare)
		}
	}
}

// TestRecordingAllocatesNothing covers the part that runs within the tick.
func TestRecordingAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	tick := recording(t)
	for range 1000 {
		tick()
	}
	if n := testing.AllocsPerRun(1000, tick); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	tick := recording(b)
	b.ReportAllocs()
	for b.Loop() {
		tick()
	}
}

// benchTicks is the length of the recorded match of 16 bots.
const benchTicks = 10000

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
