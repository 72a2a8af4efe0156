package server

import (
	"github.com/teeyard/teeyard/server/internal/access"
	"net/netip"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/transport"
)

// TestGamePasswordsAreLimited checks that many sites together cannot try many passwords of the
// game, and that those who have played lately, or come from elsewhere, get in meanwhile.
func TestGamePasswordsAreLimited(t *testing.T) {
	ts := newTestServer(t, nil, "password word")
	login := func(peer transport.Peer, password string) *testclient.Client {
		return ts.connect(peer).InfoWithPassword(password)
	}
	gone := func(c *testclient.Client) {
		delete(ts.clients, c.Peer)
	}
	isIn := func(c *testclient.Client) bool { return ts.session(c) != nil && ts.session(c).state >= stateConnecting }
	friend := login(ip(1), "word")
	if !isIn(friend) {
		t.Fatalf("with the password: %q", friend.Reason)
	}
	ts.idle(60, friend) // who leaves at once is banned
	friend.Close("")
	ts.step(1)
	const sites, perTick, seconds = 400, 8, 20 // of 16 blocks
	checked, refused, n := 0, 0, 0
	for range seconds * game.TickRate {
		var guessers [perTick]*testclient.Client
		for i := range guessers {
			peer := transport.UDPPeer(netip.AddrFrom4([4]byte{20, byte(n % 16), byte(n % sites / 16), byte(n / sites)}), 5000)
			guessers[i] = login(peer, "guess")
			n++
		}
		ts.step(1)
		for _, c := range guessers {
			switch c.Reason {
			case "Wrong password":
				checked++
			case access.TooManyGuesses:
				refused++
			}
			gone(c)
		}
	}
	if most := int(2 * (access.GuessRate.Burst + seconds*access.GuessRate.PerSecond)); checked > most || checked < most/2-10 || refused == 0 {
		t.Errorf("%d passwords were checked, %d refused, of at most %d", checked, refused, most)
	}
	for name, peer := range map[string]transport.Peer{"a friend": ip(1), "somebody from elsewhere": public(1), "localhost": local(1)} {
		if c := login(peer, "word"); !isIn(c) {
			ts.step(1)
			t.Errorf("%s is told %q", name, c.Reason)
		}
	}
	for i := range 3 { // they take what has come in since
		login(transport.UDPPeer(netip.AddrFrom4([4]byte{20, 0, 0, byte(80 + i)}), 5000), "guess")
	}
	stranger := login(transport.MustParsePeer("20.0.0.77:5000"), "word")
	if ts.step(1); stranger.Reason != access.TooManyGuesses {
		t.Errorf("beyond the limit the right password is answered with %q", stranger.Reason)
	}
}

// TestWrongRconPasswordsAreLogged: also those from the operator's own machine, but not without
// end.
func TestWrongRconPasswordsAreLogged(t *testing.T) {
	ts := newTestServer(t, nil, "sv_rcon_max_tries 0")
	for i, peer := range []transport.Peer{local(1), ip(1)} {
		c := ts.join(peer, "guesser")
		ts.log.Reset()
		for range 100 {
			c.Login("guess")
			ts.idle(10, c)
		}
		want := "[server]: ClientID=" + string(rune('0'+i)) + " addr=" + peer.String() + " wrong rcon password\n"
		if got := strings.Count(ts.log.String(), want); got == 0 || got > int(access.StrangerLogRate.Burst)+30 {
			t.Errorf("%d lines %q in the log:\n%s", got, want, ts.log.String())
		}
	}
}

// TestShutdownLines checks that the log lists the clients at the end, as the original does, and
// says that the server ended.
func TestShutdownLines(t *testing.T) {
	ts := newTestServer(t, nil)
	ts.idle(60, ts.join(ip(1), "alice"), ts.join(ip(2), "bob"))
	ts.log.Reset()
	ts.srv.Shutdown(ts.now, "")
	const want = `[server]: client dropped. cid=0 addr=10.0.0.1:5000 reason='Server shutdown'
[game]: kill killer='0:0:alice' victim='0:0:alice' weapon=-3 special=0
[game]: leave player='0:alice'
[server]: client dropped. cid=1 addr=10.0.0.2:5000 reason='Server shutdown'
[game]: kill killer='1:0:bob' victim='1:0:bob' weapon=-3 special=0
[game]: leave player='1:bob'
[server]: shut down (Server shutdown)
`
	if ts.log.String() != want {
		t.Errorf("%s\nwant\n%s", ts.log.String(), want)
	}
	for _, c := range ts.clients {
		if c.Reason != "Server shutdown" {
			t.Errorf("a player is told %q", c.Reason)
		}
	}
}

// TestCommandsThatTakeTime checks that commands with a later result say so at once.
func TestCommandsThatTakeTime(t *testing.T) {
	ts := newTestServer(t, nil)
	for _, c := range [][2]string{
		{"change_map testbox", "[server]: the match ends now; map 'testbox' follows in about 10 seconds\n"},
		{"change_map", "[server]: the match ends now; map 'testbox' follows in about 10 seconds\n"},
		{"sv_map testbox", "[server]: changing to map 'testbox'\n"},
		{"sv_map teeyard1", "[server]: map 'teeyard1' is already running; reload reads it again\n"},
	} {
		ts.log.Reset()
		if ts.srv.Execute(c[0]); ts.log.String() != c[1] {
			t.Errorf("%s: %q, want %q", c[0], ts.log.String(), c[1])
		}
	}
	ts.step(1)
	ts.log.Reset()
	ts = newTestServer(t, nil)
	ts.log.Reset()
	ts.srv.Execute("change_map")
	if got := ts.log.String(); !strings.Contains(got, "another one on this map follows") {
		t.Errorf("without a rotation: %q", got)
	}
	ts.log.Reset()
	ts.srv.Execute("tune gravitation 1; tune gravty 1; tune_reset ground_controll_acel")
	if want := "[tuning]: No such tuning parameter\n[tuning]: tunes lists all parameters\n" +
		"[tuning]: No such tuning parameter\n[tuning]: did you mean gravity? tunes lists all parameters\n" +
		"[tuning]: No such tuning parameter\n[tuning]: did you mean ground_control_accel? tunes lists all parameters\n"; ts.log.String() != want {
		t.Errorf("tune: %q", ts.log.String())
	}
}

// TestOperatorsGetInAmongGuesses has new sites of new blocks guess the rcon password faster than
// their limit. Strangers have to wait then, as docs/operate/limits.md says. Recent operators and
// clients on the server's machine do not.
func TestOperatorsGetInAmongGuesses(t *testing.T) {
	ts := newTestServer(t, nil)
	boss := ts.connect(ip(1)).Info().Login("adminpw")
	if ts.idle(60, boss); !ts.session(boss).rcon.authed {
		t.Fatal(boss.RconLines)
	}
	boss.Close("")
	ts.step(1)
	for i := range 20 * 50 { // 20 sites a second, each of another block
		ts.step(1)
		a := netip.AddrFrom4([4]byte{byte(20 + i%50), byte(i / 50), 0, 1})
		if ts.srv.access.Guesses.Rcon.Allow(int64(ts.now), a, true) {
			ts.srv.access.Guesses.Rcon.Wrong(int64(ts.now), a, true)
		}
	}
	for peer, want := range map[transport.Peer]bool{ip(1): true, local(1): true, public(1): false} {
		c := ts.connect(peer).Info().Login("adminpw")
		if got := ts.session(c).rcon.authed; got != want {
			t.Errorf("%v logs in: %v, %q", peer, got, c.RconLines)
		}
	}
}
