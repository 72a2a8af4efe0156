package server

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// BenchmarkConnectFlood joins and leaves over real UDP on loopback, 2,000 times a
// second, while 16 clients play in the same process. It reports how many of the
// snapshots due to the players did not come, and of the joins were not admitted.
func BenchmarkConnectFlood(b *testing.B) {
	net1, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		b.Fatal(err)
	}
	srv, err := New(Config{Transport: net1, Seed: 1, Commands: []string{labConfig, "sv_inactivekick_time 0"}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}()
	addr := net.UDPAddrFromAddrPort(netip.AddrPort(srv.Addr()))

	// The players, each with a socket, in one goroutine.
	const players = 16
	quit := make(chan struct{})
	type result struct{ got, due, bad, playing int }
	results := make(chan result, 1)
	started := make(chan struct{})
	go func() {
		var cs [players]*client.Session
		var socks [players]*udp.Conn
		var first, last [players]int32
		for i := range cs {
			socks[i], _ = udp.Listen(udp.Config{Addr: "127.0.0.1"})
			cs[i], _ = client.NewSession(client.SessionConfig{Name: "player", Send: func(d []byte) { socks[i].Send(srv.Addr(), d) }})
			cs[i].Dial(conn.Time(socks[i].Now()))
		}
		batch := make([]transport.Datagram, 16)
		base := [players]client.Stats{}
		measuring := false
		begin := time.Now()
		for {
			select {
			case <-quit:
				var r result
				for i, c := range cs {
					s := c.Stats()
					if c.State() == client.Playing {
						r.playing++
					}
					r.got += s.Snapshots - base[i].Snapshots
					r.due += int(last[i]-first[i]) / 2
					r.bad += s.CRCFailures + s.BadDelta + s.NoBase - base[i].CRCFailures - base[i].BadDelta - base[i].NoBase
					c.Close(conn.Time(socks[i].Now()))
					socks[i].Flush()
					socks[i].Close()
				}
				results <- r
				return
			default:
			}
			for i, c := range cs {
				n, _ := socks[i].ReadBatch(batch, 0)
				for _, d := range batch[:n] {
					c.Feed(conn.Time(d.At), d.B)
				}
				c.Step(conn.Time(socks[i].Now()))
				socks[i].Flush()
				_, last[i] = c.Newest()
			}
			if !measuring && time.Since(begin) > time.Second {
				measuring = true
				for i, c := range cs {
					base[i], first[i] = c.Stats(), last[i]
				}
				close(started)
			}
			time.Sleep(2 * time.Millisecond)
		}
	}()
	<-started

	admitted := 0
	buf := make([]byte, 2048)
	join := func() {
		flood, err := net.DialUDP("udp", nil, addr)
		if err != nil {
			b.Fatal(err)
		}
		defer flood.Close()
		token := packet.NoToken
		own := packet.Token(9)
		out := packet.AppendTokenRequest(nil, own)
		for range 3 {
			flood.Write(out)
			flood.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			for {
				n, err := flood.Read(buf)
				if err != nil {
					return
				}
				var p packet.Packet
				var scratch packet.Scratch
				if p.Parse(buf[:n], &scratch) != nil || p.Flags&packet.FlagControl == 0 {
					continue
				}
				switch p.ControlID() {
				case packet.ControlToken:
					token = p.ResponseToken
					out = packet.AppendConnect(nil, token, own)
				case packet.ControlAccept:
					admitted++
					q := puppet{token: token}
					flood.Write(q.packet(0, true, &msg7.Info{NetVersion: []byte(msg7.NetVersion)}, &msg7.Ready{}, &msg7.ClStartInfo{Name: []byte("flood")}, &msg7.EnterGame{}))
					flood.Write(append(packet.AppendControl(nil, 0, token, packet.ControlClose), 0))
					return
				default:
					continue
				}
				break
			}
		}
	}
	const perSec = 2000
	begin := time.Now()
	n := 0
	for b.Loop() {
		join()
		n++
		if wait := time.Duration(n)*time.Second/perSec - time.Since(begin); wait > 0 {
			time.Sleep(wait)
		}
	}
	took := time.Since(begin)
	close(quit)
	r := <-results
	b.ReportMetric(float64(n)/took.Seconds(), "joins/s")
	b.ReportMetric(float64(n-admitted), "refused")
	b.ReportMetric(float64(r.due-r.got), "snapshots-missed")
	b.ReportMetric(float64(r.bad), "snapshots-bad")
	if r.playing != players {
		b.Errorf("%d of %d players are left", r.playing, players)
	}
}
