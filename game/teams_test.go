package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/internal/testenv"
)

func setTeam(id game.PlayerID, team game.Team) game.Command {
	return game.Command{Kind: game.CmdSetTeam, Player: id, Team: team}
}

func (w *world) team(id game.PlayerID) game.Team {
	p, _ := w.Player(id)
	return p.Team
}

func TestNewcomersFillTheSmallerTeam(t *testing.T) {
	w := newWorld(t, game.Config{Mode: tdm.Mode{}})
	w.Step(join(0, 1, 2, 3, 4))
	for id, want := range []game.Team{0, 1, 0, 1, 0} {
		if got := w.team(game.PlayerID(id)); got != want {
			t.Errorf("player %d in team %d", id, got)
		}
	}
	if w.NumPlaying() != 5 || w.NumConnected() != 5 || w.NumSpectators() != 0 {
		t.Errorf("counts %d, %d, %d", w.NumPlaying(), w.NumConnected(), w.NumSpectators())
	}
}

func TestTeamChange(t *testing.T) {
	w := newWorld(t, game.Config{Mode: tdm.Mode{}})
	w.enter(0, 1, 2)
	evs := w.do(setTeam(2, game.TeamBlue))
	teams, kills := eventsOf(evs, game.EvTeamChange), eventsOf(evs, game.EvKill)
	if len(teams) != 1 || teams[0].Player != 2 || teams[0].Team != game.TeamBlue || teams[0].Flag || teams[0].Tick != w.Tick()-1+150 {
		t.Errorf("teams %+v at tick %d", teams, w.Tick())
	}
	testenv.Check(t, len(kills) == 1 && kills[0].Weapon == game.WeaponGame && w.score(2) == 0, "kills %+v, score %d", kills, w.score(2))
	w.steps(148)
	w.do(setTeam(2, game.TeamRed))
	testenv.Check(t, w.team(2) == game.TeamBlue, "changed again after 149 ticks")
	w.do(setTeam(2, game.TeamRed))
	testenv.Check(t, w.team(2) == game.TeamRed, "could not change again after 150 ticks")
}

// TestTeamChangeAfterRefusal checks two delays. The three seconds of the spam protection count from
// the last try, even a refused one. The cooldown counts from the last change, even without the
// protection.
func TestTeamChangeAfterRefusal(t *testing.T) {
	for _, protected := range []bool{true, false} {
		w := newWorld(t, game.Config{Mode: tdm.Mode{}, Rules: rules(func(r *game.Rules) { r.SpamProtection = protected })})
		w.enter(0, 1, 2) // red, blue, red
		w.do(setTeam(1, game.TeamRed))
		testenv.Check(t, w.team(1) == game.TeamBlue, "all play in one team")
		w.do(setTeam(2, game.TeamBlue)) // which makes room
		changed := w.Tick() - 1
		w.steps(int(changed + 148 - w.Tick()))
		w.do(setTeam(1, game.TeamRed)) // 149 ticks after the try
		testenv.Check(t, w.team(1) == game.TeamRed != protected, "protected %v: changed after 149 ticks: %v", protected, w.team(1) == game.TeamRed)
		w.do(setTeam(1, game.TeamRed))
		testenv.Check(t, w.team(1) == game.TeamRed, "protected %v: not changed after 150 ticks", protected)

		w = newWorld(t, game.Config{Mode: tdm.Mode{}, Rules: rules(func(r *game.Rules) { r.SpamProtection = protected })})
		w.enter(0, 1, 2)
		w.do(setTeam(2, game.TeamBlue))
		w.steps(148)
		w.do(setTeam(2, game.TeamRed))
		testenv.Check(t, w.team(2) == game.TeamBlue, "protected %v: changed again after 149 ticks", protected)
		w.do(setTeam(2, game.TeamRed))
		testenv.Check(t, w.team(2) == game.TeamRed, "protected %v: not changed again after 150 ticks", protected)
	}
}

func TestAutoBalance(t *testing.T) {
	w := newWorld(t, game.Config{Mode: tdm.Mode{}})
	w.enter(0, 1, 2, 3)
	w.do(game.Command{Kind: game.CmdLeave, Player: 1}, game.Command{Kind: game.CmdLeave, Player: 3})
	noticed := w.Tick()
	var evs []game.Event
	for w.team(0) == game.TeamRed && w.team(2) == game.TeamRed && w.Tick()-noticed < 4000 {
		evs = w.do()
	}
	if got := w.Tick() - noticed; got != 3001 {
		t.Errorf("balanced after %d ticks, want 3001", got)
	}
	var victim, all int
	for _, e := range eventsOf(evs, game.EvGameMsg) {
		switch e.GameMsg {
		case game.GameMsgTeamBalanceVictim:
			victim++
			testenv.Check(t, e.Value == int32(game.TeamBlue), "victim told %+v", e)
		case game.GameMsgTeamBalance:
			all++
		}
	}
	testenv.Check(t, victim == 1 && all == 1, "%d and %d notices", victim, all)
	w.steps(30) // the dead who do not ask for it wait for three seconds
	testenv.Check(t, w.alive(0) && w.alive(2), "the moved player waits to spawn")
}

func TestForcedTeamChanges(t *testing.T) {
	w := newWorld(t, game.Config{Mode: tdm.Mode{}})
	w.enter(0, 1, 2, 3)
	w.do(game.Command{Kind: game.CmdForceTeam, Player: 0, Team: game.TeamSpectators, Value: 2})
	if p, _ := w.Player(0); p.Team != game.TeamSpectators || p.TeamChangeTick != w.Tick()-1+2*60*50 {
		t.Errorf("player %+v", p)
	}
	evs := w.do(game.Command{Kind: game.CmdForceTeam, Player: game.Nobody, Team: game.TeamBlue})
	for id := range game.PlayerID(4) {
		testenv.Check(t, w.team(id) == game.TeamBlue, "player %d in team %d", id, w.team(id))
	}
	for _, e := range eventsOf(evs, game.EvTeamChange) {
		testenv.Check(t, e.Flag, "not silent: %+v", e)
	}
	w.do(game.Command{Kind: game.CmdShuffleTeams})
	red := 0
	for id := range game.PlayerID(4) {
		if w.team(id) == game.TeamRed {
			red++
		}
	}
	testenv.Check(t, red == 2, "%d of 4 red after shuffling", red)
	before := [4]game.Team{w.team(0), w.team(1), w.team(2), w.team(3)}
	w.do(game.Command{Kind: game.CmdSwapTeams})
	for id, was := range before {
		testenv.Check(t, w.team(game.PlayerID(id)) == was^1, "player %d not swapped", id)
	}
}

func TestFriendlyFire(t *testing.T) {
	for _, harm := range []bool{false, true} {
		w := newWorld(t, game.Config{Mode: tdm.Mode{}, Terrain: twoTeesMap(3), Rules: rules(func(r *game.Rules) {
			r.TeamDamage, r.TeamBalanceTime = harm, 0
		})})
		w.enter(0, 1)
		w.do(setTeam(1, game.TeamRed))
		w.steps(200)
		x := int32(w.char(1).Pos.X - w.char(0).Pos.X)
		w.selectWeapon(0, game.WeaponGun, x, 0)
		if got := len(eventsOf(w.shoot(0, x, 0, 20), game.EvDamage)) > 0; got != harm {
			t.Errorf("team damage %v: hurt %v", harm, got)
		}
	}
}
