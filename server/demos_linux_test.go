package server

import (
	"io"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/recorder"
)

// discardFolder is a folder whose files keep nothing.
type discardFolder struct{ io.Writer }

func (f discardFolder) Create(string) (io.WriteCloser, error) { return f, nil }
func (discardFolder) Names() ([]string, error)                { return nil, nil }
func (discardFolder) Remove(string) error                     { return nil }
func (discardFolder) Close() error                            { return nil }

// BenchmarkDemo is Tick with 64 players, without a demo and with one in each format: a server for
// each, in turns, the same inputs. The cost of a demo is the difference of the medians of the CPU
// time of the loop's thread.
func BenchmarkDemo(b *testing.B) {
	formats := [...]string{"", "tw07", "ddnet"}
	var servers [len(formats)]*benchServer
	var spent [len(formats)][]float64
	for i, format := range formats {
		bs := newBenchServerWith(b, Config{Demos: discardFolder{io.Discard}}, 64, 64, only(player07))
		if servers[i] = bs; format != "" {
			bs.srv.Execute("sv_demo_format " + format + "; record")
			for range 500 { // two keyframes
				bs.tick()
			}
		}
	}
	const ticks = 4
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		for i, bs := range servers {
			var sum int64
			for range ticks {
				bs.clientsSend()
				start := threadTime(b)
				bs.serverReceives()
				bs.srv.Advance(bs.now)
				sum += threadTime(b) - start
				bs.clientsReceive()
				// On the clock the writer has 20 ms before the next tick.
				for bs.srv.record.Pending() > 0 {
					runtime.Gosched()
				}
			}
			spent[i] = append(spent[i], float64(sum)/ticks)
		}
	}
	for i, bs := range servers {
		demos := 0
		bs.srv.record.Each(func(*recorder.Recorder, bool) { demos++ })
		if want := min(i, 1); demos != want {
			b.Fatalf("%d demos, want %d", demos, want)
		}
		bs.srv.record.Close(replay.EndShutdown)
	}
	b.ReportMetric(0, "ns/op")
	median := percentile(spent[0], 50)
	b.ReportMetric(median, "ns/tick")
	b.ReportMetric(percentile(spent[1], 50)-median, "tw07-ns/tick")
	b.ReportMetric(percentile(spent[2], 50)-median, "ddnet-ns/tick")
}

// threadTime returns the CPU time of the thread in ns.
func threadTime(tb testing.TB) int64 {
	var t unix.Timespec
	testenv.NoError(tb, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
	return t.Nano()
}
