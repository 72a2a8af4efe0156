package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// TestHalfLifeScripts runs the scripts for rcon and master.
func TestHalfLifeScripts(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/halflife",
		Setup: func(env *testscript.Env) error {
			if err := freePorts(env); err != nil {
				return err
			}
			env.Setenv("MASTER", env.Getenv("SPARE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"goldsrc": startGoldSrc, "listed": waitForListed},
	})
}

// echoConsole is a console that repeats lines.
type echoConsole struct{ lines []string }

func (p *echoConsole) Run(_ context.Context, line string) (string, error) {
	p.lines = append(p.lines, line)
	switch line {
	case "slow":
		return "", halflife.ErrMayHaveRun
	case "ban":
		return "", halflife.ErrBanned
	case "shutdown":
		return "bye", errShutdown
	}
	return "you said " + line + "\n", nil
}

func (*echoConsole) Close() error { return nil }

// TestTalk types on a terminal: the up arrow brings back the last line, and errors are printed.
func TestTalk(t *testing.T) {
	for keys, want := range map[string]struct {
		lines []string
		err   error
		shown []string
	}{
		"one fish\r\x1b[Abone\r  \r\x04": {[]string{"one fish", "one fishbone"}, nil, []string{"you said one fish\r\n", "you said one fishbone\r\n"}},
		"slow\rnext\r\x04":               {[]string{"slow", "next"}, nil, []string{"may have run\r\n", "you said next\r\n"}},
		"ban\rnext\r\x04":                {[]string{"ban"}, halflife.ErrBanned, nil},
		"one\r exit\rnext\r\x04":         {[]string{"one"}, nil, nil},
		"quit\rnext\r\x04":               {nil, nil, nil},
		"shutdown\rnext\r\x04":           {[]string{"shutdown"}, nil, []string{"bye\r\n", "the server has shut down\r\n"}},
	} {
		var out strings.Builder
		p := new(echoConsole)
		err := runTerminal(t.Context(), p, newEditor(struct {
			io.Reader
			io.Writer
		}{strings.NewReader(keys), &out}, "> ", ""))
		if !errors.Is(err, want.err) || !slices.Equal(p.lines, want.lines) {
			t.Errorf("%q: %v, ran %q", keys, err, p.lines)
		}
		for _, s := range want.shown {
			if !strings.Contains(out.String(), s) {
				t.Errorf("%q: %q is not in %q", keys, s, out.String())
			}
		}
	}
}

// hostileConsole is a console that tries to control the terminal.
type hostileConsole struct{}

const hostileText = "\u202egnp.exe\u200f\x1b[2J\u009b31m\r\nnext\u2028\x07"

func (hostileConsole) Run(_ context.Context, line string) (string, error) {
	if line == "fail" {
		return "", errors.New(hostileText)
	}
	return hostileText, nil
}

func (hostileConsole) Close() error { return nil }

// TestConsolesAreSafe checks that control characters from a console never reach the terminal,
// neither in output nor in an error.
func TestConsolesAreSafe(t *testing.T) {
	const safe = "gnp.exe [2J 31m\nnext  "
	var out strings.Builder
	if _, err := runAndPrint(t.Context(), &out, hostileConsole{}, "status"); err != nil || out.String() != safe+"\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	out.Reset()
	terminal := newEditor(struct {
		io.Reader
		io.Writer
	}{strings.NewReader("status\rfail\r\x04"), &out}, "> ", "")
	if err := runTerminal(t.Context(), hostileConsole{}, terminal); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, strings.ReplaceAll(safe, "\n", "\r\n")) != 2 || strings.ContainsAny(got, "\u202e\u200f\u009b\u2028\x07") {
		t.Errorf("%q", got)
	}
}

// loopback returns the address of a port on this machine.
func loopback(ts *testscript.TestScript, port string) transport.Peer {
	p, err := strconv.ParseUint(port, 10, 16)
	ts.Check(err)
	return transport.UDPPeer(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(p))
}

// startGoldSrc PORT [MASTER] starts a game server that speaks only the Half-Life protocol and
// registers with a master. Its rcon password is s3cret.
func startGoldSrc(ts *testscript.TestScript, _ bool, args []string) {
	g := &goldSrcServer{over: make(chan struct{})}
	var err error
	g.conn, err = udp.Listen(udp.Config{Addr: "127.0.0.1", Port: int(loopback(ts, args[0]).Port())})
	ts.Check(err)
	g.srv, err = halflife.NewServer(halflife.ServerConfig{Game: g, Console: g, Send: g.conn.Send,
		Settings: halflife.Settings{Rcon: halflife.RconSettings{Passwords: []halflife.RconPassword{{Password: "s3cret"}}}}})
	ts.Check(err)
	cfg := halflife.RegistrarConfig{
		Send:      g.conn.Send,
		Heartbeat: func() wire.Heartbeat { return wire.Heartbeat{Info: g.Info(), Region: wire.RegionAll} },
	}
	for _, m := range args[1:] {
		cfg.Masters = append(cfg.Masters, loopback(ts, m))
	}
	g.reg = halflife.NewRegistrar(cfg)
	go g.run()
	ts.Defer(func() { g.conn.Close(); <-g.over })
}

// waitForListed MASTER ADDRESS|COUNT waits until a master lists a server, or that many.
func waitForListed(ts *testscript.TestScript, neg bool, args []string) {
	conn, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	ts.Check(err)
	defer conn.Close()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		list, err := halflife.FetchList(context.Background(), conn, loopback(ts, args[0]), halflife.ListConfig{Format: wire.ListBatch, IncludeLAN: true})
		found := fmt.Sprint(len(list)) == args[1] || slices.ContainsFunc(list, func(p transport.Peer) bool { return p.String() == args[1] })
		if err == nil && found != neg {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("the list has %v, %v", list, err)
		}
	}
}

type goldSrcServer struct {
	conn *udp.Conn
	srv  *halflife.Server
	reg  *halflife.Registrar
	quit bool
	over chan struct{}
}

func (*goldSrcServer) Info() wire.Info {
	return wire.Info{Name: "the old yard", Map: "crossfire", Dir: "valve", Game: "Half-Life", Players: 1, Max: 8, Version: "1.1.2.2"}
}

func (*goldSrcServer) Players(dst []wire.Player) []wire.Player {
	return append(dst, wire.Player{Name: "gordon", Score: 7})
}

func (*goldSrcServer) Rules(dst []wire.Rule) []wire.Rule {
	return append(dst, wire.Rule{Name: "mp_fraglimit", Value: "20"})
}

func (g *goldSrcServer) RunRcon(_ transport.Peer, _ int, line string, print func(string), done func()) {
	defer done()
	switch word, rest, _ := strings.Cut(line, " "); word {
	case "echo":
		print(rest)
	case "quit":
		g.quit = true
	default:
		print(fmt.Sprintf("Unknown command: %s\x1b[31m", word))
	}
}

func (g *goldSrcServer) run() {
	defer close(g.over)
	batch := make([]transport.Datagram, 8)
	for !g.quit {
		g.reg.Advance(g.conn.Now())
		g.conn.Flush()
		n, err := g.conn.ReadBatch(batch, g.conn.Now()+1e8)
		if err != nil {
			return
		}
		for _, d := range batch[:n] {
			if wire.IsDatagram(d.Data) && !g.reg.Feed(d.ReceivedAt, d.Peer, d.Data) {
				g.srv.Feed(d.ReceivedAt, d.Peer, d.Data)
			}
		}
	}
	g.reg.Close()
	g.conn.Flush()
	g.conn.Close()
}

// cannedConsole answers every line with its text.
type cannedConsole map[string]string

func (c cannedConsole) Run(_ context.Context, line string) (string, error) { return c[line], nil }

func (cannedConsole) Close() error { return nil }

// TestRefusedCommands checks that a refused command is an error after the later lines have run, for
// the texts and log dialects of all servers.
func TestRefusedCommands(t *testing.T) {
	for answer, refused := range map[string]bool{
		"[12:00:01][Console]: No such command: foo. Is it foos?":                                          true,
		"[12:00:01][Console]: No such command: foo.":                                                      true,
		"[12:00:01][Console]: Access for command foo denied.":                                             true,
		"[12:00:01][server]: cid=0 cmd='foo'\n[12:00:01][Console]: Invalid arguments... Usage: foo i\n":   true,
		"[12:00:01][Console]: foo: 'bar; x' is left out":                                                  true,
		"[12:00:01][Console]: foo: 'bar' is not a number":                                                 true,
		"[Console]: No such command: foo.":                                                                true,
		"2026-11-22 12:00:01 I console: No such command: foo.":                                            true,
		"2026-11-22 12:00:01 W Console: Access for command foo denied.":                                   true,
		`{"time":"2026-11-22T12:00:01Z","level":"WARN","msg":"No such command: foo.","system":"Console"}`: true,
		"2026-11-22 12:00:01 I chatresp: No such command: foo.":                                           true,
		"2026-11-22 12:00:01 I chatresp: No such command: help!.":                                         false,
		"No such command: foo.":                                                                           true,
		"Unknown command: foo":                                                                            true,
		"2026-11-22 12:00:01 I tuning: No such tuning parameter: foo":                                     true,
		"[12:00:01][server]: invalid client id to kick":                                                   true,
		"[12:00:01][mod]: no\nrefused: no":                                                                true,
		"refused: no\n[12:00:01][server]: yes":                                                            false,
		"[12:00:01][chat]: 0:bob: invalid client id to kick":                                              false,
		"":                              false,
		"[12:00:01][Console]: Value: 3": false,
		"[12:00:01][chat]: 0:bob: No such command: foo.":                                               false,
		"[12:00:01][chat]: 0:[12:00:01][Console]: No such command: foo.":                               false,
		`{"time":"2026-11-22T12:00:01Z","level":"INFO","msg":"No such command: foo.","system":"chat"}`: false,
		"[12:00:01][net_ban]: #0 '10.0.0.1' banned for life (No such command: foo.)":                   false,
		"[12:00:01][server]: id=0 addr=10.0.0.1:5000 client=705 name='x: is left out' score=0 ":        false,
	} {
		var out strings.Builder
		err := runAll(t.Context(), &out, cannedConsole{"foo": answer, "bar": "more"}, slices.Values([]string{"foo", "bar"}))
		if errors.Is(err, errRefused) != refused || err != nil && !refused || !strings.HasSuffix(out.String(), "more\n") {
			t.Errorf("%q: %v, printed %q", answer, err, out.String())
		}
	}
}

// TestLongRconLines sends long lines to each console of a server. A line within the limit runs
// whole. A longer line is an error at the end, which names the limit. The lines around it run.
func TestLongRconLines(t *testing.T) {
	t.Parallel()
	s, ctx := startServer(t, "sv_hl_rcon 1")
	for _, test := range []struct {
		protocol, limit string
		fits            int
	}{
		{"game", "at most 1021 are allowed", client.MaxRconLine},
		{"halflife", "the limit is 512", 400},
	} {
		c := rconCmd{Host: s.Addr().String(), Protocol: test.protocol}
		r, err := c.open(ctx, "adminpw")
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		name := "; sv_name " + test.protocol
		fits := "echo " + strings.Repeat("x", test.fits-len("echo ")-len(name)) + name
		err = runAll(
			ctx,
			&out,
			r,
			slices.Values([]string{fits, "sv_name", fits + strings.Repeat("x", 1000), fits + strings.Repeat("y", 1000), "sv_motd after"}),
		)
		if err == nil || strings.Count(err.Error(), test.limit) != 2 || len(err.Error()) > 1000 {
			t.Errorf("%s: %v", test.protocol, err)
		}
		if !strings.Contains(out.String(), "Value: "+test.protocol+"\n") {
			t.Errorf("%s: the longest line did not run: %.300s", test.protocol, out.String())
		}
		out.Reset()
		if err := runAll(ctx, &out, r, slices.Values([]string{"sv_motd", "sv_name"})); err != nil || !strings.Contains(out.String(), "Value: after\n") ||
			!strings.Contains(out.String(), "Value: "+test.protocol+"\n") {
			t.Errorf("%s: the line behind did not run: %v, %.300s", test.protocol, err, out.String())
		}
		r.Close()
	}
	e := &econConsole{}
	if _, err := e.Run(ctx, strings.Repeat("x", maxEconCommand+1)); !errors.Is(err, client.ErrTooLong) ||
		!strings.Contains(err.Error(), "1301 bytes, at most 1300 are allowed") {
		t.Errorf("econ: %v", err)
	}
}

// TestLongInputLines checks that a line that is too long is an error and not the end of the input.
func TestLongInputLines(t *testing.T) {
	read := readLines(strings.NewReader("one\n" + strings.Repeat("x", 100_000) + "\n" + strings.Repeat("x", maxInputLine+1) + "\n"))
	lines := make(chan string, 3)
	err := sendLines(read, lines, nil)
	if err == nil || !strings.Contains(err.Error(), "longer than 1048576 bytes") || len(lines) != 2 || <-lines != "one" {
		t.Errorf("%v", err)
	}
	if err := sendLines(readLines(strings.NewReader("one\n")), lines, nil); err != nil {
		t.Error(err)
	}
}
