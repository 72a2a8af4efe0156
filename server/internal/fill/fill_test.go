package fill_test

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestNumberOfBots checks how many bots play beside clients, spectators and viewers.
func TestNumberOfBots(t *testing.T) {
	s := newServer(t, game.Config{}, "sv_bots 4")
	s.explore(t)
	bots := func(want int, when string) {
		t.Helper()
		s.step(2)
		testenv.Check(t, s.Count() == want, "%s: %d bots, want %d", when, s.Count(), want)
	}
	bots(0, "no client is there")
	s.watched = true
	bots(4, "the broadcast has viewers")
	testenv.Check(t, s.began == 1, "bots came %d times", s.began)
	s.watched = false
	bots(0, "the viewers are gone")
	s.join(0, game.TeamSpectators)
	bots(4, "a spectator")
	s.join(1, game.TeamRed)
	bots(3, "a player")
	s.rules.PlayerSlots = 3
	bots(1, "three slots for two clients")
	s.run("sv_bots 0")
	bots(0, "sv_bots is 0")
	s.run("sv_bots 4")
	s.rules.TournamentMode = 1
	bots(0, "tournament mode")
	s.run("dbg_dummies 2")
	bots(2, "dummies")
	p, _ := s.world.Player(s.Last())
	testenv.Check(t, s.Last() == 62 && p.Profile.Name == "dummy 62", "the last is %d, %q", s.Last(), p.Profile.Name)
}

// TestBotsLeaveInOrder checks that the last bot is the first to leave, before a client joins.
func TestBotsLeaveInOrder(t *testing.T) {
	s := newServer(t, game.Config{}, "sv_bots 4")
	s.explore(t)
	s.join(0, game.TeamRed)
	s.step(2)
	testenv.Check(t, s.Has(63) && s.Has(62) && s.Has(61) && s.Last() == 61 && s.Since(61) > 0, "%d bots, the last is %d", s.Count(), s.Last())
	s.join(1, game.TeamRed)
	s.step(1)
	s.Remove(5, "") // no bot
	testenv.Check(t, slices.Equal(s.left, []game.PlayerID{61}), "%d left", s.left)
}

// TestRestoredBotsPlay checks that bots of a resumed match keep their seats and get brains.
func TestRestoredBotsPlay(t *testing.T) {
	s := newServer(t, game.Config{}, "sv_bots 3")
	s.join(0, game.TeamRed)
	ids := []game.PlayerID{62, 63}
	for _, id := range ids {
		s.enter(id)
		s.Restore(id, s.now)
	}
	s.step(1)
	s.explore(t)
	s.step(2)
	for _, id := range ids {
		testenv.Check(t, s.Has(id) && s.HasBrain(id) && s.IsAnnounced(id), "bot %d has a brain: %v", id, s.HasBrain(id))
	}
	testenv.Check(t, s.Count() == 2 && len(s.left) == 0, "%d bots, %d left", s.Count(), len(s.left))
	s.Left(62)
	testenv.Check(t, !s.IsAnnounced(62), "clients know a bot that has left")
}

// TestBotsRepeatTheirInputs checks that bots queue no inputs in the first ticks after a stall.
func TestBotsRepeatTheirInputs(t *testing.T) {
	s := newServer(t, game.Config{}, "sv_bots 2")
	s.explore(t)
	s.join(0, game.TeamRed)
	s.step(2)
	s.Advance(s.now, 1, false)
	testenv.Check(t, len(s.queue) == 0, "%d commands without thinking", len(s.queue))
	s.Advance(s.now, 1, true)
	testenv.Check(t, len(s.queue) == 2, "%d commands of a bot", len(s.queue))
}

// guards is a mod with an NPC that it plays itself and one that a bot plays.
type guards struct{ state struct{ skill int32 } }

func (g *guards) Start(setup *game.Setup) {
	setup.AddNPC(game.NPC{Profile: game.Profile{Name: "still"}, Tag: 1})
	setup.AddNPC(game.NPC{Profile: game.Profile{Name: "fighter"}, Skill: 3, Tag: 2})
}

func (g *guards) State() any { return &g.state }

// TestNPCsGetBrains checks that NPCs come with the first client, and that bots play those with a
// skill.
func TestNPCsGetBrains(t *testing.T) {
	s := newServer(t, game.Config{Mods: []game.Mod{&guards{}}})
	s.explore(t)
	s.step(2)
	testenv.Check(t, s.Count() == 0, "%d NPCs without clients", s.Count())
	s.join(0, game.TeamRed)
	s.step(3)
	testenv.Require(t, s.Count() == 2 && s.world.NPCs().Has(62) && s.world.NPCs().Has(63), "%d NPCs", s.Count())
	for id := game.PlayerID(62); id <= 63; id++ {
		p, _ := s.world.Player(id)
		testenv.Check(t, s.HasBrain(id) == (p.Profile.Name == "fighter"), "%q has a brain: %v", p.Profile.Name, s.HasBrain(id))
	}
}
