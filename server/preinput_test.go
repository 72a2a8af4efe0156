package server_test

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// TestInputsAreSentAhead checks that clients of DDNet 19.4 and later get the inputs of visible
// players before the ticks of the inputs.
func TestInputsAreSentAhead(t *testing.T) {
	s := servertest.New(t, server.Config{}, "sv_map testbox; sv_bots 0; sv_warmup 0")
	player := s.Join("player")
	early := s.JoinAs(client.Config{Name: "early", Version: client.Version06, DDNetVersion: 19030})
	late := s.JoinAs(client.Config{Name: "late", Version: client.Version06, DDNetVersion: 19040})
	watcher := s.JoinAs(client.Config{Name: "watcher", Version: client.Version06, DDNetVersion: 19040})
	testenv.NoError(t, watcher.SetTeam(game.TeamSpectators))
	s.Wait(time.Second)
	inputs := func(p *servertest.Player) (n int) {
		for _, e := range p.Events {
			if e, ok := e.(event.OtherInput); ok {
				if n++; e.Player.Name != "player" {
					t.Errorf("an input of %q", e.Player.Name)
				}
			}
		}
		return n
	}
	keys := func(weapon int32) game.Input { return game.Input{WantedWeapon: weapon, TargetX: 30, TargetY: -7} }
	press := func(what string, want int) {
		t.Helper()
		before := inputs(late)
		for _, weapon := range []int32{1, 2, 0} {
			player.SetInput(keys(weapon))
			s.Wait(100 * time.Millisecond)
		}
		player.SetInput(game.Input{TargetX: 40, TargetY: 40}) // the aim alone is not sent
		s.Wait(100 * time.Millisecond)
		got := inputs(late) - before
		testenv.Check(t, got == want, "%s: %d inputs, want %d", what, got, want)
	}
	press("by default", 3)
	e, _ := servertest.LastEvent[event.OtherInput](late)
	testenv.Check(t, e.Input == keys(0), "another input: %+v", e.Input)
	testenv.Check(t, inputs(early) == 0 && inputs(watcher) == 0, "clients get inputs that they do not know or need")
	s.Console("sv_preinput 0")
	press("switched off", 0)
	s.Console("sv_preinput 1; sv_max_preinputs_per_tick 1")
	press("one per tick", 3)
	testenv.NoError(t, player.SetTeam(game.TeamSpectators))
	s.Wait(200 * time.Millisecond)
	press("of a spectator", 0)
}
