package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// service is a server that is started as systemd starts it.
type service struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string
	notify net.PacketConn
	log    *bufio.Scanner
	http   string // HOST:PORT of its HTTP listener
}

// startService starts a server whose autoexec.cfg has some lines.
func startService(t *testing.T, config string, env ...string) *service {
	t.Helper()
	return startServiceIn(t, nil, config, env...)
}

// startServiceIn is startService with the terminal that it is started in.
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
	s.cmd.Env = append(append(os.Environ(), "NOTIFY_SOCKET="+socket), env...)
	if tty != nil {
		s.cmd.Stdin = tty
	}
	stdout, err := s.cmd.StdoutPipe()
	testenv.NoError(t, err)
	testenv.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	s.log = bufio.NewScanner(stdout)
	_, s.http, _ = strings.Cut(s.expectLine("http://127.0.0.1:"), "http://")
	s.http, _, _ = strings.Cut(s.http, "/")
	return s
}

// teeyard returns this program, to be run.
func teeyard(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	testenv.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Args = append([]string{"teeyard"}, args...)
	return cmd
}

func (s *service) configure(text string) {
	testenv.NoError(s.t, os.WriteFile(filepath.Join(s.dir, "autoexec.cfg"), []byte(text), 0o600))
}

// expectLine waits for a line of the log with a text.
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

// expectState waits for what the server tells systemd.
func (s *service) expectState(want string) {
	s.t.Helper()
	b := make([]byte, 1024)
	s.notify.SetReadDeadline(time.Now().Add(30 * time.Second))
	n, _, err := s.notify.ReadFrom(b)
	if got := string(b[:n]); err != nil || got != want {
		s.t.Fatalf("systemd is told %q, %v, want %q", got, err, want)
	}
}

// health runs the command that asks the server how it is.
func (s *service) health(args ...string) (string, error) {
	out, err := teeyard(s.t, append([]string{"health", s.http}, args...)...).CombinedOutput()
	return string(out), err
}

// TestService: what systemd is told, what a reload does, and what health says.
func TestService(t *testing.T) {
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
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.expectState("STOPPING=1")
	testenv.NoError(t, s.cmd.Wait())
	if out, err := s.health(); err == nil {
		t.Errorf("the server has ended, health says %s", out)
	}
}

// TestWatchdog: it is told that all is well while the ticks go on.
func TestWatchdog(t *testing.T) {
	s := startService(t, "", "WATCHDOG_USEC=100000")
	s.expectState("READY=1")
	s.expectState("WATCHDOG=1")
	s.expectState("WATCHDOG=1")
}

// TestBusyPort: a TCP port that another program has keeps nobody from playing.
func TestBusyPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.NoError(t, err)
	defer l.Close()
	for _, addr := range []string{l.Addr().String(), "nowhere.invalid"} {
		out, err := teeyard(t, "serve", "--dir", t.TempDir(), "bindaddr 127.0.0.1", "sv_port 0", "sv_http "+addr, "shutdown").CombinedOutput()
		if text := string(out); err != nil || strings.Count(text, "[http]: no HTTP listener, so no health checks and metrics: ") != 1 || !strings.Contains(text, addr) {
			t.Errorf("%v, %s", err, text)
		}
	}
	out, err := teeyard(t, "serve", "--dir", t.TempDir(), "bindaddr 127.0.0.1", "sv_port 0", "sv_http 0", "shutdown").CombinedOutput()
	if strings.Contains(string(out), "http") {
		t.Errorf("%v, %s", err, out)
	}
}

// TestHangup: a server in a terminal ends when that does, in good order.
func TestHangup(t *testing.T) {
	keys, tty := openTerminal(t)
	s := startServiceIn(t, tty, "")
	tty.Close()
	s.expectState("READY=1")
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP)) // it is still there
	s.expectState("RELOADING=1")
	s.expectState("READY=1")
	keys.Close()
	testenv.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	s.expectState("STOPPING=1")
	testenv.NoError(t, s.cmd.Wait())
}
