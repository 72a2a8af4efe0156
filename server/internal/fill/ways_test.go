package fill_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// TestBotsRunWays lets bots finish a race beside a player who stands still, and ends the search for
// a way when the map changes.
func TestBotsRunWays(t *testing.T) {
	terrain := modtest.ParseMap(map[byte]uint8{'f': 9},
		"########################################",
		"#.......>.....................<........#",
		"#.......>.....................<........#",
		"#.......>.....................<........#",
		"#.......>.....................<........#",
		"#.......>.....................<........#",
		"#.......>...........#.........<........#",
		"#.......>...........#.........<........#",
		"#...S...>....fff....#fffff....<........#",
		"########################################")
	s := newServer(t, game.Config{Mode: ddrace.New(), Terrain: terrain}, "sv_bots 3")
	s.join(0, game.TeamRed)
	testenv.Eventually(t, "there is a way to the finish", func() bool {
		s.step(1)
		way, _ := s.Way()
		return way != nil && way.Finished()
	})
	finished := func() (n int) {
		for _, p := range s.world.Frame().Players {
			if s.Has(p.ID) && p.Score > 0 && p.Score != game.NoRaceTime {
				n++
			}
		}
		return n
	}
	for range 4000 {
		if s.step(1); finished() == 2 {
			break
		}
	}
	testenv.Check(t, finished() == 2, "%d of 2 bots finished", finished())
	testenv.Check(t, !s.HasNav(), "a graph for vanilla was made")

	_, stop := s.Way()
	s.run("sv_bots 0")
	other := newServer(t, game.Config{})
	s.world, s.terrain, s.seats = other.world, other.terrain, other.seats
	s.step(2)
	_, searching := s.Way()
	select {
	case <-stop:
	default:
		t.Error("the search goes on after a map change")
	}
	testenv.Check(t, searching == nil, "there is another search")
}
