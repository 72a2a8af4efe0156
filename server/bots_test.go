package server

import (
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/query"
)

// explore waits until bots know the map, which takes real time.
func (a *arena) explore() {
	a.t.Helper()
	s := a.srv
	s.bots.setWorld(s.world)
	if !s.navReady() {
		if s.bots.nav = <-s.bots.navResult; s.bots.nav == nil {
			a.t.Fatal("the map cannot be explored")
		}
	}
}

// botNamesOf are the names of the bots a player was told of.
func botNamesOf(p *player) (names []string) {
	for id, name := range p.infos {
		if id >= 32 {
			names = append(names, name)
		}
	}
	return names
}

func TestBotsComeAndGo(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 1, "sv_bots 4")
	a.explore()
	a.run(time.Second)
	if n := a.srv.bots.count(); n != 0 {
		t.Fatalf("%d bots play for nobody", n)
	}
	alice := a.join(1, "alice")
	a.until(2*time.Second, "alice and three bots", func() bool {
		return alice.State() == client.Playing && a.srv.bots.count() == 3 && len(botNamesOf(alice)) == 3
	})
	a.run(time.Second)
	if a.srv.world.NumPlaying() != 4 || !a.srv.world.Running() {
		t.Errorf("%d play, running %v", a.srv.world.NumPlaying(), a.srv.world.Running())
	}
	if alice.ID() != 0 {
		t.Errorf("alice has seat %d", alice.ID())
	}
	bob := a.join(2, "bob")
	a.until(2*time.Second, "bob instead of a bot", func() bool {
		return bob.State() == client.Playing && a.srv.bots.count() == 2 && len(botNamesOf(bob)) == 2 && len(botNamesOf(alice)) == 2
	})
	if len(alice.drops) != 1 {
		t.Errorf("alice saw drops %q", alice.drops)
	}
	bob.Close(a.now())
	a.until(2*time.Second, "a bot instead of bob", func() bool { return len(botNamesOf(alice)) == 3 })
	for _, p := range a.players[:1] {
		if s := p.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage != 0 {
			t.Errorf("stats %+v", s)
		}
	}
	alice.Close(a.now())
	a.run(time.Second)
	if n := a.srv.bots.count(); n != 0 || a.srv.world.NumConnected() != 0 {
		t.Errorf("%d bots and %d players are left", n, a.srv.world.NumConnected())
	}
	if d := a.srv.Drops(); len(d) > 0 {
		t.Errorf("drops %v", d)
	}
}

// TestBotsAreMarked checks what clients and browsers are told.
func TestBotsAreMarked(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 2, "sv_bots 3")
	a.explore()
	alice := a.join(1, "alice")
	a.until(2*time.Second, "two bots", func() bool { return len(botNamesOf(alice)) == 2 })
	a.run(time.Second)
	marked := 0
	for _, p := range a.srv.world.Frame().Players {
		if bot := p.Flags&game.PlayerFlagBot != 0; bot != (p.ID >= 32) {
			t.Errorf("player %d: flags %x", p.ID, p.Flags)
		} else if bot {
			marked++
		}
	}
	if marked != 2 {
		t.Errorf("%d are marked", marked)
	}
	v := a.srv.world.View(0)
	var b snapshot.Builder
	var s snapshot.Snapshot
	d := a.srv.versions[0]
	d.BeginSnapshots(a.srv.world)
	a.srv.sessions[0].host.BuildSnapshot(&b, &v, &[game.MaxPlayers]int32{})
	d.EndSnapshots()
	b.Finish(&s)
	var info msg7.PlayerInfo
	if err := info.ReadInts(s.Find(snapshot.MakeKey(msg7.TypePlayerInfo, 63))); err != nil || info.PlayerFlags&64 == 0 || info.Latency != 0 {
		t.Errorf("snapshot has %+v, %v", info, err)
	}

	reply, err := query.ParseReply7(a.srv.browserAnswers().Append(nil, query.Request{Form: query.Form7}, 0))
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

// TestBotsBlockNobody fills a small server with bots and then with people.
func TestBotsBlockNobody(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 3, "sv_max_clients 64; sv_player_slots 64; sv_bots 64")
	a.explore()
	first := a.join(1, "first")
	a.until(3*time.Second, "62 bots", func() bool { return first.State() == client.Playing && a.srv.bots.count() == 62 })
	for i := 2; i <= 4; i++ {
		p := a.join(i, "late")
		a.until(5*time.Second, "a seat", func() bool { return p.State() == client.Playing })
		if team := a.srv.teamOf(game.PlayerID(p.ID())); team == game.TeamSpectators {
			t.Errorf("client %d has to watch", p.ID())
		}
	}
	a.run(500 * time.Millisecond)
	if n := a.srv.bots.count(); n != 59 {
		t.Errorf("%d bots beside 4 people", n)
	}

	b := newArena(t, netsim.Link{Delay: time.Millisecond}, 4, "sv_max_clients 3; sv_player_slots 2; sv_bots 8")
	b.explore()
	var people []*player
	for i := 1; i <= 3; i++ {
		p := b.join(i, "guest")
		people = append(people, p)
		b.until(5*time.Second, "playing", func() bool { return p.State() == client.Playing })
		b.run(300 * time.Millisecond)
		if n, want := b.srv.bots.count(), max(0, 2-i); n != want {
			t.Errorf("%d bots beside %d people, want %d", n, i, want)
		}
	}
	if b.srv.teamOf(game.PlayerID(people[1].ID())) == game.TeamSpectators {
		t.Error("the second has to watch because of a bot")
	}
}

func TestBotsFollowTheMap(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 5, "sv_bots 3; sv_map testbox")
	a.explore()
	alice := a.join(1, "alice")
	a.until(2*time.Second, "two bots", func() bool { return len(botNamesOf(alice)) == 2 })
	before := a.srv.world
	a.srv.Execute("reload")
	a.until(3*time.Second, "the map again", func() bool { return a.srv.world != before })
	alice.infos = map[int32]string{}
	a.explore()
	a.until(5*time.Second, "two bots again", func() bool {
		return alice.State() == client.Playing && len(botNamesOf(alice)) == 2
	})
	a.srv.Execute("sv_bot_skill 3; sv_bots 2")
	a.until(time.Second, "one bot less", func() bool { return len(botNamesOf(alice)) == 1 && a.srv.bots.skill == 3 })
	a.srv.Execute("sv_bots 0")
	a.until(time.Second, "no bot", func() bool { return len(botNamesOf(alice)) == 0 })
	for _, r := range alice.drops {
		if !strings.Contains(r, "room") {
			t.Errorf("a bot left with %q", r)
		}
	}
}
