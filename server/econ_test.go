package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/econ"
	"github.com/teeyard/teeyard/transport"
)

// econTest is a server with an external console in virtual time.
type econTest struct {
	*testServer
	listener *pipeListener
	nextPort uint16
}

// pipeListener is a listener whose connections are pipes.
type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// addrConn is a pipe with the address of its client.
type addrConn struct {
	net.Conn
	addr *net.TCPAddr
}

func (c addrConn) RemoteAddr() net.Addr { return c.addr }

// econClient is a program at the external console.
type econClient struct {
	net.Conn
	test *econTest
	mu   sync.Mutex
	got  bytes.Buffer
	over bool // the server has closed the connection
}

// inEconTest runs a test in a bubble of virtual time.
func inEconTest(t *testing.T, settings string, test func(*econTest)) {
	t.Helper()
	inEconTestWith(t, Config{}, settings, test)
}

// inEconTestWith is inEconTest for a server with a configuration.
func inEconTestWith(t *testing.T, cfg Config, settings string, test func(*econTest)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		et := &econTest{testServer: newTestServerWith(t, cfg, "ec_password hello", settings), nextPort: 5000}
		et.listener = &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
		et.srv.econ.Serve(et.listener)
		test(et)
		et.srv.econ.Close()
	})
}

// connect adds a client that reads its lines.
func (et *econTest) connect(host string) *econClient {
	et.tb.Helper()
	c := et.connectStalled(host)
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := c.Read(b)
			c.mu.Lock()
			c.got.Write(b[:n])
			c.over = err != nil
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	et.settle()
	return c
}

// connectStalled adds a client that reads nothing.
func (et *econTest) connectStalled(host string) *econClient {
	ours, theirs := net.Pipe()
	et.nextPort++
	addr := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(host), et.nextPort))
	et.listener.conns <- addrConn{theirs, addr}
	et.settle()
	return &econClient{Conn: ours, test: et}
}

// settle lets the server handle everything.
func (et *econTest) settle() {
	for range 8 {
		synctest.Wait()
		et.step(1)
	}
	synctest.Wait()
}

// say sends bytes and returns the answer.
func (c *econClient) say(text string) string {
	c.test.tb.Helper()
	go io.WriteString(c.Conn, text) // a pipe has no room
	c.test.settle()
	return c.take()
}

var econTime = regexp.MustCompile(`\d\d:\d\d:\d\d\]`)

// take returns the bytes since the last call, without times, and EOF at the end.
func (c *econClient) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := econTime.ReplaceAllString(c.got.String(), "]")
	c.got.Reset()
	if c.over {
		text += "EOF"
	}
	return text
}

func (c *econClient) expect(got, want string) {
	c.test.tb.Helper()
	if got != want {
		c.test.tb.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

const econWelcome = "Authentication successful. External console access granted."

// TestEcon has the bytes that clients of teeworlds-server 0.7.5 get. TestEconTranscript compares
// them with the original.
func TestEcon(t *testing.T) {
	inEconTest(t, "", func(et *econTest) {
		c := et.connect("127.0.0.1")
		c.expect(c.take(), "Enter password:\n\x00\x00")
		c.expect(c.say("wrong\n"), "Wrong password 1/3.\n\x00\x00")
		c.expect(c.say("\n\n"), "")
		c.expect(c.say("hel"), "")
		c.expect(c.say("lo\n"), econWelcome+"\n\x00\x00[][econ]: cid=0 authed\n\x00\x00")
		c.expect(c.say("sv_name foo; sv_name\r\n"), "[][server]: cid=0 cmd='sv_name foo; sv_name'\n\x00\x00[][Console]: Value: foo\n\x00\x00")
		c.expect(c.say("echo a\nno\n"),
			"[][server]: cid=0 cmd='echo a'\n\x00\x00[][Console]: a\n\x00\x00[][server]: cid=0 cmd='no'\n\x00\x00[][Console]: No such command: no.\n\x00\x00")
		c.expect(c.say("echo \"a\x00b\"\n"), "[][server]: cid=0 cmd='echo \"a'\n\x00\x00[][Console]: Invalid arguments... Usage: echo r[text]\n\x00\x00")
		c.expect(c.say("help say\n"), "[][server]: cid=0 cmd='help say'\n\x00\x00[][Console]: say r[text]: Say in chat\n\x00\x00")
		c.expect(c.say("say hi\n"), "[][server]: cid=0 cmd='say hi'\n\x00\x00[][chat]: *** hi\n\x00\x00")
		et.srv.Execute("ec_output_level 0")
		c.expect(c.say("ban 192.0.2.1 5 x\nban 192.0.2.1 6 y\nban 9\nban foo\nban 127.0.0.1\n"),
			"[][net_ban]: banned '192.0.2.1' for 5 minutes (x)\n\x00\x00[][net_ban]: '192.0.2.1' banned for 6 minutes (y)\n\x00\x00"+
				"[][net_ban]: ban error (invalid client id)\n\x00\x00[][net_ban]: ban error (invalid network address)\n"+
				"\x00\x00[][net_ban]: ban failed (localhost)\n\x00\x00")
		et.srv.Execute("ec_output_level 1")
		c.expect(c.say("ec_password\n"), "[][server]: cid=0 cmd='ec_password'\n\x00\x00[][Console]: Value: ***\n\x00\x00")

		other := et.connect("127.0.0.1")
		c.expect(c.take(), "[][econ]: client accepted. cid=1 addr=127.0.0.1:5002'\n\x00\x00")
		other.expect(other.say("hello\r\nno\r\n"), "Enter password:\n\x00\x00"+econWelcome+"\n\x00\x00[][econ]: cid=1 authed\n\x00\x00"+
			"[][server]: cid=1 cmd='no'\r\n\x00[][Console]: No such command: no.\r\n\x00")
		c.expect(c.take(), "[][econ]: cid=1 authed\n\x00\x00[][server]: cid=1 cmd='no'\n\x00\x00[][Console]: No such command: no.\n\x00\x00")
		other.expect(other.say("logout\r\n"),
			"[][server]: cid=1 cmd='logout'\r\n\x00[][econ]: client dropped. cid=1 addr=127.0.0.1:5002 reason='Logout'\r\n\x00Logout\r\n\x00EOF")
		c.expect(c.take(), "[][server]: cid=1 cmd='logout'\n\x00\x00[][econ]: client dropped. cid=1 addr=127.0.0.1:5002 reason='Logout'\n\x00\x00")
		other = et.connect("127.0.0.1")
		other.Close()
		et.settle()
		c.expect(c.take(), "[][econ]: client accepted. cid=1 addr=127.0.0.1:5003'\n"+
			"\x00\x00[][econ]: client dropped. cid=1 addr=127.0.0.1:5003 reason='remote end closed the connection'\n\x00\x00")

		c.expect(c.say("shutdown\n"), "[][server]: cid=0 cmd='shutdown'\n\x00\x00")
		et.srv.econ.Close()
		synctest.Wait()
		c.expect(c.take(), "[][econ]: client dropped. cid=0 addr=127.0.0.1:5001 reason='Closing console'\n\x00\x00Closing console\n\x00\x00EOF")
	})
}

// TestEconAudit checks that the audit log has the logins and lines of clients with their address,
// also of a client that hangs up, and without passwords.
func TestEconAudit(t *testing.T) {
	var d logDisk
	inEconTestWith(t, Config{OpenLog: d.open}, "sv_audit_log audit.jsonl", func(et *econTest) {
		c := et.connect("10.0.0.7")
		c.say("guess\nhello\necho c; ec_password secret1\n")
		c.Close()
		et.settle()
		et.srv.logs.Close()
		const client = `"client":0,"addr":"10.0.0.7:5001"`
		for _, want := range []string{
			`"event":"login_failed","via":"econ",` + client + "}", `"event":"login","via":"econ","level":"admin",` + client + "}",
			`"event":"command","via":"econ","level":"admin",` + client + `,"command":"echo c; ec_password ***"}`,
			`"event":"logout","via":"econ","level":"admin",` + client + "}",
		} {
			if got := d.content("audit.jsonl"); strings.Count(got, want) != 1 {
				t.Errorf("no %s in %s", want, got)
			}
		}
	})
}

// TestEconLineEnds: a client gets the line ends that it sends, after its first line.
func TestEconLineEnds(t *testing.T) {
	inEconTest(t, "ec_output_level 0", func(et *econTest) {
		for _, test := range []struct{ sends, end, endAfter string }{
			{"\n", "\n\x00\x00", "\n\x00\x00"},
			{"\r", "\n\x00\x00", "\r\x00\x00"},
			{"\r\n", "\n\x00\x00", "\r\n\x00"},
			{"\n\r", "\n\x00\x00", "\n\r\x00"},
			{"\n\n", "\n\x00\x00", "\n\x00\x00"},
		} {
			c := et.connect("127.0.0.1")
			c.expect(c.say("hello"+test.sends+"echo x"+test.sends),
				"Enter password:\n\x00\x00"+econWelcome+test.end+"[][econ]: cid=0 authed"+test.end+"[][Console]: x"+test.endAfter)
			c.expect(c.say("logout"+test.sends), "Logout"+test.endAfter+"EOF")
		}
		c := et.connect("127.0.0.1")
		c.expect(c.say("\r\nhello\n"), "Enter password:\n\x00\x00"+econWelcome+"\r\n\x00[][econ]: cid=0 authed\r\n\x00")
		long := strings.Repeat("x", 1300)
		if got := c.say("echo " + long + "\n"); len(got) != 1021-len("hh:mm:ss")+3 {
			t.Errorf("a long line has %d bytes: %q", len(got), got)
		}
		c.say(strings.Repeat("x", 1400))
		c.expect(c.say(strings.Repeat("x", 70_000)), "EOF") // a line without an end
		c = et.connect("127.0.0.1")
		c.expect(c.say(strings.Repeat("\n", 60_000)), "Enter password:\n\x00\x00")
		c.expect(c.say(strings.Repeat("\n", 10_000)), "EOF")
	})
}

// TestEconLevels: clients get lines up to ec_output_level, whatever the remote console gets.
func TestEconLevels(t *testing.T) {
	inEconTest(t, "ec_output_level 0; console_output_level 2", func(et *econTest) {
		c := et.connect("127.0.0.1")
		c.say("hello\n")
		c.expect(c.say("say hi; restart\n"), "")
		c.expect(c.say("ec_output_level 1; say hi; restart\n"), "[][chat]: *** hi\n\x00\x00")
		c.say("ec_output_level 2\n")
		et.srv.Execute("restart")
		et.settle()
		c.expect(c.take(), "[][game]: start match type='DM' teamplay='0'\n\x00\x00")
		c.say("ec_output_level 0\n")
		bob := et.join(transport.MustParsePeer("192.0.2.9:9"), "bob")
		et.settle()
		c.expect(c.take(), "[][server]: player has entered the game. ClientID=0 addr=192.0.2.9:9\n\x00\x00")
		et.idle(60, bob)
		bob.Close("")
		et.settle()
		c.expect(c.take(), "[][server]: client dropped. cid=0 addr=192.0.2.9:9 reason=''\n\x00\x00[][game]: leave player='0:bob'\n\x00\x00")
	})
}

// TestEconWrongPasswords: three of them end a connection, and ban where that is set. A new
// connection does not begin anew, nor does another address of an IPv6 network.
func TestEconWrongPasswords(t *testing.T) {
	const tries = "Wrong password 1/3.\n\x00\x00Wrong password 2/3.\n\x00\x00Wrong password 3/3.\n\x00\x00Too many authentication tries\n\x00\x00EOF"
	inEconTest(t, "", func(et *econTest) {
		c := et.connect("192.0.2.1")
		c.expect(c.say("1\n2\n3\nhello\n"), "Enter password:\n\x00\x00"+tries)
		if c = et.connect("192.0.2.1"); c.take() != "Enter password:\n\x00\x00" {
			t.Error("banned without ec_bantime")
		}
		et.srv.Execute(`ec_password ""`)
		c.expect(c.say("\x00\n"), "Wrong password 1/3.\n\x00\x00")
	})
	inEconTest(t, "ec_bantime 5", func(et *econTest) {
		local := et.connect("127.0.0.1")
		local.expect(local.say("1\n2\n3\n"), "Enter password:\n\x00\x00"+tries)
		if !strings.Contains(et.log.String(), "[net_ban]: ban failed (localhost)") {
			t.Errorf("the log does not say why there is no ban:\n%s", et.log.String())
		}
		local = et.connect("127.0.0.1")
		local.say("hello\n")
		for i, text := range []string{"1", "2", "3"} {
			c := et.connect(fmt.Sprintf("2001:db8:1:2::%d", i))
			want := "Enter password:\n\x00\x00Wrong password " + text + "/3.\n\x00\x00"
			if i == 2 {
				want += "Too many authentication tries\n\x00\x00EOF"
			}
			c.expect(c.say("guess\n"), want)
			c.Close()
		}
		if got := local.take(); !strings.Contains(got, "[][net_ban]: banned '2001:db8:1:2::/64' for 5 minutes (Too many authentication tries)\n\x00\x00") {
			t.Errorf("the ban is not shown: %q", got)
		}
		et.now = et.now.Add(6 * time.Second)
		c := et.connect("2001:db8:1:2::9")
		c.expect(c.take(), "You have been banned for 5 minutes (Too many authentication tries)EOF")
		c = et.connect("2001:db8:1:2::9")
		c.expect(c.take(), "EOF") // told a moment ago
		c = et.connect("2001:db8:1:3::9")
		c.expect(c.take(), "Enter password:\n\x00\x00")
	})
}

// TestEconPlaces checks that there are four places, and that a client without a login has one only
// for a time.
func TestEconPlaces(t *testing.T) {
	inEconTest(t, "ec_auth_timeout 9", func(et *econTest) {
		var all []*econClient
		for range econ.MaxClients {
			c := et.connect("192.0.2.1")
			c.expect(c.take(), "Enter password:\n\x00\x00")
			all = append(all, c)
		}
		c := et.connect("192.0.2.1")
		c.expect(c.take(), "no free slot availableEOF")
		all[1].say("hello\n")
		et.step(5 * 50)
		c = et.connect("192.0.2.1") // takes the place of the first
		c.expect(c.take(), "Enter password:\n\x00\x00")
		all[0].expect(all[0].take(), "authentication timeout\n\x00\x00EOF")
		et.step(4 * 50)
		synctest.Wait()
		all[2].expect(all[2].take(), "authentication timeout\n\x00\x00EOF")
		et.step(60 * 50)
		et.settle()
		all[1].take()
		all[1].expect(all[1].say("echo x\n"), "[][server]: cid=1 cmd='echo x'\n\x00\x00[][Console]: x\n\x00\x00")
	})
}

// TestEconFlood checks that a tick handles only a few lines of clients. The rest waits on their own
// machines. An address that connects again and again gets no answer.
func TestEconFlood(t *testing.T) {
	inEconTest(t, "ec_output_level 0", func(et *econTest) {
		c := et.connect("192.0.2.1")
		c.say("hello\n")
		go io.WriteString(c.Conn, strings.Repeat("echo x\n", 10_000))
		et.log.Reset()
		synctest.Wait()
		for range 50 {
			before := strings.Count(et.log.String(), "[Console]: x")
			for range 100 { // datagrams make the loop go round more often than it ticks
				et.srv.Advance(et.now)
				synctest.Wait()
			}
			et.step(1)
			synctest.Wait()
			if n := strings.Count(et.log.String(), "[Console]: x") - before; n > 32 {
				t.Fatalf("%d lines in a tick", n)
			}
		}
		if n := strings.Count(et.log.String(), "[Console]: x"); n < 700 {
			t.Errorf("only %d lines in a second", n)
		}
		c.Close()
		et.settle()

		answered, begin := 0, et.now
		for range 100 {
			c := et.connect("198.51.100.1")
			if c.take() != "EOF" {
				answered++
			}
			c.Close()
		}
		// 20 at once and 2 per second.
		if most := 20 + int(2*et.now.Sub(begin)/time.Second) + 1; answered < 20 || answered > most || most > 90 {
			t.Errorf("%d of 100 connections are answered, %d may be", answered, most)
		}
		if n := strings.Count(et.log.String(), "client accepted"); n > answered+1 {
			t.Errorf("%d lines about them", n)
		}
	})
}

// TestEconStalled checks that a client that does not read costs some memory and then its
// connection, and that the server does not wait for it.
func TestEconStalled(t *testing.T) {
	inEconTest(t, "", func(et *econTest) {
		c := et.connectStalled("192.0.2.1")
		go io.WriteString(c.Conn, "hello\n")
		et.settle()
		reader := et.connect("192.0.2.2")
		reader.say("hello\n")
		text := strings.Repeat("x", 900)
		for range 400 {
			et.srv.Execute("echo " + text)
			synctest.Wait()
		}
		et.step(1)
		synctest.Wait()
		if got := reader.take(); strings.Count(got, text) != 400 ||
			!strings.Contains(got, "client dropped. cid=0 addr=192.0.2.1:5001 reason='connection failure'") {
			t.Errorf("another client got %d of 400 lines, the last are %q", strings.Count(got, text), got[max(0, len(got)-200):])
		}
		time.Sleep(2 * time.Second) // for the lines that were written and not read
		if _, err := c.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the connection is still there: %v", err)
		}
	})
}

// TestEconIdleServer: a server without players does not let its operators wait.
func TestEconIdleServer(t *testing.T) {
	inEconTest(t, "", func(et *econTest) {
		idle := et.srv.nextAdvanceTime()
		ours, theirs := net.Pipe()
		et.listener.conns <- addrConn{theirs, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}}
		synctest.Wait()
		if next := et.srv.nextAdvanceTime(); next >= idle {
			t.Errorf("the next tick is as late as if nobody were there: %v", next.Sub(et.now))
		}
		ours.Close()
	})
}

// TestEconDialect: the console's lines and the log change their form with a setting, and all
// that is known of a client can be in one line.
func TestEconDialect(t *testing.T) {
	inEconTest(t, "ec_output_level 0; log_join_details 1", func(et *econTest) {
		c := et.connect("127.0.0.1")
		c.say("hello\n")
		bob := et.join(transport.MustParsePeer("192.0.2.9:9"), "bob' x='")
		et.settle()
		c.expect(c.take(), "[][server]: player has entered the game. ClientID=0 addr=192.0.2.9:9\n\x00\x00"+
			"[][client_enter]: id=0 addr=192.0.2.9:9 version=1797 name='bob\u2019 x=\u2019' clan='clan' country=0\n\x00\x00")
		c.expect(c.say("log_dialect tw06; status\n"), "[Server]: id=0 addr=192.0.2.9:9 name='bob\u2019 x=\u2019' score=0 \n\x00\x00")
		c.expect(c.say("log_dialect tw08; log_dialect\n"),
			"[server]: log_dialect: \"tw08\" is not a log dialect; use one of tw07, tw06, ddnet, json\n\x00\x00[Console]: Value: tw06\n\x00\x00")
		c.say("log_dialect json; console_output_level 2\n")
		et.srv.Execute("echo " + strings.Repeat("\x01<", 400) + strings.Repeat("\"", 500))
		et.settle()
		line, _, _ := strings.Cut(c.take(), "\n")
		var v struct{ Msg, System string }
		if err := json.Unmarshal([]byte(line), &v); err != nil || len(line) > econ.MaxLine || v.System != "Console" || !strings.Contains(v.Msg, "<") {
			t.Errorf("%v: %q", err, line)
		}
		c.say("log_dialect tw07\n")
		et.idle(60, bob)
		bob.Close("")
		et.settle()
		if got := c.take(); !strings.Contains(got, "[][client_drop]: id=0 addr=192.0.2.9:9 reason=''\n") {
			t.Errorf("%q", got)
		}
	})
}

// TestEconOpensLater: a port that another program still has is tried again for some time, and
// after SIGHUP.
func TestEconOpensLater(t *testing.T) {
	other := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))
	port := other.Addr().(*net.TCPAddr).Port
	ts := newTestServerWith(t, Config{Background: func(f func()) { f() }}, fmt.Sprintf("ec_bindaddr 127.0.0.1; ec_port %d; ec_password x", port))
	ts.idle(50 * 150)
	if log := ts.log.String(); !strings.Contains(log, "the server keeps trying for 2m0s") ||
		!strings.Contains(log, "send SIGHUP to try again") || len(ts.srv.Problems()) != 1 {
		t.Errorf("%v, %s", ts.srv.Problems(), log)
	}
	other.Close()
	ts.idle(50 * 10)
	if len(ts.srv.Problems()) != 1 {
		t.Error("it was opened after it was given up")
	}
	ts.srv.reload(console.ReadConfiguration(nil, nil))
	ts.idle(50 * 10)
	if log := ts.log.String(); !strings.Contains(log, fmt.Sprintf("[econ]: bound to 127.0.0.1:%d", port)) || len(ts.srv.Problems()) != 0 {
		t.Errorf("%v, %s", ts.srv.Problems(), log)
	}
}

// TestEconEndMarks checks that only the client that sends an end mark gets it back, and that it is
// in no log. No other line passes for one.
func TestEconEndMarks(t *testing.T) {
	var d logDisk
	const mark = "end-0123456789abcdef"
	inEconTestWith(t, Config{OpenLog: d.open}, "sv_audit_log audit.jsonl; sv_rcon_password adminpw", func(et *econTest) {
		c, other := et.connect("127.0.0.1"), et.connect("127.0.0.1")
		other.say("hello\n")
		c.say("hello\n")
		other.take()
		et.log.Reset()
		et.srv.Execute("ec_output_level 0")
		c.expect(c.say("echo "+mark+"\n"), "[][Console]: "+mark+"\n\x00\x00")
		c.expect(c.say(mark+"\n"), "[][Console]: "+mark+"\n\x00\x00")
		if got := other.take() + et.log.String(); strings.Contains(got, "end-") {
			t.Errorf("others see %q", got)
		}
		for _, line := range []string{"echo " + mark + "; say x", "echo " + mark + " ", "say " + mark, "echo echo " + mark, "ECHO " + mark} {
			et.log.Reset()
			if c.say(line + "\n"); !strings.Contains(et.log.String(), "cmd=") {
				t.Errorf("%q is not in the log: %s", line, et.log.String())
			}
		}
		et.srv.Shutdown(et.now, "")
	})
	if audit := d.content("audit.jsonl"); strings.Count(audit, `"event":"command"`) != 5 ||
		strings.Contains(audit, `"command":"`+mark+`"`) || strings.Contains(audit, `"command":"echo `+mark+`"`) {
		t.Errorf("the audit log has\n%s", audit)
	}
}

// TestEconLongLines checks that an operator gets an answer to a line that is too long, and
// continues. A stranger's connection ends.
func TestEconLongLines(t *testing.T) {
	inEconTest(t, "ec_output_level 0", func(et *econTest) {
		const mark = "end-0123456789abcdef"
		const told = "Line too long: it did not run; at most 1399 bytes are allowed"
		c, stranger := et.connect("127.0.0.1"), et.connect("10.0.0.7")
		c.say("hello\n")
		long := strings.Repeat("x", 1300)
		c.expect(c.say("sv_motd "+long+"\n"), "[][config]: sv_motd: cut to 899 bytes\n\x00\x00")
		c.expect(c.say("echo "+long+"; echo "+long+"; echo "+long+"\necho on\n"), told+"\n\x00\x00[][Console]: on\n\x00\x00")
		c.expect(c.say("echo "+long+long+"\necho "+mark+"\n"), told+"\n\x00\x00refused: "+told+"\n\x00\x00[][Console]: "+mark+"\n\x00\x00")
		stranger.take()
		c.expect(stranger.say(long+long), told+"\n\x00\x00EOF")
		et.srv.Shutdown(et.now, "")
	})
}
