package client_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// openRcon lets the client in and logs it in; run takes its commands.
func (hs *hostileServer) openRcon(run func(line string)) {
	hs.onRcon = run
	hs.letIn()
	hs.send(&msg7.RconAuthOn{})
	hs.run(20 * time.Millisecond)
}

// rconRun calls RconRun while time passes. then is called when the server has the command.
func (hs *hostileServer) rconRun(t *testing.T, line string, then func()) (lines []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	asked := len(hs.rconLines)
	hs.held = true
	defer func() { hs.held = false }()
	done := make(chan struct{})
	var once sync.Once
	go func() {
		defer close(done)
		lines, err = hs.client.RconRun(ctx, line)
	}()
	for {
		select {
		case <-done:
			return lines, err
		default:
		}
		hs.run(10 * time.Millisecond)
		hs.mu.Lock()
		datagrams := hs.heldBack
		hs.heldBack = nil
		hs.mu.Unlock()
		for _, b := range datagrams {
			hs.feed(b)
		}
		if len(hs.rconLines) >= asked+2 && then != nil {
			once.Do(then)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// TestRconRunReturnsAllLines checks that all that a command prints is returned, whatever
// commands the server knows.
func TestRconRunReturnsAllLines(t *testing.T) {
	hs := newHostileServer(t, client.Config{NoMap: true})
	hs.openRcon(func(line string) {
		if line == "status" {
			hs.send(&msg7.RconLine{Line: []byte("one")})
			hs.send(&msg7.RconLine{Line: []byte("two")})
			return
		}
		hs.send(&msg7.RconLine{Line: []byte("No such command: " + line + ".")})
	})
	for range 2 {
		if lines, err := hs.rconRun(t, "status", nil); err != nil || !slices.Equal(lines, []string{"one", "two"}) {
			t.Fatalf("%q, %v", lines, err)
		}
	}
	if lines, err := hs.rconRun(t, "nonsense", nil); err != nil || len(lines) != 1 || !strings.Contains(lines[0], "nonsense") {
		t.Fatalf("%q, %v", lines, err)
	}
}

// TestRconRunEndsWithTheConnection checks that it does not wait for a console that is
// gone.
func TestRconRunEndsWithTheConnection(t *testing.T) {
	for name, c := range map[string]struct {
		then func(hs *hostileServer)
		want error
	}{
		"server closes": {func(hs *hostileServer) { hs.conn.Close(hs.now, "bye"); hs.exchange() }, client.ErrClosed},
		"logged out":    {func(hs *hostileServer) { hs.send(&msg7.RconAuthOff{}) }, client.ErrRcon},
		"we leave":      {func(hs *hostileServer) { hs.client.Close() }, client.ErrClosed},
		"reconnected":   {func(hs *hostileServer) { hs.client.Connect(hs.now) }, client.ErrClosed},
	} {
		hs := newHostileServer(t, client.Config{NoMap: true})
		hs.openRcon(func(string) {}) // answers nothing
		if lines, err := hs.rconRun(t, "status", func() { c.then(hs) }); !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
	}
	hs := newHostileServer(t, client.Config{NoMap: true})
	hs.letIn()
	if _, err := hs.rconRun(t, "status", nil); !errors.Is(err, client.ErrRcon) {
		t.Errorf("not logged in: %v", err)
	}
}
