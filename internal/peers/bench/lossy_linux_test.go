//go:build peers

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/peers"
)

// BenchmarkLossyPath lets a client play over UDP, one over a WebSocket and one over two, all at
// once, for b.N minutes. A program delays packets by 50 ms each way, and loses some. A gap is a
// time between two snapshots of more than 150 ms. The age of a snapshot is its time since the
// server's tick. A snapshot is corrected if the client's own tee is not at its predicted place. It
// needs root, because it creates two network namespaces.
func BenchmarkLossyPath(b *testing.B) {
	if os.Geteuid() != 0 {
		b.Skip("needs root for network namespaces")
	}
	for _, loss := range []float64{0, 0.02, 0.05} {
		b.Run(fmt.Sprintf("%g%%", 100*loss), func(b *testing.B) {
			p := newLossyPath(b, 50*time.Millisecond, loss)
			home, addr := b.TempDir(), lossyServer+":8303"
			program := peers.Program(b)
			server := peers.Start(b, home, []string{"HOME=" + home, "XDG_DATA_HOME="}, "ip", "netns", "exec", p.server, program, "serve",
				peers.CommonSettings, "sv_bots 0; bindaddr "+lossyServer+"; sv_http "+addr)
			peers.Eventually(b, 20*time.Second, "the server listens", func() bool { return strings.Contains(server.Output(), "http://"+addr) })
			results := make([]lossyResult, len(carriers))
			var all sync.WaitGroup
			for i, c := range carriers {
				all.Go(func() {
					cmd := exec.Command("ip", "netns", "exec", p.client, os.Args[0], lossyClientArg, c.name, addr, (time.Duration(b.N) * time.Minute).String())
					cmd.Stderr = os.Stderr
					out, err := cmd.Output()
					if err == nil {
						err = json.Unmarshal(out, &results[i])
					}
					if err != nil {
						b.Errorf("%s: %v\n%s", c.name, err, peers.Tail(server.Output(), 1000))
					}
				})
			}
			all.Wait()
			for i, c := range carriers {
				r := results[i]
				b.ReportMetric(r.Gaps, c.name+"-gaps/min")
				b.ReportMetric(r.Age, c.name+"-age-p95-ms")
				b.ReportMetric(r.Corrected, c.name+"-corrected-%")
				b.ReportMetric(r.Snapshots, c.name+"-snapshots/s")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// The addresses of the two ends of a lossy path.
const lossyServer, lossyClient = "10.77.31.1", "10.77.31.2"

// lossyPath joins two network namespaces.
type lossyPath struct{ server, client string }

// newLossyPath creates the namespaces, and passes packets between them until the test ends.
func newLossyPath(b *testing.B, delay time.Duration, loss float64) lossyPath {
	p := lossyPath{fmt.Sprintf("tyA%d", os.Getpid()), fmt.Sprintf("tyB%d", os.Getpid())}
	run := func(line string) {
		if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	var ends [2]int
	for i, name := range []string{p.server, p.client} {
		fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { unix.Close(fd) })
		request, err := unix.NewIfreq(name)
		if err != nil {
			b.Fatal(err)
		}
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
			b.Fatal(err)
		}
		ends[i] = fd
		own, peer := lossyServer, lossyClient
		if i == 1 {
			own, peer = peer, own
		}
		run("ip netns add " + name)
		b.Cleanup(func() { exec.Command("ip", "netns", "del", name).Run() })
		run(fmt.Sprintf("ip link set %[1]s netns %[1]s && ip -n %[1]s link set lo up && "+
			"ip -n %[1]s addr add %[2]s peer %[3]s dev %[1]s && ip -n %[1]s link set %[1]s mtu 1500 up", name, own, peer))
	}
	go passPackets(ends[0], ends[1], delay, loss)
	go passPackets(ends[1], ends[0], delay, loss)
	return p
}

// passPackets passes packets on until from is closed.
func passPackets(from, to int, delay time.Duration, loss float64) {
	type packet struct {
		due  time.Time
		data []byte
	}
	queue := make(chan packet, 10_000)
	defer close(queue)
	go func() {
		for p := range queue {
			time.Sleep(time.Until(p.due))
			unix.Write(to, p.data)
		}
	}()
	for {
		buf := make([]byte, 2000)
		n, err := unix.Read(from, buf)
		if err != nil {
			return
		}
		if rand.Float64() >= loss {
			queue <- packet{time.Now().Add(delay), buf[:n]}
		}
	}
}

// lossyResult is the result of one client.
type lossyResult struct {
	Gaps      float64 // over 150 ms, per minute
	Age       float64 // 95th percentile, in ms
	Corrected float64 // percentage of snapshots
	Snapshots float64 // per second
}

// lossyClientArg is the first argument of the client program.
const lossyClientArg = "lossy-client"

func init() {
	if len(os.Args) == 5 && os.Args[1] == lossyClientArg {
		r, err := playLossy(os.Args[2], os.Args[3], os.Args[4])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		json.NewEncoder(os.Stdout).Encode(r)
		os.Exit(0)
	}
}

// arrived is one received snapshot.
type arrived struct {
	tick      int32
	at        time.Time
	predicted bool
	corrected bool
}

// playLossy plays over a carrier for a time.
func playLossy(carrier, address, duration string) (lossyResult, error) {
	length, err := time.ParseDuration(duration)
	if err != nil {
		return lossyResult{}, err
	}
	var mu sync.Mutex
	var got []arrived
	expected := map[int32]vec.Vec2{} // the own tee's place by tick
	own := func(c *client.Client, v *game.View) (vec.Vec2, bool) {
		self := c.Self()
		i := slices.IndexFunc(v.Characters, func(t game.CharacterState) bool { return t.Player == self })
		if i < 0 {
			return vec.Vec2{}, false
		}
		return v.Characters[i].Pos, true
	}
	dir, err := os.MkdirTemp("", "lossy")
	if err != nil {
		return lossyResult{}, err
	}
	defer os.RemoveAll(dir)
	cfg := client.Config{
		Name: carrier, Version: client.Version07, Maps: client.NewMaps(dir),
		Play: func(c *client.Client, v *game.View) game.Input {
			if pos, ok := own(c, v); ok {
				mu.Lock()
				expected[v.Tick] = pos
				mu.Unlock()
			}
			step := v.Tick / 20
			return game.Input{Direction: step%3 - 1, Jump: step%2 == 0, TargetX: 100, TargetY: -50}
		},
		OnSnapshot: func(c *client.Client, v *game.View, _ []game.Event) {
			mu.Lock()
			defer mu.Unlock()
			a := arrived{tick: v.Tick, at: time.Now()}
			if pos, ok := own(c, v); ok {
				var want vec.Vec2
				want, a.predicted = expected[v.Tick]
				a.corrected = a.predicted && want != pos
			}
			got = append(got, a)
			maps.DeleteFunc(expected, func(tick int32, _ vec.Vec2) bool { return tick <= v.Tick })
		},
	}
	for _, c := range carriers {
		if c.name == carrier && c.dialer != nil {
			cfg.Dial, address = c.dialer.Dial, "ws://"+address
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := client.Dial(ctx, address, cfg)
	if err != nil {
		return lossyResult{}, fmt.Errorf("%s: %w", carrier, err)
	}
	defer func() { c.Close(); <-c.Done() }()
	time.Sleep(5 * time.Second)
	mu.Lock()
	got = nil
	mu.Unlock()
	select {
	case <-time.After(length):
	case <-c.Done():
		return lossyResult{}, fmt.Errorf("%s: %w", carrier, c.Err())
	}
	mu.Lock()
	defer mu.Unlock()
	return summarize(got, length), nil
}

// summarize returns the result of a client. The fastest snapshot has taken 50 ms.
func summarize(got []arrived, length time.Duration) lossyResult {
	var r lossyResult
	var ages []time.Duration
	predicted, corrected := 0, 0
	for i, a := range got {
		if i > 0 && a.at.Sub(got[i-1].at) > 150*time.Millisecond {
			r.Gaps += 1 / length.Minutes()
		}
		ages = append(ages, a.at.Sub(got[0].at)-time.Duration(a.tick-got[0].tick)*time.Second/50)
		if a.predicted {
			predicted++
		}
		if a.corrected {
			corrected++
		}
	}
	slices.Sort(ages)
	if len(ages) > 0 {
		r.Age = milliseconds(ages[len(ages)*95/100] - ages[0] + 50*time.Millisecond)
	}
	r.Corrected = 100 * float64(corrected) / float64(max(predicted, 1))
	r.Snapshots = float64(len(got)) / length.Seconds()
	return r
}
