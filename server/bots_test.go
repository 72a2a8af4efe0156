package server

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/query"
)

// waitForNav waits in real time until bots know the map.
func (tn *testNetwork) waitForNav() {
	tn.t.Helper()
	if explored := tn.srv.bots.Explored; !explored() {
		testenv.Eventually(tn.t, "the map is explored", explored)
	}
}

// botNamesOf returns the names of the bots that a player sees.
func botNamesOf(p *player) (names []string) {
	for id, name := range p.names() {
		if id >= 32 {
			names = append(names, name)
		}
	}
	return names
}

// TestBotsFillUp checks that bots play as long as fewer people than sv_bots do.
func TestBotsFillUp(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 1, "sv_bots 4")
	tn.waitForNav()
	tn.run(time.Second)
	if n := tn.srv.bots.Count(); n != 0 {
		t.Fatalf("%d bots play for nobody", n)
	}
	alice := tn.join(1, "alice")
	tn.until(2*time.Second, "alice and three bots", func() bool {
		return tn.srv.bots.Count() == 3 && len(botNamesOf(alice)) == 3
	})
	tn.run(time.Second)
	if tn.srv.world.NumPlaying() != 4 || !tn.srv.world.Running() {
		t.Errorf("%d play, running %v", tn.srv.world.NumPlaying(), tn.srv.world.Running())
	}
	if alice.ID() != 0 {
		t.Errorf("alice has seat %d", alice.ID())
	}
	bob := tn.join(2, "bob")
	tn.until(2*time.Second, "bob instead of a bot", func() bool {
		return tn.srv.bots.Count() == 2 && len(botNamesOf(bob)) == 2 && len(botNamesOf(alice)) == 2
	})
	if len(alice.leaveReasons) != 1 {
		t.Errorf("alice saw drops %q", alice.leaveReasons)
	}
	bob.Close(tn.now())
	tn.until(2*time.Second, "a bot instead of bob", func() bool { return len(botNamesOf(alice)) == 3 })
	checkStats(t, alice)
	alice.Close(tn.now())
	tn.run(time.Second)
	if n := tn.srv.bots.Count(); n != 0 || tn.srv.world.NumConnected() != 0 {
		t.Errorf("%d bots and %d players are left", n, tn.srv.world.NumConnected())
	}
	if d := tn.srv.Drops(); len(d) > 0 {
		t.Errorf("drops %v", d)
	}
}

// TestBotsAreMarked checks that clients and browsers can tell bots from players.
func TestBotsAreMarked(t *testing.T) {
	testenv.OneGoroutine(t)
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 2, "sv_bots 3")
	tn.waitForNav()
	alice := tn.join(1, "alice")
	tn.until(2*time.Second, "two bots", func() bool { return len(botNamesOf(alice)) == 2 })
	tn.run(time.Second)
	marked := 0
	for _, p := range tn.srv.world.Frame().Players {
		if bot := p.Flags&game.PlayerFlagBot != 0; bot != (p.ID >= 32) {
			t.Errorf("player %d: flags %x", p.ID, p.Flags)
		} else if bot {
			marked++
		}
	}
	if marked != 2 {
		t.Errorf("%d are marked", marked)
	}
	v := tn.srv.world.View(0)
	var b snapshot.Builder
	var s snapshot.Snapshot
	d := tn.srv.versions[0]
	d.BeginSnapshots(tn.srv.world)
	tn.srv.sessions[0].bridge.BuildSnapshot(&b, &v, &[game.MaxPlayers]int32{})
	d.EndSnapshots()
	b.Finish(&s)
	var info msg7.PlayerInfo
	if err := info.ReadInts(s.Find(snapshot.MakeKey(msg7.TypePlayerInfo, 63))); err != nil || info.PlayerFlags&64 == 0 || info.Latency != 0 {
		t.Errorf("snapshot has %+v, %v", info, err)
	}

	reply, err := query.ParseReply7(tn.srv.listing.Reply().Append(nil, query.Request{Format: query.Format7}, 0))
	if err != nil || reply.Info.NumClients != 3 || reply.Info.NumPlayers != 3 {
		t.Errorf("browsers see %+v, %v", reply.Info, err)
	}
	bots := map[string]bool{}
	for _, c := range reply.Info.Clients {
		bots[c.Name+"/"+c.Clan] = c.Bot && !c.Spectator
	}
	if len(bots) != 3 || bots["alice/"] || !bots["Ada/bot"] || !bots["Bolt/bot"] {
		t.Errorf("browsers see %v", bots)
	}
}

// TestBotsMakeRoom fills a small server with bots and then with people.
func TestBotsMakeRoom(t *testing.T) {
	testenv.OneGoroutine(t)
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 3, "sv_max_clients 64; sv_player_slots 64; sv_bots 64")
	tn.waitForNav()
	tn.join(1, "first")
	tn.until(3*time.Second, "62 bots", func() bool { return tn.srv.bots.Count() == 62 })
	for i := 2; i <= 4; i++ {
		p := tn.join(i, "late")
		if team := tn.srv.teamOf(game.PlayerID(p.ID())); team == game.TeamSpectators {
			t.Errorf("client %d has to watch", p.ID())
		}
	}
	tn.run(500 * time.Millisecond)
	if n := tn.srv.bots.Count(); n != 59 {
		t.Errorf("%d bots beside 4 people", n)
	}

	tn = newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 4, "sv_max_clients 3; sv_player_slots 2; sv_bots 8")
	tn.waitForNav()
	var people []*player
	for i := 1; i <= 3; i++ {
		p := tn.join(i, "guest")
		people = append(people, p)
		tn.run(300 * time.Millisecond)
		if n, want := tn.srv.bots.Count(), max(0, 2-i); n != want {
			t.Errorf("%d bots beside %d people, want %d", n, i, want)
		}
	}
	if tn.srv.teamOf(game.PlayerID(people[1].ID())) == game.TeamSpectators {
		t.Error("the second has to watch because of a bot")
	}
}

func TestBotsPlayAfterMapChange(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 5, "sv_bots 3; sv_map testbox")
	tn.waitForNav()
	alice := tn.join(1, "alice")
	tn.until(2*time.Second, "two bots", func() bool { return len(botNamesOf(alice)) == 2 })
	before := tn.srv.world
	tn.srv.Execute("reload")
	tn.until(3*time.Second, "the map again", func() bool { return tn.srv.world != before })
	tn.waitForNav()
	tn.until(5*time.Second, "two bots again", func() bool {
		return len(botNamesOf(alice)) == 2
	})
	tn.srv.Execute("sv_bot_skill 3; sv_bots 2")
	tn.until(time.Second, "one bot less", func() bool { return len(botNamesOf(alice)) == 1 })
	tn.srv.Execute("sv_bots 0")
	tn.until(time.Second, "no bot", func() bool { return len(botNamesOf(alice)) == 0 })
	for _, r := range alice.leaveReasons {
		if r != "" {
			t.Errorf("a bot left with %q", r)
		}
	}
}
