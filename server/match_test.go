package server

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestMatchOverBadNetwork plays five minutes with 16 clients over a network that loses a
// tenth, repeats a twentieth and delays by 50 to 150 ms. No client may lose track of the
// world, and every line of chat arrives once and in order.
func TestMatchOverBadNetwork(t *testing.T) {
	const (
		players = 16
		length  = 5 * time.Minute
	)
	bad := netsim.Link{Loss: 0.10, Duplicate: 0.05, Delay: 50 * time.Millisecond, Jitter: 100 * time.Millisecond}
	tn := newTestNetwork(t, bad, 42, "sv_spamprotection 0; sv_scorelimit 0; sv_inactivekick_time 0")
	for i := range players {
		tn.join(i+1, fmt.Sprintf("bot %d", i))
	}
	for _, p := range tn.players {
		tn.until(30*time.Second, "playing", func() bool { return p.State() == client.Playing })
	}
	// What was said before everybody was there is not everybody's to hear.
	tn.run(2 * time.Second)
	for _, p := range tn.players {
		clear(p.chat)
		p.moveRandomly()
		tn.net.Every(700*time.Millisecond, func(int64) {
			if p.State() == client.Playing {
				p.sayNextLine()
			}
		})
	}
	kills := 0
	tn.players[0].onMessage = func(m testclient.Message) {
		if k, ok := m.(*msg7.SvKillMsg); ok && k.Killer != k.Victim {
			kills++
		}
	}
	announced := 0
	tn.net.Every(130*time.Millisecond, func(int64) {
		announced++
		tn.srv.Execute(fmt.Sprintf("say notice %d", announced))
	})

	tn.run(length / 5)
	early := heapInUse()
	most := 0
	for range 100 {
		tn.run(length * 4 / 5 / 100)
		for _, c := range tn.srv.sessions {
			if c != nil {
				_, n := c.conn.Unacked()
				most = max(most, n)
			}
		}
	}
	late := heapInUse()
	for _, p := range tn.players {
		p.said = -1 << 30 // be quiet now, so that the last lines can arrive
	}

	if kills == 0 {
		t.Error("nobody was killed in five minutes: this was no match")
	}
	total := client.Stats{}
	for i, p := range tn.players {
		if p.State() != client.Playing {
			t.Fatalf("player %d is out: %v", i, p.Err())
		}
		s := p.Stats()
		if s.CRCFailures != 0 || s.BadDelta != 0 || s.BadMessage != 0 {
			t.Errorf("player %d lost track: %+v", i, s)
		}
		// One in ten is lost, and some of those that are left had lost a base.
		if want := int(length/time.Second) * 25 / 2; s.Snapshots < want {
			t.Errorf("player %d understood %d snapshots, want more than %d", i, s.Snapshots, want)
		}
		total.Snapshots += s.Snapshots
		total.NoBase += s.NoBase
		for author, lines := range p.chat {
			what := "line"
			if author < 0 {
				what = "notice"
			}
			n := 0
			for _, l := range lines {
				if !strings.HasPrefix(l, what+" ") || strings.HasPrefix(l, "line -") {
					continue
				}
				n++
				if want := fmt.Sprintf("%s %d", what, n); l != want {
					t.Fatalf("player %d heard %q from %d where %q was due", i, l, author, want)
				}
			}
			if want := int(length/(700*time.Millisecond)) * 9 / 10; author >= 0 && n < want || author < 0 && n < announced*9/10 {
				t.Errorf("player %d heard %d lines from %d", i, n, author)
			}
		}
		if len(p.chat) != players+1 {
			t.Errorf("player %d heard %d of %d speakers", i, len(p.chat), players+1)
		}
	}
	if grown := int64(late) - int64(early); grown > 8<<20 {
		t.Errorf("memory grew by %d bytes in four minutes", grown)
	}
	if most > resendBuffer {
		t.Errorf("%d bytes waited for acks", most)
	}
	net := tn.net.Stats()
	t.Logf("%d snapshots understood, %d without base; %d kills; %d notices; at most %d bytes unacked; heap %d -> %d KB; network %+v",
		total.Snapshots, total.NoBase, kills, announced, most, early>>10, late>>10, net)
	if net.Lost*15 < net.Sent || net.Duplicated*30 < net.Sent || net.Reordered == 0 {
		t.Errorf("the network was too good: %+v", net)
	}
}

// heapInUse returns the bytes in use after a garbage collection.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
