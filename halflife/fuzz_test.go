package halflife_test

import (
	"net/netip"
	"testing"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/halflifetest"
	"github.com/teeyard/teeyard/transport"
)

// FuzzServer feeds a server and checks the limits on the sizes of its answers. It replaces the
// challenge in an input by a valid one.
func FuzzServer(f *testing.F) {
	halflifetest.AddTo(f)
	f.Add([]byte("\xff\xff\xff\xffrcon 100000000 \"s3cret\" say hello"))
	f.Fuzz(func(t *testing.T, b []byte) {
		y := newFakeGame()
		y.setPlayers(64)
		out := 0
		s, err := halflife.NewServer(halflife.ServerConfig{Game: y, Console: y,
			Settings: halflife.Settings{Rcon: halflife.RconSettings{Passwords: []halflife.RconPassword{{adminPassword, 0}}}},
			Send: func(to transport.Peer, b []byte) {
				if out += len(b); to != alice || len(b) > wire.MaxDatagram {
					t.Fatalf("%d bytes to %v", len(b), to)
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			out = 0
			if s.Feed(1e9, alice, b); out*10 > len(b)*12 {
				t.Fatalf("%d bytes for %d", out, len(b))
			}
		}
		if len(y.commands) != 0 {
			t.Fatalf("%q ran %q", b, y.commands)
		}
	})
}

// FuzzNets parses networks as operators type them.
func FuzzNets(f *testing.F) {
	for _, s := range []string{"10.0.0.0", "10", "1.2.3.4/24", "2001:db8::1", "::ffff:1.2.3.4/120", "fe80::1%eth0/64"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		net, err := halflife.ParseNet(s)
		if err != nil {
			return
		}
		if net != net.Masked() || net.Contains(netip.MustParseAddr("127.0.0.1")) || net.Bits() < 8 {
			t.Fatalf("%q is %v", s, net)
		}
		l := bans.New(nil)
		if err := l.Add(bans.Ban{Net: net}); err != nil {
			t.Fatal(err)
		}
		if _, ok := l.Find(net.Addr()); !ok {
			t.Fatalf("%v is banned and not found", net)
		}
	})
}
