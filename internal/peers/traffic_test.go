package peers

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/transport"
)

// startBoth starts ours and the original.
func startBoth(b *testing.B, settings string) [2]*gameServer {
	return [2]*gameServer{startTeeyard(b, settings), startOriginal(b, settings)}
}

// prefixes of the metrics of the two.
var prefixes = [2]string{"", "their-"}

// Clients that join and leave at once, 2,000 a second, while 16 play. "survived" is
// 0 if the server ended.
func BenchmarkChurn(b *testing.B) {
	for _, until := range []struct {
		name  string
		state client.State
	}{{"connected", client.Loading}, {"entering", client.Entering}} {
		b.Run(until.name, func(b *testing.B) {
			span := 5 * time.Second
			if b.N == 1 {
				span = 2 * time.Second
			}
			for i, s := range startBoth(b, "sv_player_slots 16") {
				churn(b, prefixes[i], s, load.ChurnConfig{Server: s.addr, Rate: 2000, Concurrent: 128, Until: until.state}, span)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func churn(b *testing.B, prefix string, s *gameServer, cfg load.ChurnConfig, span time.Duration) {
	swarm := load.Start(b.Context(), load.Config{Servers: []transport.Peer{s.addr}, Clients: 16, Seed: 1})
	defer swarm.Stop()
	if err := swarm.WaitJoined(20 * time.Second); err != nil {
		b.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	swarm.ResetStats()
	ctx, cancel := context.WithTimeout(context.Background(), span)
	defer cancel()
	got, err := load.Churn(ctx, cfg)
	if err != nil {
		b.Fatal(err)
	}
	players := load.Total(swarm.Stats())
	survived := 0.0
	if s.Running() {
		survived = 1
	}
	b.ReportMetric(survived, prefix+"survived")
	b.ReportMetric(float64(got.Left)/span.Seconds(), prefix+"joined/s")
	b.ReportMetric(float64(got.Refused)/span.Seconds(), prefix+"refused/s")
	b.ReportMetric(float64(got.Lost)/span.Seconds(), prefix+"lost/s")
	b.ReportMetric(float64(players.CRCFailures), prefix+"CRC-failures")
	b.ReportMetric(float64(players.Missed), prefix+"missed")
	b.ReportMetric(ms(players.LongestGap), prefix+"longest-gap-ms")
	if prefix == "" && (survived == 0 || players.CRCFailures > 0 || players.Err != nil) {
		b.Errorf("running %v, players: %+v", s.Running(), players)
	}
}

// Server information asked for by one address without a pause.
func BenchmarkInfo(b *testing.B) { compareAnswers(b, load.QueryInfo, load.QueryInfo) }

// compareAnswers asks our server and the original in turns and reports medians.
func compareAnswers(b *testing.B, ours, theirs func(transport.Peer, time.Duration) (int, error)) {
	b.Helper()
	span := 2 * time.Second
	if b.N == 1 {
		span = 500 * time.Millisecond
	}
	pair := startBoth(b, "sv_player_slots 16")
	var rate, cost [2][]float64
	for range b.N {
		for i, ask := range []func(transport.Peer, time.Duration) (int, error){ours, theirs} {
			before := pair[i].CPU(b)
			n, err := ask(pair[i].addr, span)
			if err != nil || n == 0 {
				b.Fatalf("%s: %d answers, %v", pair[i].name, n, err)
			}
			rate[i] = append(rate[i], float64(n)/span.Seconds())
			cost[i] = append(cost[i], float64((pair[i].CPU(b)-before).Microseconds())/float64(n))
		}
	}
	for i, prefix := range prefixes {
		b.ReportMetric(middle(rate[i]), prefix+"answers/s")
		b.ReportMetric(middle(cost[i]), prefix+"us-CPU/answer")
	}
	b.ReportMetric(middle(rate[0])/middle(rate[1]), "rate-ratio")
	b.ReportMetric(0, "ns/op")
}

func middle(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// Nobody is there.
func BenchmarkIdle(b *testing.B) {
	span := 5 * time.Second
	if b.N == 1 {
		span = time.Second
	}
	pair := startBoth(b, "sv_player_slots 16")
	var cost [2][]float64
	for range b.N {
		for i, s := range pair {
			before, start := s.CPU(b), time.Now()
			time.Sleep(span)
			cost[i] = append(cost[i], ms(s.CPU(b)-before)/time.Since(start).Seconds())
		}
	}
	for i, prefix := range prefixes {
		b.ReportMetric(middle(cost[i]), prefix+"ms-CPU/s")
		b.ReportMetric(float64(pair[i].RSS(b))/(1<<20), prefix+"RSS-MB")
	}
	b.ReportMetric(0, "ns/op")
}

// bigMap writes a map of 1.5 MB: dm1 with an image of noise.
func bigMap(b *testing.B, paths ...string) {
	b.Helper()
	file, err := os.ReadFile(filepath.Join(originalMaps, "dm1.map"))
	if err != nil {
		b.Fatal(err)
	}
	m, err := twmap.Parse(file)
	if err != nil {
		b.Fatal(err)
	}
	const side = 624
	noise := twmap.Image{Name: "noise", Width: side, Height: side, Format: 1, Pixels: make([]byte, 4*side*side)}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range noise.Pixels {
		noise.Pixels[i] = byte(r.Uint32())
	}
	m.Images = append(m.Images, noise)
	if file, err = m.Bytes(); err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, file, 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// A map of 1.5 MB, downloaded over loopback. See server's BenchmarkDownload for a
// network with a round trip.
func BenchmarkDownload(b *testing.B) {
	Need(b)
	home := b.TempDir()
	bigMap(b, filepath.Join(home, "maps", "big.map"), filepath.Join(home, ".teeworlds", "maps", "big.map"), filepath.Join(home, "teeworlds", "maps", "big.map"))
	addrs := [2]*gameServer{
		runTeeyard(b, home, "sv_map big"),
		runOriginal(b, home, "sv_map big"),
	}
	var rate [2][]float64
	for range b.N {
		for i, s := range addrs {
			size, span, err := load.FetchMap(s.addr, 20*time.Second)
			if err != nil {
				b.Fatalf("%s: %v\n%s", s.name, err, tail(s.Output(), 1000))
			}
			rate[i] = append(rate[i], float64(size)/1e6/span.Seconds())
		}
	}
	for i, prefix := range prefixes {
		b.ReportMetric(middle(rate[i]), prefix+"MB/s")
	}
	b.ReportMetric(0, "ns/op")
}
