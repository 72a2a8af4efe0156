//go:build unix

package app

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// serveWithoutReader starts a server whose log begins with more than a pipe and the queue can hold.
// The log is not being read yet.
func serveWithoutReader(t *testing.T) (server *exec.Cmd, log *os.File, addr string) {
	t.Helper()
	dir := t.TempDir()
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, "autoexec.cfg"), bytes.Repeat([]byte("echo x\n"), 60_000), 0o600))
	port, err := peers.FreePort()
	testenv.NoError(t, err)
	self, err := os.Executable()
	testenv.NoError(t, err)
	server = exec.Command(self)
	server.Args = []string{"teeyard", "serve", "--dir", dir, "sv_bots 0; bindaddr 127.0.0.1", "sv_port " + strconv.Itoa(port)}
	log, stdout, err := os.Pipe()
	testenv.NoError(t, err)
	t.Cleanup(func() { log.Close() })
	server.Stdout, server.Stderr = stdout, os.Stderr
	testenv.NoError(t, server.Start())
	t.Cleanup(func() { server.Process.Kill() })
	stdout.Close()
	return server, log, "127.0.0.1:" + strconv.Itoa(port)
}

// TestReaderOfLogStops checks that the game continues while its log is not read. When reading
// continues, the log tells what is missing and is complete to its end.
func TestReaderOfLogStops(t *testing.T) {
	t.Parallel()
	server, log, addr := serveWithoutReader(t)
	expectAnswer(t, addr)
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if strings.HasSuffix(lines.Text(), " lines are missing here: the reader was too slow") {
			break
		}
	}
	testenv.NoError(t, server.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(log)
	testenv.NoError(t, err)
	if err := server.Wait(); err != nil {
		t.Errorf("%v, after %q", err, rest)
	}
}

// TestEndWithoutReaderOfLog checks that a signal ends a server in good order although its log
// cannot be written.
func TestEndWithoutReaderOfLog(t *testing.T) {
	t.Parallel()
	server, log, addr := serveWithoutReader(t)
	expectAnswer(t, addr)
	testenv.NoError(t, server.Process.Signal(syscall.SIGTERM))
	if err := server.Wait(); err != nil {
		t.Errorf("a signal: %v", err)
	}
	log.Close()

	// Nor does a closed pipe end the server.
	server, log, addr = serveWithoutReader(t)
	log.Close()
	expectAnswer(t, addr)
	testenv.NoError(t, server.Process.Signal(syscall.SIGTERM))
	if err := server.Wait(); err != nil {
		t.Errorf("without a reader: %v", err)
	}
}

// TestSecondSignal checks that a second signal ends a server that still waits, here for its log.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	server, _, addr := serveWithoutReader(t)
	expectAnswer(t, addr)
	over := make(chan error, 1)
	go func() { over <- server.Wait() }()
	for {
		server.Process.Signal(syscall.SIGTERM)
		select {
		case <-over:
			if s := server.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGTERM {
				t.Errorf("it ended with %v", server.ProcessState)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestReaderOfJoinStops checks that join stays in the game and can still chat while its output is
// not read.
func TestReaderOfJoinStops(t *testing.T) {
	t.Parallel()
	s, ctx := startServer(t)
	addr := s.Addr().String()
	events, typed, joined := runJoin(ctx, joinCmd{Host: addr, Name: "witness", Protocol: "any", Cache: "-"})
	defer func() { typed.Close(); <-joined }()
	self, err := os.Executable()
	testenv.NoError(t, err)
	watcher := exec.Command(self)
	watcher.Args = []string{"teeyard", "join", addr, "--name", "watcher", "--json", "--cache", "-"}
	stdin, err := watcher.StdinPipe()
	testenv.NoError(t, err)
	stdout, err := watcher.StdoutPipe()
	testenv.NoError(t, err)
	testenv.NoError(t, watcher.Start())
	defer func() { watcher.Process.Kill(); watcher.Wait() }()

	const lines, batch = 500, 50 // more than fits a pipe
	line := "say " + strings.Repeat("x", 200)
	sayBatch := func() {
		for range batch {
			s.Execute(line)
		}
	}
	for heard := 0; ; {
		select {
		case e := <-events:
			switch e := e.(type) {
			case event.Joined:
				if e.Player.Name == "watcher" {
					s.Do(ctx, sayBatch)
				}
			case event.Chat:
				heard++
				switch {
				case e.Text == "still here":
					stdin.Close()
					b, err := io.ReadAll(stdout)
					if n := bytes.Count(b, []byte(`"event":"chat"`)); err != nil || n < lines {
						t.Errorf("%d lines were said, the watcher got %d, %v", lines, n, err)
					}
					return
				case heard == lines:
					io.WriteString(stdin, "still here\n")
				case heard%batch == 0:
					s.Do(ctx, sayBatch)
				}
			}
		case <-ctx.Done():
			t.Fatalf("the watcher is silent after %d lines", heard)
		}
	}
}
