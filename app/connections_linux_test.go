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
	// holdPause is the time until an ended connection is opened again.
	holdPause = 10 * time.Second
)

// BenchmarkManyConnections holds 10,000 connections to a server's HTTP listener. They send nothing,
// half a request, or one request and then nothing, and reconnect when the server ends them. Other
// requests must be answered, the server's memory must stay bounded, and a player must receive
// snapshots. It occupies both cores for half a minute.
func BenchmarkManyConnections(b *testing.B) {
	const (
		length     = 20 * time.Second
		mostMemory = 128 << 10 // in kB, more than without connections
	)
	var files syscall.Rlimit
	if testenv.NoError(b, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)); files.Cur < heldConnections+200 {
		b.Skipf("only %d files may be open", files.Cur)
	}
	addr := "127.0.0.1:" + strconv.Itoa(testenv.Must(peers.FreePort()))
	_, port, _ := net.SplitHostPort(addr)
	server := teeyard(b, "serve", "--dir", b.TempDir(), "bindaddr 127.0.0.1", "sv_port "+port, "sv_bots 3")
	testenv.NoError(b, server.Start())
	b.Cleanup(func() { server.Process.Kill(); server.Wait() })
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
	peers.Eventually(b, 20*time.Second, "the server answers", func() bool { return ask() == nil })

	var snapshots, first, last, widest atomic.Int32
	player, err := client.Dial(b.Context(), addr, client.Config{Name: "anna", NoMap: true, OnSnapshot: func(_ *client.Client, v *game.View, _ []game.Event) {
		if before := last.Swap(v.Frame.Tick); before != 0 {
			widest.Store(max(widest.Load(), v.Frame.Tick-before))
		}
		first.CompareAndSwap(0, v.Frame.Tick)
		snapshots.Add(1)
	}})
	testenv.NoError(b, err)
	defer player.Close()

	time.Sleep(5 * time.Second)
	alone := share(snapshots.Load(), last.Load()-first.Load())
	snapshots.Store(0)
	first.Store(0)
	widest.Store(0)
	cpuBefore := serverTime(b, server.Process.Pid)
	before := memory(b, server.Process.Pid, "VmRSS")
	holder := exec.Command(testenv.Must(os.Executable()))
	holder.Args = []string{"holdconnections", addr}
	var held bytes.Buffer
	holder.Stdout = &held
	input := testenv.Must(holder.StdinPipe())
	testenv.NoError(b, holder.Start())
	b.Cleanup(func() { holder.Process.Kill() })
	// Real connections come from other machines and use none of the server's processor time.
	testenv.NoError(b, syscall.Setpriority(syscall.PRIO_PROCESS, holder.Process.Pid, 19))
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
	after := memory(b, server.Process.Pid, "VmHWM")
	used := serverTime(b, server.Process.Pid) - cpuBefore
	input.Close()
	testenv.NoError(b, holder.Wait())
	ticks := last.Load() - first.Load()
	opened := 0
	if m := regexp.MustCompile(`opened (\d+)`).FindSubmatch(held.Bytes()); m != nil {
		opened = testenv.Must(strconv.Atoi(string(m[1])))
	}
	b.Logf(
		"%d connections were opened; the server used %.1f s of CPU time in %v and has %d MB instead of %d; %d visits, the slowest %d ms, %v failed; "+
			"the player had %d %% of the snapshots, and has %d %% of those of %d ticks, at most %d ticks apart",
		opened,
		used.Seconds(),
		length,
		after>>10,
		before>>10,
		asked,
		slowest.Milliseconds(),
		faults,
		alone,
		share(snapshots.Load(), ticks),
		ticks,
		widest.Load(),
	)
	if opened < heldConnections {
		b.Errorf("only %d connections were opened", opened)
	}
	if after-before > mostMemory {
		b.Errorf("the server has %d kB more", after-before)
	}
	if len(faults) > 0 || asked < 20 {
		b.Errorf("%d visits, of which failed %v", asked, faults)
	}
	// The connections come from the same machine, so the server gets only part of it.
	if now := share(snapshots.Load(), ticks); ticks < int32(length/time.Second)*game.TickRate*8/10 || now < min(90, alone*9/10) {
		b.Errorf("the player has %d %% of the snapshots of %d ticks, and had %d %%", now, ticks, alone)
	}
}

// share returns the percentage of expected snapshots, which is one every two ticks.
func share(snapshots, ticks int32) int32 { return snapshots * 200 / max(ticks, 1) }

func init() { programs["holdconnections"] = holdConnections }

// holdConnections is the client program of BenchmarkManyConnections. It ends at the end of its
// input.
func holdConnections() {
	addr := os.Args[1]
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
	// Use many local addresses, since one address has fewer than 30,000 ports.
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

// serverTime returns the CPU time of all threads of a server.
func serverTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	stat := testenv.Must(os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")))
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	ticks := testenv.Must(strconv.Atoi(string(fields[11]))) + testenv.Must(strconv.Atoi(string(fields[12])))
	return time.Duration(ticks) * 10 * time.Millisecond
}

// memory returns a field of a process's memory from /proc, in kB.
func memory(t testing.TB, pid int, field string) int {
	t.Helper()
	status := testenv.Must(os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status")))
	m := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Fatalf("no %s in %s", field, status)
	}
	return testenv.Must(strconv.Atoi(string(m[1])))
}
