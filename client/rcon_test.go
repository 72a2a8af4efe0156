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

// console is what a server does with lines for its remote console.
func (v *villain) console(run func(line string)) {
	v.onRcon = run
	v.welcome()
	v.send(&msg7.RconAuthOn{})
	v.run(20 * time.Millisecond)
}

// ask runs a line, and time in the meantime; then happens once the server has it.
func (v *villain) ask(t *testing.T, line string, then func()) (lines []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	asked := len(v.lines)
	v.held = true
	defer func() { v.held = false }()
	done := make(chan struct{})
	var once sync.Once
	go func() {
		defer close(done)
		lines, err = v.c.RconRun(ctx, line)
	}()
	for {
		select {
		case <-done:
			return lines, err
		default:
		}
		v.run(10 * time.Millisecond)
		v.gate.Lock()
		later := v.later
		v.later = nil
		v.gate.Unlock()
		for _, b := range later {
			v.feed(b)
		}
		if len(v.lines) >= asked+2 && then != nil {
			once.Do(then)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// TestRconRun: what a console prints is collected to its end, on servers that know
// no command but one.
func TestRconRun(t *testing.T) {
	v := newVillain(t, client.Config{NoMap: true})
	v.console(func(line string) {
		if line == "status" {
			v.send(&msg7.RconLine{Line: []byte("one")})
			v.send(&msg7.RconLine{Line: []byte("two")})
			return
		}
		v.send(&msg7.RconLine{Line: []byte("No such command: " + line + ".")})
	})
	for range 2 {
		if lines, err := v.ask(t, "status", nil); err != nil || !slices.Equal(lines, []string{"one", "two"}) {
			t.Fatalf("%q, %v", lines, err)
		}
	}
	if lines, err := v.ask(t, "nonsense", nil); err != nil || len(lines) != 1 || !strings.Contains(lines[0], "nonsense") {
		t.Fatalf("%q, %v", lines, err)
	}
}

// TestRconRunEnds: it does not wait for a console that is gone.
func TestRconRunEnds(t *testing.T) {
	for name, c := range map[string]struct {
		then func(v *villain)
		want error
	}{
		"server closes": {func(v *villain) { v.conn.Close(v.now, "bye"); v.pump() }, client.ErrClosed},
		"logged out":    {func(v *villain) { v.send(&msg7.RconAuthOff{}) }, client.ErrRcon},
		"we leave":      {func(v *villain) { v.c.Close() }, client.ErrClosed},
		"reconnected":   {func(v *villain) { v.c.Connect(v.now) }, client.ErrClosed},
	} {
		v := newVillain(t, client.Config{NoMap: true})
		v.console(func(string) {}) // answers nothing
		if lines, err := v.ask(t, "status", func() { c.then(v) }); !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
	}
	v := newVillain(t, client.Config{NoMap: true})
	v.welcome()
	if _, err := v.ask(t, "status", nil); !errors.Is(err, client.ErrRcon) {
		t.Errorf("not logged in: %v", err)
	}
}
