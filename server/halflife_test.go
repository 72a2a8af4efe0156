package server

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/internal/listing"
	"github.com/teeyard/teeyard/transport"
)

// hlClient asks a test server in the Half-Life protocol.
type hlClient struct {
	*testServer
	peer transport.Peer
}

// ask sends a datagram and returns copies of those that answer it.
func (c hlClient) ask(b []byte) [][]byte { return c.testServer.ask(c.peer, b) }

// askOne is ask for a question with one answer.
func (c hlClient) askOne(b []byte) []byte {
	c.tb.Helper()
	answers := c.ask(b)
	if len(answers) != 1 {
		c.tb.Fatalf("%q gets %d answers, drops %v", b, len(answers), c.srv.Drops())
	}
	return answers[0]
}

// a2s sends a request with the challenge that the server gives.
func (c hlClient) a2s(kind wire.RequestKind) []byte {
	c.tb.Helper()
	challenge, err := wire.ParseA2SChallenge(c.askOne(wire.AppendA2SRequest(nil, kind, wire.NoChallenge)))
	testenv.NoError(c.tb, err)
	return c.askOne(wire.AppendA2SRequest(nil, kind, challenge))
}

// rconChallenge asks for a challenge, in more bytes than the answer has.
var rconChallenge = []byte("\xff\xff\xff\xffchallenge rcon\n" + strings.Repeat("\x00", 20))

// challenge returns a challenge for rcon.
func (c hlClient) challenge() uint32 {
	c.tb.Helper()
	challenge, err := wire.ParseRconChallenge(c.askOne(rconChallenge))
	testenv.NoError(c.tb, err)
	return challenge
}

// rcon runs a line and returns its output.
func (c hlClient) rcon(password, line string) string {
	c.tb.Helper()
	return c.rconWith(c.challenge(), password, line)
}

func (c hlClient) rconWith(challenge uint32, password, line string) string {
	c.tb.Helper()
	b := testenv.Must(wire.AppendRcon(nil, challenge, password, line))
	var out []byte
	for _, b := range c.ask(b) {
		text, err := wire.ParsePrint(b)
		if err != nil {
			c.tb.Fatalf("%q: %v", b, err)
		}
		out = append(out, text...)
	}
	return string(out)
}

// TestHalfLifeQueries checks that trackers are told what server browsers are told.
func TestHalfLifeQueries(t *testing.T) {
	ts := newTestServer(t, nil, "sv_name \"a yard\"; sv_scorelimit 33; password joinpw; sv_rcon_mod_password modpw; sv_hostname yard.example")
	ts.srv.Execute("password \"\"")
	p := ts.join(ip(1), "alice")
	ts.join(ip(2), "bob")
	ts.step(3 * 50)
	ts.srv.Execute("password joinpw; sv_register_extra \"Key: extrapw\"")
	k := hlClient{ts, public(1)}
	for _, kind := range []wire.RequestKind{wire.RequestA2SInfo, wire.RequestDetails, wire.RequestInfo, wire.RequestInfostring} {
		var b []byte
		if kind == wire.RequestA2SInfo {
			b = k.a2s(kind) // and with that the address is proven
		} else {
			b = k.askOne(wire.AppendTextRequest(nil, kind))
		}
		i, _, err := wire.ParseInfo(b)
		if err != nil || i.Name != "a yard" || i.Map != "teeyard1" || i.Dir != "teeworlds" || i.Game != "Teeworlds DM" ||
			i.Players != 2 || i.Max != 64 || i.Bots != 0 {
			t.Errorf("%v: %+v, %v", kind, i, err)
		}
		if kind != wire.RequestInfo && !i.Password {
			t.Errorf("%v: no password", kind)
		}
		if kind == wire.RequestA2SInfo && (i.Version != listing.GameVersion || i.Port != 8303 || i.Keywords != "dm" || i.Type != 'd') {
			t.Errorf("%+v", i)
		}
	}
	for _, b := range [][]byte{k.a2s(wire.RequestA2SPlayers), k.askOne(wire.AppendTextRequest(nil, wire.RequestPlayers))} {
		players, err := wire.ParsePlayers(b)
		if err != nil || len(players) != 2 || players[0].Name != "alice" || players[1].Name != "bob" ||
			players[0].Time < 3*time.Second || players[0].Time > 4*time.Second {
			t.Errorf("%+v, %v", players, err)
		}
	}
	for _, b := range [][]byte{k.a2s(wire.RequestA2SRules), k.askOne(wire.AppendTextRequest(nil, wire.RequestRules))} {
		rules, err := wire.ParseRules(b)
		if err != nil || !slices.Contains(rules, wire.Rule{Name: "sv_scorelimit", Value: "33"}) ||
			!slices.Contains(rules, wire.Rule{Name: "sv_gametype", Value: "dm"}) {
			t.Errorf("%v, %v", rules, err)
		}
		for _, secret := range []string{"adminpw", "modpw", "joinpw", "extrapw"} {
			if bytes.Contains(b, []byte(secret)) {
				t.Errorf("the rules tell %q", secret)
			}
		}
		for _, r := range rules {
			if !strings.HasPrefix(r.Name, "sv_") || strings.Contains(r.Name, "password") || strings.Contains(r.Name, "token") {
				t.Errorf("the rule %v is published", r)
			}
		}
	}
	// Clients that connect are listed, as in browsers, and those that left are not.
	ts.connect(ip(3))
	ts.session(p).drop("")
	ts.step(2 * 50)
	players, err := wire.ParsePlayers(k.a2s(wire.RequestA2SPlayers))
	if err != nil || len(players) != 2 || players[0].Name != "bob" || players[1].Name != "(connecting)" {
		t.Errorf("%+v, %v", players, err)
	}
	ts.srv.Execute("sv_hl 0")
	if got := k.ask(wire.AppendTextRequest(nil, wire.RequestPing)); got != nil {
		t.Errorf("switched off, it answers %q", got)
	}
}

// TestHalfLifeBots checks that bots have the time that they have been there for, and that A2S
// marks them.
func TestHalfLifeBots(t *testing.T) {
	ts := newTestServer(t, nil, "dbg_dummies 2")
	ts.join(ip(1), "alice")
	k := hlClient{ts, ip(9)}
	check := func(when string, from, to time.Duration) {
		t.Helper()
		players := testenv.Must(wire.ParsePlayers(k.askOne(wire.AppendTextRequest(nil, wire.RequestPlayers))))
		if len(players) != 3 {
			t.Fatalf("%s: %+v", when, players)
		}
		for _, p := range players {
			if p.Name != "alice" && (p.Time < from || p.Time > to) {
				t.Errorf("%s: %+v", when, p)
			}
		}
		marked := testenv.Must(wire.ParsePlayers(k.a2s(wire.RequestA2SPlayers)))
		if n := len(slices.DeleteFunc(marked, func(p wire.Player) bool { return !p.Bot })); n != 2 {
			t.Errorf("%s: A2S marks %d bots", when, n)
		}
	}
	ts.step(3 * 50)
	check("after 3 s", 3*time.Second, 4*time.Second)
	ts.step(4 * 50)
	check("after 7 s", 7*time.Second, 8*time.Second)
}

// TestHalfLifeRcon checks that the remote console gives the rights of its passwords and
// no others.
func TestHalfLifeRcon(t *testing.T) {
	ts := newTestServerWith(t, Config{Demos: &memoryReplays{}}, "sv_rcon_mod_password modpw; sv_map teeyard1; console_output_level 1")
	admin, player := ts.join(ip(1), "admin"), ts.join(ip(2), "player")
	admin.Login("adminpw")
	admin.RconLines = nil
	k, mod := hlClient{ts, public(1)}, hlClient{ts, public(2)}
	if got := k.rcon("adminpw", "status"); !strings.HasPrefix(got, "id=0 addr=10.0.0.1:5000 ") ||
		!strings.Contains(got, "name='admin' score=0 (Admin)\nid=1 addr=10.0.0.2:5000 ") {
		t.Errorf("status prints %q", got)
	}
	for line, want := range map[string]string{
		"sv_scorelimit 7; sv_scorelimit": "Value: 7\n",
		"":                               "",
		"nonsense":                       "No such command: nonsense",
		"ec_port 5":                      "No such command", // out of reach for players' consoles, too
		"say good day":                   "*** good day\n",
	} {
		if got := k.rcon("adminpw", line); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q prints %q, want %q", line, got, want)
		}
	}
	got := strings.Split(k.rcon("adminpw", "record a; stoprecord"), "\n")
	testenv.Check(t, len(got) == 3 && (got[0] == "Recording to 'demos/a.demo'" || got[0] == console.ErrLater.Error()) &&
		got[1] == "Stopped recording", "record prints %q", got)
	if ts.srv.rules.ScoreLimit != 7 || ts.srv.econ.Settings.Port != 0 {
		t.Errorf("the score limit is %d, the econ port %d", ts.srv.rules.ScoreLimit, ts.srv.econ.Settings.Port)
	}
	// Other operators see the command and its source, as always.
	ts.step(2)
	if got := strings.Join(admin.RconLines, "\n"); !strings.Contains(got,
		"[server]: addr="+k.peer.String()+" rcon='sv_scorelimit 7; sv_scorelimit'") || !strings.Contains(got, "[Console]: Value: 7") {
		t.Errorf("the admin reads %q", got)
	}
	// Moderators have the same rights as in the game.
	if got := mod.rcon("modpw", "kick 1"); !strings.Contains(got, "Access for command kick denied") || ts.session(player) == nil {
		t.Errorf("a moderator kicks: %q", got)
	}
	ts.srv.Execute("mod_command kick 1; mod_command ban 1; mod_command addip 1")
	for _, line := range []string{"kick 0", "ban 0 5 x", "addip 5 10.0.0.0/24"} {
		if got := mod.rcon("modpw", line); !strings.Contains(got, "denied") || ts.session(admin).dropping || banned(ts.srv, admin.Peer) {
			t.Errorf("a moderator gets rid of an admin with %q: %q", line, got)
		}
	}
	if mod.rcon("modpw", "kick 1"); !ts.session(player).dropping {
		t.Error("a moderator who may kick cannot")
	}
	if got := k.rcon("adminpw", "ban 198.51.0.1 5 oops"); !strings.Contains(got, "you can't ban yourself") {
		t.Errorf("operators can ban themselves: %q", got)
	}
	// New settings count at once, and their errors are logged.
	c := k.challenge()
	if got := k.rconWith(c, "adminpw", "sv_rcon_password other"); got != "ClientID=0 logged out by key update\n" {
		t.Errorf("prints %q", got)
	}
	if got := k.rconWith(c, "adminpw", "status"); got != "Bad rcon_password.\n" {
		t.Errorf("the old password still works: %q", got)
	}
	ts.srv.Execute("sv_rcon_password \"two words\"")
	if got := k.rcon("two words", "echo hello"); !strings.Contains(got, "hello") {
		t.Errorf("a password of two words: %q", got)
	}
	ts.srv.Execute(`sv_rcon_password "jay\"bird"`)
	if !strings.Contains(ts.log.String(), "sv_rcon_password does not open the remote console of sv_hl_rcon") {
		t.Error("a password that cannot be sent is not reported")
	}
	ts.srv.Execute("sv_rcon_password other")
	for _, c := range []struct{ line, want string }{ // "" stands for a refused challenge
		{"sv_hl_rcon_allow 198.51.1.0/24", "Bad rcon_password.\n"}, {"sv_hl_rcon_allow 198.51.0.0/24,no; sv_hl_rcon 1", "Bad rcon_password.\n"},
		{`sv_hl_rcon_allow ""`, "id=0 "}, {"sv_hl_rcon 0", ""},
	} {
		ts.srv.Execute(c.line)
		if c.want == "" {
			if got := k.ask(rconChallenge); got != nil {
				t.Errorf("%s: there is rcon: %q", c.line, got)
			}
		} else if got := k.rcon("other", "logout; status"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
	for _, secret := range []string{"adminpw", "modpw", "other", "two words", "bird"} {
		if strings.Contains(ts.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// TestHalfLifeAttacks runs the attacks that the protocol is known for. They must not reach the game
// server.
func TestHalfLifeAttacks(t *testing.T) {
	t.Run("nobody is banned in whose name others guess", func(t *testing.T) {
		ts := newTestServer(t, nil)
		victim := ts.join(public(1), "victim")
		forger := hlClient{ts, withPort(victim.Peer, 4000)}
		for i := range 200 {
			b, _ := wire.AppendRcon(nil, uint32(100_000_000+i), "guess", "status")
			forger.ask(b)
		}
		if _, ok := ts.srv.access.Bans.Store.Find(victim.Peer.Addr()); ok || ts.session(victim) == nil {
			t.Error("the victim is banned")
		}
		// Not even the owner of the address loses the game by guessing.
		var last string
		for range 6 {
			last = forger.rcon("guess", "status")
		}
		if e, ok := ts.srv.access.Bans.Store.Find(victim.Peer.Addr()); !ok || !e.RconOnly || last != "" {
			t.Errorf("after six wrong passwords the ban is %+v, the answer %q", e, last)
		}
		if got := forger.rcon("adminpw", "status"); got != "" {
			t.Errorf("the right password of a banned address runs commands: %q", got)
		}
		ts.step(50)
		if ts.session(victim) == nil || ts.session(victim).dropping || banned(ts.srv, victim.Peer) {
			t.Error("who plays at the address is out of the game")
		}
		if got := ts.join(withPort(victim.Peer, 7000), "neighbour"); got.Closed {
			t.Errorf("and nobody can join: %s", got.Reason)
		}
		ts.now = ts.now.Add(16 * time.Minute)
		if got := forger.rcon("adminpw", "sv_scorelimit"); got != "Value: 20\n" {
			t.Errorf("after the ban: %q", got)
		}
	})
	t.Run("guessing is bounded, from one network and the tables", func(t *testing.T) {
		ts := newTestServer(t, nil, "sv_hl_rcon_failures 0; sv_rcon_password secret")
		looked := 0
		for i := range 2000 {
			if (hlClient{ts, withPort(public(i%250), 2000+i)}).rcon("guess", "status") != "" {
				looked++
			}
		}
		if looked > 25 {
			t.Errorf("%d of 2000 guesses of a network were looked at", looked)
		}
		if n := strings.Count(ts.log.String(), "rcon of "); n == 0 || n > 25 {
			t.Errorf("%d lines in the log", n)
		}
		if strings.Contains(ts.log.String(), "guess") || strings.Contains(ts.log.String(), "secret") {
			t.Error("the log has passwords")
		}
		if got := (hlClient{ts, transport.MustParsePeer("203.0.113.9:5000")}).rcon("secret", "sv_scorelimit"); got != "Value: 20\n" {
			t.Errorf("the operator, elsewhere, is shut out: %q", got)
		}
	})
	t.Run("guessing from many networks leaves few lines", func(t *testing.T) {
		ts := newTestServer(t, nil)
		for i := range 6000 { // in 60 s
			a := netip.AddrFrom16([16]byte{0x20, 0x01, 4: byte(i >> 8), 5: byte(i), 15: 1})
			hlClient{ts, transport.UDPPeer(a, 5000)}.rcon("guess", "status")
			ts.now = ts.now.Add(10 * time.Millisecond)
		}
		if n, most := strings.Count(ts.log.String(), "rcon of "), int(access.StrangerLogRate.Burst)+61; n == 0 || n > most {
			t.Errorf("%d lines in the log, want at most %d", n, most)
		}
	})
	t.Run("no line of a log is forged", func(t *testing.T) {
		ts := newTestServer(t, nil)
		k := hlClient{ts, public(1)}
		lines := strings.Count(ts.log.String(), "\n")
		c := k.challenge()
		k.ask(fmt.Appendf(nil, "\xff\xff\xff\xffrcon %d adminpw say x\r[server]: ClientID=3 authed (admin)\x1b[2J\u2028\u0085\x00", c))
		k.ask(fmt.Appendf(nil, "\xff\xff\xff\xffrcon %d \"bad\r\n[server]: forged\" status\x00", c))
		k.ask(fmt.Appendf(nil, "\xff\xff\xff\xffrcon %d bad\x1b]0;x\x07 status\n[server]: forged\x00", c))
		got := ts.log.String()
		if n := strings.Count(got, "\n") - lines; n > 3 {
			t.Errorf("%d lines:\n%s", n, got)
		}
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "[server]: ClientID=3") || strings.HasPrefix(line, "[server]: forged") ||
				strings.ContainsAny(line, "\r\x1b\x07\u2028\u0085") {
				t.Errorf("forged: %q", line)
			}
		}
		if !strings.Contains(got, "[server]: addr=198.51.0.1:27005 rcon='say x [server]: ClientID=3 authed (admin) [2J") {
			t.Errorf("the line is not in the log:\n%s", got)
		}
	})
	t.Run("nobody unproven gets more than 1.2 times what he sent", func(t *testing.T) {
		testenv.OneGoroutine(t)
		ts := newTestServer(t, nil, "sv_map teeyard1")
		for i := range 8 {
			ts.join(local(1000+i), "player")
		}
		ts.srv.cfg.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
		r := rand.New(rand.NewPCG(5, 5))
		var words [][]byte
		for kind := wire.RequestPing; kind <= wire.RequestA2SChallenge; kind++ {
			words = append(words, wire.AppendTextRequest(nil, kind), wire.AppendA2SRequest(nil, kind, wire.NoChallenge))
		}
		for _, w := range []string{"i", "rcon 123456789 x status", "challenge rcon", "details\n", "T",
			"s\n\x01\x02\x03\x04", "j", "9", "lx\x00\x00", "d\n", "f\r\x00\x00\x00\x00"} {
			words = append(words, []byte("\xff\xff\xff\xff"+w))
		}
		answered, total := 0, 100_000
		for i := range total {
			w := words[r.IntN(len(words))]
			b := append(bytes.Clone(w), make([]byte, r.IntN(30))...)
			if len(b) > 4 && r.IntN(3) == 0 {
				b[4+r.IntN(len(b)-4)] = byte(r.Uint32())
			}
			out := 0
			ts.send = func(_ transport.Peer, b []byte) { out += len(b); answered++ }
			ts.now++
			ts.srv.Feed(ts.now, public(i), b)
			if 5*out > 6*len(b) {
				t.Fatalf("%d bytes for %d: %q", out, len(b), b)
			}
		}
		if answered < total/20 {
			t.Errorf("only %d of %d answered: the test tests nothing", answered, total)
		}
		if ts.srv.numClients() != 8 || len(ts.srv.access.Bans.Store.All()) != 0 {
			t.Errorf("%d clients are left, bans %v", ts.srv.numClients(), ts.srv.access.Bans.Store.All())
		}
	})
	t.Run("servers do not talk to each other, nor to themselves", func(t *testing.T) {
		ts := newTestServer(t, nil)
		for _, b := range [][]byte{wire.AppendPong(nil), wire.AppendA2SChallenge(nil, 5), wire.AppendRefused(nil, "x"),
			wire.AppendPrint(nil, "x"), wire.AppendRconChallenge(nil, 5)} {
			if got := (hlClient{ts, ip(5)}).ask(b); got != nil {
				t.Errorf("%q is answered with %q", b, got)
			}
		}
		ping := wire.AppendTextRequest(nil, wire.RequestPing)
		for _, peer := range []transport.Peer{ts.LocalAddr(), withPort(ip(5), 53)} {
			if got := (hlClient{ts, peer}).ask(ping); got != nil {
				t.Errorf("%v is answered %q", peer, got)
			}
		}
	})
}

// TestHalfLifeBans checks that addip, removeip, listip and writeip act on the same bans
// as ban, unban and bans.
func TestHalfLifeBans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bans.json")
	written := map[string]string{}
	start := func() (*testServer, *bans.List) {
		store := testenv.Must(bans.Open(path, nil))
		return newTestServerWith(t, Config{Bans: store, WriteFile: func(name string, content []byte) error {
			written[name] = string(content)
			return nil
		}}), store
	}
	ts, store := start()
	k := hlClient{ts, public(1)}
	p, q := ts.join(ip(1<<8|1), "in the network"), ts.join(ip(2<<8|1), "not in it")
	run := func(line, want string) {
		t.Helper()
		if got := k.rcon("adminpw", line); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	run("listip", "IP filter list: empty\n")
	run("addip 0 10.0.1.0", "banned '10.0.1.0/24' for life (addip)\n")
	run("addip 30 10.9.9.9", "banned '10.9.9.9' for 30 minutes (addip)\n")
	run("ban 10.8.8.8 5 rude", "banned '10.8.8.8' for 5 minutes (rude)\n")
	run("ban 10.7.0.2-10.7.0.4 5 range", "banned '10.7.0.2' - '10.7.0.4' for 5 minutes (range)\n")
	run("unban 10.7.0.2-10.7.0.4", "unbanned '10.7.0.2' - '10.7.0.4' for 5 minutes (range)\n")
	run("unban 10.7.0.2-10.7.0.4", "unban failed (invalid entry)\n")
	run("ban 10.7.0.4-10.7.0.2", "ban failed (invalid range)\n")
	run("addip 5 198.51.0.0/24", "you can't ban yourself")
	run("addip 0 0.0.0.0", "cannot ban")
	run("addip 0 127.0.0.1", "cannot ban")
	ts.step(1)
	if p.Reason != "You have been banned for life (addip)" || q.Closed {
		t.Errorf("dropped with %q; the other %v", p.Reason, q.Closed)
	}
	run("listip", "IP filter list:\n 10.  0.  1.  0 : permanent\n 10.  9.  9.  9 : 30.000 min\n 10.  8.  8.  8 : 5.000 min\n")
	run("bans", "#0 '10.8.8.8' banned for 5 minutes (rude)\n#1 '10.9.9.9' banned for 30 minutes (addip)\n#2 '10.0.1.0/24' banned for life (addip)\n3 bans\n")
	run("removeip 10.7.7.7", "removeip: couldn't find 10.7.7.7.\n")
	run("removeip 10.8.8.8", "IP filter removed.\n")
	run("unban 10.0.1.5", "unban failed (invalid entry)")
	run("writeip", "written: listip.cfg\n")
	if got := written["listip.cfg"]; got != "addip 0 10.0.1.0\n" {
		t.Errorf("writeip writes %q", got)
	}
	testenv.NoError(t, store.Close())
	// They are there again after a restart.
	ts, store = start()
	k = hlClient{ts, public(1)}
	ts.now = ts.now.Add(time.Minute)
	if p = ts.dial(ip(1<<8 | 7)); p.Reason != "You have been banned for life (addip)" {
		t.Errorf("after a restart: %q", p.Reason)
	}
	if p = ts.dial(ip(9<<16 | 9<<8 | 9)); p.Reason != "You have been banned for 30 minutes (addip)" {
		t.Errorf("after a restart: %q", p.Reason)
	}
	run("unban 10.0.1.0/24", "unbanned '10.0.1.0/24' for life (addip)\n")
	run("unban_all", "unbanned all entries\n")
	run("bans", "0 bans\n")
	testenv.NoError(t, store.Close())
	if p = ts.dial(ip(1<<8 | 8)); p.Closed {
		t.Errorf("unbanned, but %q", p.Reason)
	}
}

func TestHalfLifeQueriesAllocateNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	ts := newTestServer(t, nil)
	for i := range 16 {
		ts.join(local(1000+i), "player")
	}
	k := hlClient{ts, public(1)}
	challenge, err := wire.ParseA2SChallenge(k.askOne(wire.AppendA2SRequest(nil, wire.RequestA2SInfo, wire.NoChallenge)))
	testenv.NoError(t, err)
	ts.srv.Execute("ban 10.0.0.5 60 x")
	var questions [][]byte
	for _, kind := range []wire.RequestKind{wire.RequestA2SInfo, wire.RequestA2SPlayers, wire.RequestA2SRules,
		wire.RequestPing, wire.RequestDetails, wire.RequestRconChallenge} {
		b := wire.AppendA2SRequest(nil, kind, challenge)
		if len(b) == 0 {
			b = wire.AppendTextRequest(nil, kind)
		}
		questions = append(questions, b)
	}
	rcon, _ := wire.AppendRcon(nil, 100_000_001, "guess", "status")
	questions = append(questions, rcon)
	got := 0
	ts.send = func(transport.Peer, []byte) { got++ }
	n := 0
	var id [4]byte
	if allocs := testing.AllocsPerRun(2000, func() {
		n++
		ts.now = ts.now.Add(100 * time.Microsecond)
		binary.BigEndian.PutUint32(id[:], uint32(n))
		ts.srv.Feed(ts.now, k.peer, questions[n%len(questions)])
	}); allocs != 0 {
		t.Errorf("%v allocations per query", allocs)
	}
	if got < 100 {
		t.Errorf("%d answers: the test tests nothing", got)
	}
}

// TestRefusedSettings: a setting whose new value is refused keeps the one that it had.
func TestRefusedSettings(t *testing.T) {
	files := fstest.MapFS{"autoexec.cfg": {Data: []byte("sv_hl_rcon_allow 10.0.0.0/40; sv_demo_format x; log_dialect z\n")}}
	ts := newTestServerWith(t, Config{Files: files}, testConfig)
	for _, c := range [][3]string{
		{"sv_hl_legacy_queries", "on", "maybe"}, {"sv_hl_rcon_allow", "10.0.0.0/8, 198.51.0.1", "10.0.0.0/40"},
		{"sv_hl_rcon_exempt", "10.0.0.1", "me"}, {"log_dialect", "ddnet", "klingon"}, {"sv_demo_format", "ddnet", "avi"},
	} {
		ts.srv.Execute(c[0] + " " + c[1])
		ts.log.Reset()
		if ts.srv.Execute(c[0] + " " + c[2]); ts.srv.console.Value(c[0]) != c[1] || !strings.Contains(ts.log.String(), c[0]+": ") {
			t.Errorf("%s is %q, and the log has %q", c[0], ts.srv.console.Value(c[0]), ts.log.String())
		}
	}
	ts.srv.reload(console.ReadConfiguration(files, []string{"-f", "autoexec.cfg"}))
	format := ts.srv.record.Settings.DemoFormat
	if allowed, dialect := ts.srv.listing.Settings.HalfLifeRconAllow,
		ts.srv.logs.Settings.Dialect; allowed != "10.0.0.0/8, 198.51.0.1" || format != "ddnet" || dialect != "ddnet" {
		t.Errorf("after a reload: %q, %q, %q", allowed, format, dialect)
	}
}
