package halflife_test

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/halflifetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
)

// TestAnswers sends every request in every notation from a local network.
func TestAnswers(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	v := halflifetest.Load(t)
	for request, answer := range map[string]string{
		"Q.ping.req": "Q.ping.rep", "Q.ping.req.nonul": "Q.ping.rep", "Q.ping.req.i": "Q.ping.rep",
		"Q.info.req": "Q.info.rep", "Q.details.req": "Q.details.rep", "Q.details.req.nonul": "Q.details.rep",
		"Q.players.req": "Q.players.rep", "Q.players.req.nonul": "Q.players.rep",
		"Q.rules.req": "Q.rules.rep", "Q.rules.req.nonul": "Q.rules.rep", "Q.infostring.req": "Q.infostring.rep",
	} {
		v.CheckBytes(answer, l.askOne(lanPeer, v.Get(request)))
		l.advance(time.Second)
	}
	for _, end := range []string{"", "\x00", "\n", "\n\x00", "\x00" + strings.Repeat("x", 240), "\n junk"} {
		for _, word := range []string{"details", "DETAILS", "Details"} {
			v.CheckBytes("Q.details.rep", l.askOne(loopbackPeer, []byte("\xff\xff\xff\xff"+word+end)))
		}
	}
	for _, nothing := range []string{"", "x", "detail", "detailss", "info 49", "j", "A1234", "l", "d\n", "f\r", "9x", "C", "m", "I", "D", "E", "\x00", "\n"} {
		if got := l.askOne(loopbackPeer, []byte("\xff\xff\xff\xff"+nothing)); got != nil {
			t.Errorf("%q is answered with %q", nothing, got)
		}
	}
	l.game.players, l.game.rules = nil, nil
	v.CheckBytes("Q.players.rep.empty", l.askOne(loopbackPeer, v.Get("Q.players.req")))
	v.CheckBytes("Q.rules.rep.empty", l.askOne(loopbackPeer, v.Get("Q.rules.req")))
}

// TestA2S passes the challenge while legacy queries are off.
func TestA2S(t *testing.T) {
	l := newTestServer(t, halflife.Settings{Legacy: halflife.LegacyOff})
	for _, peer := range []transport.Peer{alice, lanPeer, loopbackPeer, ipv6Peer} {
		info, form, err := wire.ParseInfo(l.queryA2S(peer, wire.RequestA2SInfo)[0])
		want := l.game.info
		want.Protocol, want.AppID, want.Address = halflife.A2SProtocol, halflife.DefaultAppID, ""
		if d := cmp.Diff(want, info); d != "" || form != wire.FormatA2S || err != nil {
			t.Errorf("%v %v:\n%s", form, err, d)
		}
		players, err := wire.ParsePlayers(l.queryA2S(peer, wire.RequestA2SPlayers)[0])
		checkEqual(t, halflifetest.Players(), players, err)
		rules, err := wire.ParseRules(l.queryA2S(peer, wire.RequestA2SRules)[0])
		checkEqual(t, halflifetest.Rules(), rules, err)
	}
}

// TestA2SInfoWithoutChallenge checks that A2S_INFO without a challenge is answered where text
// queries are. Over the limits and elsewhere the answer is a challenge.
func TestA2SInfoWithoutChallenge(t *testing.T) {
	request := wire.AppendA2SRequest(nil, wire.RequestA2SInfo, wire.NoChallenge)
	for _, c := range []struct {
		legacy halflife.LegacyPolicy
		peer   transport.Peer
		want   bool
	}{
		{halflife.LegacyOff, alice, false}, {halflife.LegacyOff, lanPeer, false}, {halflife.LegacyOff, loopbackPeer, false},
		{halflife.LegacyLAN, alice, false}, {halflife.LegacyLAN, ipv6Peer, false}, {halflife.LegacyLAN, lanPeer, true},
		{halflife.LegacyLAN, loopbackPeer, true},
		{halflife.LegacyOn, alice, true}, {halflife.LegacyOn, ipv6Peer, true}, {halflife.LegacyOn, lanPeer, true},
	} {
		l := newTestServer(t, halflife.Settings{Legacy: c.legacy})
		b := l.askOne(c.peer, request)
		info, form, err := wire.ParseInfo(b)
		if got := err == nil && form == wire.FormatA2S && info.Name == l.game.info.Name; got != c.want {
			t.Errorf("%v, %v: %q", c.legacy, c.peer, b)
		}
		if _, err := wire.ParseA2SChallenge(b); (err == nil) == c.want {
			t.Errorf("%v, %v: %q", c.legacy, c.peer, b)
		}
		// A wrong challenge and other requests get a challenge.
		for _, b := range [][]byte{
			wire.AppendA2SRequest(nil, wire.RequestA2SInfo, 12345),
			wire.AppendA2SRequest(nil, wire.RequestA2SPlayers, wire.NoChallenge),
			wire.AppendA2SRequest(nil, wire.RequestA2SRules, wire.NoChallenge),
		} {
			if _, err := wire.ParseA2SChallenge(l.askOne(c.peer, b)); err != nil {
				t.Errorf("%v, %v: %q gets %v", c.legacy, c.peer, b, err)
			}
		}
	}
	// Over the limits the answer is a challenge. Current programs use it to get the info.
	l := newTestServer(t, halflife.Settings{Legacy: halflife.LegacyOn})
	infos := 0
	for range 100 {
		b := l.askOne(alice, request)
		if _, _, err := wire.ParseInfo(b); err == nil {
			infos++
		} else if _, err := wire.ParseA2SChallenge(b); err != nil {
			t.Fatalf("%q", b)
		}
	}
	if infos != 10 {
		t.Errorf("%d of 100 requests at once were answered with the info", infos)
	}
	if got := l.queryA2S(alice, wire.RequestA2SInfo); len(got) != 1 {
		t.Error("A2S is starved")
	}
}

// TestChallenge checks that a challenge is valid for one address, on all its ports, and for one to
// two minutes.
func TestChallenge(t *testing.T) {
	l := newTestServer(t, halflife.Settings{Legacy: halflife.LegacyOff})
	c, err := wire.ParseA2SChallenge(l.askOne(alice, wire.AppendA2SRequest(nil, wire.RequestA2SPlayers, wire.NoChallenge)))
	if err != nil {
		t.Fatal(err)
	}
	req := wire.AppendA2SRequest(nil, wire.RequestA2SPlayers, c)
	answered := func(peer transport.Peer) bool {
		t.Helper()
		_, err := wire.ParsePlayers(l.askOne(peer, req))
		return err == nil
	}
	if !answered(alice) || !answered(transport.UDPPeer(alice.Addr(), 5555)) {
		t.Error("the challenge is not taken")
	}
	if answered(bob) {
		t.Error("the challenge of another is taken")
	}
	l.advance(time.Minute)
	if !answered(alice) {
		t.Error("the challenge is not taken after a minute")
	}
	l.advance(time.Minute)
	if answered(alice) {
		t.Error("the challenge is taken after two minutes")
	}
}

// TestBots checks that A2S marks bots and text answers do not.
func TestBots(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	l.game.players = []wire.Player{{Index: 1, Name: "man", Time: 5 * time.Second}, {Index: 2, Name: "machine", Time: 7 * time.Second, Bot: true}}
	got, err := wire.ParsePlayers(l.queryA2S(loopbackPeer, wire.RequestA2SPlayers)[0])
	want := []wire.Player{l.game.players[0], {Index: 2, Name: "machine", Bot: true}}
	checkEqual(t, want, got, err)
	got, err = wire.ParsePlayers(l.askOne(loopbackPeer, textRequest(wire.RequestPlayers)))
	want[1] = wire.Player{Index: 2, Name: "machine", Time: 7 * time.Second}
	checkEqual(t, want, got, err)
}

// TestSplit checks that long A2S answers are split into parts that can be assembled, and that long
// text answers are truncated.
func TestSplit(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	l.game.setPlayers(64)
	l.game.setRules(150)
	join := func(parts [][]byte) []byte {
		t.Helper()
		var j wire.PartAssembler
		for i := range parts {
			if whole := j.Feed(l.now, loopbackPeer.AddrPort, parts[len(parts)-1-i]); whole != nil {
				return whole
			}
		}
		t.Fatalf("%d parts make no message", len(parts))
		return nil
	}
	players, err := wire.ParsePlayers(join(l.queryA2S(loopbackPeer, wire.RequestA2SPlayers)))
	checkEqual(t, l.game.players, players, err)
	rules, err := wire.ParseRules(join(l.queryA2S(loopbackPeer, wire.RequestA2SRules)))
	checkEqual(t, l.game.rules, rules, err)
	// Two consecutive answers have different ids.
	a, b := l.queryA2S(loopbackPeer, wire.RequestA2SRules), l.queryA2S(loopbackPeer, wire.RequestA2SRules)
	if bytes.Equal(a[0][4:8], b[0][4:8]) {
		t.Error("two answers have the same number")
	}
	text, err := wire.ParsePlayers(l.askOne(loopbackPeer, textRequest(wire.RequestPlayers)))
	if err != nil || len(text) == 0 || len(text) >= 64 {
		t.Errorf("%d players in text, %v", len(text), err)
	}
	if d := cmp.Diff(l.game.players[:len(text)], text); d != "" {
		t.Error(d)
	}
	// The list of players gets shorter again.
	l.game.setPlayers(3)
	if got := l.queryA2S(loopbackPeer, wire.RequestA2SPlayers); len(got) != 1 {
		t.Errorf("%d datagrams for three players", len(got))
	}
}

// TestSecrets checks that the server redacts secrets among the rules of a game.
func TestSecrets(t *testing.T) {
	rules := func(pairs ...string) (all []wire.Rule) {
		for pair := range slices.Chunk(pairs, 2) {
			all = append(all, wire.Rule{Name: pair[0], Value: pair[1]})
		}
		return all
	}
	l := newTestServer(t, halflife.Settings{})
	l.game.rules = rules("sv_rcon_password", "hidden", "Password", "", "sv_password", "none", "sv_name", "x")
	got, err := wire.ParseRules(l.askOne(loopbackPeer, textRequest(wire.RequestRules)))
	want := rules("sv_rcon_password", "1", "Password", "0", "sv_password", "0", "sv_name", "x")
	checkEqual(t, want, got, err)
}

// TestCounts checks the limits of counts. Clients read the bytes of text answers as signed.
func TestCounts(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	l.game.info.Players, l.game.info.Max, l.game.info.Bots = 200, 300, -1
	i, _, err := wire.ParseInfo(l.askOne(loopbackPeer, textRequest(wire.RequestDetails)))
	if err != nil || i.Players != 127 || i.Max != 127 || i.Bots != 0 {
		t.Errorf("text has %d/%d with %d bots, %v", i.Players, i.Max, i.Bots, err)
	}
	i, _, err = wire.ParseInfo(l.queryA2S(alice, wire.RequestA2SInfo)[0])
	if err != nil || i.Players != 200 || i.Max != 255 || i.Bots != 0 {
		t.Errorf("A2S has %d/%d with %d bots, %v", i.Players, i.Max, i.Bots, err)
	}
}

// TestHostileTexts checks that names cannot control a terminal or break the format.
func TestHostileTexts(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	l.game.info.Name = "a\x1b[31m\\password\\0\"\nb\x00c\xff\u009bd" + strings.Repeat("é", 100)
	for _, kind := range []wire.RequestKind{wire.RequestInfo, wire.RequestDetails, wire.RequestInfostring} {
		i, _, err := wire.ParseInfo(l.askOne(loopbackPeer, textRequest(kind)))
		want := `a [31m\password\0" b c? d`
		if kind == wire.RequestInfostring {
			want = `a [31mpassword0 b c? d`
		}
		if err != nil || !strings.HasPrefix(i.Name, want+"é") || len(i.Name) > 63 || len(i.Name) < 62 || i.Password {
			t.Errorf("kind %d: %q, %v", kind, i.Name, err)
		}
	}
}

// drawRequest draws a valid or malformed request.
func drawRequest(t *rapid.T) []byte {
	kind := wire.RequestKind(rapid.IntRange(1, 12).Draw(t, "kind"))
	var b []byte
	switch {
	case kind == wire.RequestRcon:
		b, _ = wire.AppendRcon(nil, rapid.Uint32().Draw(t, "challenge"), "pass", rapid.StringMatching(`[a-z ]{0,20}`).Draw(t, "command"))
	case kind >= wire.RequestA2SInfo:
		b = wire.AppendA2SRequest(nil, kind, rapid.Uint32().Draw(t, "challenge"))
	default:
		b = textRequest(kind)
	}
	switch rapid.IntRange(0, 3).Draw(t, "spoil") {
	case 0:
		b = b[:rapid.IntRange(0, len(b)).Draw(t, "cut")]
	case 1:
		b = append(b, make([]byte, rapid.IntRange(0, 1300).Draw(t, "pad"))...)
	}
	return b
}

// TestReflection checks that an attacker who forges an address causes hardly more traffic to it
// than the attacker sends, whatever the requests are.
func TestReflection(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		set := halflife.Settings{Legacy: rapid.SampledFrom([]halflife.LegacyPolicy{halflife.LegacyOff, halflife.LegacyLAN}).Draw(rt, "legacy")}
		l := newTestServer(t, set)
		l.game.setPlayers(64)
		l.game.setRules(100)
		victim := rapid.SampledFrom([]transport.Peer{alice, ipv6Peer}).Draw(rt, "victim")
		if set.Legacy == halflife.LegacyOff && rapid.Bool().Draw(rt, "lan") {
			victim = lanPeer
		}
		for range rapid.IntRange(1, 30).Draw(rt, "requests") {
			req := drawRequest(rt)
			out := 0
			for _, b := range l.ask(victim, req) {
				out += len(b)
			}
			if out*10 > len(req)*12 {
				rt.Fatalf("%d bytes for %d: %q", out, len(req), req)
			}
		}
	})
}

// TestLegacyBudget checks the byte budget of a network while text queries are answered for all
// addresses. A flood from many networks does not reset it.
func TestLegacyBudget(t *testing.T) {
	rate := halflife.Rate{PerSecond: 1e6, Burst: 1e6}
	l := newTestServer(t, halflife.Settings{Legacy: halflife.LegacyOn, Limits: halflife.Limits{
		Address: rate, Network: rate, AllBytes: halflife.Rate{PerSecond: 1e9, Burst: 1e9}, Bytes: halflife.Rate{PerSecond: 1000, Burst: 5000}}})
	l.game.setPlayers(64)
	req := textRequest(wire.RequestPlayers)
	drain := func() (n int) {
		t.Helper()
		for range 200 {
			if b := l.askOne(alice, req); b != nil {
				if len(b) > 512 {
					t.Fatalf("%d bytes to an address without a challenge", len(b))
				}
				n += len(b)
			}
		}
		return n
	}
	if n := drain(); n > 5000 || n < 4000 {
		t.Errorf("%d bytes at once, the budget is 5000", n)
	}
	// Many other networks do not push a network with an exhausted budget out of the table.
	for i := range 20_000 {
		peer := transport.UDPPeer(netip.AddrFrom4([4]byte{byte(20 + i>>16), byte(i >> 8), byte(i), 1}), 5000)
		l.srv.Feed(l.now, peer, req)
	}
	if n := drain(); n > 512 {
		t.Errorf("after a flood of other networks %d bytes more", n)
	}
	l.advance(2 * time.Second)
	if n := drain(); n > 2000+512 {
		t.Errorf("%d bytes after two seconds, the budget is 2000", n)
	}
	if l.srv.Stats().Dropped[halflife.DropBytes] == 0 {
		t.Error("nothing was counted")
	}
}

// TestFloodStarvesNobody checks that a client with a proven address gets answers, however many
// datagrams arrive with the same forged address.
func TestFloodStarvesNobody(t *testing.T) {
	l := newTestServer(t, halflife.Settings{Legacy: halflife.LegacyOn})
	for range 3000 {
		l.ask(alice, textRequest(wire.RequestRules))
		l.ask(alice, wire.AppendA2SRequest(nil, wire.RequestA2SInfo, 12345))
		l.ask(alice, []byte("\xff\xff\xff\xffrcon 123456789 \"x\" y"))
		l.ask(alice, textRequest(wire.RequestRconChallenge))
	}
	if got := l.queryA2S(alice, wire.RequestA2SInfo); len(got) != 1 {
		t.Error("A2S is starved")
	}
	if got := l.rcon(alice, l.challenge(alice), adminPassword, "status"); got != "done\n" {
		t.Errorf("rcon is starved: %q", got)
	}
}

// TestProven checks that an address that passed a challenge gets whole text answers for a while.
func TestProven(t *testing.T) {
	l := newTestServer(t, halflife.Settings{Legacy: halflife.LegacyOff})
	details := textRequest(wire.RequestDetails)
	if l.askOne(alice, details) != nil {
		t.Error("answered without a challenge")
	}
	l.queryA2S(alice, wire.RequestA2SInfo)
	if l.askOne(alice, details) == nil {
		t.Error("not answered after a challenge")
	}
	if l.askOne(bob, details) != nil {
		t.Error("answered for the challenge of another")
	}
	l.advance(11 * time.Minute)
	if l.askOne(alice, details) != nil {
		t.Error("answered long after a challenge")
	}
}

// TestNoTalkToServices checks that requests from low ports and from the server's own address get no
// answer.
func TestNoTalkToServices(t *testing.T) {
	y := newFakeGame()
	answered := 0
	own := transport.MustParsePeer("0.0.0.0:8303")
	s, err := halflife.NewServer(halflife.ServerConfig{Game: y, Send: func(transport.Peer, []byte) { answered++ }, OwnAddrs: []transport.Peer{own}})
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"198.51.100.7:0", "198.51.100.7:19", "198.51.100.7:53", "127.0.0.1:8303"} {
		s.Feed(1, transport.MustParsePeer(from), textRequest(wire.RequestPing))
	}
	if answered != 0 || s.Stats().Dropped[halflife.DropSource] != 4 {
		t.Errorf("%d answered", answered)
	}
}

// TestBadConfig checks that each invalid configuration is an error.
func TestBadConfig(t *testing.T) {
	y := newFakeGame()
	send := func(transport.Peer, []byte) {}
	for name, cfg := range map[string]halflife.ServerConfig{
		"no game": {Send: send},
		"no way":  {Game: y},
		"limit":   {Game: y, Send: send, Settings: halflife.Settings{Limits: halflife.Limits{Bytes: halflife.Rate{PerSecond: -1}}}},
		"password": {Game: y, Send: send, Settings: halflife.Settings{Rcon: halflife.RconSettings{
			Passwords: []halflife.RconPassword{{"quo\"te", 0}}}}},
	} {
		if _, err := halflife.NewServer(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for l := halflife.LegacyLAN; l <= halflife.LegacyOn; l++ {
		if got, err := halflife.ParseLegacyPolicy(strings.ToUpper(l.String())); got != l || err != nil {
			t.Errorf("%v: %v, %v", l, got, err)
		}
	}
	if _, err := halflife.ParseLegacyPolicy("maybe"); err == nil {
		t.Error("maybe is no error")
	}
}

// TestNothingAllocated checks that common requests are answered without allocating.
func TestNothingAllocated(t *testing.T) {
	testenv.RequireExactAllocs(t)
	for name, f := range commonRequests(t) {
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// commonRequests returns functions that each feed a server one common request.
func commonRequests(t testing.TB) map[string]func() {
	y := newFakeGame()
	y.setPlayers(16)
	var last [16]byte
	s, err := halflife.NewServer(halflife.ServerConfig{
		Game: y, Send: func(_ transport.Peer, b []byte) { copy(last[:], b) },
		Settings: halflife.Settings{Limits: halflife.Limits{Proven: halflife.Rate{PerSecond: 1e9, Burst: 1e9}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const now = 1e9
	s.Feed(now, alice, wire.AppendA2SRequest(nil, wire.RequestA2SInfo, wire.NoChallenge))
	challenge, err := wire.ParseA2SChallenge(last[:])
	if err != nil {
		t.Fatal(err)
	}
	mix := map[string]func(){}
	for name, b := range map[string][]byte{
		"a2s info":      wire.AppendA2SRequest(nil, wire.RequestA2SInfo, challenge),
		"a2s players":   wire.AppendA2SRequest(nil, wire.RequestA2SPlayers, challenge),
		"a2s challenge": wire.AppendA2SRequest(nil, wire.RequestA2SInfo, wire.NoChallenge),
		"ping":          textRequest(wire.RequestPing),
		"unknown":       []byte("\xff\xff\xff\xffnonsense"),
		"rcon":          []byte("\xff\xff\xff\xffrcon 123456789 \"x\" y"),
	} {
		mix[name] = func() { s.Feed(now, alice, b) }
	}
	for name, kind := range map[string]wire.RequestKind{"details": wire.RequestDetails, "players": wire.RequestPlayers} {
		b := textRequest(kind)
		mix[name] = func() { s.Feed(now, loopbackPeer, b) }
	}
	return mix
}

func BenchmarkFeed(b *testing.B) {
	for name, f := range commonRequests(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answers/s")
		})
	}
}
