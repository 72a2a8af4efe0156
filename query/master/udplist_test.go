package master

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master/mastertest"
	"github.com/teeyard/teeyard/transport"
)

var (
	self    = transport.MustParsePeer("192.0.2.1:8303")
	master6 = transport.MustParsePeer("203.0.113.1:8300")
	master7 = transport.MustParsePeer("203.0.113.2:8283")
)

func newTokens(t testing.TB) *conn.TokenIssuer {
	t.Helper()
	tokens, err := conn.NewTokenIssuer(nil)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// newUDPMaster adds a master to a network. It probes from a second port.
func newUDPMaster(t testing.TB, net *netsim.Net, addr transport.Peer, seven bool) *mastertest.UDP {
	probe := transport.UDPPeer(addr.Addr(), addr.Port()+1)
	m := &mastertest.UDP{Version7: seven, Tokens: newTokens(t)}
	m.Send = func(to transport.Peer, b []byte) { net.Send(addr, to, b) }
	m.Probe = func(to transport.Peer, b []byte) { net.Send(probe, to, b) }
	net.Handle(addr, m.Feed)
	net.Handle(probe, m.Feed)
	return m
}

func newNetwork(t testing.TB, link netsim.Link) *netsim.Net {
	t.Helper()
	net, err := netsim.New(netsim.Config{Seed: 3, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// listUDP requests the lists of the masters.
func listUDP(t testing.TB, net *netsim.Net, masters ...UDPMaster) ([]Addr, time.Duration, error) {
	t.Helper()
	l := newListRequester(UDPConfig{}, masters, func(to transport.Peer, b []byte) { net.Send(self, to, b) })
	net.Handle(self, l.feed)
	start := net.Now()
	for range 20000 {
		if _, more := l.step(net.Now()); !more {
			return l.addrs, time.Duration(net.Now() - start), l.result()
		}
		net.Run(net.Now() + int64(time.Millisecond))
	}
	t.Fatal("never done")
	return nil, 0, nil
}

func TestListUDP(t *testing.T) {
	for _, c := range []struct {
		name string
		link netsim.Link
		six  int
		most time.Duration
	}{
		{"good network", netsim.Link{Delay: 20 * time.Millisecond}, 200, 100 * time.Millisecond},
		{"few servers", netsim.Link{Delay: 20 * time.Millisecond}, 1, 100 * time.Millisecond},
		{"no servers", netsim.Link{Delay: 20 * time.Millisecond}, 0, 100 * time.Millisecond},
		{"bad network", netsim.Link{Delay: 20 * time.Millisecond, Jitter: 50 * time.Millisecond, Loss: 0.1, Duplicate: 0.2}, 70, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			net := newNetwork(t, c.link)
			m6, m7 := newUDPMaster(t, net, master6, false), newUDPMaster(t, net, master7, true)
			want := map[Addr]bool{}
			for n := range c.six {
				peer := transport.UDPPeer(netip.AddrFrom4([4]byte{198, 51, 100, byte(n)}), 8303)
				m6.Add(peer.AddrPort)
				want[Addr{peer, query.Version6}] = true
			}
			six := transport.MustParsePeer("[2001:db8::1]:8305")
			m7.Add(six.AddrPort)
			want[Addr{six, query.Version7}] = true
			got, span, err := listUDP(t, net, UDPMaster{master6, query.Version6}, UDPMaster{master7, query.Version7})
			if err != nil || len(got) != len(want) || span > c.most {
				t.Fatalf("%d of %d servers in %v: %v", len(got), len(want), span, err)
			}
			for _, a := range got {
				if !want[a] {
					t.Errorf("%v was not on the list", a)
				}
			}
		})
	}
	net := newNetwork(t, netsim.Link{})
	if _, span, err := listUDP(t, net, UDPMaster{master6, query.Version6}, UDPMaster{master7, query.Version7}); !errors.Is(err, ErrNoAnswer) ||
		span > 5*time.Second {
		t.Errorf("nobody: %v after %v", err, span)
	}
}

// TestListUDPLeavesOutLocalNetworks checks that a public master cannot make a client send to its
// own local network.
func TestListUDPLeavesOutLocalNetworks(t *testing.T) {
	local := []string{"127.0.0.1:53", "192.168.1.1:80", "10.0.0.1:8303", "169.254.169.254:80", "[::1]:53", "[fd00::1]:53", "[fe80::1]:53"}
	for addr, want := range map[string]int{"203.0.113.1:8300": 1, "127.0.0.1:8300": 1 + len(local), "[fd00::2]:8300": 1 + len(local)} {
		net := newNetwork(t, netsim.Link{})
		peer := transport.MustParsePeer(addr)
		m := newUDPMaster(t, net, peer, false)
		for _, s := range append(local, "198.51.100.1:8303") {
			m.Add(transport.MustParsePeer(s).AddrPort)
		}
		if got, span, err := listUDP(t, net, UDPMaster{peer, query.Version6}); len(got) != want || err != nil || span > 100*time.Millisecond {
			t.Errorf("%s: %v after %v, %v", addr, got, span, err)
		}
	}
}

func FuzzListUDP(f *testing.F) {
	f.Add([]byte(query.Header6 + tagList + "0123456789abcdef\x20\x6f"))
	f.Add([]byte(query.Header6 + tagCount + "\x00\x01"))
	f.Add([]byte("\x21\x00\x00\x00\x00\x00\x00\x00\x00" + tagList + "0123456789abcdef\x20\x6f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l := newListRequester(UDPConfig{}, []UDPMaster{{master6, query.Version6}, {master6, query.Version7}}, func(transport.Peer, []byte) {})
		l.masters[1].ownToken = 0
		l.step(0)
		l.feed(1, master6, b)
		l.feed(2, master6, b)
		if len(l.addrs) > len(b)/18*2 {
			t.Fatalf("%d servers of %d bytes", len(l.addrs), len(b))
		}
		for _, a := range l.addrs {
			if !a.Peer.IsValid() || a.Peer.Port() == 0 {
				t.Fatalf("%v", a)
			}
		}
	})
}
