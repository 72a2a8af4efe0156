package halflife_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/transport"
)

// TestRcon runs commands with each password. A wrong password runs none.
func TestRcon(t *testing.T) {
	l := newTestServer(t, halflife.Settings{Legacy: halflife.LegacyOff})
	for _, peer := range []transport.Peer{alice, lanPeer, loopbackPeer, ipv6Peer} {
		l.game.commands = nil
		c := l.challenge(peer)
		if c < 100000000 || c > 1<<31-1 {
			t.Errorf("challenge %d, which some programs cannot read", c)
		}
		for _, b := range [][]byte{
			[]byte(fmt.Sprintf("\xff\xff\xff\xffrcon %d \"%s\" sv_map dm1; say hi", c, adminPassword)),
			[]byte(fmt.Sprintf("\xff\xff\xff\xffrcon %d %s status\x00", c, adminPassword)),
			[]byte(fmt.Sprintf("\xff\xff\xff\xffRCON  %d  \"%s\"  status two \n more", c, modPassword)),
		} {
			if got := l.askOne(peer, b); string(got) != "\xff\xff\xff\xffldone\n\x00\x00" {
				t.Errorf("%q is answered with %q", b, got)
			}
		}
		if d := cmp.Diff([]string{"0 sv_map dm1; say hi", "0 status", "1 status two "}, l.game.commands); d != "" {
			t.Error(d)
		}
		l.game.commands = nil
		for _, wrong := range []string{"S3cret", "s3cre", "s3crett", "x"} {
			if got := l.rcon(peer, c, wrong, "status"); got != "Bad rcon_password.\n" {
				t.Errorf("%q is answered with %q", wrong, got)
			}
		}
		if l.game.commands != nil {
			t.Errorf("wrong passwords ran %q", l.game.commands)
		}
		// A request without a command: programs send it to find the end of the output.
		if got := l.askOne(peer, []byte(fmt.Sprintf("\xff\xff\xff\xffrcon %d \"%s\"", c, adminPassword))); string(got) != "\xff\xff\xff\xffl\x00\x00" {
			t.Errorf("no command is answered with %q", got)
		}
	}
}

// TestRconChallengesOfNeighbours checks that a flood of requests from a network does not lock out
// proven addresses of that network.
func TestRconChallengesOfNeighbours(t *testing.T) {
	l := newTestServer(t, halflife.Settings{Legacy: halflife.LegacyOff})
	at := func(n int) transport.Peer {
		return transport.UDPPeer(netip.AddrFrom4([4]byte{198, 51, 100, byte(n)}), 27005)
	}
	for i := range 201 {
		l.queryA2S(at(i), wire.RequestA2SInfo) // proves the address
	}
	flood := func() (answers int) {
		for i := range 3000 {
			if l.askOne(at(i%150), []byte("\xff\xff\xff\xffchallenge rcon\n")) != nil {
				answers++
			}
		}
		return answers
	}
	if n := flood(); n != 150*10 {
		t.Errorf("%d of 3000 requests are answered", n)
	}
	for range 5 {
		flood()
		c := l.challenge(at(200))
		if got := l.rcon(at(200), c, adminPassword, "status"); got != "done\n" {
			t.Errorf("answered with %q", got)
		}
		l.advance(time.Second)
	}
}

// TestRconTooLong checks that only a sender with a valid password learns that a request is too
// long.
func TestRconTooLong(t *testing.T) {
	l := newTestServer(t, halflife.Settings{Legacy: halflife.LegacyOff})
	c := l.challenge(alice)
	request := func(password string, size int) []byte {
		b := []byte(fmt.Sprintf("\xff\xff\xff\xffrcon %d \"%s\" echo ", c, password))
		return append(b, strings.Repeat("x", size-len(b))...)
	}
	if got := l.askOne(alice, request(adminPassword, wire.MaxRcon)); string(got) != "\xff\xff\xff\xffldone\n\x00\x00" {
		t.Errorf("the longest request is answered with %q", got)
	}
	l.game.commands = nil
	for _, size := range []int{wire.MaxRcon + 1, 1300} {
		want := fmt.Sprintf("\xff\xff\xff\xfflNot run: the request has %d bytes; the limit is 512.\n\x00\x00", size)
		if got := l.askOne(alice, request(adminPassword, size)); string(got) != want {
			t.Errorf("a request of %d bytes is answered with %q", size, got)
		}
		if got := l.askOne(alice, request("wrong", size)); string(got) != "\xff\xff\xff\xfflBad rcon_password.\n\x00\x00" {
			t.Errorf("one with a wrong password is answered with %q", got)
		}
	}
	if l.game.commands != nil {
		t.Errorf("it ran %q", l.game.commands)
	}
}

// TestRconOutput checks that all output arrives in order, in datagrams that end at the end of a
// line where possible.
func TestRconOutput(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newTestServer(t, halflife.Settings{})
		long := rapid.SampledFrom([]int{20, 300, 1392, 1393, 1394, 3000})
		line := rapid.Custom(func(t *rapid.T) string {
			s := rapid.StringMatching(`[a-zé€𝄞 ]{0,40}`).Draw(t, "line")
			if n := long.Draw(t, "length"); len(s) > 0 && rapid.Bool().Draw(t, "long") {
				s = strings.Repeat(s, n/len(s)+1)
				for s = s[:n]; !utf8.ValidString(s); {
					s = s[:len(s)-1]
				}
			}
			return s
		})
		lines := rapid.SliceOfN(line, 0, 30).Draw(rt, "lines")
		l.game.output = nil
		for _, s := range lines {
			if s != "" || rapid.Bool().Draw(rt, "end") {
				s += "\n"
			}
			l.game.output = append(l.game.output, s)
		}
		want := strings.Join(l.game.output, "")
		req, err := wire.AppendRcon(nil, l.challenge(loopbackPeer), adminPassword, "go")
		if err != nil {
			rt.Fatal(err)
		}
		var got strings.Builder
		prints := l.ask(loopbackPeer, req)
		for i, b := range prints {
			text, err := wire.ParsePrint(b)
			if err != nil || len(text) > wire.MaxPrint || !strings.HasSuffix(string(b), "\x00\x00") || !utf8.Valid(text) {
				rt.Fatalf("print %d of %d: %v, %q", i, len(prints), err, b)
			}
			if i < len(prints)-1 && !strings.HasSuffix(string(text), "\n") && !strings.Contains(strings.Join(l.game.output, ""), string(text)) {
				rt.Fatalf("print %d is cut within a line that fits: %q", i, text)
			}
			got.Write(text)
		}
		if len(prints) == 0 || got.String() != want {
			rt.Fatalf("%d prints:\n got %q\nwant %q", len(prints), got.String(), want)
		}
	})
}

// TestRconOutputBounded checks the limit on the output of a command.
func TestRconOutputBounded(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	for range 20000 {
		l.game.output = append(l.game.output, strings.Repeat("x", 99))
	}
	got := l.rcon(loopbackPeer, l.challenge(loopbackPeer), adminPassword, "cvarlist")
	if len(got) > 260<<10 || !strings.HasSuffix(got, "xxx\n(output truncated)\n") {
		t.Errorf("%d bytes, the end is %q", len(got), got[len(got)-100:])
	}
}

// TestRconControls checks that output is safe to show in a terminal.
func TestRconControls(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	l.game.output = []string{"a\x1b[2J\x00b\r\tc\x7f", "two\nthree\n", ""}
	if got := l.rcon(loopbackPeer, l.challenge(loopbackPeer), adminPassword, "x"); got != "a [2J b\tc \ntwo\nthree\n" {
		t.Errorf("%q", got)
	}
}

// TestNoChallenge checks a request without a challenge that was sent to its address. Such a request
// runs nothing and does not count as a failure. The answer is no longer than the request.
func TestNoChallenge(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	c := l.challenge(bob)
	if got := l.rcon(alice, c, adminPassword, "status of the server"); got != "\xff\xff\xff\xff9No challenge for your address.\n\x00" {
		t.Errorf("%q", got)
	}
	if got := l.rcon(alice, c, adminPassword, ""); got != "\xff\xff\xff\xff9Bad challenge.\n\x00" {
		t.Errorf("%q", got)
	}
	if got := l.askOne(alice, []byte("\xff\xff\xff\xffrcon 1 x")); got != nil {
		t.Errorf("%q", got)
	}
	c = l.challenge(alice)
	l.advance(time.Hour)
	if got := l.rcon(alice, c, adminPassword, "x"); got != "done\n" {
		t.Errorf("after an hour %q: programs keep challenges", got)
	}
	l.advance(time.Hour)
	if got := l.rcon(alice, c, adminPassword, "x"); got == "done\n" {
		t.Error("a challenge is good for ever")
	}
}

// TestSpoofedBan checks that forged requests do not get an address banned.
func TestSpoofedBan(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	mine := l.challenge(bob)
	for i := range uint32(2000) {
		c := mine
		if i%2 == 0 {
			c = 100000000 + i*977
		}
		l.rcon(transport.UDPPeer(alice.Addr(), uint16(2000+i)), c, "wrong", "x")
		l.advance(time.Millisecond)
	}
	if bans := l.bans.All(); len(bans) != 0 {
		t.Errorf("banned by forged requests: %v", bans)
	}
	if got := l.rcon(alice, l.challenge(alice), adminPassword, "status"); got != "done\n" {
		t.Errorf("the victim gets %q", got)
	}
	if len(l.events) != 1 || l.events[0].Result != halflife.RconRan {
		t.Errorf("forged requests fill the log: %+v", l.events)
	}
}

// TestBan checks that five wrong passwords ban the address for some time, whatever ports they come
// from.
func TestBan(t *testing.T) {
	l := newTestServer(t, halflife.Settings{})
	c := l.challenge(alice)
	guess := func(port uint16) string {
		t.Helper()
		return l.rcon(transport.UDPPeer(alice.Addr(), port), c, "wrong", "x")
	}
	for port := range uint16(4) {
		if got := guess(2000 + port); got != "Bad rcon_password.\n" {
			t.Errorf("guess %d: %q", port, got)
		}
	}
	const banned = "You have been banned from this server.\n"
	if got := guess(3000); got != banned {
		t.Errorf("the fifth: %q", got)
	}
	if got := l.rcon(alice, c, adminPassword, "x"); got != "" {
		t.Errorf("a banned address gets %q", got)
	}
	if got := l.rcon(bob, l.challenge(bob), adminPassword, "x"); got != "done\n" {
		t.Errorf("another address gets %q", got)
	}
	l.advance(31 * time.Second)
	if got := l.rcon(alice, c, adminPassword, "x"); got != banned {
		t.Errorf("half a minute later %q", got)
	}
	if got := l.rcon(alice, c, adminPassword, "x"); got != "" {
		t.Errorf("at once again %q", got)
	}
	all := l.bans.All()
	if len(all) != 1 || all[0].Net != netip.PrefixFrom(alice.Addr(), 32) || !all[0].RconOnly || all[0].Duration != 15*time.Minute {
		t.Errorf("bans: %+v", all)
	}
	l.advance(15 * time.Minute)
	if got := l.rcon(alice, c, adminPassword, "x"); got != "done\n" {
		t.Errorf("after the ban %q", got)
	}
	// The end of the ban also clears the failures that led to it.
	if got := guess(2000); got != "Bad rcon_password.\n" {
		t.Errorf("a wrong password after the ban: %q", got)
	}
}

// TestBanSettings checks the settings for the number of failures, the duration of a ban, and the
// networks that cannot be banned.
func TestBanSettings(t *testing.T) {
	guesses := func(l *testServer, peer transport.Peer, n int, gap time.Duration) {
		l.t.Helper()
		c := l.challenge(peer)
		for range n {
			l.rcon(peer, c, "wrong", "x")
			l.advance(gap)
		}
	}
	set := func(r halflife.RconSettings) halflife.Settings {
		rate := halflife.Rate{PerSecond: 1000, Burst: 1000}
		return halflife.Settings{Rcon: r, Limits: halflife.Limits{Guesses: rate}}
	}
	for name, test := range map[string]struct {
		set  halflife.RconSettings
		peer transport.Peer
		n    int
		gap  time.Duration
		want []bans.Ban
	}{
		"two": {set: halflife.RconSettings{MaxFailures: 2}, peer: alice, n: 2,
			want: []bans.Ban{{Net: netip.MustParsePrefix("198.51.100.7/32"), Duration: 15 * time.Minute, RconOnly: true}}},
		"not two": {set: halflife.RconSettings{MaxFailures: 2}, peer: alice, n: 1},
		"for ever": {set: halflife.RconSettings{BanTime: -1}, peer: alice, n: 5,
			want: []bans.Ban{{Net: netip.MustParsePrefix("198.51.100.7/32"), RconOnly: true}}},
		"from game": {set: halflife.RconSettings{BanFromGame: true}, peer: alice, n: 5,
			want: []bans.Ban{{Net: netip.MustParsePrefix("198.51.100.7/32"), Duration: 15 * time.Minute}}},
		"IPv6":     {peer: ipv6Peer, n: 5, want: []bans.Ban{{Net: netip.MustParsePrefix("2001:db8:1:2::/64"), Duration: 15 * time.Minute, RconOnly: true}}},
		"slowly":   {peer: alice, n: 12, gap: 8 * time.Second},
		"never":    {set: halflife.RconSettings{MaxFailures: -1}, peer: alice, n: 50},
		"loopback": {peer: loopbackPeer, n: 50},
		"exempt":   {set: halflife.RconSettings{UnbannableNets: []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24")}}, peer: alice, n: 50},
	} {
		l := newTestServer(t, set(test.set))
		guesses(l, test.peer, test.n, test.gap)
		got := l.bans.All()
		for i := range got {
			if got[i].Temporary != (got[i].Duration > 0) {
				t.Errorf("%s: %+v", name, got[i])
			}
			got[i].Until, got[i].Reason, got[i].Temporary = time.Time{}, "", false
		}
		if len(got)+len(test.want) > 0 && !cmp.Equal(got, test.want, cmpopts.EquateComparable(netip.Prefix{}, bans.Range{})) {
			t.Errorf("%s: bans %v, want %v", name, got, test.want)
		}
	}
	// An address that logged in recently is not banned.
	l := newTestServer(t, set(halflife.RconSettings{}))
	l.rcon(alice, l.challenge(alice), adminPassword, "x")
	guesses(l, alice, 20, 0)
	if all := l.bans.All(); len(all) != 0 {
		t.Errorf("an administrator is banned: %v", all)
	}
	// Addresses of an IPv6 /64 count together, since machines change their address within it.
	l = newTestServer(t, set(halflife.RconSettings{}))
	l.rcon(ipv6Peer, l.challenge(ipv6Peer), adminPassword, "x")
	next := transport.UDPPeer(ipv6Peer.Addr().Next(), 4000)
	guesses(l, next, 20, 0)
	if all := l.bans.All(); len(all) != 0 {
		t.Errorf("an administrator with a new address is banned: %v", all)
	}
	// Addresses outside AllowedNets get the same answer as a wrong password.
	l = newTestServer(t, set(halflife.RconSettings{AllowedNets: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}}))
	if got := l.rcon(alice, l.challenge(alice), adminPassword, "x"); got != "Bad rcon_password.\n" || l.game.commands != nil {
		t.Errorf("not allowed: %q, ran %q", got, l.game.commands)
	}
	if got := l.rcon(bob, l.challenge(bob), adminPassword, "x"); got != "done\n" {
		t.Errorf("allowed: %q", got)
	}
	l = newTestServer(t, set(halflife.RconSettings{AllowedNets: []netip.Prefix{netip.MustParsePrefix("fe80::/64")}}))
	zoned := transport.UDPPeer(netip.MustParseAddr("fe80::9%2"), 4000)
	if got := l.rcon(zoned, l.challenge(zoned), adminPassword, "x"); got != "done\n" {
		t.Errorf("allowed, with a zone: %q", got)
	}
}

// TestTableFlushing checks that many addresses that take turns do not make the server forget the
// failures of each, and that the guesses of a network share a limit.
func TestTableFlushing(t *testing.T) {
	plenty := halflife.Rate{PerSecond: 1e6, Burst: 1e6}
	l := newTestServer(t, halflife.Settings{Limits: halflife.Limits{Guesses: plenty, AllGuesses: plenty}})
	addr := func(i int) transport.Peer {
		return transport.UDPPeer(netip.AddrFrom4([4]byte{20, byte(i >> 8), byte(i), 9}), 4000)
	}
	const many = 200
	for range 5 {
		for i := range many {
			req := append(textRequest(wire.RequestRconChallenge), make([]byte, 8)...)
			c, err := wire.ParseRconChallenge(l.askOne(addr(i), req))
			if err != nil {
				t.Fatal(err)
			}
			l.rcon(addr(i), c, "wrong", "x")
		}
		l.advance(time.Second)
	}
	if all := l.bans.All(); len(all) != many {
		t.Errorf("%d of %d are banned", len(all), many)
	}

	l = newTestServer(t, halflife.Settings{})
	tried := 0
	for i := range 256 {
		peer := transport.UDPPeer(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}), 4000)
		c := l.challenge(peer)
		for range 4 {
			if l.rcon(peer, c, "wrong", "x") != "" {
				tried++
			}
		}
	}
	if tried > 20 {
		t.Errorf("a network had %d guesses at once", tried)
	}
	for i := range 64 {
		peer := transport.UDPPeer(netip.MustParseAddr(fmt.Sprintf("2001:db8:1:%x::1", i)), 4000)
		if looked := l.rcon(peer, l.challenge(peer), "wrong", "x") != ""; looked != (i < 20) {
			t.Errorf("guess %d of an IPv6 /48: looked at: %v", i, looked)
		}
	}
}

// TestLogForging checks that no datagram adds a line, a password or a challenge to the log.
func TestLogForging(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newTestServer(t, halflife.Settings{})
		c := l.challenge(alice)
		password := rapid.SampledFrom([]string{adminPassword, modPassword, "wr0ngguess"}).Draw(rt, "password")
		command := rapid.SampledFrom([]string{"x\r\n[server] rcon: 1.2.3.4 ran quit", "\x1b[2J", "a\tb", "say", "\"\\"}).Draw(rt, "command") +
			rapid.StringN(0, 50, -1).Draw(rt, "more")
		for range 20 {
			l.ask(alice, []byte(fmt.Sprintf("\xff\xff\xff\xffrcon %d \"%s\" %s", c, password, command)))
			l.advance(100 * time.Millisecond)
		}
		for _, e := range l.events {
			line := fmt.Sprintf("%v %v %q %d %d", e.Peer, e.Result, e.Command, e.Level, e.Count)
			if strings.ContainsFunc(e.Command, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }) || len(e.Command) > 32 {
				rt.Errorf("command in the log: %q", e.Command)
			}
			for _, hidden := range []string{adminPassword, "wr0ngguess", fmt.Sprint(c)} {
				if strings.Contains(line, hidden) {
					rt.Errorf("%q is in the log: %s", hidden, line)
				}
			}
		}
		if password == "wr0ngguess" && len(l.events) != 2 {
			rt.Errorf("%d events for 20 wrong passwords: %+v", len(l.events), l.events)
		}
	})
}

// TestRconOff checks that the server sends no challenges while it has no password.
func TestRconOff(t *testing.T) {
	l := newTestServer(t, halflife.Settings{Rcon: halflife.RconSettings{Passwords: []halflife.RconPassword{}}})
	if got := l.askOne(loopbackPeer, textRequest(wire.RequestRconChallenge)); got != nil {
		t.Errorf("a challenge: %q", got)
	}
	if got := l.rcon(loopbackPeer, 123456789, adminPassword, "status"); got != "" {
		t.Errorf("an answer: %q", got)
	}
	// Turn rcon on, then off again.
	if err := l.srv.SetSettings(halflife.Settings{Rcon: halflife.RconSettings{Passwords: []halflife.RconPassword{{"new", 3}}}}); err != nil {
		t.Fatal(err)
	}
	c := l.challenge(loopbackPeer)
	if got := l.rcon(loopbackPeer, c, adminPassword, "x"); got != "Bad rcon_password.\n" {
		t.Errorf("the old password: %q", got)
	}
	if got := l.rcon(loopbackPeer, c, "new", "x"); got != "done\n" || l.game.commands[0] != "3 x" {
		t.Errorf("the new password: %q, ran %q", got, l.game.commands)
	}
	if err := l.srv.SetSettings(halflife.Settings{}); err != nil {
		t.Fatal(err)
	}
	if got := l.rcon(loopbackPeer, c, "new", "x"); got != "" {
		t.Errorf("when off: %q", got)
	}
}

// TestThirdPartyRcon checks that programs which do not pad their request get a challenge where the
// settings allow it.
func TestThirdPartyRcon(t *testing.T) {
	req := []byte("\xff\xff\xff\xffchallenge rcon\x00")
	for name, test := range map[string]struct {
		set  halflife.Settings
		peer transport.Peer
		want bool
	}{
		"world":   {halflife.Settings{}, alice, false},
		"lan":     {halflife.Settings{}, lanPeer, true},
		"off":     {halflife.Settings{Legacy: halflife.LegacyOff}, lanPeer, false},
		"on":      {halflife.Settings{Legacy: halflife.LegacyOn}, alice, true},
		"allowed": {halflife.Settings{Rcon: halflife.RconSettings{AllowedNets: []netip.Prefix{netip.MustParsePrefix("198.51.100.7/32")}}}, alice, true},
	} {
		if got := newTestServer(t, test.set).askOne(test.peer, req); (got != nil) != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestPasswords checks which passwords are accepted, and that client and server agree on each of
// them.
func TestPasswords(t *testing.T) {
	for _, bad := range []string{"", "tab\t", `quo"te`, "new\nline", "return\r", strings.Repeat("x", 65)} {
		if err := wire.CheckPassword(bad); !errors.Is(err, wire.ErrPassword) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{"two words", " a  b ", `back\slash`, "{()':,}//é" + strings.Repeat("x", 50), "пароль из слов"} {
		if err := wire.CheckPassword(good); err != nil {
			t.Error(err)
			continue
		}
		l := newTestServer(t, halflife.Settings{Rcon: halflife.RconSettings{Passwords: []halflife.RconPassword{{Password: good}}}})
		c := l.challenge(loopbackPeer)
		if got := l.rcon(loopbackPeer, c, good, "say two words"); got != "done\n" || !slices.Equal(l.game.commands, []string{"0 say two words"}) {
			t.Errorf("%q: %q, ran %q", good, got, l.game.commands)
		}
		if got := l.rcon(loopbackPeer, c, strings.Fields(good)[0]+"!", "x"); got != "Bad rcon_password.\n" {
			t.Errorf("a wrong password instead of %q: %q", good, got)
		}
	}
}

// TestGuessesInAll checks that many networks together cannot try many passwords. Operators who
// logged in recently, or whose network is listed, still can log in meanwhile, within a limit.
func TestGuessesInAll(t *testing.T) {
	listed := transport.MustParsePeer("192.0.2.9:4000")
	for name, set := range map[string]halflife.RconSettings{
		"logged in": {MaxFailures: -1},
		"listed":    {MaxFailures: -1, AllowedNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}},
		"exempt":    {MaxFailures: -1, UnbannableNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}},
	} {
		l := newTestServer(t, halflife.Settings{Rcon: set, Limits: halflife.Limits{Guesses: halflife.Rate{PerSecond: 1e6, Burst: 1e6}}})
		if name == "logged in" {
			l.rcon(listed, l.challenge(listed), adminPassword, "x")
		}
		const seconds = 5
		tried, n := 0, 0
		site := func() transport.Peer {
			n++
			return transport.UDPPeer(netip.AddrFrom16([16]byte{0x20, 0x01, 4: byte(n >> 8), 5: byte(n), 15: 1}), 5000)
		}
		for range seconds * 1000 {
			peer := site()
			if l.rcon(peer, l.challenge(peer), "wrong", "x") != "" {
				tried++
			}
			l.advance(time.Millisecond)
		}
		// All sites are in one block, whose limit is a tenth of the limit for new sites.
		if most := 11*(50+10*seconds)/10 + 1; tried < 50 || tried > most {
			t.Errorf("%s: %d passwords of strangers were tried in %d s", name, tried, seconds)
		}
		stranger := site()
		l.rcon(stranger, l.challenge(stranger), "wrong", "x") // uses up the tokens of the last ms
		if got := l.rcon(stranger, l.challenge(stranger), adminPassword, "x"); got != "" {
			t.Errorf("%s: beyond the limit the right password is answered with %q", name, got)
		}
		c := l.challenge(listed)
		if got := l.rcon(listed, c, adminPassword, "x"); got != "done\n" {
			t.Errorf("%s: an operator gets %q", name, got)
		}
		elsewhere := transport.MustParsePeer("203.0.113.200:4000")
		if got := l.rcon(elsewhere, l.challenge(elsewhere), adminPassword, "x"); got != "done\n" && name != "listed" {
			t.Errorf("%s: an operator at a new address gets %q", name, got)
		}
		tried = 0
		for range 1000 {
			if l.rcon(listed, c, "wrong", "x") != "" {
				tried++
			}
		}
		if tried != 50 {
			t.Errorf("%s: who plays from the operator's address tried %d passwords at once", name, tried)
		}
	}
}
