package server_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
)

// setMapSize makes the map's file longer. Anything can follow the map in it.
func setMapSize(s *servertest.Server, size int) []byte {
	return s.SetMapFile(func(file []byte) []byte {
		return append(file, bytes.Repeat([]byte("teeyard!"), size/8+1)[:size-len(file)]...)
	})
}

// downloadMap lets a client download the map, and returns how long that took and the bytes
// that the server sent meanwhile.
func downloadMap(t *testing.T, link servertest.Link, kind client.SessionConfig, size int) (took time.Duration, sent int) {
	t.Helper()
	tn := newTestNetwork(t, link, 7)
	file := setMapSize(tn.Server, size)
	start := tn.Net.Now()
	var p *player
	kind.OnMap = func(_ string, got []byte) {
		took, sent = time.Duration(tn.Net.Now()-start), int(tn.Net.LinkStats(servertest.Addr.Addr(), p.peer.Addr()).SentBytes)
		if sha256.Sum256(got) != sha256.Sum256(file) {
			t.Errorf("got %d bytes, want %d", len(got), len(file))
		}
	}
	p = tn.dial(1, kind)
	tn.WaitUntil(5*time.Minute, "downloaded", func() bool { return took > 0 || p.State() == client.Offline })
	if p.State() == client.Offline {
		t.Errorf("out after %v: %v", time.Duration(tn.Net.Now()), p.Err())
	}
	return took, sent
}

// TestMapDownloadSpeed checks that a map arrives at least five times as fast as from the original.
// The original sends 8 chunks per round trip.
func TestMapDownloadSpeed(t *testing.T) {
	const size, rtt = 1_500_000, 50 * time.Millisecond
	for _, kind := range []client.SessionConfig{player07, player06DDNet} {
		took, _ := downloadMap(t, servertest.Link{Delay: rtt / 2}, kind, size)
		original := time.Duration(size/(8*1384)) * rtt
		t.Logf("%s: %d bytes in %v at a round trip of %v; the original takes %v", kind.Version, size, took, rtt, original)
		if took > original/5 {
			t.Errorf("%s: the download took %v, the original takes %v", kind.Version, took, original)
		}
	}
}

// TestDownloadOverBadNetworks checks that a map arrives over networks that lose datagrams or
// deliver them late, for at most one and a half times its bytes. A datagram that is 5 ms
// late makes the client drop all that come meanwhile and after it.
func TestDownloadOverBadNetworks(t *testing.T) {
	testenv.OneGoroutine(t)
	const size = 1_400_000
	for _, network := range []struct {
		name string
		link servertest.Link
	}{
		{"5 % lost", servertest.Link{Delay: 30 * time.Millisecond, Loss: 0.05}},
		{"5 % late", servertest.Link{Delay: 30 * time.Millisecond, Late: 0.05, LateBy: 5 * time.Millisecond}},
		{"20 % late", servertest.Link{Delay: 30 * time.Millisecond, Late: 0.2, LateBy: 5 * time.Millisecond}},
		{"8 kB/s", servertest.Link{Delay: 30 * time.Millisecond, Rate: 8 << 10}},
	} {
		for _, kind := range []client.SessionConfig{player07, player06DDNet} {
			took, sent := downloadMap(t, network.link, kind, size)
			t.Logf("%s, %s: %v, %.2f times the bytes", network.name, kind.Version, took, float64(sent)/size)
			if sent > size*3/2 {
				t.Errorf("%s, %s: %d bytes sent for a map of %d", network.name, kind.Version, sent, size)
			}
		}
	}
}

// TestMapIsNotSentForEver lets clients ask for the map from its beginning again and again,
// and acknowledge everything. Each gets it a few times, all together what a tick allows, and
// others still get it.
func TestMapIsNotSentForEver(t *testing.T) {
	const size, attackers = 1 << 20, 4
	ts := newTestServer(t, nil)
	file := setMapSize(ts, size)
	var all []*testclient.Client
	for i := range attackers {
		all = append(all, ts.ConnectAs(client06DDNet, ip(i+1)).Info())
	}
	honest := ts.Connect(ip(100))
	var got []byte
	honest.OnMessage = on(func(m *msg7.MapData) { got = append(got, m.Data...) })
	honest.Info()
	inTick, total, most, ticks := map[int32]int{}, 0, 0, 0
	toClients := ts.Deliver
	ts.Deliver = func(to transport.Peer, b []byte) {
		inTick[ts.World().Tick()] += len(b)
		toClients(to, b)
	}
	for range 50 * 5 {
		for range 10 {
			for _, c := range all {
				c.RequestMap(0)
			}
		}
		honest.RequestMap(0)
		ts.Step(1)
		if len(got) < len(file) {
			ticks++
		}
	}
	for _, n := range inTick {
		total += n
		most = max(most, n)
	}
	t.Logf("%d bytes sent, at most %d in a tick; the honest client had its map after %d ticks", total, most, ticks)
	if most > server.MapBytesPerTick*11/10 {
		t.Errorf("%d bytes sent in a tick", most)
	}
	if limit := (attackers*server.MaxMapSends + 1) * size * 11 / 10; total > limit || total < limit/2 {
		t.Errorf("%d bytes sent, want at most %d", total, limit)
	}
	if !bytes.Equal(got, file) || ticks > 20 {
		t.Errorf("an honest client got %d bytes of %d in %d ticks", len(got), len(file), ticks)
	}
}

// TestResendRequestsWithoutEnd asks for a resend a hundred times a second, and acknowledges
// nothing.
func TestResendRequestsWithoutEnd(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		setMapSize(ts, 1<<20)
		p := ts.ConnectAs(kind, ip(1)).Info()
		p.Deaf = true
		p.RequestMap(0)
		ts.Step(1)
		window := ts.Bytes
		for range 50 * 9 {
			for range 2 {
				p.SendRaw(p.AppendPacket(nil, packet.FlagResend, 0, nil))
			}
			ts.Step(1)
		}
		if ts.State(p) == "" {
			t.Fatalf("closed with %q", p.Reason)
		}
		if sent := ts.Bytes - window; sent > 2*window {
			t.Errorf("%d bytes sent again, %d were on their way", sent, window)
		}
	})
}

// TestMapDownloadSpeedIsACap checks that sv_map_download_speed limits the bytes per second to a
// client, resent ones included. A good network reaches nearly the limit. Values from 8 do not slow
// a download, and a change counts at once.
func TestMapDownloadSpeedIsACap(t *testing.T) {
	testenv.Long(t)
	testenv.OneGoroutine(t)
	const size = 400_000
	good, bad := servertest.Link{Delay: 25 * time.Millisecond}, servertest.Link{Delay: 25 * time.Millisecond, Loss: 0.05}
	for _, kind := range []client.SessionConfig{player07, player06DDNet, player06} {
		for _, link := range []servertest.Link{good, bad} {
			free := time.Duration(0)
			for _, speed := range []int{8, 16, 1, 2, 4, 7} {
				tn := newTestNetwork(t, link, 7, fmt.Sprintf("sv_map_download_speed %d", speed))
				file := setMapSize(tn.Server, size)
				kind.OnMap = func(_ string, got []byte) {
					if sha256.Sum256(got) != sha256.Sum256(file) {
						t.Errorf("got %d bytes, want %d", len(got), len(file))
					}
				}
				begun := tn.Now()
				p := tn.dial(1, kind)
				sent := func() int { return int(tn.Net.LinkStats(servertest.Addr.Addr(), p.peer.Addr()).SentBytes) }
				last, most := 0, 0 // in a second
				for p.State() != client.Playing && tn.Now().Sub(begun) < time.Minute {
					tn.Wait(time.Second)
					if n := sent(); p.State() != client.Playing {
						most, last = max(most, n-last), n
					}
				}
				took := tn.Now().Sub(begun)
				limit := speed * 32 << 10
				t.Logf("%s, loss %g, speed %d: %v, %d bytes in a second at most", kind.Version, link.Loss, speed, took, most)
				if p.State() != client.Playing {
					t.Fatalf("not in after %v: %v", took, p.Err())
				}
				switch {
				case speed == 8:
					free = took
				case speed > 8:
					if link.Loss == 0 && took > free {
						t.Errorf("%v with a speed of 16, %v with 8", took, free)
					}
				case most > limit*21/20:
					t.Errorf("%d bytes in a second, want %d at most", most, limit)
				case link.Loss == 0 && took > 2*time.Second+time.Duration(size)*time.Second*11/10/time.Duration(limit):
					t.Errorf("the download took %v", took)
				}
			}
		}
	}

	tn := newTestNetwork(t, good, 7, "sv_map_download_speed 1")
	setMapSize(tn.Server, 2_000_000)
	p := tn.dial(1, player07)
	tn.Wait(5 * time.Second)
	if p.State() == client.Playing {
		t.Fatal("in at once")
	}
	tn.Execute("sv_map_download_speed 8")
	tn.WaitUntil(3*time.Second, "playing after the limit was taken away", func() bool { return p.State() == client.Playing })
}
