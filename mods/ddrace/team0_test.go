package ddrace_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// TestTeam0Mode lets the members of a team race alone, as in team 0, while others join.
func TestTeam0Mode(t *testing.T) {
	p := newParty(t, 3, "sv_ddnet_physics 20", "sv_max_team_size 2")
	p.types(0, "team0mode")
	p.heard(0, "This team can't have the mode changed")
	p.types(0, "team 5")
	p.types(1, "team 5")
	clear(p.told)
	p.types(0, "team0mode 1")
	for id := range game.PlayerID(2) {
		p.heard(id, "'player 0' enabled team 0 mode. This will make your team behave like team 0.")
	}
	p.types(0, "lock")
	p.types(0, "practice")
	p.types(0, "load x")
	p.heard(0, "'player 0' locked your team.", "Practice mode can't be enabled in team 0 mode.", "Team can't be loaded while in team 0 mode")
	const shown = game.CharacterFlagAsZero | game.CharacterFlagLocked
	testenv.Check(t, p.Frame().Characters[0].Flags&shown == shown, "clients see %v", p.Frame().Characters[0].Flags)
	testenv.Check(t, p.Frame().Characters[2].Flags&shown == 0, "clients see %v", p.Frame().Characters[2].Flags)

	p.walk(1, 50, 0)
	clear(p.told)
	p.types(0, "team0mode 0")
	p.heard(0, "Team mode can't be changed while racing")
	p.types(0, "save x")
	p.run(50, game.ChatCommand(0, "swap", "player 1"))
	p.heard(0, "Team can't be saved while in team 0 mode", "You and other player need to have started the map")
	p.types(0, "unlock")
	p.types(2, "team 5")
	p.team(5, 5, 5)
	p.heard(2, "'player 2' joined team 5", "Team 0 mode enabled for your team. This will make your team behave like team 0.")

	restored := testenv.Must(game.Restore(game.Config{Mode: ddrace.New(), Terrain: p.config.Terrain}, p.Game.AppendState(nil)))
	testenv.Check(t, restored.Hash() == p.Game.Hash(), "the mode of the team is not in the state")

	p.walk(1, 300, 0)
	testenv.Check(t, len(p.take(game.EvRaceFinish)) == 1, "%d finishes", len(p.take(game.EvRaceFinish)))
	p.team(5, 5, 5) // the finisher stays
	p.types(1, "lock")
	p.events = nil
	p.run(60, game.Command{Kind: game.CmdKill, Player: 1})
	testenv.Check(t, len(p.take(game.EvKill)) == 1, "%d deaths in the locked team", len(p.take(game.EvKill)))
	p.team(5, 5, 5)

	p.types(1, "unlock")
	for id := range game.PlayerID(3) {
		p.run(200, game.Command{Kind: game.CmdKill, Player: id})
	}
	p.team(0, 0, 0)
	p.types(0, "team 5")
	testenv.Check(t, p.Frame().Characters[0].Flags&shown == 0, "the mode stays when the team is empty")
	p.types(0, "team0mode")
	p.set("sv_team0mode", "0")
	clear(p.told)
	p.types(0, "team0mode")
	p.heard(0, "Team mode change is disabled on this server.")
}

// TestTeam0ModeIsLeft checks that a team that has become too large cannot leave the mode.
func TestTeam0ModeIsLeft(t *testing.T) {
	p := newParty(t, 3, "sv_ddnet_physics 20", "sv_max_team_size 2")
	p.types(0, "team 5")
	p.types(0, "team0mode")
	p.types(1, "team 5")
	p.types(2, "team 5")
	clear(p.told)
	p.types(0, "team0mode")
	p.heard(0, "Can't disable team 0 mode. This team exceeds the maximum allowed size of 2 players for regular team")
	p.run(150, game.Command{Kind: game.CmdKill, Player: 2})
	clear(p.told)
	p.types(0, "team0mode")
	p.heard(0, "'player 0' disabled team 0 mode.")
	p.events = nil
	p.walk(1, 300, 0)
	testenv.Check(t, len(p.take(game.EvRaceFinish)) == 0, "one of two finished")
}

// TestPracticeByDefault checks that empty teams and team 0 practise.
func TestPracticeByDefault(t *testing.T) {
	p := newParty(t, 2, "sv_ddnet_physics 20")
	p.types(1, "team 3")
	p.set("sv_test_cmds", "1")
	clear(p.told)
	p.set("sv_practice_by_default", "1")
	p.heard(0, "Practice is enabled by default. Join a team and /unpractice to turn it off for your team.")
	practises := func(id game.PlayerID) bool { return p.Frame().Characters[id].Flags&game.CharacterFlagPractice != 0 }
	testenv.Check(t, practises(0) && !practises(1), "team 0 practises %v, the team before %v", practises(0), practises(1))
	p.run(100)
	clear(p.told)
	p.types(0, "team 5")
	p.types(0, "lock")
	p.types(0, "save x")
	p.heard(0, "'player 0' joined team 5", "Practice mode enabled for your team, happy practicing!",
		"'player 0' locked your team. After the race starts, killing will kill everyone in your team.",
		"Team save disabled for teams in practice mode")
	p.types(0, "unpractice")
	testenv.Check(t, p.Frame().Players[0].DDRaceTeam == 5 && !practises(0), "team %d practises: %v", p.Frame().Players[0].DDRaceTeam, practises(0))
	p.run(200)
	p.types(0, "team 6")
	testenv.Check(t, practises(0), "a new team does not practise")
	clear(p.told)
	p.set("sv_practice_by_default", "0")
	p.heard(0, "Practice is disabled by default.")
	testenv.Check(t, practises(0), "the team of a player changed, too")
}

// TestOldRulesAreNamed checks that the log names settings that need the rules of DDNet 20.
func TestOldRulesAreNamed(t *testing.T) {
	lines := func(p *party) (lines []string) {
		for _, e := range p.take(game.EvConsole) {
			if strings.Contains(e.Text, "has no effect") {
				lines = append(lines, e.Text)
			}
		}
		p.events = nil
		return lines
	}
	p := newParty(t, 1)
	p.set("sv_no_weak_hook", "1")
	const hooks = "sv_no_weak_hook 1 has no effect with sv_ddnet_physics 16; set sv_ddnet_physics 20"
	got := lines(p)
	testenv.Check(t, slices.Equal(got, []string{hooks}), "%q", got)
	p.set("sv_practice_by_default", "1")
	got = lines(p)
	testenv.Check(t, slices.Equal(got, []string{strings.Replace(hooks, "sv_no_weak_hook", "sv_practice_by_default", 1)}), "%q", got)
	p.set("sv_ddnet_physics", "20")
	got = lines(p)
	testenv.Check(t, got == nil, "%q", got)
	p.set("sv_ddnet_physics", "16")
	got = lines(p)
	testenv.Check(t, len(got) == 2, "%q", got)
}
