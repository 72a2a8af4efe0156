package peers

import (
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/transport"
)

// window is what one server did under load for some seconds.
type window struct {
	msPerTick float64 // CPU time at the process
	bytes     float64 // received per client and second, without UDP headers
	rss       float64 // MB
	joins     []time.Duration
	stats     load.Stats
}

// spans are how long a window is prepared and measured. A single round, as in
// tests of the benchmarks themselves, is short.
func spans(rounds int) (warm, measure time.Duration) {
	if rounds == 1 {
		return 500 * time.Millisecond, 2 * time.Second
	}
	return 2 * time.Second, 6 * time.Second
}

// measure lets clients join, play and leave. They speak the versions in turn.
func measure(b *testing.B, s *gameServer, clients int, versions ...client.Version) window {
	b.Helper()
	warm, span := spans(b.N)
	swarm := load.Start(b.Context(), load.Config{Servers: []transport.Peer{s.addr}, Clients: clients, Seed: 1, Versions: versions})
	defer swarm.Stop()
	if err := swarm.WaitJoined(20 * time.Second); err != nil {
		b.Fatalf("%s: %v\n%s", s.name, err, tail(s.Output(), 2000))
	}
	time.Sleep(warm)
	swarm.ResetStats()
	cpu, start := s.CPU(b), time.Now()
	time.Sleep(span)
	used, passed := s.CPU(b)-cpu, time.Since(start)
	all := swarm.Stats()
	w := window{stats: load.Total(all), rss: float64(s.RSS(b)) / (1 << 20)}
	for _, st := range all {
		w.joins = append(w.joins, st.FirstSnapshot)
	}
	if w.stats.Err != nil {
		b.Fatalf("%s: %v", s.name, w.stats.Err)
	}
	ticks := passed.Seconds() * 50
	w.msPerTick = used.Seconds() * 1000 / ticks
	w.bytes = float64(w.stats.Bytes) / float64(clients) / passed.Seconds()
	return w
}

// compare measures two servers in alternating windows, b.N of each, and reports
// medians.
func compare(b *testing.B, ours, theirs *gameServer, clients int) {
	b.Helper()
	var a, o []window
	for range b.N {
		a = append(a, measure(b, ours, clients))
		o = append(o, measure(b, theirs, clients))
	}
	report := func(prefix string, ws []window) {
		b.ReportMetric(median(ws, func(w window) float64 { return w.msPerTick }), prefix+"ms/tick")
		b.ReportMetric(median(ws, func(w window) float64 { return w.bytes / 1000 }), prefix+"kB/s/client")
		b.ReportMetric(median(ws, func(w window) float64 { return w.rss }), prefix+"RSS-MB")
		var joins []time.Duration
		var t load.Stats
		for _, w := range ws {
			joins = append(joins, w.joins...)
			t.CRCFailures += w.stats.CRCFailures
			t.Missed += w.stats.Missed
			t.InputsLate += w.stats.InputsLate
		}
		slices.Sort(joins)
		b.ReportMetric(ms(joins[len(joins)/2]), prefix+"join-ms")
		b.ReportMetric(ms(joins[len(joins)*95/100]), prefix+"join-p95-ms")
		b.ReportMetric(float64(t.CRCFailures), prefix+"CRC-failures")
		b.ReportMetric(float64(t.Missed), prefix+"missed")
		b.ReportMetric(float64(t.InputsLate), prefix+"late-inputs")
	}
	report("", a)
	report("their-", o)
	b.ReportMetric(ratio(a, o), "CPU-ratio")
	b.ReportMetric(0, "ns/op")
}

// ratio is the median of ours over theirs, round by round.
func ratio(a, o []window) float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i].msPerTick / o[i].msPerTick
	}
	slices.Sort(r)
	return r[len(r)/2]
}

func median(ws []window, f func(w window) float64) float64 {
	v := make([]float64, len(ws))
	for i, w := range ws {
		v[i] = f(w)
	}
	slices.Sort(v)
	return v[len(v)/2]
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// The whole server beside the original with the same clients, inputs and map. Run
// with -benchtime 7x for numbers that can be quoted.
func BenchmarkServer(b *testing.B) {
	b.Run("16-playing/teeworlds-0.7.5", func(b *testing.B) {
		compare(b, startTeeyard(b, "sv_player_slots 16"), startOriginal(b, "sv_player_slots 16"), 16)
	})
	b.Run("64-clients-16-playing/teeworlds-0.7.5", func(b *testing.B) {
		compare(b, startTeeyard(b, "sv_player_slots 16"), startOriginal(b, "sv_player_slots 16"), 64)
	})
	b.Run("64-playing/DDNet-16.4", func(b *testing.B) {
		compare(b, startTeeyard(b, "sv_player_slots 64"), startDDNet(b, "sv_spectator_slots 0"), 64)
	})
}

// BenchmarkVersions is our server with 64 players of one version, of the other, and
// of both in one match, in turns. Ratios are to the newer version alone.
func BenchmarkVersions(b *testing.B) {
	const clients = 64
	s := startTeeyard(b, "sv_player_slots 64")
	var a, o, m []window
	for range b.N {
		a = append(a, measure(b, s, clients, client.Version07))
		o = append(o, measure(b, s, clients, client.Version06))
		m = append(m, measure(b, s, clients, client.Version07, client.Version06))
	}
	for _, r := range []struct {
		prefix string
		ws     []window
	}{{"newer-", a}, {"older-", o}, {"mixed-", m}} {
		b.ReportMetric(median(r.ws, func(w window) float64 { return w.msPerTick }), r.prefix+"ms/tick")
		b.ReportMetric(median(r.ws, func(w window) float64 { return w.bytes / 1000 }), r.prefix+"kB/s/client")
		failures, missed := 0, 0
		for _, w := range r.ws {
			failures += w.stats.CRCFailures
			missed += w.stats.Missed
		}
		b.ReportMetric(float64(failures), r.prefix+"CRC-failures")
		b.ReportMetric(float64(missed), r.prefix+"missed")
	}
	b.ReportMetric(ratio(o, a), "older-CPU-ratio")
	b.ReportMetric(ratio(m, a), "mixed-CPU-ratio")
	b.ReportMetric(0, "ns/op")
}
