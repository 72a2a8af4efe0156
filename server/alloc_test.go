package server

import (
	"log/slog"
	"testing"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestPlayingAllocatesNothing checks the steady state of a full server: no tick, no
// datagram in and none out allocates, in either version.
func TestPlayingAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	for name, kinds := range map[string][2]testclient.Config{"0.7": {client07, client07}, "0.6": {client06DDNet, client065}} {
		t.Run(name, func(t *testing.T) {
			// Nobody dies, so nothing is announced.
			ts := newTestServer(t, nil, "sv_inactivekick_time 0; sv_scorelimit 0; sv_gametype mod; tune explosion_strength 0")
			ts.srv.cfg.Log = slog.New(slog.DiscardHandler)
			var clients []*testclient.Client
			for i := range 16 {
				clients = append(clients, ts.joinAs(kinds[i%2], local(1000+i), "player"))
			}
			input := func(i int) { // walk, jump, aim and hook
				tick := int(ts.srv.clock.tick)
				ts.input(clients[i], msg7.PlayerInput{
					Direction: int32((tick/20+i)%3 - 1), Jump: (tick/7+i)%3 == 0, Hook: (tick/25+i)%2 == 0,
					TargetX: int32((tick+i*37)%200 - 100), TargetY: -50, PlayerFlags: 4,
				})
			}
			tick := func() {
				for i := range clients {
					input(i)
				}
				ts.step(1)
			}
			for range 400 {
				tick()
			}
			i := 0
			if n := testing.AllocsPerRun(1000, func() {
				input(i % 16)
				if i++; i%16 == 0 {
					ts.srv.pendingCommands = ts.srv.pendingCommands[:0]
				}
			}); n != 0 {
				t.Errorf("%v allocations per input", n)
			}
			packets, snapshots := ts.sentPackets, clients[0].Snapshots
			if n := testing.AllocsPerRun(500, tick); n != 0 {
				t.Errorf("%v allocations per tick of 16 players", n)
			}
			if sent, got := ts.sentPackets-packets, clients[0].Snapshots-snapshots; sent < 16*250 || got < 200 {
				t.Errorf("%d datagrams were sent, %d snapshots received", sent, got)
			}
			for _, c := range clients {
				if s := ts.session(c); s.state != stateInGame || s.snapshots.rate != rateFull {
					t.Errorf("client %d: state %v, rate %v", s.id, s.state, s.snapshots.rate)
				}
			}
			c := clients[0]
			ping := c.Pick(&msg6.Ping{}, &msg7.Ping{})
			if n := testing.AllocsPerRun(500, func() { c.SendUnreliable(ping) }); n != 0 {
				t.Errorf("%v allocations per ping", n)
			}
			c.Token ^= 1
			if n := testing.AllocsPerRun(500, func() { c.SendUnreliable(ping) }); n != 0 {
				t.Errorf("%v allocations per forged datagram", n)
			}
		})
	}
}
