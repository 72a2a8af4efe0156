//go:build unix

package main

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

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/query"
)

// serveWithoutReader starts a server whose log begins with more than a pipe and the queue
// hold. Nobody reads it yet.
func serveWithoutReader(t *testing.T) (server *exec.Cmd, log *os.File, addr string) {
	t.Helper()
	dir := t.TempDir()
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, "autoexec.cfg"), bytes.Repeat([]byte("echo x\n"), 60_000), 0o600))
	port, err := peers.FreePort()
	testenv.NoError(t, err)
	self, err := os.Executable()
	testenv.NoError(t, err)
	server = exec.Command(self)
	server.Args = []string{"teeyard", "serve", "--dir", dir, "bindaddr 127.0.0.1", "sv_port " + strconv.Itoa(port)}
	log, stdout, err := os.Pipe()
	testenv.NoError(t, err)
	t.Cleanup(func() { log.Close() })
	server.Stdout, server.Stderr = stdout, os.Stderr
	testenv.NoError(t, server.Start())
	t.Cleanup(func() { server.Process.Kill() })
	stdout.Close()
	return server, log, "127.0.0.1:" + strconv.Itoa(port)
}

// expectAnswer checks that a server answers, which it does in the game's loop.
func expectAnswer(t *testing.T, addr string) {
	t.Helper()
	if _, err := query.AskHost(t.Context(), query.Config{Timeout: 20 * time.Second}, addr); err != nil {
		t.Fatal(err)
	}
}

// TestReaderOfLogStops: the game goes on while nobody reads its log. A reader that goes on
// gets to know what is missing, and everything up to the end.
func TestReaderOfLogStops(t *testing.T) {
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

// TestEndWithoutReaderOfLog: a signal ends a server in good order although its log cannot be
// written.
func TestEndWithoutReaderOfLog(t *testing.T) {
	server, log, addr := serveWithoutReader(t)
	expectAnswer(t, addr)
	testenv.NoError(t, server.Process.Signal(syscall.SIGTERM))
	if err := server.Wait(); err != nil {
		t.Errorf("a signal: %v", err)
	}
	log.Close()

	// One that is gone does not end it either.
	server, log, addr = serveWithoutReader(t)
	log.Close()
	expectAnswer(t, addr)
	testenv.NoError(t, server.Process.Signal(syscall.SIGTERM))
	if err := server.Wait(); err != nil {
		t.Errorf("without a reader: %v", err)
	}
}

// TestSecondSignal: it does not wait for what the first one waits for, here the log.
func TestSecondSignal(t *testing.T) {
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
