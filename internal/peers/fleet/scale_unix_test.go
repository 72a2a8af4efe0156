//go:build peers && unix

package fleet

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	fleetbans "github.com/teeyard/teeyard/fleet/bans"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

var localhost = netip.AddrFrom4([4]byte{127, 0, 0, 1})

var usingPort = regexp.MustCompile(`using port (\d+)`)

// startMany starts servers of the fleet "test" with the names s0, s1 and so on, in empty folders.
// Each has a port of the system's choice. It waits until all of them run.
func startMany(t *testing.T, n *peers.NATS, count int, address netip.Addr, settings string) []*peers.Server {
	t.Helper()
	peers.RequirePrograms(t)
	program := peers.FleetProgram(t)
	all := make([]*peers.Server, count)
	for i := range all {
		home := t.TempDir()
		env := []string{"HOME=" + home, "XDG_DATA_HOME="}
		p := peers.Start(t, home, env, program, "serve", peers.CommonSettings, "sv_bots 0; sv_replay 0; sv_port 0",
			fmt.Sprintf("sv_nats %s; sv_fleet test; sv_fleet_id s%d; bindaddr %s", n.URL(), i, address), settings)
		all[i] = &peers.Server{Process: p}
	}
	for _, s := range all {
		peers.Eventually(t, 3*patience, "a server runs", func() bool { return usingPort.MatchString(s.Output()) })
		port := testenv.Must(strconv.ParseUint(usingPort.FindStringSubmatch(s.Output())[1], 10, 16))
		s.Addr = transport.UDPPeer(address, uint16(port))
	}
	return all
}

// ownAddress returns an address of this machine that can be banned, unlike localhost. Clients on
// this machine that connect to it have it, too.
func ownAddress(t *testing.T) netip.Addr {
	t.Helper()
	for _, a := range testenv.Must(net.InterfaceAddrs()) {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() && !p.Addr().IsLoopback() {
			return p.Addr()
		}
	}
	t.Fatal("this machine has no IPv4 address besides localhost")
	return netip.Addr{}
}

var knownBans = regexp.MustCompile(`the fleet has (\d+) entries about bans`)

// awaitBans waits until all servers have read the bans of the fleet.
func awaitBans(t *testing.T, servers []*peers.Server, want int) {
	t.Helper()
	for _, s := range servers {
		peers.Eventually(t, 3*patience, "a server has the bans of the fleet", func() bool { return knownBans.MatchString(s.Output()) })
		got := knownBans.FindStringSubmatch(s.Output())[1]
		testenv.Check(t, got == fmt.Sprint(want), "a server starts with %s of %d bans", got, want)
	}
}

// TestBanThrowsOut bans an address on one server of a fleet. Clients of that address are thrown out
// of all others, among them a 0.7.5 client and a DDNet client, and cannot come back. The log has
// the times.
func TestBanThrowsOut(t *testing.T) {
	servers := 4
	if testenv.Full() {
		servers = 100
	}
	n := peers.NewNATS(t, "")
	n.Start()
	address := ownAddress(t)
	all := startMany(t, n, servers, address, "sv_http 0")
	awaitBans(t, all, 0)
	dial := func(s *peers.Server) (*client.Client, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		c, err := client.Dial(ctx, s.Addr.String(), client.Config{Name: "guest", NoMap: true, LocalAddr: address.String()})
		if err == nil {
			t.Cleanup(c.Close)
			go func() {
				for range c.Events(t.Context()) {
				}
			}()
		}
		return c, err
	}
	of7, ofDDNet := all[servers-2], all[servers-1]
	teeworlds := peers.NewDisplay(t).StartTeeworlds(of7.Addr.String(), "yardy")
	ddnet := peers.NewDisplay(t).StartDDNet(ofDDNet.Addr.String(), "dana")
	retries := 0
	peers.Eventually(t, 2*patience, "the real clients play", func() bool {
		retries = teeworlds.RetryConnect(retries)
		return strings.Contains(of7.Output(), ":yardy' team=") && strings.Contains(ofDDNet.Output(), ":dana' team=")
	})
	others := all[1:]
	guests := make([]*client.Client, servers)
	for i, s := range all {
		guests[i] = testenv.Must(dial(s))
	}

	o := connect(t, n, "alice")
	ended := make([]time.Time, servers)
	var out sync.WaitGroup
	for i, c := range guests {
		out.Go(func() {
			select {
			case <-c.Done():
				ended[i] = time.Now()
			case <-time.After(patience):
				t.Errorf("server %d does not throw its client out", i)
			}
		})
	}
	answers, _ := run(t, o, "admin", "s0", fmt.Sprintf("ban %s 60 spam", address))
	testenv.Check(t, len(answers) == 1 && answers["s0"].Failed == "", "%+v", answers["s0"])
	out.Wait()
	times := make([]time.Duration, len(others))
	for i := range times {
		times[i] = ended[i+1].Sub(ended[0])
	}
	slices.Sort(times)
	t.Logf("from the ban on one server to its effect on %d others: p50 %v, p99 %v, longest %v", len(times),
		times[len(times)/2].Round(time.Millisecond), times[len(times)*99/100].Round(time.Millisecond), times[len(times)-1].Round(time.Millisecond))
	for _, c := range guests {
		testenv.Check(t, c.Err() != nil && strings.Contains(c.Err().Error(), "spam"), "a client was thrown out: %v", c.Err())
	}
	dropped := regexp.MustCompile(`client dropped\. cid=\d+ addr=\S+ reason='[^']*spam`)
	peers.Eventually(t, patience, "the real clients are thrown out", func() bool {
		return len(dropped.FindAllString(of7.Output(), -1)) == 2 && len(dropped.FindAllString(ofDDNet.Output(), -1)) == 2 &&
			strings.Contains(teeworlds.Output(), "spam") && strings.Contains(ddnet.Output(), "spam")
	})
	for i, s := range others {
		out.Go(func() { // a server rarely answers a banned address
			_, err := dial(s)
			testenv.Check(t, err != nil, "server %d lets a banned client in", i+1)
		})
	}
	out.Wait()
}

// TestManyBans starts many servers in empty folders, and then nats-server. The servers have all
// bans of the fleet from the snapshot, while some of them have a player. The log has the times.
func TestManyBans(t *testing.T) {
	servers, banned, players := 5, 1000, 2
	if testenv.Full() {
		servers, banned, players = 200, 10_000, 20
	}
	n := peers.NewNATS(t, "")
	n.Start()
	o := connect(t, n, "alice")
	set, _, err := o.Bans()
	testenv.NoError(t, err)
	for k := range banned {
		b := address(k)
		b.Reason = fmt.Sprint("ban ", k)
		e, err := o.Put(fleetbans.Entry{Ban: b}, set)
		testenv.NoError(t, err)
		set.Put(e, time.Now())
	}
	kept, _, err := o.Snapshot()
	testenv.Check(t, err == nil && kept == banned, "%d %v", kept, err)
	o.Close()
	n.Kill()
	all := startMany(t, n, servers, localhost, "sv_http 127.0.0.1; sv_http_metrics 127.0.0.1")
	for _, s := range all[:players] {
		defer peers.Join(t, s, load.Config{Clients: 1}).Stop()
	}
	before := all[0].CPUTime(t)
	n.Start()
	begun := time.Now()
	awaitBans(t, all, banned)
	took := time.Since(begun)
	used := all[0].CPUTime(t) - before
	t.Logf("%d servers have %d bans %v after the start of NATS; the first one used %v of CPU time meanwhile",
		servers, banned, took.Round(time.Millisecond), used)
	ticks, long, busy := 0, 0, 0
	for _, s := range all[:players] {
		var clock, cpu tickCount
		peers.Eventually(t, patience, "the metrics of a server have its ticks", func() bool {
			clock, cpu = tickCounts(t, s)
			return cpu.all > 0
		})
		ticks += clock.all
		long += clock.long
		busy += cpu.long
	}
	t.Logf("of %d ticks of the servers with players, %d took more than 20 ms of the clock, and %d more than 20 ms of processor time", ticks, long, busy)
}

// tickCount counts ticks, and those that took more than 20 ms.
type tickCount struct{ all, long int }

// tickCounts returns the ticks of a server by the clock and by their processor time.
func tickCounts(t *testing.T, s *peers.Server) (clock, cpu tickCount) {
	t.Helper()
	r, err := http.Get("http://" + s.Addr.String() + "/metrics")
	testenv.NoError(t, err)
	defer r.Body.Close()
	text := string(testenv.Must(io.ReadAll(r.Body)))
	count := func(name string) int {
		_, rest, _ := strings.Cut(text, "\n"+name+" ")
		value, _, _ := strings.Cut(rest, "\n")
		n, _ := strconv.Atoi(value) // 0 before the first ticks
		return n
	}
	read := func(name string) tickCount {
		all := count(name + "_count")
		return tickCount{all, all - count(name+`_bucket{le="0.02"}`)}
	}
	return read("teeyard_tick_seconds"), read("teeyard_tick_cpu_seconds")
}

// TestPlayWithoutNATS stops nats-server while players are on a server. They get all snapshots, as
// before, and the server needs no more memory. The log compares the gaps between snapshots.
func TestPlayWithoutNATS(t *testing.T) {
	players, windows, window := 8, 3, time.Second
	if testenv.Full() {
		players, windows, window = 64, 20, 15*time.Second
	}
	n := peers.NewNATS(t, "")
	n.Start()
	s := startServer(t, n, "a", "")
	o := connect(t, n, "alice")
	await(t, o, "a")
	o.Close()
	swarm := peers.Join(t, s, load.Config{Clients: players, Seed: 1})
	defer swarm.Stop()
	// The longest gap grows with the time, so gaps are the longest ones of each player in windows
	// of one length.
	measure := func(windows int) (perSecond float64, gaps []time.Duration, rss int) {
		begun, snapshots := time.Now(), 0
		for range windows {
			swarm.ResetStats()
			time.Sleep(window)
			all := swarm.Stats()
			total := load.Total(all)
			testenv.NoError(t, total.Err)
			snapshots += total.Snapshots
			for _, c := range all {
				gaps = append(gaps, c.LongestGap)
			}
		}
		slices.Sort(gaps)
		return float64(snapshots) / float64(players) / time.Since(begun).Seconds(), gaps, s.RSS(t)
	}
	before, gapsBefore, rssBefore := measure((windows + 1) / 2)
	testenv.NoError(t, n.Signal(syscall.SIGSTOP))
	during, gaps, rss := measure(windows)
	testenv.NoError(t, n.Signal(syscall.SIGCONT))
	after, gapsAfter, _ := measure((windows + 1) / 2)
	t.Logf("%d players, windows of %v: snapshots/s %.2f, %.2f without NATS for %v, then %.2f; RSS %d, then %d kB", players, window,
		before, during, time.Duration(windows)*window, after, rssBefore>>10, rss>>10)
	for _, g := range []struct {
		when string
		gaps []time.Duration
	}{{"with NATS", gapsBefore}, {"without", gaps}, {"with it again", gapsAfter}} {
		at := func(part float64) time.Duration {
			return g.gaps[int(part*float64(len(g.gaps)-1))].Round(100 * time.Microsecond)
		}
		t.Logf("longest gap of a player in a window, %s: half %v, 99 %% %v, all %v", g.when, at(0.5), at(0.99), at(1))
	}
	testenv.Check(t, during > 0.9*before, "%.2f snapshots/s without NATS, and %.2f with it", during, before)
	testenv.Check(t, rss < rssBefore+16<<20, "the memory has grown from %d to %d bytes", rssBefore, rss)
	await(t, connect(t, n, "bob"), "a")
}
