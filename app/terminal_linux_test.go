package app

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// openTerminal opens a pseudoterminal. Bytes written to keys are typed on tty.
func openTerminal(t *testing.T) (keys, tty *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keys.Close() })
	var number, unlock int32
	for request, arg := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, keys.Fd(), request, uintptr(unsafe.Pointer(arg))); e != 0 {
			t.Fatal(e)
		}
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return keys, tty
}

// isEchoing reports whether a terminal echoes typed characters.
func isEchoing(t *testing.T, tty *os.File) bool {
	t.Helper()
	var state syscall.Termios
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), syscall.TCGETS, uintptr(unsafe.Pointer(&state))); e != 0 {
		t.Fatal(e)
	}
	return state.Lflag&syscall.ECHO != 0
}

// terminalProgram is teeyard running on a terminal.
type terminalProgram struct {
	t    *testing.T
	keys *os.File
	tty  *os.File
	over chan error
	// output receives the program's output; shown is the part that read has not returned yet.
	output chan string
	shown  string
}

// startOnTerminal runs teeyard with arguments.
func startOnTerminal(t *testing.T, args ...string) *terminalProgram {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &terminalProgram{t: t, over: make(chan error, 1), output: make(chan string, 1024)}
	p.keys, p.tty = openTerminal(t)
	go func() {
		b := make([]byte, 256)
		for {
			n, err := p.keys.Read(b)
			if err != nil {
				return
			}
			p.output <- string(b[:n])
		}
	}()
	cmd := exec.Command(self)
	cmd.Args = append([]string{"teeyard"}, args...)
	cmd.Env = append(os.Environ(), passwordEnv+"=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.tty, p.tty, p.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	go func() { p.over <- cmd.Wait() }()
	return p
}

// read waits until the output contains a text. It returns the output since the last call, up to and
// including the text.
func (p *terminalProgram) read(until string) string {
	p.t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		if i := strings.Index(p.shown, until); i >= 0 {
			s := p.shown[:i+len(until)]
			p.shown = p.shown[len(s):]
			return s
		}
		select {
		case s := <-p.output:
			p.shown += s
		case <-timeout:
			p.t.Fatalf("no %q in %q", until, p.shown)
		}
	}
}

func (p *terminalProgram) press(keys string) { p.keys.WriteString(keys) }

// waitEnd waits for the program to end and checks that the terminal echoes again.
func (p *terminalProgram) waitEnd() {
	p.t.Helper()
	select {
	case <-p.over:
	case <-time.After(20 * time.Second):
		p.t.Fatalf("it does not end: %q", p.shown)
	}
	if !isEchoing(p.t, p.tty) {
		p.t.Error("what is typed next cannot be seen")
	}
}

// TestInterruptedPassword checks that Ctrl-C ends the program at the password prompt, and that the
// terminal echoes again.
func TestInterruptedPassword(t *testing.T) {
	t.Parallel()
	p := startOnTerminal(t, "rcon", "127.0.0.1:9")
	p.read("password of 127.0.0.1:9: ")
	for isEchoing(t, p.tty) {
		time.Sleep(time.Millisecond)
	}
	p.press("\x03")
	p.read("interrupted")
	p.waitEnd()
}

// TestJoinOnTerminal types in the chat. Each line is shown once, is not torn by other output, and
// can be edited and recalled. Passwords are not shown.
func TestJoinOnTerminal(t *testing.T) {
	t.Parallel()
	s, _ := startServer(t, "sv_rcon_password hunter2")
	p := startOnTerminal(t, "join", s.Addr().String(), "--name", "alice", "--cache", "-")
	p.read("* no other players\r\n")
	p.press("good mornung\x7f\x7f\x7fing")
	p.read("ing")
	s.Console("say news")
	p.read("*** news\r\n")
	p.read("alice: good morning")
	p.press("\r/scores\r")
	if got := p.read(" ms\r\n"); strings.Contains(got, "good morning") {
		t.Errorf("the own line is shown again: %q", got)
	}
	p.press("\x1b[A\x1b[A!\r")
	p.read("good morning!")
	p.press("/rcon hunter3\x7f2\r")
	if got := p.read("> remote console: logged in"); !strings.Contains(got, "/rcon *******") || strings.Contains(got, "hunter") {
		t.Errorf("shown: %q", got)
	}
	p.press("\x04")
	p.waitEnd()
}
