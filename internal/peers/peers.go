// Package peers runs the real Teeworlds programs in tests. It starts clients and servers in their
// own folders, sends key presses and mouse movements to a client, and checks the pixels of its
// screen.
//
// The tests are in the packages below this one, by subject. They run only with -tags peers.
// Then a missing program is a failure; scripts/peers installs all of them.
package peers

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// moreDirs are the folders where Debian installs games and servers. They may be missing in PATH.
var moreDirs = []string{"/usr/games", "/usr/local/games", "/usr/sbin"}

// RequirePrograms returns the paths of programs. It skips the test without -tags peers, and fails
// it if a program is missing.
func RequirePrograms(t testing.TB, programs ...string) []string {
	t.Helper()
	if !testenv.Peers {
		t.Skip("runs against real programs; scripts/peers installs them, -tags peers runs it")
	}
	paths := make([]string, len(programs))
	for i, name := range programs {
		path, err := find(name)
		if err != nil {
			t.Fatalf("%q is not installed; run scripts/peers", name)
		}
		paths[i] = path
	}
	if len(programs) > 0 {
		t.Logf("with real programs: %s", strings.Join(programs, ", ")) // scripts/steps looks for it
	}
	return paths
}

func find(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, dir := range moreDirs {
		if path := filepath.Join(dir, name); isFile(path) {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Process is a started program.
type Process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
}

// Name returns the program's name in messages.
func (p *Process) Name() string { return p.name }

// maxOutput is how much of a program's output is kept, in bytes.
const maxOutput = 1 << 20

// Write records output of the program. It implements io.Writer.
func (p *Process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out.Len() < maxOutput {
		p.out.Write(b)
	}
	return len(b), nil
}

// Output returns the program's output so far, at most the first megabyte.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// Running reports whether the program still runs.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Signal sends the program a signal.
func (p *Process) Signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// ExitCode returns the program's exit code. It is -1 while the program runs, or if a signal ended
// it.
func (p *Process) ExitCode() int {
	if p.Running() {
		return -1
	}
	return p.cmd.ProcessState.ExitCode()
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop asks the program to end, and kills it if it still runs 3 s later. Further calls do nothing.
// The signal is SIGTERM, because programs that a shell runs in the background ignore interrupts.
func (p *Process) Stop() {
	if !p.Running() {
		return
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(3 * time.Second):
		p.cmd.Process.Kill()
		<-p.done
	}
}

// Start runs a program in a folder until the test ends, with additional environment variables. If
// the test fails, it logs the last part of the output.
func Start(t testing.TB, dir string, env []string, path string, args ...string) *Process {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	return start(t, cmd)
}

func start(t testing.TB, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{name: filepath.Base(cmd.Path), cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p, p
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s does not start: %v", p.name, err)
	}
	go func() {
		cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("output of %s:\n%s", p.name, Tail(p.Output(), 4000))
		}
	})
	return p
}

// Tail returns the last n bytes of a text.
func Tail(s string, n int) string {
	if len(s) > n {
		return "...\n" + s[len(s)-n:]
	}
	return s
}

// Eventually waits until a condition is true, and fails the test after the timeout. The message
// names the condition.
func Eventually(t testing.TB, timeout time.Duration, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("after %v still not: %s", timeout, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Within waits for a condition and reports whether it became true in time.
func Within(timeout time.Duration, condition func() bool) bool {
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}

// Display is an X server with its screen in memory only.
type Display struct {
	t       testing.TB
	name    string // the value of the variable DISPLAY
	xwdFile string // the file in which Xvfb keeps the screen
}

// The size of a Display and of its client's window.
const (
	ScreenWidth  = 1024
	ScreenHeight = 640
)

// NewDisplay starts an X server for one client. It waits for tests of other packages that use
// displays: their clients would slow down each other.
func NewDisplay(t testing.TB) *Display {
	t.Helper()
	xvfb := RequirePrograms(t, "Xvfb", "xdotool")[0]
	testenv.TakeScreen()
	t.Cleanup(testenv.ReleaseScreen)
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(xvfb, "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", ScreenWidth, ScreenHeight), "-nolisten", "tcp", "-noreset", "-fbdir",
		dir)
	cmd.ExtraFiles = []*os.File{w}
	p := start(t, cmd)
	w.Close()
	// Xvfb writes the number and the newline separately. Closing the pipe between the two would
	// kill it.
	r.SetReadDeadline(time.Now().Add(20 * time.Second))
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb prints no display number: %v\n%s", err, p.Output())
	}
	return &Display{t: t, name: ":" + strings.TrimSpace(line), xwdFile: filepath.Join(dir, "Xvfb_screen0")}
}

// WithTest returns the same display for a subtest of the test that started it.
func (d *Display) WithTest(t testing.TB) *Display {
	return &Display{t: t, name: d.name, xwdFile: d.xwdFile}
}

// Env returns the environment variables for programs on the display.
func (d *Display) Env() []string {
	return []string{"DISPLAY=" + d.name, "SDL_AUDIODRIVER=dummy", "LIBGL_ALWAYS_SOFTWARE=1", "LP_NUM_THREADS=1"}
}

// Xdotool runs xdotool, a tool that sends key and mouse events to the display.
func (d *Display) Xdotool(args ...string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "xdotool", args...)
	cmd.Env = append(os.Environ(), d.Env()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("xdotool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// HoldKey presses a key for some time.
func (d *Display) HoldKey(key string, duration time.Duration) {
	d.t.Helper()
	d.Xdotool("keydown", key)
	time.Sleep(duration)
	d.Xdotool("keyup", key)
}

// TapKey presses a key for 60 ms. A client that polls would miss a shorter press.
func (d *Display) TapKey(key string) { d.t.Helper(); d.HoldKey(key, 60*time.Millisecond) }

// Click presses the left mouse button for 60 ms.
func (d *Display) Click() {
	d.t.Helper()
	d.Xdotool("mousedown", "1")
	time.Sleep(60 * time.Millisecond)
	d.Xdotool("mouseup", "1")
}

// MoveMouse moves the mouse by a distance in pixels, in small steps: clients that capture the
// pointer read relative movements only.
func (d *Display) MoveMouse(dx, dy int) {
	d.t.Helper()
	const steps = 8
	args := []string{}
	for range steps {
		args = append(args, "mousemove_relative", "--", fmt.Sprint(dx/steps), fmt.Sprint(dy/steps), "sleep", "0.03")
	}
	d.Xdotool(args...)
}

// Type types a text.
func (d *Display) Type(text string) { d.t.Helper(); d.Xdotool("type", "--delay", "60", text) }
