package halflife_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/halflifetest"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/mem"
)

// testNetwork is an in-memory network with servers that answer.
type testNetwork struct {
	t   testing.TB
	net *mem.Network
}

func newTestNetwork(t testing.TB) *testNetwork { return &testNetwork{t, mem.New(mem.Config{})} }

// listen opens an endpoint that is closed at the end of the test.
func (p *testNetwork) listen(addr string) *mem.Conn {
	p.t.Helper()
	c, err := p.net.Listen(transport.MustParsePeer(addr))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	return c
}

// serve starts a server at addr. It calls feed for each datagram, and feed sends the answers.
func (p *testNetwork) serve(addr string, feed func(c transport.Conn, d transport.Datagram)) transport.Peer {
	p.t.Helper()
	c := p.listen(addr)
	done := make(chan struct{})
	p.t.Cleanup(func() { c.Close(); <-done })
	go func() {
		defer close(done)
		forever := func(now int64) (int64, bool) { return now + 1e9, true }
		transport.Run(context.Background(), c, forever, func(d transport.Datagram) { feed(c, d) })
	}()
	return c.LocalAddr()
}

// serveGame runs a Server for a game.
func (p *testNetwork) serveGame(addr string, y *fakeGame, set halflife.Settings) transport.Peer {
	p.t.Helper()
	if set.Rcon.Passwords == nil {
		set.Rcon.Passwords = []halflife.RconPassword{{adminPassword, 0}}
	}
	var srv *halflife.Server
	var out transport.Conn
	srv, err := halflife.NewServer(halflife.ServerConfig{
		Game: y, Console: y, Settings: set,
		Send: func(to transport.Peer, b []byte) { out.Send(to, b) },
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return p.serve(addr, func(c transport.Conn, d transport.Datagram) {
		if out = c; wire.IsDatagram(d.Data) {
			srv.Feed(d.ReceivedAt, d.Peer, d.Data)
		}
	})
}

// TestQuery queries our own server with every method.
func TestQuery(t *testing.T) {
	t.Parallel()
	p := newTestNetwork(t)
	y := newFakeGame()
	y.setPlayers(64)
	y.setRules(100)
	// A2S answers are split. Text queries are answered because the client is in a local network.
	plenty := halflife.Rate{PerSecond: 1e6, Burst: 1e6}
	server := p.serveGame("192.168.0.1:8303", y, halflife.Settings{Limits: halflife.Limits{Address: plenty, Network: plenty, Bytes: plenty}})
	for _, test := range []struct {
		ask            halflife.QueryMethod
		form           wire.InfoFormat
		players, rules int
	}{
		{halflife.QueryAny, wire.FormatA2S, 64, 100},
		{halflife.QueryA2S, wire.FormatA2S, 64, 100},
		{halflife.QueryText, wire.FormatDetails, 41, 36}, // the rows that fit into one datagram
		{halflife.QueryInfostring, wire.FormatInfostring, 0, 0},
	} {
		conn := p.listen("192.168.0.2:0")
		st, err := halflife.Query(t.Context(), conn, server, halflife.QueryConfig{Method: test.ask})
		if err != nil || st.Format != test.form || st.Peer != server || st.Info.Name != "Tee Wars" || st.Ping <= 0 {
			t.Errorf("way %d: %v, %+v", test.ask, err, st)
		}
		if len(st.Players) != test.players || len(st.Rules) != test.rules {
			t.Errorf("way %d: %d players and %d rules", test.ask, len(st.Players), len(st.Rules))
		}
		if test.players > 0 && cmp.Diff(y.players[:test.players], st.Players) != "" {
			t.Errorf("way %d: players %v", test.ask, st.Players)
		}
	}
	st, err := halflife.Query(t.Context(), p.listen("192.168.0.2:0"), server, halflife.QueryConfig{InfoOnly: true})
	if err != nil || st.Players != nil || st.Rules != nil {
		t.Errorf("%v, %+v", err, st)
	}
}

// rconClient returns a client with an address of its own.
func (p *testNetwork) rconClient(addr string, server transport.Peer, password string) *halflife.RconClient {
	p.t.Helper()
	c, err := halflife.NewRconClient(p.listen(addr), server, password)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// scriptedServer answers each request that begins with a key of answers with the datagrams listed
// there.
func scriptedServer(answers map[string][]string) func(transport.Conn, transport.Datagram) {
	return func(c transport.Conn, d transport.Datagram) {
		for request, replies := range answers {
			if strings.HasPrefix(string(d.Data[min(4, len(d.Data)):]), request) {
				for _, r := range replies {
					c.Send(d.Peer, []byte(r))
				}
			}
		}
	}
}

// TestQueryOthers queries servers that support fewer formats or write them differently.
func TestQueryOthers(t *testing.T) {
	t.Parallel()
	v := halflifetest.Load(t)
	b := func(name string) string { return string(v.Get(name)) }
	for name, test := range map[string]struct {
		answers        map[string][]string
		form           wire.InfoFormat
		players, rules int
	}{
		"half-life": {map[string][]string{"details": {b("Q.details.rep.seed")}, "players": {b("Q.players.rep")}, "rules": {b("Q.rules.rep")}},
			wire.FormatDetails, 2, 3},
		"info to details": {map[string][]string{"details": {b("Q.info.rep")}, "players": {b("Q.players.rep")}, "rules": {b("Q.rules.rep")}},
			wire.FormatInfo, 2, 3},
		"split": {map[string][]string{"details": {b("Q.details.rep")}, "players": {b("Q.players.rep")},
			"rules": {b("S.gold.rules.2"), b("S.gold.rules.0"), b("S.gold.rules.1")}}, wire.FormatDetails, 2, 3},
		"no lists": {map[string][]string{"details": {b("Q.details.rep")}}, wire.FormatDetails, -1, -1},
		"A2S unchallenged": {map[string][]string{"T": {b("A.info.rep.p48")}, "U": {b("A.player.rep")},
			"V": {b("S.source.rules.0"), b("S.source.rules.2"), b("S.source.rules.1")}}, wire.FormatA2S, 2, 3},
		"details to A2S": {map[string][]string{"T": {b("Q.details.rep")}, "players": {b("Q.players.rep.empty")}, "rules": {b("Q.rules.rep.empty")}},
			wire.FormatDetails, 0, 0},
		"both": {map[string][]string{"T": {b("Q.details.rep"), b("A.info.rep.p48")}, "U": {b("A.player.rep")}, "V": {b("A.rules.rep")}},
			wire.FormatA2S, 2, 3},
		"info only": {map[string][]string{"info\x00": {b("Q.info.rep")}, "players": {b("Q.players.rep")}, "rules": {b("Q.rules.rep")}},
			wire.FormatInfo, 2, 3},
		"challenge for all": {map[string][]string{"T": {b("A.chal.rep"), b("A.info.rep.p17")}, "U\xff": {b("A.chal.rep")},
			"U\x4b": {b("A.player.rep")}, "V\x4b": {b("A.rules.rep")}}, wire.FormatA2S, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestNetwork(t)
			server := p.serve("10.0.0.1:27015", scriptedServer(test.answers))
			wait := time.Second // a busy machine answers late
			if test.players < 0 {
				wait /= 5 // no answer comes
			}
			st, err := halflife.Query(t.Context(), p.listen("10.0.0.2:0"), server, halflife.QueryConfig{Timeout: wait})
			count := func(n int, isNil bool) int {
				if isNil {
					return -1
				}
				return n
			}
			players, rules := count(len(st.Players), st.Players == nil), count(len(st.Rules), st.Rules == nil)
			if err != nil || st.Format != test.form || players != test.players || rules != test.rules || st.Info.Map != "dm1" {
				t.Errorf("%v, form %v, %d players, %d rules, %+v", err, st.Format, players, rules, st.Info)
			}
		})
	}
}

// TestQueryNobody checks that a query of a silent server ends, and that a cancelled context ends
// it.
func TestQueryNobody(t *testing.T) {
	t.Parallel()
	p := newTestNetwork(t)
	nobody := transport.MustParsePeer("10.0.0.9:1")
	_, err := halflife.Query(t.Context(), p.listen("10.0.0.2:0"), nobody, halflife.QueryConfig{Timeout: 10 * time.Millisecond})
	if !errors.Is(err, halflife.ErrNoAnswer) {
		t.Errorf("%v", err)
	}
	// One server requests a new challenge forever, and other peers send answers.
	p.serve("10.0.0.8:1", scriptedServer(map[string][]string{"": {"\xff\xff\xff\xffA1234"}}))
	_, err = halflife.Query(t.Context(), p.listen("10.0.0.2:0"), transport.MustParsePeer("10.0.0.8:1"), halflife.QueryConfig{Timeout: 10 * time.Millisecond})
	if !errors.Is(err, halflife.ErrNoAnswer) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err = halflife.Query(ctx, p.listen("10.0.0.2:0"), nobody, halflife.QueryConfig{Timeout: time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	conn := p.listen("10.0.0.2:0")
	conn.Close()
	if _, err = halflife.Query(t.Context(), conn, nobody, halflife.QueryConfig{}); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// TestQueryAll queries many servers. Only some answer, and some are listed twice.
func TestQueryAll(t *testing.T) {
	t.Parallel()
	p := newTestNetwork(t)
	var peers []transport.Peer
	for i := range 30 {
		addr := fmt.Sprintf("10.0.1.%d:27015", i+1)
		peers = append(peers, transport.MustParsePeer(addr))
		if i%3 != 0 {
			y := newFakeGame()
			y.info.Name = addr
			p.serveGame(addr, y, halflife.Settings{})
		}
	}
	peers = append(peers, peers...)
	answered, silent := map[transport.Peer]bool{}, 0
	err := halflife.QueryAll(t.Context(), p.listen("10.0.0.2:0"), peers, halflife.QueryConfig{Timeout: 200 * time.Millisecond, Rate: 1000},
		func(st halflife.Status, err error) {
			switch {
			case err != nil:
				silent++
			case st.Info.Name != st.Peer.String():
				t.Errorf("%v is called %q", st.Peer, st.Info.Name)
			default:
				answered[st.Peer] = true
			}
		})
	if err != nil || len(answered) != 20 || silent < 10 {
		t.Errorf("%v: %d answered, %d did not", err, len(answered), silent)
	}
}

// TestRconClient runs commands on our own server.
func TestRconClient(t *testing.T) {
	t.Parallel()
	p := newTestNetwork(t)
	y := newFakeGame()
	y.output = []string{"line one", "line two\twith tab", strings.Repeat("long ", 500)}
	server := p.serveGame("198.51.100.1:8303", y, halflife.Settings{Legacy: halflife.LegacyOff})
	c := p.rconClient("203.0.113.1:0", server, adminPassword)
	want := "line one\nline two\twith tab\n" + strings.Repeat("long ", 500) + "\n"
	for range 2 {
		if got, err := c.Run(t.Context(), "status all"); got != want || err != nil {
			t.Errorf("%v: %q", err, got)
		}
	}
	y.output = nil
	if got, err := c.Run(t.Context(), "quiet"); got != "" || err != nil {
		t.Errorf("%v: %q", err, got)
	}
	if _, err := c.Run(t.Context(), "two\nlines"); !errors.Is(err, wire.ErrCommand) {
		t.Errorf("two lines: %v", err)
	}
	if d := cmp.Diff([]string{"0 status all", "0 status all", "0 quiet"}, y.commands); d != "" {
		t.Error(d)
	}
	wrong := p.rconClient("203.0.113.2:0", server, "guess")
	for i := range 6 {
		_, err := wrong.Run(t.Context(), "status")
		if want := halflife.ErrAuth; i < 4 && !errors.Is(err, want) {
			t.Errorf("guess %d: %v", i, err)
		}
		if i == 4 {
			if !errors.Is(err, halflife.ErrBanned) {
				t.Errorf("guess %d: %v", i, err)
			}
			break
		}
	}
	if _, err := halflife.NewRconClient(p.listen("203.0.113.2:0"), server, `a"b`); !errors.Is(err, wire.ErrPassword) {
		t.Errorf("%v", err)
	}
}

// TestRconOnce checks that a command is sent only once. The client sends a command again only after
// a refusal, since a refused command did not run.
func TestRconOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reply []string // answers to a command, in turn
		sent  int
		text  string
		err   error
	}{
		"silence":        {[]string{""}, 1, "", halflife.ErrMayHaveRun},
		"answer":         {[]string{"\xff\xff\xff\xfflok\n\x00\x00"}, 1, "ok\n", nil},
		"one NUL":        {[]string{"\xff\xff\xff\xfflok\x00"}, 1, "ok", nil},
		"escape":         {[]string{"\xff\xff\xff\xffl\x1b[31mred\x00\x00"}, 1, " [31mred", nil},
		"refused once":   {[]string{"\xff\xff\xff\xff9Bad challenge.\n\x00", "\xff\xff\xff\xfflok\n\x00\x00"}, 2, "ok\n", nil},
		"refused":        {[]string{"\xff\xff\xff\xff9Bad challenge.\n\x00"}, 2, "", halflife.ErrNoAnswer},
		"wrong password": {[]string{"\xff\xff\xff\xfflBad rcon_password.\nNo privilege.\n\x00\x00"}, 1, "", halflife.ErrAuth},
		"banned":         {[]string{"\xff\xff\xff\xfflYou have been banned from this server.\n\x00"}, 1, "", halflife.ErrBanned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestNetwork(t)
			commands := make(chan string, 10)
			turn := 0
			server := p.serve("10.0.0.1:27015", func(c transport.Conn, d transport.Datagram) {
				switch wire.ParseRequest(d.Data).Kind {
				case wire.RequestRconChallenge:
					c.Send(d.Peer, wire.AppendRconChallenge(nil, 123456789))
				case wire.RequestRcon:
					commands <- string(d.Data)
					if r := test.reply[min(turn, len(test.reply)-1)]; r != "" {
						c.Send(d.Peer, []byte(r))
					}
					turn++
				}
			})
			c := p.rconClient("10.0.0.2:0", server, adminPassword)
			if c.Timeout = 5 * time.Second; test.err == halflife.ErrMayHaveRun {
				c.Timeout = 2 * time.Second // no answer comes
			}
			text, err := c.Run(t.Context(), "quit")
			if !errors.Is(err, test.err) || err == nil && text != test.text {
				t.Errorf("%q, %v", text, err)
			}
			if test.err == halflife.ErrMayHaveRun {
				time.Sleep(100 * time.Millisecond)
			}
			if len(commands) != test.sent {
				t.Errorf("the command was sent %d times, want %d", len(commands), test.sent)
			}
		})
	}
}

// TestRconHostileTexts checks that errors which quote a server's text are safe to show.
func TestRconHostileTexts(t *testing.T) {
	t.Parallel()
	p := newTestNetwork(t)
	server := p.serve("10.0.0.1:27015", func(c transport.Conn, d transport.Datagram) {
		c.Send(d.Peer, wire.AppendPrint(nil, "Bad rcon_password.\n\u202e\x1b[2J\u009bx\n"))
	})
	_, err := p.rconClient("10.0.0.2:0", server, adminPassword).Run(t.Context(), "status")
	if !errors.Is(err, halflife.ErrAuth) || strings.ContainsAny(err.Error(), "\u202e\x1b\u009b") {
		t.Errorf("%q", err)
	}
}

// TestRconNobody checks that the client sends no command to a server that does not answer.
func TestRconNobody(t *testing.T) {
	t.Parallel()
	p := newTestNetwork(t)
	sent := make(chan string, 100)
	server := p.serve("10.0.0.1:27015", func(_ transport.Conn, d transport.Datagram) { sent <- string(d.Data) })
	c := p.rconClient("10.0.0.2:0", server, adminPassword)
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	if _, err := c.Run(ctx, "quit"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	for range len(sent) {
		if b := <-sent; strings.Contains(b, "quit") || strings.Contains(b, adminPassword) {
			t.Errorf("%q was sent", b)
		}
	}
}

// pagedMaster answers like a master that sends two servers per page in the given format.
func pagedMaster(form wire.ListFormat, servers []netip.AddrPort) func(transport.Conn, transport.Datagram) {
	return func(c transport.Conn, d transport.Datagram) {
		req, ok := wire.ParseListRequest(d.Data)
		if !ok || req.Format != form {
			return
		}
		from := int(req.ID)
		if i := slices.Index(servers, req.After); i >= 0 {
			from = i + 1
		}
		l := wire.List{Format: form, Servers: servers[from:min(from+2, len(servers))]}
		if l.Format == wire.ListID {
			l.Format = wire.ListBatch
		}
		if l.End = from+2 >= len(servers); !l.End {
			l.Next = uint32(from + 2)
		}
		if form == wire.ListAll {
			l.Servers = servers
		}
		c.Send(d.Peer, wire.AppendList(nil, &l))
	}
}

// TestFetchList queries masters in all formats. Addresses that cannot be servers are left out.
func TestFetchList(t *testing.T) {
	t.Parallel()
	addr := netip.MustParseAddrPort
	all := []netip.AddrPort{addr("198.51.100.1:1"), addr("10.1.2.3:27015"), addr("198.51.100.2:2"), addr("224.0.0.1:5"),
		addr("127.0.0.1:9"), addr("198.51.100.1:1"), addr("198.51.100.3:0"), addr("255.255.255.255:7"), addr("198.51.100.3:3")}
	want := []transport.Peer{{AddrPort: all[0]}, {AddrPort: all[2]}, {AddrPort: all[8]}}
	for _, form := range []wire.ListFormat{wire.ListAll, wire.ListBatch, wire.ListID, wire.ListSteam} {
		t.Run(form.String(), func(t *testing.T) {
			t.Parallel()
			p := newTestNetwork(t)
			servers := all
			if form == wire.ListSteam { // in this format a repeated address means a loop
				servers = slices.Delete(slices.Clone(all), 5, 6)
			}
			master := p.serve("10.0.0.1:27010", pagedMaster(form, servers))
			seen := 0
			got, err := halflife.FetchList(t.Context(), p.listen("10.0.0.2:0"), master, halflife.ListConfig{Format: form, OnPage: func(n int) { seen = n }})
			if !slices.Equal(got, want) || err != nil || seen != len(want) {
				t.Errorf("%v, %v, %d told", got, err, seen)
			}
			got, err = halflife.FetchList(t.Context(), p.listen("10.0.0.2:0"), master, halflife.ListConfig{Format: form, IncludeLAN: true})
			if len(got) != 5 || err != nil {
				t.Errorf("with private networks %v, %v", got, err)
			}
		})
	}
}

// TestFetchListHostile checks that FetchList ends although the master's list never does.
func TestFetchListHostile(t *testing.T) {
	t.Parallel()
	p := newTestNetwork(t)
	n := byte(0)
	master := p.serve("10.0.0.1:27010", func(c transport.Conn, d transport.Datagram) {
		n++
		c.Send(d.Peer, wire.AppendList(nil, &wire.List{Format: wire.ListSteam, Servers: []netip.AddrPort{
			netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, n}), 1)}}))
	})
	if got, err := halflife.FetchList(t.Context(), p.listen("10.0.0.2:0"), master, halflife.ListConfig{}); len(got) > 101 || err != nil {
		t.Errorf("%d servers, %v", len(got), err)
	}
	nobody := transport.MustParsePeer("10.0.0.9:1")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := halflife.FetchList(ctx, p.listen("10.0.0.2:0"), nobody, halflife.ListConfig{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// TestRegistrar checks the requests to a master from the first one to the shutdown. Challenges from
// other addresses are ignored.
func TestRegistrar(t *testing.T) {
	master, other := transport.MustParsePeer("198.51.100.9:27010"), transport.MustParsePeer("198.51.100.8:27010")
	var out []string
	r := halflife.NewRegistrar(halflife.RegistrarConfig{
		Masters:   []transport.Peer{master},
		Heartbeat: func() wire.Heartbeat { return wire.Heartbeat{Info: halflifetest.Info(), Region: 255} },
		Send: func(to transport.Peer, b []byte) {
			if to != master {
				t.Errorf("%q is sent to %v", b, to)
			}
			out = append(out, string(b[:1]))
			if b[0] == '0' {
				if h, err := wire.ParseHeartbeat(b); err != nil || h.Challenge != 77 || h.Info.Map != "dm1" {
					t.Errorf("%+v, %v", h, err)
				}
			}
		},
	})
	challenge := wire.AppendMasterChallenge(nil, 77, 0)
	now := int64(5e9)
	step := func(d time.Duration, want string) {
		t.Helper()
		out = nil
		for end := now + int64(d); now < end; now += 1e9 {
			r.Advance(now)
		}
		if got := strings.Join(out, ""); got != want {
			t.Errorf("at %v: %q, want %q", time.Duration(now), got, want)
		}
	}
	if r.Feed(now, master, challenge) {
		t.Error("a challenge is answered that nobody asked for")
	}
	step(time.Second, "q")
	if r.Feed(now, other, challenge) || r.Feed(now+6e9, master, challenge) {
		t.Error("a challenge of another, or a late one, is answered")
	}
	out = nil
	if !r.Feed(now, master, challenge) || r.Feed(now, master, challenge) || strings.Join(out, "") != "0" || r.NumRegistered() != 1 {
		t.Errorf("after the challenge: %q, %d", out, r.NumRegistered())
	}
	step(119*time.Second, "")
	out = nil
	for ; len(out) == 0; now += 1e9 { // the interval has some seconds of jitter
		if r.Advance(now); now > 145e9 {
			t.Fatal("no second heartbeat")
		}
	}
	// The master is silent: retries follow after 5, 10 and 20 s, then at the usual interval.
	step(4*time.Second, "")
	step(time.Second, "q")
	step(10*time.Second, "q")
	step(20*time.Second, "q")
	if r.NumRegistered() != 0 {
		t.Error("still registered with a silent master")
	}
	step(119*time.Second, "")
	step(time.Second, "q")
	r.Feed(now, master, challenge)
	r.InfoChanged(now)
	step(9*time.Second, "")
	step(3*time.Second, "q")
	out = nil
	r.Close()
	if strings.Join(out, "") != "b" {
		t.Errorf("leave: %q", out)
	}
}
