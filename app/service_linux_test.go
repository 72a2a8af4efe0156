package app

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport/ws"
)

// service is a server started as systemd would start it.
type service struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string
	notify net.PacketConn
	log    *bufio.Scanner
	http   string // HOST:PORT of its HTTP listener
}

// startService starts a server with the given lines in autoexec.cfg.
func startService(t *testing.T, config string, env ...string) *service {
	t.Helper()
	return startServiceIn(t, nil, config, env...)
}

// startServiceIn is startService with a terminal as input.
func startServiceIn(t *testing.T, tty *os.File, config string, env ...string) *service {
	t.Helper()
	s := &service{t: t, dir: t.TempDir()}
	s.configure(config)
	socket := filepath.Join(s.dir, "notify")
	var err error
	s.notify, err = net.ListenPacket("unixgram", socket)
	testenv.NoError(t, err)
	t.Cleanup(func() { s.notify.Close() })
	s.cmd = teeyard(t, "serve", "--dir", s.dir, "bindaddr 127.0.0.1", "sv_port 0")
	// The port of sv_port may be taken for TCP.
	s.cmd.Env = append(append(os.Environ(), "NOTIFY_SOCKET="+socket, "TEEYARD_HTTP=127.0.0.1:0"), env...)
	if tty != nil {
		s.cmd.Stdin = tty
	}
	stdout, err := s.cmd.StdoutPipe()
	testenv.NoError(t, err)
	testenv.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	s.log = bufio.NewScanner(stdout)
	limit := time.AfterFunc(3*time.Minute, func() { s.cmd.Process.Kill() })
	t.Cleanup(func() { limit.Stop() })
	_, s.http, _ = strings.Cut(s.expectLine("http://127.0.0.1:"), "http://")
	s.http, _, _ = strings.Cut(s.http, "/")
	return s
}

// TestHTTPOfContainers checks that TEEYARD_HTTP sets the address of the HTTP listener, and that the
// configuration overrides it.
func TestHTTPOfContainers(t *testing.T) {
	t.Parallel()
	addr := "127.0.0.1:" + strconv.Itoa(testenv.Must(peers.FreePort()))
	if s := startService(t, "", "TEEYARD_HTTP="+addr); s.http != addr {
		t.Errorf("it listens on %s, not on %s", s.http, addr)
	}
	if s := startService(t, "sv_http localhost:0", "TEEYARD_HTTP="+addr); s.http == addr {
		t.Error("the configuration does not count")
	}
}

func (s *service) configure(text string) {
	testenv.NoError(s.t, os.WriteFile(filepath.Join(s.dir, "autoexec.cfg"), []byte(text), 0o600))
}

// expectLine waits for a log line that contains a text.
func (s *service) expectLine(text string) string {
	s.t.Helper()
	for s.log.Scan() {
		if strings.Contains(s.log.Text(), text) {
			return s.log.Text()
		}
	}
	s.t.Fatalf("the log ends without %q", text)
	return ""
}

// expectState waits for a message to systemd.
func (s *service) expectState(want string) {
	s.t.Helper()
	if got := s.state(); got != want {
		s.t.Fatalf("systemd is told %q, want %q", got, want)
	}
}

// state returns the next message to systemd.
func (s *service) state() string {
	s.t.Helper()
	b := make([]byte, 1024)
	s.notify.SetReadDeadline(time.Now().Add(time.Minute))
	n, _, err := s.notify.ReadFrom(b)
	if err != nil {
		s.t.Fatalf("systemd is told nothing: %v", err)
	}
	return string(b[:n])
}

// health runs teeyard health against the server.
func (s *service) health(args ...string) (string, error) {
	out, err := teeyard(s.t, append([]string{"health", s.http}, args...)...).CombinedOutput()
	return string(out), err
}

// TestService checks the messages to systemd, a reload, and the output of health.
func TestService(t *testing.T) {
	t.Parallel()
	s := startService(t, "sv_name before\n")
	s.expectState("READY=1")
	if out, err := s.health(); err != nil || out != "ok\n" {
		t.Errorf("health: %v, %s", err, out)
	}
	testenv.Eventually(t, "it is ready", func() bool {
		_, err := s.health("--ready")
		return err == nil
	})
	s.configure("sv_name after\necho unheard\n")
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	s.expectState("RELOADING=1")
	s.expectState("READY=1")
	s.expectLine("the configuration was read again")
	testenv.NoError(t, os.Remove(filepath.Join(s.dir, "autoexec.cfg")))
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	s.expectState("RELOADING=1")
	s.expectState("READY=1")
	s.expectLine("failed to open 'autoexec.cfg'")
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.expectState("STOPPING=1")
	testenv.NoError(t, s.cmd.Wait())
	if out, err := s.health(); err == nil {
		t.Errorf("the server has ended, health says %s", out)
	}
}

// TestTermDrain checks that a player finishes the match after SIGTERM, and that systemd is asked to
// wait. The server ends when the player leaves, and its replay is whole.
func TestTermDrain(t *testing.T) {
	t.Parallel()
	s := startService(t, "sv_term_drain 600; sv_bots 0; sv_replay 1")
	s.expectState("READY=1")
	key := strings.TrimSpace(string(testenv.Must(os.ReadFile(filepath.Join(s.dir, keyFile)))))
	c, err := client.Dial(t.Context(), "ws://"+s.http+"/?key="+key, client.Config{Name: "player", Dial: (&ws.Dialer{}).Dial, NoMap: true})
	testenv.NoError(t, err)
	defer c.Close()
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.expectState("EXTEND_TIMEOUT_USEC=610000000")
	s.expectLine("SIGTERM ends the server after this match, in 10m0s at the latest (sv_term_drain); 1 client is there")
	if _, err := s.health(); err != nil {
		t.Errorf("the server does not go on: %v", err)
	}
	c.Close()
	s.expectState("STOPPING=1")
	testenv.NoError(t, s.cmd.Wait())
	replays := testenv.Must(filepath.Glob(filepath.Join(s.dir, "replays", "*.twreplay")))
	testenv.Check(t, len(replays) > 0, "no replay")
	for _, r := range replays {
		if out, err := teeyard(t, "replay", "verify", r).CombinedOutput(); err != nil {
			t.Errorf("%v, %s", err, out)
		}
	}
}

// TestInputFifo checks that lines of a named pipe run in their order, also those that wait for a
// file or for the next tick, and that a second server in the same folder leaves the pipe alone.
func TestInputFifo(t *testing.T) {
	t.Parallel()
	s := startService(t, "sv_input_fifo commands; sv_audit_log audit.log; sv_bots 0")
	testenv.NoError(t, os.WriteFile(filepath.Join(s.dir, "more.cfg"), []byte("echo from the file\n"), 0o600))
	s.expectLine("run as console commands") // so that the pipe is there
	pipe := filepath.Join(s.dir, "commands")
	testenv.NoError(t, os.WriteFile(pipe, []byte("echo first\nexec more.cfg\nrestart 3\nnonsense\necho last\n"), 0))
	for _, line := range []string{"first", "from the file", "No such command: nonsense", "last"} {
		s.expectLine(line)
	}
	audit := string(testenv.Must(os.ReadFile(filepath.Join(s.dir, "audit.log"))))
	testenv.Check(t, strings.Contains(audit, `"via":"fifo"`) && strings.Contains(audit, "exec more.cfg"), "the audit log has %s", audit)
	out, err := teeyard(t, "serve", "--dir", s.dir, "bindaddr 127.0.0.1", "sv_port 0; sv_http 0", "shutdown").CombinedOutput()
	testenv.Check(t, err == nil && strings.Contains(string(out), "another server reads this pipe"), "%v, %s", err, out)
}

// TestWatchdog checks that the server sends signs of life while the ticks run.
func TestWatchdog(t *testing.T) {
	t.Parallel()
	s := startService(t, "", "WATCHDOG_USEC=100000")
	told := map[string]int{}
	for told["READY=1"] == 0 || told["WATCHDOG=1"] < 2 { // in any order, since the start may take long
		told[s.state()]++
	}
	if len(told) > 2 {
		t.Errorf("systemd is told %v", told)
	}
}

// TestBusyPort checks that players can join although another program uses the TCP port.
func TestBusyPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.NoError(t, err)
	defer l.Close()
	for _, addr := range []string{l.Addr().String(), "nowhere.invalid"} {
		out, err := teeyard(t, "serve", "--dir", t.TempDir(), "bindaddr 127.0.0.1", "sv_port 0", "sv_http "+addr, "shutdown").CombinedOutput()
		if text := string(out); err != nil || strings.Count(text, "[http]: no HTTP listener, so no page, health checks and metrics: ") != 1 ||
			!strings.Contains(text, addr) {
			t.Errorf("%v, %s", err, text)
		}
	}
	out, err := teeyard(t, "serve", "--dir", t.TempDir(), "bindaddr 127.0.0.1", "sv_port 0", "sv_http 0", "shutdown").CombinedOutput()
	if strings.Contains(string(out), "http") {
		t.Errorf("%v, %s", err, out)
	}
}

// TestHangup checks that a server in a terminal ends in good order with the terminal.
func TestHangup(t *testing.T) {
	t.Parallel()
	keys, tty := openTerminal(t)
	s := startServiceIn(t, tty, "")
	tty.Close()
	s.expectState("READY=1")
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP)) // the terminal is still open
	s.expectState("RELOADING=1")
	s.expectState("READY=1")
	keys.Close()
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	s.expectState("STOPPING=1")
	testenv.NoError(t, s.cmd.Wait())
}

// TestPanels starts the program as hosting panels start teeworlds-server, with the files that they
// provide or write. No argument names a command of teeyard, and the panels wait for a line of the
// log.
func TestPanels(t *testing.T) {
	t.Parallel()
	for name, panel := range map[string]struct {
		args  []string
		files map[string]string
		lines []string // of the log, in order
	}{
		// The egg of Pterodactyl and Pelican writes these lines and runs ./teeworlds_srv.
		"Pterodactyl": {nil, map[string]string{
			"autoexec.cfg": "## set by the panel\nbindaddr 0.0.0.0\nsv_port 0\nsv_name A Hosted Teeworlds Server\nsv_motd A Hosted Teeworlds " +
				"Server\n\n## changed by hand\nsv_map dm1\nsv_scorelimit 20\nsv_timelimit 10\nsv_gametype dm\n",
			"storage.cfg": "add_path $CURRENTDIR\nadd_path $DATADIR\n",
		}, []string{"server name is 'A Hosted Teeworlds Server'", "as master, sending heartbeats"}},
		// LinuxGSM runs ./teeworlds_srv -f twserver.cfg, with its default configuration.
		"LinuxGSM": {[]string{"-f", "twserver.cfg"}, map[string]string{
			"twserver.cfg": "sv_name \"LinuxGSM\"\nsv_rcon_password \"ADMINPASSWORD\"\npassword \"\"\nsv_max_clients 12\nsv_port 0\nsv_register " +
				"1\nsv_spamprotection 0\nsv_warmup 10\nlogfile \"<logfile>\"\n" +
				"add_vote \"RESTART IN 10s\" \"restart 10\"\nadd_vote \"Gamemode: CTF\" \"exec ctf.cfg\"\nadd_vote \"Map: ctf1\" \"change_map " +
				"ctf1\"\nbindaddr 127.0.0.1\n",
		}, []string{"added option 'Map: ctf1' 'change_map ctf1'", "server name is 'LinuxGSM'", "as master, sending heartbeats"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			dm1, err := os.ReadFile("../maps/teeyard1.map")
			testenv.NoError(t, err)
			testenv.NoError(t, os.MkdirAll(filepath.Join(dir, "data", "maps"), 0o755))
			testenv.NoError(t, os.WriteFile(filepath.Join(dir, "data", "maps", "dm1.map"), dm1, 0o600))
			for name, text := range panel.files {
				if name != "storage.cfg" {
					text += "sv_register_url http://127.0.0.1:1/\nsv_register_udp \"\"\n" // an unused address
				}
				testenv.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			cmd := teeyard(t)
			cmd.Args = append([]string{"./teeworlds_srv"}, panel.args...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME=")
			stdout, err := cmd.StdoutPipe()
			testenv.NoError(t, err)
			testenv.NoError(t, cmd.Start())
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
			s := &service{t: t, log: bufio.NewScanner(stdout)}
			for _, line := range panel.lines {
				s.expectLine(line)
			}
			testenv.NoError(t, cmd.Process.Signal(os.Interrupt)) // ^C
			s.expectLine("shut down")
			testenv.NoError(t, cmd.Wait())
		})
	}
}
