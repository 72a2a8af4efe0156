package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
)

// loginStages take a client with a connection into the game, up to each of the steps.
var loginStages = []struct {
	name string
	to   func(ts *testServer, c *testclient.Client)
}{
	{"pending", func(*testServer, *testclient.Client) {}},
	{"auth", func(_ *testServer, c *testclient.Client) { c.SendUnreliable(c.Pick(&msg6.Ping{}, &msg7.Ping{})) }},
	{"connecting", func(_ *testServer, c *testclient.Client) { c.Info() }},
	{"loading", func(_ *testServer, c *testclient.Client) { c.Info().RequestMap(0) }},
	{"ready", func(_ *testServer, c *testclient.Client) { c.Info().Ready() }},
	{"named", func(_ *testServer, c *testclient.Client) { c.Info().Ready().StartInfo("player") }},
	{"entering", func(_ *testServer, c *testclient.Client) { c.Join("player") }},
	{"in game", func(ts *testServer, c *testclient.Client) { c.Join("player"); ts.step(1) }},
}

// TestLeavingInEveryState checks that a client that leaves, at whatever stage and in
// whatever way, leaves no session or player behind.
func TestLeavingInEveryState(t *testing.T) {
	testenv.Long(t)
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil, "sv_inactivekick_time 0")
		watcher := ts.join(local(1), "watcher")
		port := 100
		for _, stage := range loginStages {
			for _, way := range []string{"close", "close now", "kick", "timeout"} {
				port++
				watcher.PlayerChanges = nil
				c := ts.connectAs(kind, local(port))
				stage.to(ts, c)
				if ts.session(c) == nil {
					t.Fatalf("%s: no session: %q", stage.name, c.Reason)
				}
				id := ts.session(c).id
				switch way {
				case "close":
					ts.step(1)
					c.Close("")
				case "close now": // in the tick in which it came
					c.Close("")
				case "kick":
					ts.srv.Execute(fmt.Sprintf("kick %d", id))
				case "timeout":
					long, loads := 11, ts.session(c).patience() == loadingPatience
					if loads != slices.Contains([]string{"connecting", "loading", "ready", "named"}, stage.name) {
						t.Errorf("%s: loads %v", stage.name, loads)
					}
					if loads {
						ts.idle(99*50, watcher)
						if ts.session(c) == nil {
							t.Errorf("%s, %s: closed with %q before 100 seconds", stage.name, way, c.Reason)
						}
						long = 3
					}
					ts.idle(long*50, watcher)
					if c.Reason != conn.ReasonTimeout && !strings.HasPrefix(c.Reason, "Too weak connection (not acked for 1") {
						t.Errorf("%s, %s: closed with %q", stage.name, way, c.Reason)
					}
				}
				watcher.KeepAlive()
				ts.step(4) // the world learns of it in the next tick, clients in the next round
				if ts.session(c) != nil || ts.srv.sessions[id] != nil {
					t.Errorf("%s, %s: the session is still there", stage.name, way)
				}
				checkSeats(t, ts.srv)
				if seen := watcher.PlayerChanges; len(seen) != 0 &&
					(len(seen) != 2 || seen[0] != fmt.Sprintf("+%d player", id) || !strings.HasPrefix(seen[1], fmt.Sprintf("-%d", id))) {
					t.Errorf("%s, %s: others see %q", stage.name, way, seen)
				}
				if n := ts.srv.world.NumPlaying() + ts.srv.world.NumSpectators(); n != 1 {
					t.Errorf("%s, %s: the world counts %d", stage.name, way, n)
				}
				delete(ts.clients, c.Peer)
			}
		}
		if ts.session(watcher) == nil {
			t.Errorf("the watcher is out: %q", watcher.Reason)
		}
	})
}

// TestMapChangeInEveryState checks that a client gets into the game on the new map,
// at whatever stage it is when the map changes.
func TestMapChangeInEveryState(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		for _, stage := range loginStages {
			for _, twice := range []bool{false, true} {
				ts := newTestServer(t, nil)
				var name string
				kind.OnMessage = func(m testclient.Message) {
					switch m := m.(type) {
					case *msg6.MapChange:
						name = string(m.Name)
					case *msg7.MapChange:
						name = string(m.Name)
					}
				}
				c := ts.connectAs(kind, local(1))
				stage.to(ts, c)
				ts.srv.Execute("sv_map testbox")
				ts.srv.Advance(ts.now) // between two ticks
				if twice {
					ts.srv.Execute("sv_map teeyard1")
					ts.step(1)
					ts.srv.Execute("sv_map testbox")
				}
				ts.step(2)
				checkSeats(t, ts.srv)
				s := ts.session(c)
				if s == nil {
					t.Fatalf("%s: dropped: %q", stage.name, c.Reason)
				}
				if s.state == stateAuth {
					c.Info()
				}
				ts.step(1)
				if s.state != stateConnecting || name != "testbox" {
					t.Errorf("%s: state %d, announced %q", stage.name, s.state, name)
				}
				c.RequestMap(0).Ready().StartInfo("changed").EnterGame()
				ts.step(2)
				if s.state != stateInGame || ts.srv.teamOf(0) != game.TeamRed {
					t.Errorf("%s: state %d, team %d, drops %v", stage.name, s.state, ts.srv.teamOf(0), ts.srv.Drops())
				}
				checkSeats(t, ts.srv)
			}
		}
	})
}

// TestReadyForThePreviousMap checks that READY for the map before does not count for the
// new one: the client would wait for a map that is never sent.
func TestReadyForThePreviousMap(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.connect(local(1)).Info()
	c.Deaf = true
	ts.srv.Execute("sv_map testbox")
	ts.step(1)
	c.RequestMap(0).Ready() // sent before MAP_CHANGE arrived
	ts.step(1)
	s := ts.session(c)
	if s.state != stateConnecting || s.download.Active() || c.Received[msg7.IDConReady] != 0 {
		t.Fatalf("state %d", s.state)
	}
	c.Deaf = false
	ts.idle(60, c)
	if c.RequestMap(0); c.Received[msg7.IDMapData] == 0 {
		t.Error("the map is not sent")
	}
	c.Ready().StartInfo("player").EnterGame()
	ts.step(2)
	if s.state != stateInGame {
		t.Errorf("state %d", s.state)
	}
}

// TestLoginWithoutWaiting checks that a client gets into the game that sends all steps at
// once and each of them once, as DDNet's does for its second player: before it has seen an
// answer, and also if it comes back while its last connection still stands.
func TestLoginWithoutWaiting(t *testing.T) {
	for _, kind := range []testclient.Config{client07, client06DDNet, client065} {
		ts := newTestServer(t, nil)
		other := ts.join(local(1), "other")
		for i := range 3 {
			c := ts.connectAs(kind, local(2))
			c.Deaf = true
			c.Join("dummy")
			c.Deaf = false
			ts.idle(2, other, c)
			if s := ts.session(c); s == nil || s.state != stateInGame {
				t.Fatalf("version %v, %v: not in the game the %d. time", kind.Version, kind.Handshake, i+1)
			}
			c.Close("")
			ts.idle(2, other)
			checkSeats(t, ts.srv)
		}
	}

	ts := newTestServer(t, nil)
	c := ts.joinAs(client06DDNet, local(1), "first")
	for range 3 { // nothing says goodbye
		reconnect(c).Deaf = true
		c.Join("again")
		c.Deaf = false
		ts.idle(3, c)
		if s := ts.session(c); s.state != stateInGame {
			t.Fatalf("came back and is in state %d", s.state)
		}
		checkSeats(t, ts.srv)
	}
}

// TestReadyForTheMapOfAChallenge checks that READY for the map of a challenge does not
// count for the real one.
func TestReadyForTheMapOfAChallenge(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.client(client064, ip(1)).Dial()
	c.Deaf = true
	s := ts.session(c.Connect().Ready())
	if c.Challenge < 0 || s.state != stateConnecting {
		t.Fatalf("challenge %d, state %d", c.Challenge, s.state)
	}
	c.Deaf = false
	ts.idle(60, c)
	c.Ready().StartInfo("player").EnterGame()
	ts.step(2)
	if s.state != stateInGame {
		t.Errorf("state %d", s.state)
	}
}

// TestSpectatorOverMapChanges checks that spectators stay spectators, even if they did
// not enter the game in between.
func TestSpectatorOverMapChanges(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.join(local(1), "watcher").Send(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
	ts.step(2)
	for _, name := range []string{"testbox", "teeyard1", "testbox"} {
		ts.srv.Execute("sv_map " + name)
		ts.step(2)
	}
	c.Ready().StartInfo("watcher").EnterGame()
	ts.step(2)
	if ts.srv.teamOf(0) != game.TeamSpectators {
		t.Error("a spectator plays after the map changed")
	}
}

// TestAdminFlag checks that operators are shown as such, whenever they logged in.
func TestAdminFlag(t *testing.T) {
	ts := newTestServer(t, nil)
	early := ts.connect(local(1)).Login("adminpw").Join("early")
	late := ts.join(local(2), "late").Login("adminpw")
	wantAdmins := func(when string, want int) {
		t.Helper()
		ts.step(2)
		n := 0
		for _, p := range ts.srv.world.Frame().Players {
			if p.Flags&game.PlayerFlagAdmin != 0 {
				n++
			}
		}
		if n != want {
			t.Errorf("%s %d players are shown as operators", when, n)
		}
	}
	wantAdmins("after the login", 2)
	ts.srv.Execute("sv_map testbox")
	ts.step(2)
	for _, c := range []*testclient.Client{early, late} {
		c.Ready().StartInfo("x").EnterGame()
	}
	wantAdmins("after a map change", 2)
	late.Rcon("logout")
	wantAdmins("after a logout", 1)
}

// TestLoginStepsCountOnce checks that a step that comes again, or too early, is ignored.
func TestLoginStepsCountOnce(t *testing.T) {
	ts := newTestServer(t, nil)
	other := ts.join(local(1), "other")
	c := ts.connect(local(2)).Info().Info().EnterGame().Ready().Ready().EnterGame().
		StartInfo("first").StartInfo("second").EnterGame().EnterGame()
	ts.step(2)
	c.StartInfo("third").EnterGame().Ready().Info()
	ts.step(2)
	if c.Received[msg7.IDMapChange] != 1 || c.Received[msg7.IDConReady] != 1 || c.Received[msg7.IDSvReadyToEnter] != 1 {
		t.Errorf("messages %v", c.Received)
	}
	if !slices.Equal(other.PlayerChanges, []string{"+1 first"}) || strings.Count(ts.log.String(), "has entered the game. ClientID=1") != 1 {
		t.Errorf("others see %q, the log has\n%s", other.PlayerChanges, ts.log.String())
	}
}

// TestClientIDIsFreeAfterTheTick checks that a client id is given again only when the
// world knows that its player has left.
func TestClientIDIsFreeAfterTheTick(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients 3")
	watcher := ts.join(local(1), "watcher")
	a := ts.join(local(2), "a")
	a.Close("")
	ts.srv.Advance(ts.now)
	b := ts.connect(local(3)).Join("b")
	if s := ts.session(b); s == nil || s.id != 2 {
		t.Fatalf("b has no session, or the id of a: %+v", s)
	}
	ts.step(2)
	b.Close("")
	ts.srv.Advance(ts.now)
	c := ts.connect(local(4)) // id 1 is free
	d := ts.connect(local(5)) // id 2 is free after the tick
	if ts.session(c) == nil || ts.session(d) != nil || d.Closed {
		t.Fatalf("sessions %v and %v, closed with %q", ts.session(c) != nil, ts.session(d) != nil, d.Reason)
	}
	ts.step(1)
	d.Connect().Join("d")
	c.Join("c")
	ts.step(2)
	// Two come within one tick, of which one leaves.
	d.Close("")
	ts.step(2)
	ts.connect(local(6)).Join("e").Close("")
	ts.srv.Advance(ts.now)
	ts.connect(local(7)).Join("f")
	ts.step(2)
	changes := watcher.PlayerChanges
	want := []string{"+1 a", "-1 ", "+2 b", "-2 ", "+1 c", "+2 d", "-2 "}
	if len(changes) < len(want) || !slices.Equal(slices.Sorted(slices.Values(changes[:len(want)])), slices.Sorted(slices.Values(want))) {
		t.Errorf("the others saw %q, want %q", changes, want)
	}
	taken := map[byte]bool{}
	for _, change := range changes {
		id, joins := change[1], change[0] == '+'
		if joins && taken[id] {
			t.Errorf("%q although the id is taken: %q", change, changes)
		}
		taken[id] = joins
	}
	checkSeats(t, ts.srv)
}

// TestLogOfLeaving checks that the log names a player who leaves, and their death.
func TestLogOfLeaving(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.join(local(1), "alice")
	ts.play(60, c, msg7.PlayerInput{Fire: 1})
	ts.log.Reset()
	c.Close("")
	ts.step(2)
	for _, want := range []string{"leave player='0:alice'", "kill killer='0:0:alice' victim='0:0:alice' weapon=-3",
		"client dropped. cid=0 addr=127.0.0.1:1 reason=''"} {
		if !strings.Contains(ts.log.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, ts.log.String())
		}
	}
}

// TestTimeoutAndReconnect checks that a 0.7 client without an answer for ten seconds is
// dropped, and that its port is free for a new one only then.
func TestTimeoutAndReconnect(t *testing.T) {
	ts := newTestServer(t, nil)
	stays := ts.join(local(1), "stays")
	goes := ts.join(local(2), "goes")
	ts.idle(9*50, stays)
	back := ts.connect(local(2)) // takes the place of the other, which is lost
	if back.Token != packet.NoToken || ts.session(goes) == nil {
		t.Errorf("answered %v, session %v", back.Token != packet.NoToken, ts.session(goes) != nil)
	}
	ts.idle(2*50, stays)
	if want := []string{"+1 goes", "-1 " + conn.ReasonTimeout}; !slices.Equal(stays.PlayerChanges, want) {
		t.Errorf("the other saw %q, want %q", stays.PlayerChanges, want)
	}
	if back = ts.join(local(2), "back"); ts.session(back).id != 1 {
		t.Errorf("the one who comes back has id %d", ts.session(back).id)
	}
}

// TestJoinTimeout checks that a client that only keeps its connection alive loses its session after
// a time, unless it plays.
func TestJoinTimeout(t *testing.T) {
	for _, stage := range loginStages[1 : len(loginStages)-2] {
		ts := newTestServer(t, nil)
		c := ts.connect(local(1))
		stage.to(ts, c)
		ticks := 0
		for ; ts.session(c) != nil && ticks < 10*60*50; ticks += 50 {
			c.KeepAlive()
			ts.now = ts.now.Add(49 * tickDuration)
			ts.step(1)
		}
		if got := time.Duration(ticks) * tickDuration; got < joinTimeout || got > joinTimeout+5*time.Second || c.Reason != "Took too long to join" {
			t.Errorf("%s: dropped after %v with %q", stage.name, got, c.Reason)
		}
		ts.step(1)
		checkSeats(t, ts.srv)
	}
	ts := newTestServer(t, nil, "sv_inactivekick_time 0")
	boss := ts.connect(local(2)).Info().Login("adminpw") // who wants no more than the console
	c := ts.join(local(1), "player")
	for range 6 * 60 {
		c.KeepAlive()
		boss.KeepAlive()
		ts.now = ts.now.Add(49 * tickDuration)
		ts.step(1)
	}
	if ts.session(c) == nil {
		t.Errorf("a player is dropped: %q", c.Reason)
	}
	if ts.session(boss) == nil {
		t.Errorf("an operator is dropped: %q", boss.Reason)
	}
}

// TestShutdown checks that clients are told the reason, and Do gives up.
func TestShutdown(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.join(local(1), "player")
	ts.srv.Execute("shutdown bye all")
	if !ts.srv.shutdown.requested {
		t.Fatal("not stopping")
	}
	ts.srv.Shutdown(ts.now, ts.srv.shutdown.reason)
	ts.srv.Shutdown(ts.now, "") // harmless
	if c.Reason != "bye all" {
		t.Errorf("closed with %q", c.Reason)
	}
	ran := false
	if err := ts.srv.Do(t.Context(), func() { ran = true }); err != ErrClosed || ran {
		t.Errorf("Do: %v, ran %v", err, ran)
	}
}
