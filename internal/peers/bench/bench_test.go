//go:build peers

package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// The benchmarks measure our server and an original in turns, b.N times each, and report medians.
// For quotable numbers run them with -benchtime 5x or more. Metrics of the original begin with
// "their-".

// samples holds the measured values by metric name.
type samples map[string][]float64

func (s samples) add(metric string, value float64) { s[metric] = append(s[metric], value) }

func (s samples) median(metric string) float64 {
	values := slices.Sorted(slices.Values(s[metric]))
	return values[len(values)/2]
}

// addRatio adds the ratio of two metrics' newest values.
func (s samples) addRatio(metric, of, to string) {
	s.add(metric, s[of][len(s[of])-1]/s[to][len(s[to])-1])
}

func (s samples) report(b *testing.B) {
	for metric := range s {
		b.ReportMetric(s.median(metric), metric)
	}
	b.ReportMetric(0, "ns/op")
}

// measureTime returns how long to measure: a quarter of the time with -benchtime 1x, because that
// only shows that the benchmarks work.
func measureTime(b *testing.B, long time.Duration) time.Duration {
	if b.N == 1 {
		return long / 4
	}
	return long
}

// rival is one of the servers that a benchmark compares.
type rival struct {
	prefix string // prefix of its metric names
	*peers.Server
}

// startRivals starts our server and the original.
func startRivals(b *testing.B, settings string) []rival {
	return []rival{{"", peers.StartTeeyard(b, settings)}, {"their-", peers.StartOriginal(b, settings)}}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// addLoad measures a server under the load of clients that play.
func (s samples) addLoad(b *testing.B, r rival, cfg load.Config) {
	b.Helper()
	cfg.Seed = 1
	swarm := peers.Join(b, r.Server, cfg)
	defer swarm.Stop()
	time.Sleep(measureTime(b, 2*time.Second))
	swarm.ResetStats()
	cpu, start := r.CPUTime(b), time.Now()
	time.Sleep(measureTime(b, 6*time.Second))
	used, passed := r.CPUTime(b)-cpu, time.Since(start)
	clients := swarm.Stats()
	total := load.Total(clients)
	if total.Err != nil {
		b.Fatalf("%s: %v", r.Name(), total.Err)
	}
	var joins []time.Duration
	for _, c := range clients {
		joins = append(joins, c.FirstSnapshot)
	}
	slices.Sort(joins)
	s.add(r.prefix+"ms/tick", milliseconds(used)/(passed.Seconds()*50))
	s.add(r.prefix+"kB/s/client", float64(total.Bytes)/1000/float64(cfg.Clients)/passed.Seconds())
	s.add(r.prefix+"RSS-MB", float64(r.RSS(b))/(1<<20))
	s.add(r.prefix+"join-ms", milliseconds(joins[len(joins)/2]))
	s.add(r.prefix+"join-p95-ms", milliseconds(joins[len(joins)*95/100]))
	s.add(r.prefix+"CRC-failures", float64(total.CRCFailures))
	s.add(r.prefix+"missed", float64(total.Missed))
	s.add(r.prefix+"late-inputs", float64(total.InputsLate))
}

// BenchmarkServer compares servers with the same clients, inputs and map.
func BenchmarkServer(b *testing.B) {
	for _, c := range []struct {
		name, settings string
		clients        int
		startRival     func(testing.TB, string) *peers.Server
		rivalSettings  string
	}{
		{"16-playing/teeworlds-0.7.5", "sv_player_slots 16", 16, peers.StartOriginal, "sv_player_slots 16"},
		{"64-clients-16-playing/teeworlds-0.7.5", "sv_player_slots 16", 64, peers.StartOriginal, "sv_player_slots 16"},
		{"64-playing/DDNet-16.4", "sv_player_slots 64", 64, peers.StartDDNet, "sv_spectator_slots 0"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := samples{}
			ours, theirs := rival{"", peers.StartTeeyard(b, c.settings)}, rival{"their-", c.startRival(b, c.rivalSettings)}
			for range b.N {
				s.addLoad(b, ours, load.Config{Clients: c.clients})
				s.addLoad(b, theirs, load.Config{Clients: c.clients})
				s.addRatio("CPU-ratio", "ms/tick", "their-ms/tick")
			}
			s.report(b)
		})
	}
}

// BenchmarkDDRace compares our server and DDNet-Server while 64 DDNet clients play on DDRace maps.
func BenchmarkDDRace(b *testing.B) {
	for _, name := range []string{"Gold Mine", "Tutorial"} {
		b.Run(name, func(b *testing.B) {
			settings := fmt.Sprintf("sv_spectator_slots 0; sv_map %q", name)
			s := samples{}
			ours, theirs := rival{"", peers.StartTeeyard(b, settings+"; sv_gametype ddrace")}, rival{"their-", peers.StartDDNet06(b, settings)}
			players := load.Config{Clients: 64, Versions: []client.Version{client.Version06},
				Configure: func(_ int, cfg *client.Config) { cfg.DDNetVersion = 16040 }}
			for range b.N {
				s.addLoad(b, ours, players)
				s.addLoad(b, theirs, players)
				s.addRatio("CPU-ratio", "ms/tick", "their-ms/tick")
			}
			s.report(b)
		})
	}
}

// BenchmarkVersions measures our server with 64 players of 0.7, of 0.6, and of both in one match.
// The ratios compare with 0.7 alone.
func BenchmarkVersions(b *testing.B) {
	server := peers.StartTeeyard(b, "sv_player_slots 64")
	s := samples{}
	for range b.N {
		s.addLoad(b, rival{"newer-", server}, load.Config{Clients: 64, Versions: []client.Version{client.Version07}})
		s.addLoad(b, rival{"older-", server}, load.Config{Clients: 64, Versions: []client.Version{client.Version06}})
		s.addLoad(b, rival{"mixed-", server}, load.Config{Clients: 64, Versions: []client.Version{client.Version07, client.Version06}})
		s.addRatio("older-CPU-ratio", "older-ms/tick", "newer-ms/tick")
		s.addRatio("mixed-CPU-ratio", "mixed-ms/tick", "newer-ms/tick")
	}
	s.report(b)
}

// BenchmarkChurn makes clients join and leave at once, 2,000 a second, while 16 others play. The
// metric "survived" is 0 if the server ended.
func BenchmarkChurn(b *testing.B) {
	for _, c := range []struct {
		name  string
		until client.State
	}{{"connected", client.Loading}, {"entering", client.Entering}} {
		b.Run(c.name, func(b *testing.B) {
			s := samples{}
			for _, r := range startRivals(b, "sv_player_slots 16") {
				s.addChurn(b, r, 16, 5*time.Second, load.ChurnConfig{Server: r.Addr, Rate: 2000, Concurrent: 128, Until: c.until})
			}
			s.report(b)
		})
	}
}

// BenchmarkFlood makes one IPv6 network connect and leave 1,500 times a second, each time from a
// new address, while 8 clients play. It needs root, because it adds the network 2001:db8::/48 to
// the loopback device.
func BenchmarkFlood(b *testing.B) {
	const network, anyAddress = "2001:db8::/48", "/proc/sys/net/ipv6/ip_nonlocal_bind"
	before, err := os.ReadFile(anyAddress)
	if err != nil || os.WriteFile(anyAddress, []byte("1"), 0) != nil {
		b.Skipf("cannot write %s", anyAddress)
	}
	b.Cleanup(func() { os.WriteFile(anyAddress, before, 0) })
	if out, err := exec.Command("ip", "-6", "route", "add", "local", network, "dev", "lo").CombinedOutput(); err != nil {
		b.Skipf("no route to %s: %s", network, out)
	}
	b.Cleanup(func() { exec.Command("ip", "-6", "route", "del", "local", network, "dev", "lo").Run() })
	s := samples{}
	r := rival{"", peers.StartTeeyard(b, `sv_player_slots 16; bindaddr ""`)}
	for range b.N {
		s.addChurn(b, r, 8, 24*time.Second, load.ChurnConfig{
			Server: transport.UDPPeer(netip.MustParseAddr("2001:db8::1"), r.Addr.Port()),
			Rate:   1500, Concurrent: 128, Until: client.Loading, Patience: 50 * time.Millisecond,
			Addr: func(k int) string { return fmt.Sprintf("2001:db8:0:%x::%x", k&0xffff, 2+k>>16) },
		})
		s.add("RSS-MB", float64(r.RSS(b))/(1<<20))
	}
	s.report(b)
}

// BenchmarkMapChange changes the map while 8 clients play: between the small dm1 and Tutorial, a
// file of 1.5 MB.
func BenchmarkMapChange(b *testing.B) {
	s := samples{}
	r := rival{"", peers.StartTeeyard(b, "sv_gametype dm; sv_player_slots 16; sv_rcon_password adminpw")}
	operator, err := client.Dial(b.Context(), r.Addr.String(), client.Config{Name: "operator", Version: client.Version07, NoMap: true})
	if err != nil {
		b.Fatal(err)
	}
	defer operator.Close()
	operator.RconLogin("adminpw")
	swarm := peers.Join(b, r.Server, load.Config{Clients: 8, Seed: 1})
	defer swarm.Stop()
	for range b.N {
		for _, m := range []string{"Tutorial", "dm1"} {
			time.Sleep(500 * time.Millisecond)
			swarm.ResetStats()
			if _, err := operator.RconRun(b.Context(), "change_map "+m); err != nil {
				b.Fatal(err)
			}
			time.Sleep(2 * time.Second)
			players := load.Total(swarm.Stats())
			if players.Err != nil || players.Snapshots < 8*40 {
				b.Fatalf("%d snapshots, %v", players.Snapshots, players.Err)
			}
			s.add(m+"-gap-ms", milliseconds(players.LongestGap))
			s.add(m+"-RSS-MB", float64(r.RSS(b))/(1<<20))
		}
	}
	s.report(b)
}

// addChurn measures a server while some players play and others join and leave.
func (s samples) addChurn(b *testing.B, r rival, players int, span time.Duration, cfg load.ChurnConfig) {
	swarm := peers.Join(b, r.Server, load.Config{Clients: players, Seed: 1})
	defer swarm.Stop()
	time.Sleep(500 * time.Millisecond)
	swarm.ResetStats()
	duration := measureTime(b, span)
	ctx, cancel := context.WithTimeout(context.Background(), duration)
	defer cancel()
	got, err := load.Churn(ctx, cfg)
	if err != nil {
		b.Fatal(err)
	}
	total := load.Total(swarm.Stats())
	survived := 0.0
	if r.Running() {
		survived = 1
	}
	s.add(r.prefix+"survived", survived)
	s.add(r.prefix+"joined/s", float64(got.Left)/duration.Seconds())
	s.add(r.prefix+"refused/s", float64(got.Refused)/duration.Seconds())
	s.add(r.prefix+"lost/s", float64(got.Lost)/duration.Seconds())
	s.add(r.prefix+"CRC-failures", float64(total.CRCFailures))
	s.add(r.prefix+"snapshots/s/player", float64(total.Snapshots)/float64(players)/duration.Seconds())
	s.add(r.prefix+"missed", float64(total.Missed))
	s.add(r.prefix+"longest-gap-ms", milliseconds(total.LongestGap))
	if r.prefix == "" && (!r.Running() || total.CRCFailures > 0 || total.Err != nil) {
		b.Errorf("running %v, players: %+v", r.Running(), total)
	}
}

// askFunc repeats one question to a server for some time and returns the number of answers.
type askFunc func(transport.Peer, time.Duration) (answers int, err error)

// BenchmarkInfo asks for server information from one address without pauses.
func BenchmarkInfo(b *testing.B) { compareAnswers(b, load.QueryInfo, load.QueryInfo) }

// BenchmarkHalfLifeInfo compares our answer to A2S_INFO with the original's server information.
func BenchmarkHalfLifeInfo(b *testing.B) { compareAnswers(b, askA2S, load.QueryInfo) }

func compareAnswers(b *testing.B, askOurs, askTheirs askFunc) {
	b.Helper()
	duration := measureTime(b, 2*time.Second)
	rivals := startRivals(b, "sv_player_slots 16")
	s := samples{}
	for range b.N {
		for i, ask := range []askFunc{askOurs, askTheirs} {
			r := rivals[i]
			before := r.CPUTime(b)
			n, err := ask(r.Addr, duration)
			if err != nil || n == 0 {
				b.Fatalf("%s: %d answers, %v", r.Name(), n, err)
			}
			s.add(r.prefix+"answers/s", float64(n)/duration.Seconds())
			s.add(r.prefix+"us-CPU/answer", float64((r.CPUTime(b)-before).Microseconds())/float64(n))
		}
		s.addRatio("rate-ratio", "answers/s", "their-answers/s")
	}
	s.report(b)
}

// askA2S requests A2S_INFO repeatedly.
func askA2S(addr transport.Peer, duration time.Duration) (answers int, err error) {
	conn, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	batch := make([]transport.Datagram, 64)
	conn.Send(addr, wire.AppendA2SRequest(nil, wire.RequestA2SPlayers, wire.NoChallenge))
	conn.Flush()
	n, err := conn.ReadBatch(batch, conn.Now()+int64(2*time.Second))
	if err != nil || n == 0 {
		return 0, fmt.Errorf("no challenge: %v", err)
	}
	challenge, err := wire.ParseA2SChallenge(batch[0].Data)
	if err != nil {
		return 0, err
	}
	request := wire.AppendA2SRequest(nil, wire.RequestA2SInfo, challenge)
	answers, last, err := load.RepeatQuery(conn, addr, request, duration)
	if err == nil {
		_, _, err = wire.ParseInfo(last)
	}
	return answers, err
}

// BenchmarkIdle measures servers without clients.
func BenchmarkIdle(b *testing.B) {
	rivals := startRivals(b, "sv_player_slots 16")
	s := samples{}
	for range b.N {
		for _, r := range rivals {
			before, start := r.CPUTime(b), time.Now()
			time.Sleep(measureTime(b, 5*time.Second))
			s.add(r.prefix+"ms-CPU/s", milliseconds(r.CPUTime(b)-before)/time.Since(start).Seconds())
			s.add(r.prefix+"RSS-MB", float64(r.RSS(b))/(1<<20))
		}
	}
	s.report(b)
}

// BenchmarkThirtyIdle measures thirty servers without clients. Each figure is the average of the
// thirty.
func BenchmarkThirtyIdle(b *testing.B) {
	const servers = 30
	program, original := peers.Program(b), peers.RequirePrograms(b, "teeworlds-server")[0]
	all := map[string][]*peers.Process{}
	for range servers {
		for prefix, args := range map[string][]string{"": {program, "serve", "sv_bots 0"}, "their-": {original, "sv_register 0"}} {
			args = append(args, "bindaddr 127.0.0.1", peers.PortSetting(peers.FreeAddr(b)))
			home := b.TempDir()
			all[prefix] = append(all[prefix], peers.Start(b, home, []string{"HOME=" + home, "XDG_DATA_HOME="}, args[0], args[1:]...))
		}
	}
	s := samples{}
	for range b.N {
		time.Sleep(measureTime(b, 20*time.Second))
		for prefix, processes := range all {
			began, used := time.Now(), time.Duration(0)
			for _, p := range processes {
				used -= p.CPUTime(b)
			}
			time.Sleep(measureTime(b, 10*time.Second))
			var sum peers.Memory
			for _, p := range processes {
				m := p.Memory(b)
				sum.RSS, sum.Private, sum.PSS, used = sum.RSS+m.RSS, sum.Private+m.Private, sum.PSS+m.PSS, used+p.CPUTime(b)
			}
			s.add(prefix+"ms-CPU/s", milliseconds(used)/servers/time.Since(began).Seconds())
			s.add(prefix+"RSS-MB", float64(sum.RSS)/servers/1e6)
			s.add(prefix+"private-MB", float64(sum.Private)/servers/1e6)
			s.add(prefix+"PSS-MB", float64(sum.PSS)/servers/1e6)
		}
	}
	s.report(b)
}

// BenchmarkDownload downloads a map of 1.5 MB over loopback. TestMapDownloadSpeed of package server
// does so over a network with a round-trip time.
func BenchmarkDownload(b *testing.B) {
	peers.RequirePrograms(b)
	home, file := b.TempDir(), bigMap(b)
	for _, dir := range []string{"maps", ".teeworlds/maps", "teeworlds/maps"} {
		peers.WriteFile(b, filepath.Join(home, dir, "big.map"), file)
	}
	rivals := []rival{{"", peers.StartTeeyardIn(b, home, "sv_map big")}, {"their-", peers.StartOriginalIn(b, home, "sv_map big")}}
	s := samples{}
	for range b.N {
		for _, r := range rivals {
			size, duration, err := load.FetchMap(r.Addr, 20*time.Second)
			if err != nil {
				b.Fatalf("%s: %v\n%s", r.Name(), err, peers.Tail(r.Output(), 1000))
			}
			s.add(r.prefix+"MB/s", float64(size)/1e6/duration.Seconds())
		}
	}
	s.report(b)
}

// bigMap returns a map file of 1.5 MB: dm1 with an image of noise.
func bigMap(b *testing.B) []byte {
	b.Helper()
	file, err := os.ReadFile(filepath.Join(peers.OriginalMaps, "dm1.map"))
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
	return file
}
