package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
)

// DDNet's clients can connect again from their port while the server still has their
// session, as after a crash.

// reconnect forgets a client's connection and makes a new one.
func reconnect(c *testclient.Client) *testclient.Client {
	c.Reset()
	return c.Dial().Connect()
}

// TestReconnectWithinATick checks that a client that is back before the next tick is
// another player for the others, and that the one before leaves first.
func TestReconnectWithinATick(t *testing.T) {
	ts := newTestServer(t, nil)
	var ticks [][]game.Command
	ts.srv.cfg.Observers = []Observer{ObserverFunc(func(*Tick) {
		ticks = append(ticks, slices.Clone(ts.srv.pendingCommands))
	})}
	watcher := ts.join(local(2), "watcher")
	c := ts.joinAs(client06DDNet, local(1), "first")
	s := ts.session(c)
	for i := range 3 { // all within one tick
		reconnect(c).Join(fmt.Sprint("again ", i))
	}
	ts.step(1)
	if s.state != stateReady {
		t.Errorf("state %v after the tick in which it left", s.state)
	}
	ts.step(1) // READY was taken; what came too early after it has to come again
	checkSeats(t, ts.srv)
	c.StartInfo("last").EnterGame()
	ts.step(2)
	if want := []string{"+1 first", "-1 ", "+1 last"}; !slices.Equal(watcher.PlayerChanges, want) {
		t.Errorf("the others saw %q, want %q", watcher.PlayerChanges, want)
	}
	if p, _ := ts.srv.world.Player(s.id); p.Profile.Name != "last" || s.state != stateInGame {
		t.Errorf("%+v, state %v", p, s.state)
	}
	for _, commands := range ticks {
		for i, a := range commands {
			for _, b := range commands[i+1:] {
				if a.Kind == game.CmdLeave && b.Kind == game.CmdJoin && a.Player == b.Player {
					t.Errorf("client id %d leaves and joins in one tick", a.Player)
				}
			}
		}
	}
	checkSeats(t, ts.srv)
}

// TestReconnectIsLimited checks that reconnecting is limited as connecting is, and does
// not refill what limits password guesses.
func TestReconnectIsLimited(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.connectAs(client06DDNet, ip(1))
	s := ts.session(c)
	tries := 0
	for ; tries < 200 && ts.session(c) != nil && !s.dropping; tries++ {
		reconnect(c)
	}
	if !s.dropping || tries > int(connectRate.Burst) || ts.srv.Drops()["stress"] == 0 {
		t.Errorf("reconnected %d times at once, dropped %v, drops %v", tries, s.dropping, ts.srv.Drops())
	}

	ts = newTestServer(t, nil, "sv_rcon_max_tries 0")
	c = ts.connectAs(client06DDNet, local(1))
	for range 3 * int(authRate.Burst) {
		reconnect(c.Login("guess"))
	}
	if n := ts.srv.Drops()["flood"]; n != uint64(2*int(authRate.Burst)) {
		t.Errorf("%d of %d passwords were not compared", n, 3*int(authRate.Burst))
	}
	if c.Login("adminpw"); ts.session(c).rcon.authed {
		t.Error("the limit is gone")
	}
}

// TestReconnectLogsOut checks that an operator has to log in again.
func TestReconnectLogsOut(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.joinAs(client06DDNet, local(1), "admin").Login("adminpw")
	s := ts.session(c)
	if !s.rcon.authed {
		t.Fatal("not logged in")
	}
	reconnect(c)
	if s.rcon.authed || s.state != stateAuth {
		t.Errorf("logged in %v, state %v", s.rcon.authed, s.state)
	}
	c.Rcon("say still here")
	ts.step(1)
	if strings.Contains(ts.log.String(), "still here") {
		t.Error("the command was run")
	}
}

// TestDownloadTimesOut checks that asking for the same chunks of the map for ever does
// not keep a session.
func TestDownloadTimesOut(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.connectAs(client06DDNet, local(1)).Info()
	began := ts.now
	for ts.session(c) != nil && ts.now.Sub(began) < 2*joinTimeout {
		for i := range 3 {
			c.RequestMap(i)
		}
		ts.now = ts.now.Add(49 * tickDuration)
		ts.step(1)
	}
	if got := ts.now.Sub(began); got < joinTimeout || got > joinTimeout+5*time.Second {
		t.Errorf("dropped after %v", got)
	}
}

// TestDownloadEnds checks that no chunk exists beyond the end of the map.
func TestDownloadEnds(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.connectAs(client06DDNet, local(2)).Info()
	for _, chunk := range []int{1<<31 - 1, 1<<31 - 2, 1 << 21, 1<<31 - 1} {
		c.RequestMap(chunk)
	}
	s := ts.session(c)
	if d, most := &s.download, len(s.download.gameMap.File)/s.bridge.MapChunkSize()+1; d.nextChunk > most || d.nextRequested > most {
		t.Errorf("at chunk %d, asked for %d", d.nextChunk, d.nextRequested)
	}
}
