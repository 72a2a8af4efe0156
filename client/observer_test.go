package client_test

import (
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/server"
)

// TestObserver checks that an observer of the server sees the same events, with the same values and
// in the same order, as a client in the match, and also the events that only a server has.
func TestObserver(t *testing.T) {
	var observed []event.Event
	effects, lastTick := 0, int32(-1)
	tn := newObservedNetwork(t, netsim.Link{Delay: 10 * time.Millisecond}, func(tick *server.Tick) {
		observed = append(observed, tick.Events...)
		for i := range tick.GameEvents {
			if tick.GameEvents[i].Kind.IsEffect() {
				effects++
			}
		}
		if n := tick.World.Tick(); n != lastTick+1 && n != 1 {
			t.Errorf("tick %d after %d", n, lastTick)
		} else {
			lastTick = n
		}
	}, "add_vote more sv_scorelimit 5")
	alice := tn.join(client.Config{Name: "alice", Clan: "A"})
	tn.run(time.Second)
	alice.events, observed = nil, nil

	bob := tn.join(client.Config{Name: "bob\u202e", Clan: "B", RconPassword: "adminpw"})
	tn.until(time.Second, "an operator", func() bool { return hasEvent[event.RconAuth](bob) })
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		tn.run(200 * time.Millisecond)
	}
	check(bob.Say("hello \u202e all"))
	check(bob.Emote(3))
	check(bob.VoteOption("more", "why not"))
	check(alice.Vote(true))
	tn.until(time.Second, "a passed vote", func() bool { return hasEvent[event.VoteEnd](alice) })
	check(bob.VoteSpectate(alice.Self(), ""))
	check(alice.Vote(false))
	tn.until(time.Second, "a failed vote", func() bool { return hasEvent[event.VoteEnd](alice) })
	for _, line := range []string{"sv_motd one\\ntwo", "sv_name other", "sv_vote_kick 0", "tune gravity 0.3", "say from the server", "broadcast hear"} {
		tn.srv.Execute(line)
		tn.run(200 * time.Millisecond)
	}
	tn.run(3 * time.Second)
	bob.Kill()
	tn.run(time.Second)
	bob.SetTeam(game.TeamSpectators)
	tn.run(4 * time.Second)
	bob.Close()
	tn.run(time.Second)

	logins := 0
	observed = slices.DeleteFunc(observed, func(e event.Event) bool {
		login, ok := e.(event.RconLogin)
		if ok {
			logins++
			if login.Player.Name != "bob" || !login.Admin || login.Moderator {
				t.Errorf("%+v", login)
			}
		}
		return ok
	})
	if !slices.Equal(alice.events, observed) {
		for i := range max(len(alice.events), len(observed)) {
			var heard, seen event.Event
			if i < len(alice.events) {
				heard = alice.events[i]
			}
			if i < len(observed) {
				seen = observed[i]
			}
			if heard != seen {
				t.Errorf("event %d: a client has %T%+v, an observer %T%+v", i, heard, heard, seen, seen)
			}
		}
	}
	for _, ok := range []bool{
		hasEvent[event.Joined](alice), hasEvent[event.Chat](alice), hasEvent[event.Emoticon](alice), hasEvent[event.VoteStart](alice),
		hasEvent[event.VoteCount](alice),
		hasEvent[event.Motd](alice), hasEvent[event.ServerInfo](alice), hasEvent[event.Settings](alice), hasEvent[event.Broadcast](alice),
		hasEvent[event.Kill](alice), hasEvent[event.TeamChange](alice), hasEvent[event.Left](alice), hasEvent[event.GameInfo](alice),
		logins == 1, effects > 0,
	} {
		if !ok {
			t.Errorf("an event is missing: %+v, %d logins, %d effects", alice.events, logins, effects)
		}
	}

	observed = nil
	tn.srv.Execute("change_map testbox")
	tn.run(12 * time.Second)
	if !slices.Contains(observed, event.Event(event.MapChange{Map: "testbox", GameType: "DM"})) {
		t.Errorf("no map change in %+v", observed)
	}
}
