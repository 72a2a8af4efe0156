package app

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

const (
	heldConnections = 10_000
	// holdPause is the time until a connection that has ended comes back.
	holdPause = 10 * time.Second
)

// TestManyConnections holds 10,000 connections to the HTTP listener of a server, which send nothing, half a request, or
// one and then nothing, and come back when the server ends them: whoever else asks is answered, the server's memory is
// bounded, and a player gets the snapshots. It takes half a minute of both cores, so it needs TEEYARD_FULL=1.
func TestManyConnections(t *testing.T) {
	if os.Getenv("TEEYARD_FULL") != "1" {
		t.Skip("takes half a minute; set TEEYARD_FULL=1")
	}
	const (
		length     = 20 * time.Second
		mostMemory = 128 << 10 // in kB, over that without connections
	)
	var files syscall.Rlimit
	if testenv.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)); files.Cur < heldConnections+200 {
		t.Skipf("only %d files may be open", files.Cur)
	}
	addr := "127.0.0.1:" + strconv.Itoa(testenv.Must(peers.FreePort()))
	_, port, _ := net.SplitHostPort(addr)
	server := teeyard(t, "serve", "--dir", t.TempDir(), "bindaddr 127.0.0.1", "sv_port "+port, "sv_bots 3")
	testenv.NoError(t, server.Start())
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	visitor := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func() error {
		answer, err := visitor.Get("http://" + addr + "/live.json")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != 200 {
			return fmt.Errorf("the answer is %s", answer.Status)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	}
	peers.Eventually(t, 20*time.Second, "the server answers", func() bool { return ask() == nil })

	var snapshots, first, last, widest atomic.Int32
	player, err := client.Dial(t.Context(), addr, client.Config{Name: "anna", NoMap: true, OnSnapshot: func(_ *client.Client, v *game.View, _ []game.Event) {
		if before := last.Swap(v.Frame.Tick); before != 0 {
			widest.Store(max(widest.Load(), v.Frame.Tick-before))
		}
		first.CompareAndSwap(0, v.Frame.Tick)
		snapshots.Add(1)
	}})
	testenv.NoError(t, err)
	defer player.Close()

	time.Sleep(5 * time.Second)
	alone := share(snapshots.Load(), last.Load()-first.Load())
	snapshots.Store(0)
	first.Store(0)
	widest.Store(0)
	cpuBefore := serverTime(t, server.Process.Pid)
	before := memory(t, server.Process.Pid, "VmRSS")
	holder := exec.Command(testenv.Must(os.Executable()), "-test.run=^TestHoldConnections$", "-test.v")
	holder.Env = append(os.Environ(), "TEEYARD_HOLD="+addr)
	var held bytes.Buffer
	holder.Stdout = &held
	input := testenv.Must(holder.StdinPipe())
	testenv.NoError(t, holder.Start())
	t.Cleanup(func() { holder.Process.Kill() })
	// They come from other machines, which do not take the server's time.
	testenv.NoError(t, syscall.Setpriority(syscall.PRIO_PROCESS, holder.Process.Pid, 19))
	asked, slowest := 0, time.Duration(0)
	faults := map[string]int{}
	for began := time.Now(); time.Since(began) < length; time.Sleep(50 * time.Millisecond) {
		at := time.Now()
		if err := ask(); err != nil {
			faults[err.Error()]++
		}
		asked++
		slowest = max(slowest, time.Since(at))
	}
	after := memory(t, server.Process.Pid, "VmHWM")
	used := serverTime(t, server.Process.Pid) - cpuBefore
	input.Close()
	testenv.NoError(t, holder.Wait())
	ticks := last.Load() - first.Load()
	opened := 0
	if m := regexp.MustCompile(`opened (\d+)`).FindSubmatch(held.Bytes()); m != nil {
		opened = testenv.Must(strconv.Atoi(string(m[1])))
	}
	t.Logf("%d connections were opened; the server used %.1f s of CPU time in %v and has %d MB instead of %d; %d visits, the slowest %d ms, %v failed; the player had %d %% of the snapshots, and has %d %% of those of %d ticks, at most %d ticks apart",
		opened, used.Seconds(), length, after>>10, before>>10, asked, slowest.Milliseconds(), faults, alone, share(snapshots.Load(), ticks), ticks, widest.Load())
	if opened < heldConnections {
		t.Errorf("only %d connections were opened", opened)
	}
	if after-before > mostMemory {
		t.Errorf("the server has %d kB more", after-before)
	}
	if len(faults) > 0 || asked < 20 {
		t.Errorf("%d visits, of which failed %v", asked, faults)
	}
	// The connections come from the same machine, so that the server cannot have all of it.
	if now := share(snapshots.Load(), ticks); ticks < int32(length/time.Second)*game.TickRate*8/10 || now < min(90, alone*9/10) {
		t.Errorf("the player has %d %% of the snapshots of %d ticks, and had %d %%", now, ticks, alone)
	}
}

// share returns how many percent of the snapshots, one in two ticks, there are.
func share(snapshots, ticks int32) int32 { return snapshots * 200 / max(ticks, 1) }

// TestHoldConnections is the other side of TestManyConnections, in a process of its own. It ends with its input.
func TestHoldConnections(t *testing.T) {
	addr := os.Getenv("TEEYARD_HOLD")
	if addr == "" {
		t.Skip("TestManyConnections runs it")
	}
	end := make(chan struct{})
	var opened atomic.Int64
	var all sync.WaitGroup
	for i := range heldConnections {
		all.Go(func() {
			time.Sleep(time.Duration(i) * holdPause / heldConnections)
			hold(i, addr, end, &opened)
		})
	}
	io.Copy(io.Discard, os.Stdin)
	close(end)
	all.Wait()
	fmt.Println("opened", opened.Load())
}

// hold opens one connection again and again until the end.
func hold(i int, addr string, end <-chan struct{}, opened *atomic.Int64) {
	sent := [...]string{"", "GET /live.json HTTP/1.1\r\nHost: ", "GET /live.json HTTP/1.1\r\nHost: localhost\r\n\r\n"}[i%3]
	// Addresses of their own, since one has less than 30,000 ports.
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+i%100))}, Timeout: 10 * time.Second}
	for {
		if conn, err := dialer.Dial("tcp", addr); err == nil {
			opened.Add(1)
			ended := make(chan struct{})
			go func() {
				select {
				case <-end:
				case <-ended:
				}
				conn.Close()
			}()
			io.WriteString(conn, sent)
			io.Copy(io.Discard, conn)
			close(ended)
		}
		select {
		case <-end:
			return
		case <-time.After(holdPause):
		}
	}
}

// serverTime returns the CPU time that a server has used, in all its threads.
func serverTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat := testenv.Must(os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")))
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	ticks := testenv.Must(strconv.Atoi(string(fields[11]))) + testenv.Must(strconv.Atoi(string(fields[12])))
	return time.Duration(ticks) * 10 * time.Millisecond
}

// memory returns what /proc says of a process's memory, in kB.
func memory(t *testing.T, pid int, field string) int {
	t.Helper()
	status := testenv.Must(os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status")))
	m := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Fatalf("no %s in %s", field, status)
	}
	return testenv.Must(strconv.Atoi(string(m[1])))
}
