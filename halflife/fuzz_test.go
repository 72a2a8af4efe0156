package halflife_test

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/transport"
)

// addVectors adds all vectors as seeds.
func addVectors(f *testing.F) {
	for _, b := range loadVectors(f).b {
		f.Add(b)
	}
}

// FuzzAnswers feeds the parsers that clients use.
func FuzzAnswers(f *testing.F) {
	addVectors(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if i, form, err := halflife.ParseInfo(b); err == nil {
			// A parsed info can be written again and parses to the same value.
			var again []byte
			switch form {
			case halflife.FormatInfo:
				again = halflife.AppendInfo(nil, &i)
			case halflife.FormatDetails:
				again = halflife.AppendDetails(nil, &i)
			case halflife.FormatA2S:
				again = halflife.AppendA2SInfo(nil, &i)
			case halflife.FormatInfostring:
				again = halflife.AppendInfostring(nil, &i)
			}
			if _, f, err := halflife.ParseInfo(again); err != nil || f != form {
				t.Fatalf("%q reads as %+v, which is written as %q: %v", b, i, again, err)
			}
		}
		if players, err := halflife.ParsePlayers(b); err == nil && len(players) > len(b)/10 {
			t.Fatalf("%d players in %d bytes", len(players), len(b))
		}
		if rules, err := halflife.ParseRules(b); err == nil && len(rules) > len(b)/2 {
			t.Fatalf("%d rules in %d bytes", len(rules), len(b))
		}
		if l, err := halflife.ParseList(b); err == nil && len(l.Servers) > len(b)/6 {
			t.Fatalf("%d servers in %d bytes", len(l.Servers), len(b))
		}
		halflife.ParsePrint(b)
		halflife.ParseRefused(b)
		halflife.ParseRconChallenge(b)
		halflife.ParseA2SChallenge(b)
		halflife.ParseMasterChallenge(b)
		halflife.IsPong(b)
	})
}

// FuzzRequests feeds the parsers that servers and masters use.
func FuzzRequests(f *testing.F) {
	addVectors(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		r := halflife.ParseRequest(b)
		if r.Kind != halflife.RequestNone && !halflife.IsDatagram(b) {
			t.Fatalf("%q is a request, but not of this protocol", b)
		}
		if r, err := halflife.ParseRcon(b); err == nil {
			if again, err := halflife.AppendRcon(nil, r.Challenge, string(r.Password), string(r.Command)); err == nil {
				s, err := halflife.ParseRcon(again)
				if err != nil || s.Challenge != r.Challenge || !bytes.Equal(s.Password, r.Password) || !bytes.Equal(s.Command, r.Command) {
					t.Fatalf("%q: %+v became %+v: %v", b, r, s, err)
				}
			}
		}
		if l, ok := halflife.ParseListRequest(b); ok {
			again := halflife.AppendListRequest(nil, &l)
			if _, ok := halflife.ParseListRequest(again); !ok {
				t.Fatalf("%q is read as %+v and written as %q", b, l, again)
			}
		}
		if h, err := halflife.ParseHeartbeat(b); err == nil {
			if _, err := halflife.ParseHeartbeat(halflife.AppendHeartbeat(nil, &h)); err != nil {
				t.Fatal(err)
			}
		}
		halflife.ParseMasterChallengeRequest(b)
		halflife.IsShutdown(b)
	})
}

// FuzzJoin feeds parts of split messages, several per input, so that an input can exceed one
// datagram.
func FuzzJoin(f *testing.F) {
	v := loadVectors(f)
	f.Add(v.b["S.gold.rules.0"], v.b["S.gold.rules.1"], v.b["S.gold.rules.2"])
	f.Add(v.b["S.source.rules.2"], v.b["S.source.rules.1"], v.b["S.source.rules.0"])
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		var j halflife.PartAssembler
		for _, part := range [][]byte{a, b, c, a, b, c} {
			if whole := j.Feed(1, alice.AddrPort, part); len(whole) > 64<<10 {
				t.Fatalf("%d bytes", len(whole))
			}
		}
	})
}

// FuzzServer feeds a server and checks the limits on the sizes of its answers. It replaces the
// challenge in an input by a valid one.
func FuzzServer(f *testing.F) {
	addVectors(f)
	f.Add([]byte("\xff\xff\xff\xffrcon 100000000 \"s3cret\" say hello"))
	f.Fuzz(func(t *testing.T, b []byte) {
		y := newFakeGame()
		y.setPlayers(64)
		out := 0
		s, err := halflife.NewServer(halflife.ServerConfig{Game: y, Console: y,
			Settings: halflife.Settings{Rcon: halflife.RconSettings{Passwords: []halflife.RconPassword{{adminPassword, 0}}}},
			Send: func(to transport.Peer, b []byte) {
				if out += len(b); to != alice || len(b) > halflife.MaxDatagram {
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
