package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
)

// stages are the ways into the game, up to each of its steps.
var stages = []struct {
	name string
	to   func(p *puppet)
}{
	{"pending", func(p *puppet) {}},
	{"auth", func(p *puppet) { p.loose(&msg7.Ping{}) }},
	{"connecting", func(p *puppet) { p.info() }},
	{"loading", func(p *puppet) { p.info().vital(&msg7.RequestMapData{}) }},
	{"ready", func(p *puppet) { p.info().ready() }},
	{"profiled", func(p *puppet) { p.info().ready().profile("half") }},
	{"entering", func(p *puppet) { p.info().ready().profile("nearly").enter() }},
	{"in game", func(p *puppet) { p.info().ready().profile("in").enter(); p.l.step(1) }},
}

// leave closes a connection as a client does.
func (p *puppet) leave() {
	p.l.feed(p.peer, append(packet.AppendControl(nil, p.ack, p.token, packet.ControlClose), 0))
}

// A client that goes, in whatever state and way, leaves no session, seat or
// command behind.
func TestLeavingInEveryState(t *testing.T) {
	l := newLab(t, nil)
	watcher := l.play(local(1), "watcher")
	known := map[int32]string{}
	watcher.onMessage = func(m msg7.Message) {
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
			p := l.puppet(local(port)).connect()
			stage.to(p)
			if p.session() == nil {
				t.Fatalf("%s: no session: %q", stage.name, p.reason)
			}
			id := p.session().id
			switch way {
			case "close":
				l.step(1)
				p.leave()
			case "close now": // in the tick it came
				p.leave()
			case "kick":
				l.srv.Execute(fmt.Sprintf("kick %d", id))
			default:
				for range 11 * 50 {
					watcher.alive()
					l.step(1)
				}
				if p.reason != conn.ReasonTimeout && p.reason != conn.ReasonNotAcked {
					t.Errorf("%s, %s: closed with %q", stage.name, way, p.reason)
				}
			}
			watcher.alive()
			l.step(4) // the next tick clears the seat, the next round tells
			if p.session() != nil || l.srv.sessions[id] != nil {
				t.Errorf("%s, %s: still there", stage.name, way)
			}
			checkSeats(t, l.srv)
			if len(known) != 0 {
				t.Errorf("%s, %s: others still see %v", stage.name, way, known)
			}
			if n := l.srv.world.NumPlaying() + l.srv.world.NumSpectators(); n != 1 {
				t.Errorf("%s, %s: the world counts %d", stage.name, way, n)
			}
			delete(l.puppets, p.peer)
		}
	}
	if watcher.session() == nil {
		t.Errorf("the watcher is out: %q", watcher.reason)
	}
}

// A client that plays on after a map change, whatever it was doing then.
func TestMapChangeInEveryState(t *testing.T) {
	for _, stage := range stages {
		for _, twice := range []bool{false, true} {
			l := newLab(t, nil)
			p := l.puppet(local(1)).connect()
			var change msg7.MapChange
			changes := 0
			p.onMessage = func(m msg7.Message) {
				if m, ok := m.(*msg7.MapChange); ok {
					change = *m
					change.Name = slices.Clone(m.Name)
					changes++
				}
			}
			stage.to(p)
			l.srv.Execute("sv_map testbox")
			l.srv.Advance(l.now) // between two ticks
			if twice {
				l.srv.Execute("sv_map teeyard1")
				l.step(1)
				l.srv.Execute("sv_map testbox")
			}
			l.step(2)
			checkSeats(t, l.srv)
			c := p.session()
			if c == nil {
				t.Fatalf("%s: dropped: %q", stage.name, p.reason)
			}
			if c.state == stateAuth {
				p.info()
			}
			l.step(1)
			if c.state != stateConnecting || string(change.Name) != "testbox" || int(change.Size) != len(l.srv.gameMap.File) {
				t.Errorf("%s: state %d, announced %q", stage.name, c.state, change.Name)
			}
			p.vital(&msg7.RequestMapData{})
			p.ready().profile("changed").enter()
			l.step(2)
			if c.state != stateInGame || l.srv.teamOf(0) != game.TeamRed {
				t.Errorf("%s: state %d, team %d, drops %v", stage.name, c.state, l.srv.teamOf(0), l.srv.Drops())
			}
			checkSeats(t, l.srv)
		}
	}
}

// A READY for the map before must not count for the new one: the client then
// waits for a map that nobody sends.
func TestReadyOfTheMapBefore(t *testing.T) {
	l := newLab(t, nil)
	p := l.puppet(local(1)).connect().info()
	p.deaf = true
	l.srv.Execute("sv_map testbox")
	l.step(1)
	p.vital(&msg7.RequestMapData{}) // sent before MAP_CHANGE arrived
	p.ready()
	l.step(1)
	if c := p.session(); c.state != stateConnecting || c.download.active || p.ids[msg7.IDConReady] != 0 {
		t.Fatalf("state %d", c.state)
	}
	p.deaf = false
	for range 60 {
		p.alive()
		l.step(1)
	}
	p.vital(&msg7.RequestMapData{})
	if p.ids[msg7.IDMapData] == 0 {
		t.Error("no map for the client")
	}
	p.ready().profile("patient").enter()
	l.step(2)
	if c := p.session(); c.state != stateInGame {
		t.Errorf("state %d", c.state)
	}
}

// Spectators stay spectators over several map changes, even if they did not
// get in between.
func TestSpectatorOverMapChanges(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(local(1), "watcher")
	p.vital(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
	l.step(2)
	for _, name := range []string{"testbox", "teeyard1", "testbox"} {
		l.srv.Execute("sv_map " + name)
		l.step(2)
	}
	p.ready().profile("watcher").enter()
	l.step(2)
	if l.srv.teamOf(0) != game.TeamSpectators {
		t.Error("a spectator plays after the map changed")
	}
}

// Operators are shown as such, whenever they logged in.
func TestAdminFlag(t *testing.T) {
	l := newLab(t, nil)
	early := l.puppet(local(1)).connect()
	early.vital(&msg7.RconAuth{Password: []byte("adminpw")})
	early.info().ready().profile("early").enter()
	late := l.play(local(2), "late")
	late.vital(&msg7.RconAuth{Password: []byte("adminpw")})
	l.step(2)
	admins := func() (n int) {
		for _, p := range l.srv.world.Frame().Players {
			if p.Flags&game.PlayerFlagAdmin != 0 {
				n++
			}
		}
		return n
	}
	if n := admins(); n != 2 {
		t.Errorf("%d players are shown as operators", n)
	}
	l.srv.Execute("sv_map testbox")
	l.step(2)
	for _, p := range []*puppet{early, late} {
		p.ready().profile("x").enter()
	}
	l.step(2)
	if n := admins(); n != 2 {
		t.Errorf("after a map change %d players are shown as operators", n)
	}
	late.vital(&msg7.RconCmd{Command: []byte("logout")})
	l.step(2)
	if n := admins(); n != 1 {
		t.Errorf("after a logout %d players are shown as operators", n)
	}
}

// Messages that count once.
func TestTwice(t *testing.T) {
	l := newLab(t, nil)
	other := l.play(local(1), "other")
	entered := 0
	other.onMessage = func(m msg7.Message) {
		if m, ok := m.(*msg7.SvClientInfo); ok {
			entered++
			if string(m.Name) != "first" {
				t.Errorf("the name is %q", m.Name)
			}
		}
	}
	p := l.puppet(local(2)).connect()
	for range 2 {
		p.info()
	}
	p.enter() // too early
	for range 2 {
		p.ready()
	}
	p.enter()
	p.profile("first")
	p.profile("second")
	p.enter().enter()
	l.step(2)
	p.profile("third").enter().ready().info()
	l.step(2)
	if entered != 1 || p.ids[msg7.IDMapChange] != 1 || p.ids[msg7.IDConReady] != 1 || p.ids[msg7.IDSvReadyToEnter] != 1 {
		t.Errorf("entered %d times, messages %v", entered, p.ids)
	}
	if n := strings.Count(l.log.String(), "has entered the game. ClientID=1"); n != 1 {
		t.Errorf("the log says so %d times", n)
	}
}

// A seat that was left is given again only when the world knows.
func TestSeatOfTheSameTick(t *testing.T) {
	l := newLab(t, nil, "sv_max_clients 3")
	watcher := l.play(local(1), "watcher")
	var story []string
	watcher.onMessage = func(m msg7.Message) {
		switch m := m.(type) {
		case *msg7.SvClientInfo:
			story = append(story, fmt.Sprintf("+%d %s", m.ClientID, m.Name))
		case *msg7.SvClientDrop:
			story = append(story, fmt.Sprintf("-%d", m.ClientID))
		}
	}
	a := l.play(local(2), "a")
	a.leave()
	l.srv.Advance(l.now)
	b := l.puppet(local(3)).connect().info().ready().profile("b").enter()
	if c := b.session(); c == nil || c.id != 2 {
		t.Fatalf("b has no seat, or that of a: %+v", c)
	}
	l.step(2)
	b.leave()
	l.srv.Advance(l.now)
	c := l.puppet(local(4)).connect() // seat 1 is free
	d := l.puppet(local(5)).connect() // seat 2 is free after the tick
	if c.session() == nil || d.session() != nil || d.closed {
		t.Fatalf("sessions %v and %v, closed with %q", c.session() != nil, d.session() != nil, d.reason)
	}
	l.step(1)
	d.connect().info().ready().profile("d").enter()
	c.info().ready().profile("c").enter()
	l.step(2)
	// Came and went within one tick.
	d.leave()
	l.step(2)
	e := l.puppet(local(6)).connect().info().ready().profile("e").enter()
	e.leave()
	l.srv.Advance(l.now)
	l.puppet(local(7)).connect().info().ready().profile("f").enter()
	l.step(2)
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
	checkSeats(t, l.srv)
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

// The log names who left, and who died of it.
func TestLogOfLeaving(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(local(1), "alice")
	for range 60 {
		p.hold(msg7.PlayerInput{Fire: 1})
		l.step(1)
	}
	l.log.Reset()
	p.leave()
	l.step(2)
	for _, want := range []string{"leave player='0:alice'", "kill killer='0:0:alice' victim='0:0:alice' weapon=-3", "client dropped. cid=0 addr=127.0.0.1:1 reason=''"} {
		if !strings.Contains(l.log.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, l.log.String())
		}
	}
}

// Ten seconds of silence; and the same address and port again.
func TestTimeoutAndReconnect(t *testing.T) {
	l := newLab(t, nil)
	x := l.play(local(1), "stays")
	var reasons []string
	x.onMessage = func(m msg7.Message) {
		if m, ok := m.(*msg7.SvClientDrop); ok {
			reasons = append(reasons, string(m.Reason))
		}
	}
	y := l.play(local(2), "goes")
	y.deaf = true
	l.puppets[y.peer] = nil // the network is down
	for range 9 * 50 {
		x.alive()
		l.step(1)
	}
	// A new client on the port of the old: no answer while the seat is taken.
	z := l.puppet(local(2)).connect()
	if z.token != packet.NoToken || y.session() == nil {
		t.Errorf("answered %v, session %v", z.token != packet.NoToken, y.session() != nil)
	}
	for range 2 * 50 {
		x.alive()
		l.step(1)
	}
	if len(reasons) != 1 || reasons[0] != conn.ReasonTimeout {
		t.Errorf("the other is shown %q", reasons)
	}
	z = l.play(local(2), "back")
	if z.session() == nil || z.session().id != 1 {
		t.Errorf("no seat for who comes back: %q", z.reason)
	}
}

// A client that only keeps its connection alive does not keep a seat for ever.
func TestJoinPatience(t *testing.T) {
	for _, stage := range stages[1 : len(stages)-1] {
		l := newLab(t, nil)
		p := l.puppet(local(1)).connect()
		stage.to(p)
		if stage.name == "entering" {
			continue // the next tick lets it in
		}
		ticks := 0
		for ; p.session() != nil && ticks < 10*60*50; ticks += 50 {
			p.alive()
			l.now = l.now.Add(49 * tickDuration)
			l.step(1)
		}
		if got := time.Duration(ticks) * tickDuration; got < joinPatience || got > joinPatience+5*time.Second || p.reason != "Took too long to join" {
			t.Errorf("%s: dropped after %v with %q", stage.name, got, p.reason)
		}
		l.step(1)
		checkSeats(t, l.srv)
	}
	l := newLab(t, nil, "sv_inactivekick_time 0")
	p := l.play(local(1), "player")
	for range 6 * 60 {
		p.alive()
		l.now = l.now.Add(49 * tickDuration)
		l.step(1)
	}
	if p.session() == nil {
		t.Errorf("who plays is dropped: %q", p.reason)
	}
}

// Do gives up when the server is gone.
func TestDoAfterShutdown(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(local(1), "player")
	l.srv.Execute("shutdown bye all")
	if !l.srv.shutdownRequested {
		t.Fatal("not stopping")
	}
	l.srv.Shutdown(l.now, l.srv.shutdownReason)
	if p.reason != "bye all" {
		t.Errorf("closed with %q", p.reason)
	}
	l.srv.Shutdown(l.now, "") // harmless
	ran := false
	if err := l.srv.Do(t.Context(), func() { ran = true }); err != ErrClosed || ran {
		t.Errorf("Do: %v, ran %v", err, ran)
	}
}
