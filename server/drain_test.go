package server_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestDrain closes a match to new players and plays it to its end, with the scoreboard. Then the
// server sends clients elsewhere if they support that, and ends.
func TestDrain(t *testing.T) {
	ts := newTestServer(t, nil, "sv_inactivekick_time 0")
	redirected := 0
	latest := testclient.Config{Version: conn.V6, DDNet: true, Release: 17020, OnMessage: func(m testclient.Message) {
		if r, ok := m.(*msg6.Redirect); ok && r.Port == 8304 {
			redirected++
		}
	}}
	clients := []*testclient.Client{ts.Enter(ip(1), "seven"), ts.EnterAs(client06DDNet, ip(2), "old"), ts.EnterAs(latest, ip(3), "new")}
	ts.Execute("drain nowhere; drain 0; drain 65536; drain 8303; drain 08304; drain off")
	if got := strings.Count(ts.Log.String(), "is not the port of another server on this machine"); got != 5 ||
		strings.Contains(ts.Log.String(), "new clients are rejected") {
		t.Fatalf("%d refusals in\n%s", got, ts.Log.String())
	}
	ts.Execute("drain 8304")
	if !strings.Contains(ts.Log.String(),
		"[server]: drain: new clients are rejected; the server ends after this match, or as soon as the 3 clients have left "+
			"(drain off cancels this); it then sends DDNet clients from 17.2 on to port 8304\n") {
		t.Errorf("drain prints\n%s", ts.Log.String())
	}
	ts.Idle(2, clients...)
	if chat := clients[1].Chat; !slices.ContainsFunc(chat, func(line string) bool { return strings.Contains(line, "The server ends after this match") }) {
		t.Errorf("players are told %q", chat)
	}
	for i, kind := range []testclient.Config{client07, client06DDNet, client065, client064} {
		c := ts.ConnectAs(kind, ip(10+i))
		if !c.Closed { // 0.6.5 says that it has the token with its first message
			c.Info()
		}
		if !c.Closed || c.Reason != "This server is about to end; join port 8304 instead" {
			t.Errorf("client %d: closed %v, %q", i, c.Closed, c.Reason)
		}
	}
	if n := ts.Drops()["draining"]; n != 4 {
		t.Errorf("%d refusals are counted", n)
	}

	// The match goes on, for as long as it takes, and so does the scoreboard.
	ts.Idle(60*50, clients...)
	if ended(ts) {
		t.Fatal("the server ends in the middle of a match")
	}
	ts.Execute("change_map")
	ts.Idle(9*50, clients...)
	if ended(ts) || redirected != 0 {
		t.Fatal("the server ends while the scoreboard is shown")
	}
	ts.Idle(2*50, clients...)
	if ended(ts) || redirected != 1 || clients[0].Closed {
		t.Fatalf("clients have no time to go: %d redirected", redirected)
	}
	clients[2].Close("")
	ts.Idle(4*50, clients[:2]...)
	if reason, _ := ts.ShutdownRequested(); reason != "This server has moved to port 8304" {
		t.Errorf("the server does not end: %q", reason)
	}
}

// TestDrainWhenEmpty checks that a server without players ends at once.
func TestDrainWhenEmpty(t *testing.T) {
	ts := newTestServer(t, nil, "sv_bots 2")
	ts.Step(5)
	ts.Execute("drain")
	ts.Step(1)
	if reason, ended := ts.ShutdownRequested(); !ended || reason != "" {
		t.Errorf("an empty server does not end: %q", reason)
	}

	ts = newTestServer(t, nil)
	a, b := ts.Enter(ip(1), "a"), ts.Enter(ip(2), "b")
	ts.Execute("drain")
	a.Close("")
	ts.Idle(50, b)
	if ended(ts) {
		t.Error("somebody still plays")
	}
	b.Close("")
	ts.Step(2)
	if !ended(ts) {
		t.Error("everybody has left, the server goes on")
	}
}

// TestDrainOff takes it back, also while the scoreboard is shown.
func TestDrainOff(t *testing.T) {
	ts := newTestServer(t, nil, "sv_inactivekick_time 0")
	a := ts.Enter(ip(1), "a")
	ts.Execute("drain")
	ts.Execute("change_map")
	ts.Idle(50, a)
	ts.Execute("drain off")
	if c := ts.Connect(ip(2)); c.Closed {
		t.Errorf("refused: %s", c.Reason)
	}
	ts.Idle(20*50, a)
	if ended(ts) {
		t.Error("the server ends all the same")
	}

	// One that is drained while a scoreboard is shown ends after that one.
	ts.Execute("change_map")
	ts.Idle(50, a)
	ts.Execute("drain")
	ts.Idle(10*50, a)
	if !ended(ts) {
		t.Error("the server begins another match")
	}
}

// TestTerminate checks what SIGTERM does: without sv_term_drain or players it ends the server at
// once. Otherwise players finish the match, unless the time is over before.
func TestTerminate(t *testing.T) {
	for _, setting := range []string{"sv_term_drain 0", "sv_term_drain 90"} {
		ts := newTestServer(t, nil, setting)
		if setting == "sv_term_drain 0" {
			ts.Enter(ip(1), "a")
		}
		if atMost := ts.TerminateNow(); atMost != 0 || !ended(ts) {
			t.Errorf("%s: the server does not end at once, but in %v", setting, atMost)
		}
	}

	// The time is over before the match.
	ts := newTestServer(t, nil, "sv_term_drain 90; sv_inactivekick_time 0")
	a := ts.Enter(ip(1), "a")
	var told []string
	a.OnMessage = func(m testclient.Message) {
		if chat, ok := m.(*msg7.SvChat); ok && chat.ClientID < 0 {
			told = append(told, string(chat.Message))
		}
	}
	if atMost := ts.TerminateNow(); atMost != 90*time.Second {
		t.Errorf("at most %v", atMost)
	}
	ts.Execute("drain off")
	if c := ts.Connect(ip(2)); !c.Closed || c.Reason != "This server is about to end" {
		t.Errorf("a new player is not rejected: %q", c.Reason)
	}
	ts.Idle(89*50, a)
	if ended(ts) {
		t.Error("the server ends early")
	}
	ts.Idle(2*50, a)
	if !ended(ts) {
		t.Error("the server goes on after sv_term_drain")
	}
	if want := []string{"The server ends after this match", "The server ends in 60 seconds", "The server ends in 10 seconds"}; !slices.Equal(told, want) {
		t.Errorf("players are told %q, want %q", told, want)
	}

	// The match ends first.
	ts = newTestServer(t, nil, "sv_term_drain 90; sv_inactivekick_time 0")
	a = ts.Enter(ip(1), "a")
	ts.TerminateNow()
	ts.Execute("change_map")
	ts.Idle(12*50, a)
	if !ended(ts) {
		t.Error("the server goes on after the match")
	}
}
