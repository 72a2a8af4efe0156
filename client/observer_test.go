package client_test

import (
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// TestObserver checks that an observer of the server sees the same events, with the same values and
// in the same order, as a client in the match, and also the events that only a server has.
func TestObserver(t *testing.T) {
	var observed []event.Event
	effects, lastTick := 0, int32(-1)
	observe := server.ObserverFunc(func(tick *server.Tick) {
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
	})
	tn := servertest.Over(t, servertest.Link{Delay: 10 * time.Millisecond}, server.Config{Observers: []server.Observer{observe}},
		"add_vote more sv_scorelimit 5")
	alice := tn.JoinAs(client.Config{Name: "alice", Clan: "A"})
	tn.Wait(time.Second)
	alice.Events, observed = nil, nil

	bob := tn.JoinAs(client.Config{Name: "bob\u202e", Clan: "B", RconPassword: "adminpw"})
	tn.WaitUntil(time.Second, "an operator", func() bool { return hasEvent[event.RconAuth](bob) })
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		tn.Wait(200 * time.Millisecond)
	}
	check(bob.Say("hello \u202e all"))
	check(bob.Emote(3))
	check(bob.VoteOption("more", "why not"))
	check(alice.Vote(true))
	tn.WaitUntil(time.Second, "a passed vote", func() bool { return hasEvent[event.VoteEnd](alice) })
	check(bob.VoteSpectate(alice.Self(), ""))
	check(alice.Vote(false))
	tn.WaitUntil(time.Second, "a failed vote", func() bool { return hasEvent[event.VoteEnd](alice) })
	for _, line := range []string{"sv_motd one\\ntwo", "sv_name other", "sv_vote_kick 0", "tune gravity 0.3", "say from the server", "broadcast hear"} {
		tn.Execute(line)
		tn.Wait(200 * time.Millisecond)
	}
	tn.Wait(3 * time.Second)
	bob.Kill()
	tn.Wait(time.Second)
	bob.SetTeam(game.TeamSpectators)
	tn.Wait(4 * time.Second)
	bob.Close()
	tn.Wait(time.Second)

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
	if !slices.Equal(alice.Events, observed) {
		for i := range max(len(alice.Events), len(observed)) {
			var heard, seen event.Event
			if i < len(alice.Events) {
				heard = alice.Events[i]
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
			t.Errorf("an event is missing: %+v, %d logins, %d effects", alice.Events, logins, effects)
		}
	}

	observed = nil
	tn.Execute("change_map testbox")
	tn.Wait(12 * time.Second)
	if !slices.Contains(observed, event.Event(event.MapChange{Map: "testbox", GameType: "DM"})) {
		t.Errorf("no map change in %+v", observed)
	}
}
