package wire_test

import (
	"bytes"
	"testing"

	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/halflifetest"
)

// FuzzAnswers feeds the parsers that clients use.
func FuzzAnswers(f *testing.F) {
	halflifetest.AddTo(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if i, form, err := wire.ParseInfo(b); err == nil {
			// A parsed info can be written again and parses to the same value.
			var again []byte
			switch form {
			case wire.FormatInfo:
				again = wire.AppendInfo(nil, &i)
			case wire.FormatDetails:
				again = wire.AppendDetails(nil, &i)
			case wire.FormatA2S:
				again = wire.AppendA2SInfo(nil, &i)
			case wire.FormatInfostring:
				again = wire.AppendInfostring(nil, &i)
			}
			if _, f, err := wire.ParseInfo(again); err != nil || f != form {
				t.Fatalf("%q reads as %+v, which is written as %q: %v", b, i, again, err)
			}
		}
		if players, err := wire.ParsePlayers(b); err == nil && len(players) > len(b)/10 {
			t.Fatalf("%d players in %d bytes", len(players), len(b))
		}
		if rules, err := wire.ParseRules(b); err == nil && len(rules) > len(b)/2 {
			t.Fatalf("%d rules in %d bytes", len(rules), len(b))
		}
		if l, err := wire.ParseList(b); err == nil && len(l.Servers) > len(b)/6 {
			t.Fatalf("%d servers in %d bytes", len(l.Servers), len(b))
		}
		wire.ParsePrint(b)
		wire.ParseRefused(b)
		wire.ParseRconChallenge(b)
		wire.ParseA2SChallenge(b)
		wire.ParseMasterChallenge(b)
		wire.IsPong(b)
	})
}

// FuzzRequests feeds the parsers that servers and masters use.
func FuzzRequests(f *testing.F) {
	halflifetest.AddTo(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		r := wire.ParseRequest(b)
		if r.Kind != wire.RequestNone && !wire.IsDatagram(b) {
			t.Fatalf("%q is a request, but not of this protocol", b)
		}
		if r, err := wire.ParseRcon(b); err == nil {
			if again, err := wire.AppendRcon(nil, r.Challenge, string(r.Password), string(r.Command)); err == nil {
				s, err := wire.ParseRcon(again)
				if err != nil || s.Challenge != r.Challenge || !bytes.Equal(s.Password, r.Password) || !bytes.Equal(s.Command, r.Command) {
					t.Fatalf("%q: %+v became %+v: %v", b, r, s, err)
				}
			}
		}
		if l, ok := wire.ParseListRequest(b); ok {
			again := wire.AppendListRequest(nil, &l)
			if _, ok := wire.ParseListRequest(again); !ok {
				t.Fatalf("%q is read as %+v and written as %q", b, l, again)
			}
		}
		if h, err := wire.ParseHeartbeat(b); err == nil {
			if _, err := wire.ParseHeartbeat(wire.AppendHeartbeat(nil, &h)); err != nil {
				t.Fatal(err)
			}
		}
		wire.ParseMasterChallengeRequest(b)
		wire.IsShutdown(b)
	})
}

// FuzzJoin feeds parts of split messages, several per input, so that an input can exceed one
// datagram.
func FuzzJoin(f *testing.F) {
	v := halflifetest.Load(f)
	f.Add(v.Get("S.gold.rules.0"), v.Get("S.gold.rules.1"), v.Get("S.gold.rules.2"))
	f.Add(v.Get("S.source.rules.2"), v.Get("S.source.rules.1"), v.Get("S.source.rules.0"))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		var j wire.PartAssembler
		for _, part := range [][]byte{a, b, c, a, b, c} {
			if whole := j.Feed(1, tenServer, part); len(whole) > 64<<10 {
				t.Fatalf("%d bytes", len(whole))
			}
		}
	})
}
