package server

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
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
		ts.joinAs(kind, udp, "desk")
		ts.joinAs(kind, web, "browser")
		testenv.Check(t, len(ts.srv.sessionByPeer) == 2, "%d sessions", len(ts.srv.sessionByPeer))
		ts.feed(udp, nil) // any program can send such a datagram
		ts.feed(transport.Peer{AddrPort: ip(2).AddrPort, Kind: transport.WebSocket}, nil)
		ts.step(2)
		testenv.Check(t, len(ts.srv.sessionByPeer) == 2, "%d sessions after empty datagrams", len(ts.srv.sessionByPeer))
		ts.feed(web, nil)
		ts.step(2)
		testenv.Check(t, ts.srv.sessionByPeer[web] == nil && ts.srv.sessionByPeer[udp] != nil, "who has left?")
		testenv.Check(t, strings.Contains(ts.log.String(), "reason='Connection lost'"), "%s", ts.log.String())
	})
}

// A player whose page is closed can come back to the seat, as after a timeout.
func TestWebSocketTimeoutCode(t *testing.T) {
	ts := newTestServer(t, nil)
	web := transport.Peer{AddrPort: ip(1).AddrPort, Kind: transport.WebSocket}
	ts.joinWithCode(web, "browser", timeoutCode)
	ts.step(2)
	id := ts.srv.sessionByPeer[web].id
	ts.feed(web, nil)
	ts.step(2)
	testenv.Check(t, ts.srv.sessionByPeer[web] == nil && ts.srv.sessions[id] != nil && ts.srv.sessions[id].isHeld(), "the seat is not kept")
	web.AddrPort = ip(2).AddrPort
	ts.joinWithCode(web, "browser", timeoutCode)
	ts.step(2)
	testenv.Check(t, ts.srv.sessionByPeer[web] != nil && ts.srv.sessionByPeer[web].id == id, "the seat is not given back")
}

// Other protocols than the game's are for UDP.
func TestWebSocketIsForTheGame(t *testing.T) {
	ts := newTestServer(t, nil)
	query := []byte("\xff\xff\xff\xffinfostring\x00")
	for kind, want := range map[transport.Kind]int{transport.UDP: 1, transport.WebSocket: 0} {
		ts.sentPackets = 0
		ts.feed(transport.Peer{AddrPort: ip(1).AddrPort, Kind: kind}, query)
		ts.srv.transport.Flush()
		testenv.Check(t, ts.sentPackets == want, "kind %d: %d answers, want %d", kind, ts.sentPackets, want)
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
	ts.join(peer(1000, transport.UDP), "desk")
	ts.join(peer(1001, transport.WebSocket), "browser")
	third := ts.connect(peer(1002, transport.WebSocket))
	ts.step(2)
	testenv.Check(t, strings.Contains(third.Reason, "Only 2 players with the same IP"), "%q", third.Reason)
	ts.srv.Execute("ban " + ip(1).Addr().String())
	ts.step(2)
	testenv.Check(t, len(ts.srv.sessionByPeer) == 0, "%d sessions of who is banned", len(ts.srv.sessionByPeer))
}
