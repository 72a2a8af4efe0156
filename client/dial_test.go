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
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// serve runs a server on the loopback network and returns its address.
func serve(t *testing.T, commands ...string) string {
	t.Helper()
	return servertest.Start(t, server.Config{}, commands...).Addr().String()
}

// TestDialVersion checks that a scheme that names a version selects it, and must not contradict the
// configuration.
func TestDialVersion(t *testing.T) {
	host := serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for address, want := range map[string]client.Version{
		"HOST": client.Version07, "tw-0.7+udp://HOST/": client.Version07, " TW-0.6+udp://HOST ": client.Version06, "ddnet://HOST/": client.Version06,
	} {
		for _, asked := range []client.Version{"", client.AnyVersion, client.Version06, client.Version07} {
			c, err := client.Dial(ctx, strings.ReplaceAll(address, "HOST", host), client.Config{Version: asked, NoMap: true})
			fixed := asked == client.Version06 || asked == client.Version07
			if fixed && asked != want && address != "HOST" {
				if !errors.Is(err, client.ErrConfig) {
					t.Errorf("%q and version %s: %v", address, asked, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%q: %v", address, err)
				continue
			}
			if got := c.Version(); got != want && !(fixed && got == asked) {
				t.Errorf("%q, %q: version %s", address, asked, got)
			}
			c.Close()
			<-c.Done()
		}
	}
	for _, address := range []string{"tw-0.5+udp://" + host, "ws://" + host, "ftp://" + host, "tw-0.7+udp://"} {
		if _, err := client.Dial(ctx, address, client.Config{}); !errors.Is(err, transport.ErrAddress) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// TestDial uses clients that run themselves from several goroutines at once.
func TestDial(t *testing.T) {
	host := serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	maps := client.NewMaps(t.TempDir())
	c, err := client.Dial(ctx, host, client.Config{Name: "alice", Maps: maps, RconPassword: "adminpw"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.State() != client.Playing || c.Self() < 0 || c.Map() == nil {
		t.Fatalf("state %v, id %d, map %v", c.State(), c.Self(), c.Map())
	}

	// Other goroutines call all methods at once meanwhile.
	stop := make(chan struct{})
	var wait sync.WaitGroup
	ticks := 0
	d, err := client.Dial(ctx, host, client.Config{
		Name: "bob", Maps: maps,
		OnEvent: func(c *client.Client, e event.Event) {
			if chat, ok := e.(event.Chat); ok && chat.From.ID != c.Self() {
				c.Say("echo " + chat.Text)
			}
		},
		OnSnapshot: func(c *client.Client, v *game.View, _ []game.Event) { c.Scoreboard() },
		Play: func(c *client.Client, v *game.View) game.Input {
			ticks++
			c.Stats()
			return game.Input{Direction: 1}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				select {
				case <-stop:
					return
				case <-time.After(2 * time.Millisecond):
				}
				d.WithView(func(v *game.View) { _ = len(v.Characters) })
				d.WithPredictedView(func(v *game.View) { _ = len(v.Characters) })
				d.FindPlayer("alice")
				d.Latency()
				d.SetInput(game.Input{})
			}
		}()
	}
	for e := range c.Events(ctx) {
		if auth, ok := e.(event.RconAuth); ok && auth.On {
			break
		}
	}
	lines, err := c.RconRun(ctx, "status")
	if err != nil || !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "name='bob'") }) {
		t.Errorf("status: %q, %v", lines, err)
	}
	if err := c.Say(strings.Repeat("a", 2000)); !errors.Is(err, client.ErrTooLong) {
		t.Errorf("a line of 2,000 bytes: %v", err)
	}
	c.Say("hello")
	for e := range c.Events(ctx) {
		if chat, ok := e.(event.Chat); ok && chat.From.Name == "bob" {
			if chat.Text != "echo hello" {
				t.Errorf("bob said %q", chat.Text)
			}
			break
		}
	}
	close(stop)
	wait.Wait()
	d.Close()
	for e := range c.Events(ctx) {
		if left, ok := e.(event.Left); ok && left.Player.Name == "bob" {
			break
		}
	}
	d.Close()
	<-d.Done()
	if d.Err() != nil || ticks == 0 {
		t.Errorf("bob made %d inputs and ended with %v", ticks, d.Err())
	}
	c.Rcon("shutdown") // the server tells both clients
	for range c.Events(ctx) {
	}
	if err := c.Err(); !errors.Is(err, client.ErrClosed) {
		t.Errorf("alice ended with %v", err)
	}
	if _, err := c.RconRun(ctx, "status"); err == nil {
		t.Error("a command without a connection succeeded")
	}
	if err := c.Say("anybody there?"); err == nil {
		t.Error("a line without a connection was said")
	}
}

// TestDialFails checks the error of every way in which joining can fail.
func TestDialFails(t *testing.T) {
	host := serve(t, "password secret")
	maps := client.NewMaps("-")
	if _, err := client.Dial(t.Context(), host, client.Config{Maps: maps}); !errors.Is(err, client.ErrClosed) {
		t.Errorf("wrong password: %v", err)
	}
	for _, address := range []string{"", "127.0.0.1:0", "127.0.0.1:70000", "[::1"} {
		if _, err := client.Dial(t.Context(), address, client.Config{Maps: maps}); !errors.Is(err, udp.ErrAddress) {
			t.Errorf("%q: %v", address, err)
		}
	}
	silent, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := client.Dial(ctx, silent.LocalAddr().String(), client.Config{Maps: maps}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nobody there: %v", err)
	}
	if _, err := client.New(client.Config{}); !errors.Is(err, client.ErrConfig) {
		t.Errorf("without Send: %v", err)
	}
}

// TestUnreadEventsAreDropped checks that the queue of a client whose events are not read stays
// bounded.
func TestUnreadEventsAreDropped(t *testing.T) {
	host := serve(t)
	c, err := client.Dial(t.Context(), host, client.Config{Name: "deaf", Maps: client.NewMaps("-"), RconPassword: "adminpw"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for c.DroppedEvents() == 0 {
		if err := c.Rcon("tunes"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	n := 0
	ctx, cancel := context.WithCancel(t.Context())
	for range c.Events(ctx) {
		if n++; n > 4000 {
			break
		}
	}
	cancel()
	if n < 4000 {
		t.Errorf("%d events were kept", n)
	}
}
