package server_test

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

// A peer over WebSocket is another than one over UDP with the same address and port, and its player
// leaves when the connection ends.
func TestWebSocketPeers(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		udp := ip(1)
		web := udp
		web.Kind = transport.WebSocket
		desk := ts.EnterAs(kind, udp, "desk")
		browser := ts.EnterAs(kind, web, "browser")
		testenv.Check(t, len(ts.Clients(nil)) == 2, "%d sessions", len(ts.Clients(nil)))
		ts.Receive(udp, nil) // any program can send such a datagram
		ts.Receive(transport.Peer{AddrPort: ip(2).AddrPort, Kind: transport.WebSocket}, nil)
		ts.Step(2)
		testenv.Check(t, len(ts.Clients(nil)) == 2, "%d sessions after empty datagrams", len(ts.Clients(nil)))
		ts.Receive(web, nil)
		ts.Step(2)
		testenv.Check(t, ts.State(browser) == "" && ts.State(desk) != "", "who has left?")
		testenv.Check(t, strings.Contains(ts.Log.String(), "reason='Connection lost'"), "%s", ts.Log.String())
	})
}

// A player whose page is closed can come back to the seat, as after a timeout.
func TestWebSocketTimeoutCode(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		web := transport.Peer{AddrPort: ip(1).AddrPort, Kind: transport.WebSocket}
		enter := func() *testclient.Client {
			c := ts.EnterAs(kind, web, "browser")
			c.Send(c.Pick(&msg6.ClSay{Message: []byte("/timeout " + timeoutCode)}, &msg7.ClCommand{Name: []byte("timeout"), Arguments: []byte(timeoutCode)}))
			ts.Step(2)
			return c
		}
		before := enter()
		id := ts.ID(before)
		ts.Receive(web, nil)
		ts.Step(2)
		testenv.Check(t, ts.State(before) == "" && len(clients(ts, server.ClientTimedOut)) == 1, "the seat is not kept")
		web.AddrPort = ip(2).AddrPort
		after := enter()
		testenv.Check(t, ts.ID(after) == id, "the seat is not given back")
	})
}

// Other protocols than the game's are for UDP.
func TestWebSocketIsForTheGame(t *testing.T) {
	ts := newTestServer(t, nil)
	query := []byte("\xff\xff\xff\xffinfostring\x00")
	for kind, want := range map[transport.Kind]int{transport.UDP: 1, transport.WebSocket: 0} {
		ts.Packets = 0
		ts.Receive(transport.Peer{AddrPort: ip(1).AddrPort, Kind: kind}, query)
		ts.Step(1)
		testenv.Check(t, ts.Packets == want, "kind %d: %d answers, want %d", kind, ts.Packets, want)
	}
}

// Limits of a person count both kinds of peers together.
func TestWebSocketLimits(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients_per_ip 2")
	peer := func(port uint16, kind transport.Kind) transport.Peer {
		p := transport.UDPPeer(ip(1).Addr(), port)
		p.Kind = kind
		return p
	}
	ts.Enter(peer(1000, transport.UDP), "desk")
	ts.Enter(peer(1001, transport.WebSocket), "browser")
	third := ts.Connect(peer(1002, transport.WebSocket))
	ts.Step(2)
	testenv.Check(t, strings.Contains(third.Reason, "Only 2 players with the same IP"), "%q", third.Reason)
	ts.Execute("ban " + ip(1).Addr().String())
	ts.Step(2)
	testenv.Check(t, len(ts.Clients(nil)) == 0, "%d sessions of who is banned", len(ts.Clients(nil)))
}
