package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testclient"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
)

// stages are the ways into the game, up to each of its steps.
var stages = []struct {
	name string
	to   func(ts *testServer, p *testclient.Client)
}{
	{"pending", func(*testServer, *testclient.Client) {}},
	{"auth", func(_ *testServer, p *testclient.Client) { p.SendUnreliable(&msg7.Ping{}) }},
	{"connecting", func(_ *testServer, p *testclient.Client) { p.Info() }},
	{"loading", func(_ *testServer, p *testclient.Client) { p.Info().RequestMap(0) }},
	{"ready", func(_ *testServer, p *testclient.Client) { p.Info().Ready() }},
	{"profiled", func(_ *testServer, p *testclient.Client) { p.Info().Ready().StartInfo("half") }},
	{"entering", func(_ *testServer, p *testclient.Client) { p.Join("nearly") }},
	{"in game", func(ts *testServer, p *testclient.Client) { p.Join("in"); ts.step(1) }},
}

// A client that goes, in whatever state and way, leaves no session, seat or
// command behind.
func TestLeavingInEveryState(t *testing.T) {
	ts := newTestServer(t, nil)
	watcher := ts.join(local(1), "watcher")
	known := map[int32]string{}
	watcher.OnMessage = func(m testclient.Message) {
		switch m := m.(type) {
		case *msg7.SvClientInfo:
			if known[m.ClientID] != "" {
				t.Errorf("client %d came twice", m.ClientID)
			}
			known[m.ClientID] = string(m.Name)
		case *msg7.SvClientDrop:
			delete(known, m.ClientID)
		}
	}
	port := 100
	for _, stage := range stages {
		for _, way := range []string{"close", "close now", "kick", "timeout", "silence in the seat of the next"} {
			port++
			p := ts.connect(local(port))
			stage.to(ts, p)
			if ts.session(p) == nil {
				t.Fatalf("%s: no session: %q", stage.name, p.Reason)
			}
			id := ts.session(p).id
			switch way {
			case "close":
				ts.step(1)
				p.Close("")
			case "close now": // in the tick it came
				p.Close("")
			case "kick":
				ts.srv.Execute(fmt.Sprintf("kick %d", id))
			default:
				for range 11 * 50 {
					watcher.KeepAlive()
					ts.step(1)
				}
				if p.Reason != conn.ReasonTimeout && p.Reason != conn.ReasonNotAcked {
					t.Errorf("%s, %s: closed with %q", stage.name, way, p.Reason)
				}
			}
			watcher.KeepAlive()
			ts.step(4) // the next tick clears the seat, the next round tells
			if ts.session(p) != nil || ts.srv.sessions[id] != nil {
				t.Errorf("%s, %s: still there", stage.name, way)
			}
			checkSeats(t, ts.srv)
			if len(known) != 0 {
				t.Errorf("%s, %s: others still see %v", stage.name, way, known)
			}
			if n := ts.srv.world.NumPlaying() + ts.srv.world.NumSpectators(); n != 1 {
				t.Errorf("%s, %s: the world counts %d", stage.name, way, n)
			}
			delete(ts.clients, p.Peer)
		}
	}
	if ts.session(watcher) == nil {
		t.Errorf("the watcher is out: %q", watcher.Reason)
	}
}

// A client that plays on after a map change, whatever it was doing then.
func TestMapChangeInEveryState(t *testing.T) {
	for _, stage := range stages {
		for _, twice := range []bool{false, true} {
			ts := newTestServer(t, nil)
			p := ts.connect(local(1))
			var change msg7.MapChange
			changes := 0
			p.OnMessage = func(m testclient.Message) {
				if m, ok := m.(*msg7.MapChange); ok {
					change = *m
					change.Name = slices.Clone(m.Name)
					changes++
				}
			}
			stage.to(ts, p)
			ts.srv.Execute("sv_map testbox")
			ts.srv.Advance(ts.now) // between two ticks
			if twice {
				ts.srv.Execute("sv_map teeyard1")
				ts.step(1)
				ts.srv.Execute("sv_map testbox")
			}
			ts.step(2)
			checkSeats(t, ts.srv)
			c := ts.session(p)
			if c == nil {
				t.Fatalf("%s: dropped: %q", stage.name, p.Reason)
			}
			if c.state == stateAuth {
				p.Info()
			}
			ts.step(1)
			if c.state != stateConnecting || string(change.Name) != "testbox" || int(change.Size) != len(ts.srv.gameMap.File) {
				t.Errorf("%s: state %d, announced %q", stage.name, c.state, change.Name)
			}
			p.RequestMap(0)
			p.Ready().StartInfo("changed").EnterGame()
			ts.step(2)
			if c.state != stateInGame || ts.srv.teamOf(0) != game.TeamRed {
				t.Errorf("%s: state %d, team %d, drops %v", stage.name, c.state, ts.srv.teamOf(0), ts.srv.Drops())
			}
			checkSeats(t, ts.srv)
		}
	}
}

// A READY for the map before must not count for the new one: the client then
// waits for a map that nobody sends.
func TestReadyOfTheMapBefore(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.connect(local(1)).Info()
	p.Deaf = true
	ts.srv.Execute("sv_map testbox")
	ts.step(1)
	p.RequestMap(0) // sent before MAP_CHANGE arrived
	p.Ready()
	ts.step(1)
	if c := ts.session(p); c.state != stateConnecting || c.download.active || p.Received[msg7.IDConReady] != 0 {
		t.Fatalf("state %d", c.state)
	}
	p.Deaf = false
	for range 60 {
		p.KeepAlive()
		ts.step(1)
	}
	p.RequestMap(0)
	if p.Received[msg7.IDMapData] == 0 {
		t.Error("no map for the client")
	}
	p.Ready().StartInfo("patient").EnterGame()
	ts.step(2)
	if c := ts.session(p); c.state != stateInGame {
		t.Errorf("state %d", c.state)
	}
}

// Spectators stay spectators over several map changes, even if they did not
// get in between.
func TestSpectatorOverMapChanges(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(local(1), "watcher")
	p.Send(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
	ts.step(2)
	for _, name := range []string{"testbox", "teeyard1", "testbox"} {
		ts.srv.Execute("sv_map " + name)
		ts.step(2)
	}
	p.Ready().StartInfo("watcher").EnterGame()
	ts.step(2)
	if ts.srv.teamOf(0) != game.TeamSpectators {
		t.Error("a spectator plays after the map changed")
	}
}

// Operators are shown as such, whenever they logged in.
func TestAdminFlag(t *testing.T) {
	ts := newTestServer(t, nil)
	early := ts.connect(local(1))
	early.Login("adminpw")
	early.Join("early")
	late := ts.join(local(2), "late")
	late.Login("adminpw")
	ts.step(2)
	admins := func() (n int) {
		for _, p := range ts.srv.world.Frame().Players {
			if p.Flags&game.PlayerFlagAdmin != 0 {
				n++
			}
		}
		return n
	}
	if n := admins(); n != 2 {
		t.Errorf("%d players are shown as operators", n)
	}
	ts.srv.Execute("sv_map testbox")
	ts.step(2)
	for _, p := range []*testclient.Client{early, late} {
		p.Ready().StartInfo("x").EnterGame()
	}
	ts.step(2)
	if n := admins(); n != 2 {
		t.Errorf("after a map change %d players are shown as operators", n)
	}
	late.Rcon("logout")
	ts.step(2)
	if n := admins(); n != 1 {
		t.Errorf("after a logout %d players are shown as operators", n)
	}
}

// Messages that count once.
func TestTwice(t *testing.T) {
	ts := newTestServer(t, nil)
	other := ts.join(local(1), "other")
	entered := 0
	other.OnMessage = func(m testclient.Message) {
		if m, ok := m.(*msg7.SvClientInfo); ok {
			entered++
			if string(m.Name) != "first" {
				t.Errorf("the name is %q", m.Name)
			}
		}
	}
	p := ts.connect(local(2))
	for range 2 {
		p.Info()
	}
	p.EnterGame() // too early
	for range 2 {
		p.Ready()
	}
	p.EnterGame()
	p.StartInfo("first")
	p.StartInfo("second")
	p.EnterGame().EnterGame()
	ts.step(2)
	p.StartInfo("third").EnterGame().Ready().Info()
	ts.step(2)
	if entered != 1 || p.Received[msg7.IDMapChange] != 1 || p.Received[msg7.IDConReady] != 1 || p.Received[msg7.IDSvReadyToEnter] != 1 {
		t.Errorf("entered %d times, messages %v", entered, p.Received)
	}
	if n := strings.Count(ts.log.String(), "has entered the game. ClientID=1"); n != 1 {
		t.Errorf("the log says so %d times", n)
	}
}

// A seat that was left is given again only when the world knows.
func TestSeatOfTheSameTick(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients 3")
	watcher := ts.join(local(1), "watcher")
	var story []string
	watcher.OnMessage = func(m testclient.Message) {
		switch m := m.(type) {
		case *msg7.SvClientInfo:
			story = append(story, fmt.Sprintf("+%d %s", m.ClientID, m.Name))
		case *msg7.SvClientDrop:
			story = append(story, fmt.Sprintf("-%d", m.ClientID))
		}
	}
	a := ts.join(local(2), "a")
	a.Close("")
	ts.srv.Advance(ts.now)
	b := ts.connect(local(3)).Join("b")
	if c := ts.session(b); c == nil || c.id != 2 {
		t.Fatalf("b has no seat, or that of a: %+v", c)
	}
	ts.step(2)
	b.Close("")
	ts.srv.Advance(ts.now)
	c := ts.connect(local(4)) // seat 1 is free
	d := ts.connect(local(5)) // seat 2 is free after the tick
	if ts.session(c) == nil || ts.session(d) != nil || d.Closed {
		t.Fatalf("sessions %v and %v, closed with %q", ts.session(c) != nil, ts.session(d) != nil, d.Reason)
	}
	ts.step(1)
	d.Connect().Join("d")
	c.Join("c")
	ts.step(2)
	// Came and went within one tick.
	d.Close("")
	ts.step(2)
	e := ts.connect(local(6)).Join("e")
	e.Close("")
	ts.srv.Advance(ts.now)
	ts.connect(local(7)).Join("f")
	ts.step(2)
	want := []string{"+1 a", "-1", "+2 b", "-2", "+1 c", "+2 d", "-2"}
	if len(story) < len(want) || !slices.Equal(sorted(story[:len(want)]), sorted(want)) {
		t.Errorf("the others saw %v, want %v", story, want)
	}
	seen := map[string]string{}
	for _, s := range story {
		id := s[1:2]
		if s[0] == '+' {
			if seen[id] != "" {
				t.Errorf("%s although %s has the seat: %v", s, seen[id], story)
			}
			seen[id] = s
		} else {
			delete(seen, id)
		}
	}
	checkSeats(t, ts.srv)
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

// The log names who left, and who died of it.
func TestLogOfLeaving(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(local(1), "alice")
	for range 60 {
		ts.input(p, msg7.PlayerInput{Fire: 1})
		ts.step(1)
	}
	ts.log.Reset()
	p.Close("")
	ts.step(2)
	for _, want := range []string{"leave player='0:alice'", "kill killer='0:0:alice' victim='0:0:alice' weapon=-3", "client dropped. cid=0 addr=127.0.0.1:1 reason=''"} {
		if !strings.Contains(ts.log.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, ts.log.String())
		}
	}
}

// Ten seconds of silence; and the same address and port again.
func TestTimeoutAndReconnect(t *testing.T) {
	ts := newTestServer(t, nil)
	x := ts.join(local(1), "stays")
	var reasons []string
	x.OnMessage = func(m testclient.Message) {
		if m, ok := m.(*msg7.SvClientDrop); ok {
			reasons = append(reasons, string(m.Reason))
		}
	}
	y := ts.join(local(2), "goes")
	y.Deaf = true
	ts.clients[y.Peer] = nil // the network is down
	for range 9 * 50 {
		x.KeepAlive()
		ts.step(1)
	}
	// A new client on the port of the old: no answer while the seat is taken.
	z := ts.connect(local(2))
	if z.Token != packet.NoToken || ts.session(y) == nil {
		t.Errorf("answered %v, session %v", z.Token != packet.NoToken, ts.session(y) != nil)
	}
	for range 2 * 50 {
		x.KeepAlive()
		ts.step(1)
	}
	if len(reasons) != 1 || reasons[0] != conn.ReasonTimeout {
		t.Errorf("the other is shown %q", reasons)
	}
	z = ts.join(local(2), "back")
	if ts.session(z) == nil || ts.session(z).id != 1 {
		t.Errorf("no seat for who comes back: %q", z.Reason)
	}
}

// A client that only keeps its connection alive does not keep a seat for ever.
func TestJoinPatience(t *testing.T) {
	for _, stage := range stages[1 : len(stages)-1] {
		ts := newTestServer(t, nil)
		p := ts.connect(local(1))
		stage.to(ts, p)
		if stage.name == "entering" {
			continue // the next tick lets it in
		}
		ticks := 0
		for ; ts.session(p) != nil && ticks < 10*60*50; ticks += 50 {
			p.KeepAlive()
			ts.now = ts.now.Add(49 * tickDuration)
			ts.step(1)
		}
		if got := time.Duration(ticks) * tickDuration; got < joinTimeout || got > joinTimeout+5*time.Second || p.Reason != "Took too long to join" {
			t.Errorf("%s: dropped after %v with %q", stage.name, got, p.Reason)
		}
		ts.step(1)
		checkSeats(t, ts.srv)
	}
	ts := newTestServer(t, nil, "sv_inactivekick_time 0")
	p := ts.join(local(1), "player")
	for range 6 * 60 {
		p.KeepAlive()
		ts.now = ts.now.Add(49 * tickDuration)
		ts.step(1)
	}
	if ts.session(p) == nil {
		t.Errorf("who plays is dropped: %q", p.Reason)
	}
}

// Do gives up when the server is gone.
func TestDoAfterShutdown(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(local(1), "player")
	ts.srv.Execute("shutdown bye all")
	if !ts.srv.shutdownRequested {
		t.Fatal("not stopping")
	}
	ts.srv.Shutdown(ts.now, ts.srv.shutdownReason)
	if p.Reason != "bye all" {
		t.Errorf("closed with %q", p.Reason)
	}
	ts.srv.Shutdown(ts.now, "") // harmless
	ran := false
	if err := ts.srv.Do(t.Context(), func() { ran = true }); err != ErrClosed || ran {
		t.Errorf("Do: %v, ran %v", err, ran)
	}
}
