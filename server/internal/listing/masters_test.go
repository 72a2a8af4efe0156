package listing_test

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master/mastertest"
	"github.com/teeyard/teeyard/transport"
)

// TestRegistersNowhereByDefault checks that the default of sv_register is off.
func TestRegistersNowhereByDefault(t *testing.T) {
	s := newServer(t)
	defer s.listing.Close()
	s.run("sv_register_url http://127.0.0.1:1/; sv_register_udp 127.0.0.1; sv_external_port 5")
	s.step(200)
	if _, ok := s.listing.Registered(); ok || s.sent != 0 {
		t.Errorf("registers: %v; %d packets", ok, s.sent)
	}
}

// TestRegistrationFollowsItsSettings changes the settings of a registered server.
func TestRegistrationFollowsItsSettings(t *testing.T) {
	before := runtime.NumGoroutine()
	s := newServer(t)
	var masters [2]*mastertest.UDP
	at := [2]transport.Peer{transport.MustParsePeer("127.0.0.1:8300"), transport.MustParsePeer("127.0.0.2:8300")}
	type datagram struct {
		from, to transport.Peer
		b        []byte
	}
	var flying []datagram
	for i := range masters {
		send := func(to transport.Peer, b []byte) { flying = append(flying, datagram{at[i], to, bytes.Clone(b)}) }
		masters[i] = &mastertest.UDP{Send: send, Probe: send}
	}
	server := s.LocalAddr()
	s.send = func(to transport.Peer, b []byte) { flying = append(flying, datagram{server, to, bytes.Clone(b)}) }
	probed := map[transport.Peer]bool{}
	run := func() {
		s.step(5)
		for len(flying) > 0 {
			d := flying[0]
			flying = flying[1:]
			switch i := slices.Index(at[:], d.to); {
			case i >= 0:
				masters[i].Feed(int64(s.now), d.from, d.b)
			case d.to.Addr() == server.Addr():
				probed[d.to] = true
				s.listing.Feed(s.now, d.from, d.b)
			}
		}
		time.Sleep(time.Millisecond) // names are resolved beside the game
	}
	beats := func(i int) int { _, n := masters[i].Servers(); return n }
	until := func(what string, ok func() bool) {
		t.Helper()
		for range 5000 {
			if run(); ok() {
				return
			}
		}
		t.Fatalf("still not: %s\n%s", what, s.log.String())
	}

	s.run("sv_register_udp 127.0.0.1; sv_register tw0.6")
	until("the first master lists it", func() bool {
		return beats(0) > 0 && strings.Contains(s.log.String(), "successfully registered at '127.0.0.1'")
	})
	if lists, _ := s.listing.Registered(); lists != 1 || !probed[server] {
		t.Errorf("on %d lists; %v was probed", lists, probed)
	}
	s.run("sv_register_port 4000")
	until("the other port is told", func() bool { return probed[transport.UDPPeer(server.Addr(), 4000)] })
	s.run("sv_register_udp 127.0.0.2; sv_external_port 0")
	until("the other master hears of it", func() bool { return beats(1) > 0 })
	s.run("sv_register 0")
	until("the end", func() bool { _, ok := s.listing.Registered(); return !ok })
	sent := s.sent
	for range 100 {
		run()
	}
	if s.sent != sent {
		t.Errorf("%d packets after the end", s.sent-sent)
	}

	for line, want := range map[string]string{
		"sv_register 8":                                    `protocol "8"`,
		"sv_register 1; sv_register_udp ftp://a":           `"ftp://a" is not the address of a UDP master`,
		"sv_register 1; sv_register_url b":                 `"b" is not the URL`,
		"sv_register ipv6; sv_register_url http://[::1]:1": "cannot be reached by tw0.6/ipv6,tw0.7/ipv6",
		"sv_register 1; sv_external_port 70000":            "70000 is not a port",
		"sv_register 1; sv_register_extra secret":          "sv_register_extra must be",
		"sv_register 1":                                    "are both empty",
	} {
		s.log.Reset()
		s.run(`sv_register_udp ""; sv_register_url ""; sv_register_extra ""; sv_external_port 0; ` + line)
		s.step(1)
		_, ok := s.listing.Registered()
		if got := s.log.String(); !strings.Contains(got, "[register]: the server is not announced: ") || !strings.Contains(got, want) || ok {
			t.Errorf("%s: %q", line, got)
		}
	}
	s.listing.Close()
	testenv.Eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
}

// TestRegistrationIgnoresStrangers checks that the server takes no datagram of a stranger for one
// from a master, and allocates nothing for it.
func TestRegistrationIgnoresStrangers(t *testing.T) {
	s := newServer(t, "sv_register_url http://127.0.0.1:1/; sv_register_udp 127.0.0.1; sv_register 1")
	defer s.listing.Close()
	s.step(3)
	from := transport.MustParsePeer("10.0.0.2:5000")
	token := s.tokens.Token(s.now, from.Addr())
	for name, b := range map[string][]byte{
		"0.6":         query.AppendRequest(nil, query.Request{}),
		"0.6 probe":   []byte(query.Header6 + "\xff\xff\xff\xfffw??"),
		"challenge":   []byte(query.Header6 + "\xff\xff\xff\xffchalwho:tw0.6/ipv4\x00x\x00"),
		"0.7":         packet.AppendConnless(nil, token, 1, []byte("\xff\xff\xff\xffgie3\x01")),
		"0.7 probe":   packet.AppendConnless(nil, token, 1, []byte("\xff\xff\xff\xfffw??")),
		"0.7 control": packet.AppendTokenReply(nil, token, 5),
		"nonsense":    {1, 2, 3},
	} {
		n := 1.0
		for try := 0; n != 0 && try < 5; try++ { // others allocate, too
			n = testing.AllocsPerRun(100, func() {
				if taken, _ := s.listing.Feed(s.now, from, b); taken {
					t.Fatal("taken")
				}
			})
		}
		if n != 0 && !testenv.Race {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if _, ok := s.listing.Registered(); !ok {
		t.Error("nothing is announced")
	}
}
