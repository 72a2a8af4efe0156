package listing_test

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/internal/listing"
	"github.com/teeyard/teeyard/transport"
)

// public returns a peer that is in no local network.
func public(n byte) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4([4]byte{198, 51, 0, n}), 27005)
}

// TestLegacyQueries checks what sv_hl_legacy_queries allows, and to which addresses.
func TestLegacyQueries(t *testing.T) {
	s := newServer(t)
	player := public(200)
	s.join("player", player.Addr())
	details := wire.AppendTextRequest(nil, wire.RequestDetails)
	for _, c := range []struct {
		line       string
		lan, world bool
	}{
		{"", true, false}, {"sv_hl_legacy_queries off", false, false}, {"sv_hl_legacy_queries on", true, true}, {"sv_hl_legacy_queries maybe", true, true},
		{"sv_hl_legacy_queries lan", true, false},
	} {
		s.run(c.line)
		if got := s.ask(transport.MustParsePeer("10.0.0.9:5000"), details); (got != nil) != c.lan {
			t.Errorf("%q: local networks get %d answers", c.line, len(got))
		}
		if got := s.ask(public(9), details); (got != nil) != c.world {
			t.Errorf("%q: the world gets %d answers", c.line, len(got))
		}
		// A player's address is proven.
		if got := s.ask(transport.UDPPeer(player.Addr(), 5999), details); got == nil {
			t.Errorf("%q: a player's address gets none", c.line)
		}
	}
	if !strings.Contains(s.log.String(), `sv_hl_legacy_queries: halflife: bad configuration: legacy policy "maybe"`) {
		t.Errorf("the log has %s", s.log.String())
	}
}

// TestAddress checks that answers to text queries have an address that can be used, or none.
func TestAddress(t *testing.T) {
	for _, c := range []struct{ listening, port, want string }{
		{"198.51.100.7:8303", "0", "198.51.100.7:8303"},
		{"198.51.100.7:8303", "9000", "198.51.100.7:9000"},
		{"[2001:db8::7]:8303", "0", "[2001:db8::7]:8303"},
		{"192.168.1.7:8303", "0", "192.168.1.7:8303"},
		{"192.168.1.7:8303", "9000", ""}, // the port of a router whose address is not known
		{"0.0.0.0:8303", "0", ""},
		{"[::]:8303", "0", ""},
		{"[::]:8303", "9000", ""},
	} {
		s := newServer(t, "sv_external_port "+c.port)
		s.addr = transport.MustParsePeer(c.listening)
		for _, kind := range []wire.RequestKind{wire.RequestInfo, wire.RequestDetails, wire.RequestInfostring} {
			answers := s.ask(transport.MustParsePeer("127.0.0.1:5000"), wire.AppendTextRequest(nil, kind))
			testenv.Require(t, len(answers) == 1, "%v: %d answers", kind, len(answers))
			b := []byte(answers[0])
			i, _, err := wire.ParseInfo(b)
			if kind == wire.RequestInfostring && bytes.Contains(b, []byte(`\address\`)) != (c.want != "") {
				t.Errorf("listening at %s, external port %s: infostring is %q", c.listening, c.port, b)
			}
			if i.Address != c.want || err != nil {
				t.Errorf("listening at %s, external port %s: %v tells %q, want %q, %v", c.listening, c.port, kind, i.Address, c.want, err)
			}
		}
	}
}

// TestHalfLifeMasters checks that sv_hl_master registers, reports changes, and takes the
// server off the lists.
func TestHalfLifeMasters(t *testing.T) {
	s := newServer(t, "sv_hl_master 198.51.0.1:27010, 198.51.0.2")
	masters := []transport.Peer{transport.UDPPeer(public(1).Addr(), 27010), transport.UDPPeer(public(2).Addr(), 27010)}
	heard := map[transport.Peer][]string{}
	s.send = func(to transport.Peer, b []byte) {
		heard[to] = append(heard[to], string(b))
		if _, ok := wire.ParseMasterChallengeRequest(b); ok {
			s.listing.Feed(s.now, public(9), wire.AppendMasterChallenge(nil, 1, 0)) // not from a master
			s.listing.Feed(s.now, to, wire.AppendMasterChallenge(nil, 77, 0))
		}
	}
	beats := func(n int) bool {
		for _, m := range masters {
			if len(heard[m]) != 2*n {
				return false
			}
		}
		return true
	}
	testenv.Eventually(t, "both are registered", func() bool { s.step(25); return beats(1) })
	h, err := wire.ParseHeartbeat([]byte(heard[masters[1]][1]))
	if err != nil || h.Challenge != 77 || h.Info.Dir != "teeworlds" || h.Info.Map != "yard" || h.Info.Max != 64 || h.Info.Version != listing.GameVersion {
		t.Errorf("%+v, %v", h, err)
	}
	if len(heard[public(9)]) != 0 {
		t.Errorf("somebody else got %q", heard[public(9)])
	}
	s.step(2 * 50)
	if !strings.Contains(s.log.String(), "[register]: on the lists of 2 Half-Life masters") {
		t.Error("nothing is said about it")
	}
	s.run("sv_max_clients 12")
	s.step(15 * 50)
	if h, _ = wire.ParseHeartbeat([]byte(heard[masters[0]][3])); !beats(2) || h.Info.Max != 12 {
		t.Errorf("of the change they heard %q", heard)
	}
	s.run("sv_hl_master 198.51.0.2:27010")
	testenv.Eventually(t, "the other one only", func() bool { s.step(25); return len(heard[masters[1]]) == 7 })
	for i, m := range masters {
		if last := []byte(heard[m][4]); !wire.IsShutdown(last) {
			t.Errorf("master %d heard %q", i, heard[m])
		}
	}
	s.listing.Withdraw()
	if last := []byte(heard[masters[1]][7]); !wire.IsShutdown(last) || len(heard[masters[0]]) != 5 {
		t.Errorf("they heard %q", heard)
	}
}
