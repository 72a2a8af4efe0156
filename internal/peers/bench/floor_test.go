//go:build peers

package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// recording is a transport that records the time, the peer and the size of each datagram.
type recording struct {
	transport.Conn
	mu             sync.Mutex
	received, sent []recordedDatagram
}

type recordedDatagram struct {
	at   int64 // in ns; for a sent datagram, the time of the flush
	peer transport.Peer
	size int
}

func (r *recording) ReadBatch(dst []transport.Datagram, until int64) (int, error) {
	n, err := r.Conn.ReadBatch(dst, until)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range dst[:n] {
		r.received = append(r.received, recordedDatagram{d.ReceivedAt, d.Peer, len(d.Data)})
	}
	return n, err
}

func (r *recording) Send(to transport.Peer, b []byte) {
	r.mu.Lock()
	r.sent = append(r.sent, recordedDatagram{0, to, len(b)})
	r.mu.Unlock()
	r.Conn.Send(to, b)
}

func (r *recording) Flush() error {
	now := r.Now()
	r.mu.Lock()
	for i := len(r.sent) - 1; i >= 0 && r.sent[i].at == 0; i-- {
		r.sent[i].at = now
	}
	r.mu.Unlock()
	return r.Conn.Flush()
}

// traffic holds the datagrams between clients and a server. Times are in ns since the beginning.
type traffic struct {
	toServer map[transport.Peer][]recordedDatagram
	toClient []recordedDatagram
}

// recordTraffic records the traffic of clients that play on a server in this process.
func recordTraffic(b *testing.B, clients int, duration time.Duration) traffic {
	b.Helper()
	socket, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		b.Fatal(err)
	}
	rec := &recording{Conn: socket}
	s, err := server.New(server.Config{
		Transport: rec,
		Commands:  []string{peers.CommonSettings, fmt.Sprintf("sv_player_slots %d", clients)},
		Files:     os.DirFS(filepath.Dir(peers.OriginalMaps)),
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(ctx) }()
	swarm := load.Start(ctx, load.Config{Servers: []transport.Peer{socket.LocalAddr()}, Clients: clients, Seed: 1})
	if err := swarm.WaitJoined(10 * time.Second); err != nil {
		b.Fatal(err)
	}
	time.Sleep(time.Second)
	start := rec.Now()
	time.Sleep(duration)
	end := rec.Now()
	stop()
	swarm.Wait()
	<-stopped

	t := traffic{toServer: map[transport.Peer][]recordedDatagram{}}
	for _, d := range rec.received {
		if d.at >= start && d.at < end {
			d.at -= start
			t.toServer[d.peer] = append(t.toServer[d.peer], d)
		}
	}
	for _, d := range rec.sent {
		if d.at >= start && d.at < end {
			d.at -= start
			t.toClient = append(t.toClient, d)
		}
	}
	return t
}

// play makes a program send the server's datagrams while this process sends the clients' with
// package load. It returns the program's CPU time.
func (t traffic) play(b *testing.B, program string) time.Duration {
	b.Helper()
	ids := map[transport.Peer]int{}
	for p := range t.toServer {
		ids[p] = len(ids)
	}
	var rounds strings.Builder
	for _, d := range t.toClient {
		if id, ok := ids[d.peer]; ok {
			fmt.Fprintln(&rounds, d.at/1000, id, d.size)
		}
	}
	file := filepath.Join(b.TempDir(), "sends")
	peers.WriteFile(b, file, []byte(rounds.String()))
	addr := peers.FreeAddr(b)
	floor := peers.Start(b, b.TempDir(), []string{"GODEBUG=asyncpreemptoff=1"}, program, strconv.Itoa(int(addr.Port())), strconv.Itoa(len(ids)), file)
	time.Sleep(200 * time.Millisecond)
	ctx, stop := context.WithCancel(b.Context())
	var clients sync.WaitGroup
	for p, id := range ids {
		conn, err := udp.Listen(udp.Config{Addr: p.Addr().String()})
		if err != nil {
			b.Fatal(err)
		}
		sends := t.toServer[p]
		clients.Go(func() {
			defer conn.Close()
			data := make([]byte, transport.MaxDatagram)
			data[0] = byte(id)
			conn.Send(addr, data[:1])
			start := conn.Now() + int64(50*time.Millisecond)
			transport.Run(ctx, conn, func(now int64) (int64, bool) {
				for len(sends) > 0 && start+sends[0].at <= now {
					conn.Send(addr, data[:sends[0].size])
					sends = sends[1:]
				}
				if len(sends) == 0 {
					return now + int64(time.Second), true
				}
				return start + sends[0].at, true
			}, func(transport.Datagram) {})
		})
	}
	last := t.toClient[len(t.toClient)-1].at
	time.Sleep(time.Duration(last) - 100*time.Millisecond)
	used := floor.CPUTime(b)
	stop()
	clients.Wait()
	floor.Stop()
	return used
}

// BenchmarkFloor compares the CPU time of two programs: the server with 16 players, and a program
// that only receives and sends the same number of datagrams of the same sizes at the same times.
func BenchmarkFloor(b *testing.B) {
	ours := rival{"", peers.StartTeeyard(b, "sv_player_slots 16")}
	program := filepath.Join(b.TempDir(), "floor")
	if out, err := exec.Command("go", "build", "-o", program, "../floor").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	duration := measureTime(b, 6*time.Second)
	t := recordTraffic(b, 16, duration)
	s := samples{}
	for range b.N {
		s.addLoad(b, ours, load.Config{Clients: 16})
		s.add("floor-ms/tick", milliseconds(t.play(b, program))/((duration.Seconds()-0.1)*50))
		s.addRatio("to-floor", "ms/tick", "floor-ms/tick")
	}
	s.report(b)
}
