//go:build peers

package fleet

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// relay connects two addresses over TCP. While it is cut, it passes on nothing, and the connections
// stay open, as with a pulled cable.
type relay struct {
	mu    sync.Mutex
	whole *sync.Cond
	cut   bool
}

// startRelay starts a relay to an address and returns its own.
func startRelay(t *testing.T, to string) (*relay, string) {
	t.Helper()
	r := &relay{}
	r.whole = sync.NewCond(&r.mu)
	l := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() {
		l.Close()
		r.set(false)
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c, to)
		}
	}()
	return r, l.Addr().String()
}

func (r *relay) set(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = cut
	r.whole.Broadcast()
}

// serve passes on what both sides send. TCP would repeat what the cut keeps back, so it arrives
// later, unless a side gives up before.
func (r *relay) serve(c net.Conn, to string) {
	defer c.Close()
	r.pass()
	d, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer d.Close()
	var ways sync.WaitGroup
	for _, way := range [][2]net.Conn{{c, d}, {d, c}} {
		ways.Go(func() {
			defer way[1].Close()
			b := make([]byte, 32<<10)
			for {
				n, err := way[0].Read(b)
				r.pass()
				if _, failed := way[1].Write(b[:n]); err != nil || failed != nil {
					return
				}
			}
		})
	}
	ways.Wait()
}

// pass waits while the relay is cut.
func (r *relay) pass() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.cut {
		r.whole.Wait()
	}
}

// decider is a server whose bans a test changes and reads.
type decider interface {
	add(b bans.Ban)
	remove(b bans.Ban)
	banned() []string // sorted targets with reasons
}

func (m *member) add(b bans.Ban)    { m.Add(b) }
func (m *member) remove(b bans.Ban) { m.Remove(b) }

func (m *member) banned() []string { return targets(m.List) }

// targets returns the targets and reasons of a list.
func targets(l *bans.List) (all []string) {
	for _, b := range l.All() {
		all = append(all, b.Target()+" "+b.Reason)
	}
	slices.Sort(all)
	return all
}

// divide changes bans on both sides of a partition, so that each side bans and unbans addresses
// about which the other side decides otherwise. After the partition, the last decision about each
// address counts everywhere.
func divide(t *testing.T, sides [2][]decider, cut func(bool), span time.Duration) {
	t.Helper()
	const addresses = 40
	r := rand.New(rand.NewPCG(3, 4))
	all := slices.Concat(sides[0], sides[1])
	text := func(k int, reason string) string { return address(k).Target() + " " + reason }
	var want [addresses]string // "" if the address is not banned
	awaitEqual := func(what string) {
		t.Helper()
		list := slices.DeleteFunc(slices.Clone(want[:]), func(s string) bool { return s == "" })
		slices.Sort(list)
		begun := time.Now()
		ok := peers.Within(2*patience, func() bool {
			return !slices.ContainsFunc(all, func(d decider) bool { return !slices.Equal(d.banned(), list) })
		})
		for i, d := range all {
			testenv.Check(t, ok || slices.Equal(d.banned(), list), "%s: server %d has %q, want %q", what, i, d.banned(), list)
		}
		t.Logf("%s: %d bans are equal on %d servers after %v", what, len(list), len(all), time.Since(begun).Round(time.Millisecond))
	}
	ban := func(d decider, k int, reason string) {
		b := address(k)
		b.Reason, b.Duration = reason, time.Hour
		d.add(b)
		want[k] = text(k, reason)
	}
	for k := range addresses / 2 {
		ban(all[k%len(all)], k, fmt.Sprint("before ", k))
	}
	awaitEqual("before the partition")

	cut(true)
	var has [2][addresses]string // as the sides see it
	has[0], has[1] = want, want
	decisions := 0
	for end := time.Now().Add(span); time.Now().Before(end); decisions++ {
		k, side := r.IntN(addresses), r.IntN(2)
		// Cut off from NATS, the servers of a side hear nothing of each other, either.
		d := sides[side][k%len(sides[side])]
		if has[side][k] != "" {
			d.remove(address(k))
			want[k] = ""
		} else {
			ban(d, k, fmt.Sprint("decision ", decisions))
		}
		has[side][k] = want[k]
		time.Sleep(span / 300) // stamps have milliseconds
	}
	for k := range addresses { // the sides differ in any case
		if k%2 == 0 && has[0][k] == "" {
			ban(sides[0][k%len(sides[0])], k, "last")
			has[0][k] = want[k]
		}
	}
	differ := 0
	for k := range addresses {
		if has[0][k] != has[1][k] {
			differ++
		}
	}
	t.Logf("%d decisions within %v; the sides differ about %d of %d addresses", decisions, span, differ, addresses)
	testenv.Check(t, differ > addresses/4, "the sides differ about %d addresses", differ)
	testenv.Check(t, !slices.Equal(sides[0][0].banned(), sides[1][0].banned()), "the sides are not divided")
	cut(false)
	awaitEqual("after the partition")
}

// TestPartition cuts off half of a fleet from NATS while both halves change bans.
func TestPartition(t *testing.T) {
	t.Run("relay", func(t *testing.T) {
		n := peers.NewNATS(t, "")
		n.Start()
		r, addr := startRelay(t, n.Addr())
		dir := t.TempDir()
		var sides [2][]decider
		for i := range 6 {
			file := filepath.Join(dir, fmt.Sprint(i), "bans.json")
			peers.WriteFile(t, file, nil)
			url := []string{n.URL(), "nats://" + addr}[i%2]
			sides[i%2] = append(sides[i%2], startMemberAt(t, url, fmt.Sprint("server", i), file))
		}
		divide(t, sides, r.set, 3*time.Second)
	})
	if testenv.Full() {
		t.Run("namespaces", partitionNamespaces)
	}
}

// process is a real server, whose console is a named pipe.
type process struct {
	t   *testing.T
	dir string
}

func (p *process) line(text string) {
	f, err := os.OpenFile(filepath.Join(p.dir, "console"), os.O_WRONLY, 0)
	testenv.NoError(p.t, err)
	_, err = io.WriteString(f, text+"\n")
	testenv.NoError(p.t, err)
	testenv.NoError(p.t, f.Close())
}

func (p *process) add(b bans.Ban) {
	p.line(fmt.Sprintf("ban %s %g %s", b.Target(), b.Duration.Minutes(), b.Reason))
	p.await(b.Target()+" "+b.Reason, true)
}

func (p *process) remove(b bans.Ban) {
	p.line("unban " + b.Target())
	p.await(b.Target()+" ", false)
}

// await waits until a line that begins with a text is in the file, or is not.
func (p *process) await(text string, want bool) {
	peers.Eventually(p.t, patience, fmt.Sprintf("%q: %v", text, want), func() bool {
		return slices.ContainsFunc(p.banned(), func(s string) bool { return strings.HasPrefix(s, text) }) == want
	})
}

func (p *process) banned() []string {
	l, err := bans.Open(filepath.Join(p.dir, "bans.json"), nil)
	testenv.NoError(p.t, err)
	defer l.Close()
	return targets(l)
}

// partitionNamespaces runs real servers, half of them in a network namespace of their own. For a
// minute, the cable between the two is cut.
func partitionNamespaces(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	program := peers.FleetProgram(t)
	const space, outer, inner, prefix = "teeyardpart", "typart0", "typart1", "198.18.77."
	ip := func(args string) error {
		out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", args, err, out)
		}
		return nil
	}
	t.Cleanup(func() {
		ip("link delete " + outer)
		ip("netns delete " + space)
	})
	for _, args := range []string{
		"netns add " + space,
		"link add " + outer + " type veth peer name " + inner + " netns " + space,
		"address add " + prefix + "1/24 dev " + outer,
		"link set " + outer + " up",
		"-n " + space + " address add " + prefix + "2/24 dev " + inner,
		"-n " + space + " link set " + inner + " up",
		"-n " + space + " link set lo up",
	} {
		testenv.NoError(t, ip(args))
	}
	n := peers.NewNATS(t, "")
	_, port, _ := strings.Cut(n.Addr(), ":")
	n.Configure(fmt.Sprintf("listen: %q", "0.0.0.0:"+port))
	n.Start()
	var sides [2][]decider
	for i := range 6 {
		home := t.TempDir()
		command := []string{program, "serve", peers.CommonSettings, "sv_bots 0; sv_replay 0; sv_port 0; sv_http 0; bindaddr 127.0.0.1; sv_input_fifo console",
			fmt.Sprintf("sv_fleet test; sv_fleet_id s%d", i)}
		if i%2 == 0 {
			command = append(command, "sv_nats "+n.URL())
		} else {
			command = append([]string{"ip", "netns", "exec", space}, append(command, "sv_nats nats://"+prefix+"1:"+port)...)
		}
		path := testenv.Must(exec.LookPath(command[0]))
		s := peers.Start(t, home, []string{"HOME=" + home, "XDG_DATA_HOME="}, path, command[1:]...)
		peers.Eventually(t, patience, "a server is in the fleet", func() bool { return strings.Contains(s.Output(), "entries about bans") })
		sides[i%2] = append(sides[i%2], &process{t, home})
	}
	divide(t, sides, func(cut bool) {
		state := "up"
		if cut {
			state = "down"
		}
		testenv.NoError(t, ip("link set "+outer+" "+state))
	}, time.Minute)
}
