// Package peers runs the real Teeworlds programs in tests: it starts them in
// folders of their own, drives a client as a person would, and looks at its
// screen.
//
// It works when TEEYARD_PEERS=1 is set and skips otherwise. When it is set, a
// missing program is a failure: scripts/peers installs them all.
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
	"testing"
	"time"
)

// gameDirs are where Debian puts games, which need not be in the PATH.
var gameDirs = []string{"/usr/games", "/usr/local/games"}

// Need skips the test unless peers are asked for, and fails it if one of the
// programs is missing. It returns their paths.
func Need(t testing.TB, programs ...string) []string {
	t.Helper()
	if os.Getenv("TEEYARD_PEERS") != "1" {
		t.Skip("runs against real programs; scripts/peers installs them, then set TEEYARD_PEERS=1")
	}
	paths := make([]string, len(programs))
	for i, name := range programs {
		path, err := find(name)
		if err != nil {
			t.Fatalf("TEEYARD_PEERS=1 but %q is not installed; run scripts/peers", name)
		}
		paths[i] = path
	}
	return paths
}

func find(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, dir := range gameDirs {
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

// Process is a running program.
type Process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
}

// maxOutput bounds what is kept of a program's output.
const maxOutput = 1 << 20

// Write keeps output. It implements io.Writer.
func (p *Process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out.Len() < maxOutput {
		p.out.Write(b)
	}
	return len(b), nil
}

// Output is what the program printed so far.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// Running tells whether the program still runs.
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

// ExitCode is what the program ended with; -1 while it runs and after a signal.
func (p *Process) ExitCode() int {
	if p.Running() {
		return -1
	}
	return p.cmd.ProcessState.ExitCode()
}

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop ends the program, gently at first. It may be called more than once.
func (p *Process) Stop() {
	if !p.Running() {
		return
	}
	p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.done:
	case <-time.After(3 * time.Second):
		p.cmd.Process.Kill()
		<-p.done
	}
}

// Start runs a program until the test ends. Its output is shown if the test
// fails.
func Start(t testing.TB, dir string, env []string, path string, args ...string) *Process {
	t.Helper()
	p := &Process{name: filepath.Base(path), done: make(chan struct{})}
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("%s does not start: %v", p.name, err)
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("output of %s:\n%s", p.name, tail(p.Output(), 4000))
		}
	})
	return p
}

func tail(s string, n int) string {
	if len(s) > n {
		return "...\n" + s[len(s)-n:]
	}
	return s
}

// Eventually waits until ok is true, at most for span, and fails the test with
// what otherwise.
func Eventually(t testing.TB, span time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(span)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("after %v still not: %s", span, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Display is a screen that exists in memory only.
type Display struct {
	t      testing.TB
	name   string
	memory string // the file that Xvfb keeps the screen in
}

// The size of a Display and the client on it.
const (
	ScreenWidth  = 1024
	ScreenHeight = 640
)

// NewDisplay starts an X server for one client.
func NewDisplay(t testing.TB) *Display {
	t.Helper()
	xvfb := Need(t, "Xvfb", "xdotool")[0]
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := &Process{name: "Xvfb", done: make(chan struct{})}
	p.cmd = exec.Command(xvfb, "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", ScreenWidth, ScreenHeight), "-nolisten", "tcp", "-noreset", "-fbdir", dir)
	p.cmd.ExtraFiles = []*os.File{w}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("Xvfb does not start: %v", err)
	}
	w.Close()
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.Stop)
	// The number and the end of the line come in two writes; closing the pipe
	// between them would kill the X server.
	r.SetReadDeadline(time.Now().Add(20 * time.Second))
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb names no display: %v\n%s", err, p.Output())
	}
	return &Display{t: t, name: ":" + strings.TrimSpace(line), memory: filepath.Join(dir, "Xvfb_screen0")}
}

// For is the display in the hands of another test, a subtest of the first.
func (d *Display) For(t testing.TB) *Display { return &Display{t: t, name: d.name, memory: d.memory} }

// Env is the environment of programs on the display.
func (d *Display) Env() []string {
	return []string{"DISPLAY=" + d.name, "SDL_AUDIODRIVER=dummy", "LIBGL_ALWAYS_SOFTWARE=1", "LP_NUM_THREADS=1"}
}

// Do runs xdotool with arguments.
func (d *Display) Do(args ...string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "xdotool", args...)
	cmd.Env = append(os.Environ(), d.Env()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("xdotool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// Hold presses a key for a while.
func (d *Display) Hold(key string, span time.Duration) {
	d.t.Helper()
	d.Do("keydown", key)
	time.Sleep(span)
	d.Do("keyup", key)
}

// Tap presses a key as a person does: games that poll miss a key that is down
// for no time.
func (d *Display) Tap(key string) { d.t.Helper(); d.Hold(key, 60*time.Millisecond) }

// Click holds a mouse button for a while: 1 left, 3 right.
func (d *Display) Click(button string, span time.Duration) {
	d.t.Helper()
	d.Do("mousedown", button)
	time.Sleep(span)
	d.Do("mouseup", button)
}

// Move moves the mouse by a distance in pixels, in small steps: games that
// catch the pointer look at distances only.
func (d *Display) Move(dx, dy int) {
	d.t.Helper()
	const steps = 8
	args := []string{}
	for range steps {
		args = append(args, "mousemove_relative", "--", fmt.Sprint(dx/steps), fmt.Sprint(dy/steps), "sleep", "0.03")
	}
	d.Do(args...)
}

// Type types a text.
func (d *Display) Type(text string) { d.t.Helper(); d.Do("type", "--delay", "60", text) }
