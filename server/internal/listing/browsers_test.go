package listing_test

import (
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server/internal/listing"
)

// addr returns an address in a network of its own.
func addr(n int) netip.Addr { return netip.AddrFrom4([4]byte{20, byte(n >> 8), byte(n), 1}) }

// TestInfo checks the description of a server with clients, bots and kept seats.
func TestInfo(t *testing.T) {
	s := newServer(t, "sv_name yard; sv_hostname yard.example; sv_skill_level 2; password x; sv_max_clients 3; sv_player_slots 2")
	s.join("alice", addr(1))
	s.join("bob", addr(2))
	s.join("Ada", netip.Addr{})
	s.seats[2].Bot = true
	s.seats = append(s.seats, listing.Seat{ID: 3})
	check := func(when string, players, clients int, names ...string) {
		t.Helper()
		var q query.Info
		s.listing.FillInfo(&q)
		var got []string
		for _, c := range q.Clients {
			got = append(got, c.Name)
		}
		testenv.Check(t, slices.Equal(got, names), "%s: %q are listed", when, got)
		want := query.Info{
			Version: listing.GameVersion, Name: "yard", Hostname: "yard.example", Map: "yard", MapCRC: 5, MapSize: 100, GameType: "DM",
			Password: true, SkillLevel: 2, NumPlayers: players, MaxPlayers: 2, NumClients: clients, MaxClients: max(clients, 3), Clients: q.Clients,
		}
		testenv.Check(t, reflect.DeepEqual(q, want), "%s: %+v, want %+v", when, q, want)
		i := s.listing.ServerInfo()
		testenv.Check(t, int(i.Players) == players && int(i.Clients) == clients && i.GameType == "DM", "%s: clients are told %+v", when, i)
	}
	check("at first", 3, 4, "alice", "bob", "Ada", "(connecting)")
	s.seats[0].Held = true
	check("alice has timed out", 3, 4, "alice", "bob", "Ada", "(connecting)")
	s.seats = append(s.seats, listing.Seat{ID: 4})
	check("a newcomer has her place", 2, 4, "bob", "Ada", "(connecting)", "(connecting)")
	s.run("sv_max_clients 64; sv_player_slots 32")
	testenv.Check(t, s.listing.GameType() == "DM+", "the game type of a large server is %q", s.listing.GameType())
}

// TestRepliesAreMadeOnceATick checks that requests within a tick get the same reply.
func TestRepliesAreMadeOnceATick(t *testing.T) {
	s := newServer(t)
	name := func() string {
		r, err := query.ParseReply7(s.listing.Reply().Append(nil, query.Request{Format: query.Format7}, 0))
		testenv.NoError(t, err)
		return r.Info.Name
	}
	before := name()
	s.run("sv_name other")
	testenv.Check(t, before == "unnamed server" && name() == before, "in the same tick the name is %q", name())
	s.step(1)
	testenv.Check(t, name() == "other", "in the next tick the name is %q", name())
}

// TestPlayersGetRepliesInAFlood checks that forged requests leave replies for the addresses of
// players.
func TestPlayersGetRepliesInAFlood(t *testing.T) {
	s := newServer(t)
	for i := range 32 {
		s.join("player", addr(i))
	}
	s.now = s.now.Add(time.Second / game.TickRate)
	asked := 0
	for ; s.listing.UnprovenReply(s.now, addr(1000+asked), query.FormatExtended6) != nil; asked++ {
		testenv.Require(t, asked < 30_000, "the replies have no limit")
	}
	got := s.listing.UnprovenReply(s.now, addr(7), query.FormatExtended6)
	testenv.Check(t, asked > 500 && got == s.listing.Reply(), "after %d replies, a player gets %v", asked, got)
}
