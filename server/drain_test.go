package server

import (
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// TestDrain lets nobody new into a match and plays it to its end, with the scoreboard. Then
// clients who can be sent elsewhere are, and the server ends.
func TestDrain(t *testing.T) {
	ts := newTestServer(t, nil, "sv_inactivekick_time 0")
	redirected := 0
	latest := testclient.Config{Version: conn.V6, DDNet: true, Release: 17020, OnMessage: func(m testclient.Message) {
		if r, ok := m.(*msg6.Redirect); ok && r.Port == 8304 {
			redirected++
		}
	}}
	clients := []*testclient.Client{ts.join(ip(1), "seven"), ts.joinAs(client06DDNet, ip(2), "old"), ts.joinAs(latest, ip(3), "new")}
	ts.srv.Execute("drain nowhere; drain 0; drain 65536; drain 8303; drain 08304; drain off")
	if got := strings.Count(ts.log.String(), "is not the port of another server on this machine"); got != 5 || strings.Contains(ts.log.String(), "new clients are rejected") || ts.srv.drain.active {
		t.Fatalf("%d refusals in\n%s", got, ts.log.String())
	}
	ts.srv.Execute("drain 8304")
	if !strings.Contains(ts.log.String(), "[server]: drain: new clients are rejected; the server ends after this match, or as soon as the 3 clients have left (drain off cancels this); it then sends DDNet clients from 17.2 on to port 8304\n") {
		t.Errorf("drain prints\n%s", ts.log.String())
	}
	ts.idle(2, clients...)
	if chat := clients[1].Chat; !slices.ContainsFunc(chat, func(line string) bool { return strings.Contains(line, "The server ends after this match") }) {
		t.Errorf("players are told %q", chat)
	}
	for i, kind := range []testclient.Config{client07, client06DDNet, client065, client064} {
		c := ts.connectAs(kind, ip(10+i))
		if !c.Closed { // 0.6.5 says that it has the token with its first message
			c.Info()
		}
		if !c.Closed || c.Reason != "This server is about to end; join port 8304 instead" {
			t.Errorf("client %d: closed %v, %q", i, c.Closed, c.Reason)
		}
	}
	if n := ts.srv.Drops()["draining"]; n != 4 {
		t.Errorf("%d refusals are counted", n)
	}

	// The match goes on, for as long as it takes, and so does the scoreboard.
	ts.idle(60*50, clients...)
	if ts.srv.shutdown.requested {
		t.Fatal("the server ends in the middle of a match")
	}
	ts.srv.Execute("change_map")
	ts.idle(9*50, clients...)
	if ts.srv.shutdown.requested || redirected != 0 || !ts.srv.drain.decided {
		t.Fatalf("the server ends while the scoreboard is shown: %v", ts.srv.drain)
	}
	ts.idle(2*50, clients...)
	if ts.srv.shutdown.requested || redirected != 1 || clients[0].Closed {
		t.Fatalf("clients have no time to go: %d redirected, %v", redirected, ts.srv.drain)
	}
	clients[2].Close("")
	ts.idle(4*50, clients[:2]...)
	if s := ts.srv.shutdown; !s.requested || s.reason != "This server has moved to port 8304" {
		t.Errorf("the server does not end: %+v", s)
	}
}

// TestDrainWhenEmpty: without anybody in the game there is nothing to wait for.
func TestDrainWhenEmpty(t *testing.T) {
	ts := newTestServer(t, nil, "sv_bots 2")
	ts.step(5)
	ts.srv.Execute("drain")
	ts.step(1)
	if s := ts.srv.shutdown; !s.requested || s.reason != "" {
		t.Errorf("an empty server does not end: %+v", s)
	}

	ts = newTestServer(t, nil)
	a, b := ts.join(ip(1), "a"), ts.join(ip(2), "b")
	ts.srv.Execute("drain")
	a.Close("")
	ts.idle(50, b)
	if ts.srv.shutdown.requested {
		t.Error("somebody still plays")
	}
	b.Close("")
	ts.step(2)
	if !ts.srv.shutdown.requested {
		t.Error("everybody has left, the server goes on")
	}
}

// TestDrainOff takes it back, also while the scoreboard is shown.
func TestDrainOff(t *testing.T) {
	ts := newTestServer(t, nil, "sv_inactivekick_time 0")
	a := ts.join(ip(1), "a")
	ts.srv.Execute("drain")
	ts.srv.Execute("change_map")
	ts.idle(50, a)
	ts.srv.Execute("drain off")
	if c := ts.connect(ip(2)); c.Closed {
		t.Errorf("refused: %s", c.Reason)
	}
	ts.idle(20*50, a)
	if ts.srv.shutdown.requested {
		t.Error("the server ends all the same")
	}

	// One that is drained while a scoreboard is shown ends after that one.
	ts.srv.Execute("change_map")
	ts.idle(50, a)
	ts.srv.Execute("drain")
	ts.idle(10*50, a)
	if !ts.srv.shutdown.requested {
		t.Error("the server begins another match")
	}
}
