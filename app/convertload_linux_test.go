package app

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/demotest"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/recordings"
)

// TestConvertLoad checks that 8 players get 200 of 200 snapshots, and that the server and its child
// processes stay small, while four visitors keep uploading the most expensive recordings. It
// occupies both cores for two minutes.
func TestConvertLoad(t *testing.T) {
	if !testenv.Full() {
		t.Log("TEEYARD_FULL=1 runs it: it measures times")
		return
	}
	const (
		players, visitors, rounds = 8, 4, 3
		ticks                     = 200
		mostServer                = 60 << 10                         // in kB
		mostChild                 = (strangersMemory + 32<<20) >> 10 // including its code
		least                     = ticks * 9 / 10                   // other programs run on the machine as well
	)
	dir, addr := t.TempDir(), "127.0.0.1:"+strconv.Itoa(testenv.Must(peers.FreePort()))
	_, port, _ := net.SplitHostPort(addr)
	testenv.NoError(t, os.Mkdir(filepath.Join(dir, "maps"), 0o755))
	verified := filepath.Join("..", "internal", "teeverify", "testdata")
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, "maps", "collide.map"), testenv.Must(os.ReadFile(filepath.Join(verified, "collide.map"))), 0o600))
	server := teeyard(t, "serve", "bindaddr 127.0.0.1", "sv_port "+port, "sv_bots 0", "sv_high_bandwidth 1", "sv_max_clients_per_ip 16")
	server.Dir = dir
	testenv.NoError(t, server.Start())
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })

	var now, first atomic.Int32 // ticks
	var got [players]atomic.Int32
	for i := range players {
		var c *client.Client
		peers.Eventually(t, 20*time.Second, "a player joins", func() bool {
			var err error
			c, err = client.Dial(
				t.Context(),
				addr,
				client.Config{Name: fmt.Sprint("anna", i), NoMap: true, OnSnapshot: func(_ *client.Client, v *game.View, _ []game.Event) {
					now.Store(v.Frame.Tick)
					if begin := first.Load(); v.Frame.Tick >= begin && v.Frame.Tick < begin+ticks {
						got[i].Add(1)
					}
				}},
			)
			return err == nil
		})
		t.Cleanup(func() { c.Close() })
	}
	files := map[string][]byte{
		"nothing":             nil,
		"a log of 64 players": worstLog(t),
		"a teehistorian":      unzipped(t, filepath.Join(verified, "collide-8.teehistorian.gz")),
	}
	for _, k := range demotest.WorstKinds {
		files[k.String()] = demotest.WorstDemo(k, 32<<20)
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	key := testenv.Must(web.OpenKey(filepath.Join(dir, keyFile)))
	time.Sleep(2 * time.Second)
	for _, name := range names {
		stop := make(chan struct{})
		var all sync.WaitGroup
		answers := newCounts()
		for i := range visitors {
			if files[name] != nil {
				all.Go(func() {
					for visit(net.IPv4(127, 0, 2, byte(1+i)), addr, key, files[name], answers, stop) {
					}
				})
			}
		}
		child, children := 0, make(map[int]bool)
		for range rounds {
			for i := range got {
				got[i].Store(0)
			}
			first.Store(now.Load() + 5)
			for now.Load() < first.Load()+ticks+5 {
				time.Sleep(20 * time.Millisecond)
				for _, pid := range childrenOf(server.Process.Pid) {
					children[pid] = true
					child = max(child, largest(pid))
				}
			}
			var snapshots []int32
			for i := range got {
				snapshots = append(snapshots, got[i].Load())
			}
			rss := memory(t, server.Process.Pid, "VmHWM")
			t.Logf("%s: %d of %d snapshots, the server has up to %d MB, its processes up to %d MB", name, snapshots, ticks, rss>>10, child>>10)
			if slices.Min(snapshots) < least || rss > mostServer || child > mostChild {
				t.Errorf("%s: %d of %d snapshots, %d kB, %d kB", name, snapshots, ticks, rss, child)
			}
		}
		close(stop)
		all.Wait()
		t.Logf("%s: %d processes, answers %v", name, len(children), answers)
		peers.Eventually(t, 5*time.Second, "all processes have ended", func() bool { return len(childrenOf(server.Process.Pid)) == 0 })
	}
}

// counts counts occurrences of texts.
type counts struct {
	mu sync.Mutex
	n  map[string]int
}

func newCounts() *counts { return &counts{n: make(map[string]int)} }

func (c *counts) add(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[text]++
}

// String implements fmt.Stringer.
func (c *counts) String() string { return fmt.Sprint(c.n) }

// visit uploads a file, reads the answer and waits a moment. It returns false at the end.
func visit(from net.IP, addr string, key web.Key, file []byte, answers *counts, stop <-chan struct{}) bool {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
	visitor := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	r, err := http.NewRequest("POST", "http://"+addr+"/convert", bytes.NewReader(file))
	if err != nil {
		answers.add(err.Error())
		return false
	}
	key.Authorize(r) // for rooms that are closed to strangers
	res, err := visitor.Do(r)
	if err != nil {
		answers.add(err.Error())
		return false
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		n, _ := io.Copy(io.Discard, res.Body)
		answers.add(fmt.Sprintf("a demo of %d bytes", n))
	} else {
		text, _ := io.ReadAll(res.Body)
		answers.add(strings.TrimSpace(string(text)))
	}
	select {
	case <-stop:
		return false
	case <-time.After(200 * time.Millisecond):
		return true
	}
}

// worstLog returns a replay log of two minutes in which 64 players act at random in each tick.
func worstLog(t *testing.T) []byte {
	m, _ := maps.Find("testbox")
	parsed := testenv.Must(twmap.Parse(m.Data))
	rules := game.DefaultRules()
	rules.PlayerSlots = 64
	h := &replay.Header{
		Program:   "test",
		Map:       "testbox",
		MapSHA256: parsed.SHA256,
		Terrain:   testenv.Must(parsed.Terrain()),
		Rules:     rules,
		Seed:      1,
		IdleTicks: 100,
	}
	mode, _ := builtin.Modes().New("dm")
	h.SetMode("dm", mode, nil)
	w := testenv.Must(h.NewWorld(replay.VerifyConfig{Modes: builtin.Modes().New}))
	var out bytes.Buffer
	log := testenv.Must(replay.NewWriter(&out, h))
	random := rand.New(rand.NewPCG(1, 2))
	for tick := range 6000 {
		var cmds []game.Command
		for id := range game.PlayerID(game.MaxPlayers) {
			if tick == 0 {
				cmds = append(cmds, game.Command{Kind: game.CmdJoin, Player: id},
					game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: fmt.Sprint("anna", id)}},
					game.Command{Kind: game.CmdEnterGame, Player: id})
				continue
			}
			cmds = append(cmds, game.Command{Kind: game.CmdInput, Player: id, Input: game.Input{
				Direction: int32(random.IntN(3) - 1), Jump: random.IntN(2) == 0, Hook: random.IntN(4) > 0, Fire: int32(tick) & 63,
				TargetX: int32(random.IntN(601) - 300), TargetY: int32(random.IntN(601) - 300),
			}})
		}
		testenv.NoError(t, log.RecordTick(cmds))
		w.Step(cmds)
		testenv.NoError(t, log.AfterStep(w))
	}
	testenv.NoError(t, log.Close(w, replay.EndMapChange))
	return out.Bytes()
}

func unzipped(t *testing.T, name string) []byte {
	z := testenv.Must(gzip.NewReader(bytes.NewReader(testenv.Must(os.ReadFile(name)))))
	return testenv.Must(io.ReadAll(z))
}

// childrenOf returns the child processes of a process, including zombies.
func childrenOf(pid int) (all []int) {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range names {
		b, _ := os.ReadFile(name)
		for _, field := range strings.Fields(string(b)) {
			n, _ := strconv.Atoi(field)
			all = append(all, n)
		}
	}
	return all
}

// largest returns the peak memory of a process in kB, or 0 if the process is gone.
func largest(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	var n int
	fmt.Sscan(rest, &n)
	return n
}

// TestServerEndsConversions checks that a server leaves no child process behind, however it ends.
func TestServerEndsConversions(t *testing.T) {
	testenv.Long(t)
	if testenv.Race && !testenv.Full() {
		t.Skip("other processes convert, which takes long with the race detector")
	}
	t.Parallel()
	long := demotest.WorstDemo(demotest.OneChanges, 8<<20)
	for _, end := range []os.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		addr := "127.0.0.1:" + strconv.Itoa(testenv.Must(peers.FreePort()))
		_, port, _ := net.SplitHostPort(addr)
		dir := t.TempDir()
		server := teeyard(t, "serve", "--dir", dir, "bindaddr 127.0.0.1", "sv_port "+port, "sv_bots 0")
		testenv.NoError(t, server.Start())
		t.Cleanup(func() { server.Process.Kill(); server.Wait() })
		peers.Eventually(t, 20*time.Second, "the server answers", func() bool {
			res, err := http.Get("http://" + addr + "/healthz")
			if err == nil {
				res.Body.Close()
			}
			return err == nil
		})
		go visit(net.IPv4(127, 0, 0, 1), addr, web.Key{}, long, newCounts(), nil)
		var children []int
		testenv.Eventually(t, "a process is started", func() bool {
			children = childrenOf(server.Process.Pid)
			return len(children) > 0
		})
		if left, err := os.ReadDir(filepath.Join(dir, recordings.ConvertedFolder)); err != nil || len(left) != 0 {
			t.Errorf("the files of the conversion have names: %v, %v", left, err)
		}
		testenv.NoError(t, server.Process.Signal(end))
		server.Wait()
		testenv.Eventually(t, "the process ends with the server", func() bool {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", children[0]))
			return len(b) == 0 || bytes.Contains(b, []byte(") Z "))
		})
	}
}
